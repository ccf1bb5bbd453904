"""The ranked diagnoses in what a language model wrote, by its form alone: what has none of these forms is unread.

Tags, JSON and a table are written as the headings and numbered lines that mean the same. Of lines there are headings and labels ("Final
diagnosis: gout"), one list, and text. A diagnosis that a label or a sentence names goes before the list. Two lists, prose: unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from ...terms.text.sentences import is_nothing
from .answer_labels import ASIDE, LEAD, LIST, OTHERS, plain
from .answer_sections import TEXT, UNKNOWN, OutOfOrder, Section, sections_of
from .entry_names import name_of, names_of, says
from .structured_answers import without_json, without_table, without_tags

_LONGEST = 100_000
_BRACKET = re.compile(r"\s*\([^()]*\)")
_LONGEST_LINE = 1_000
"""Characters; what is longer is prose."""
_AROUND_A_NAME = 5
"""Characters around a name in a plain list: a number, quotes, a comma."""
_MOST_OF_A_FRAGMENT = 4
"""Words; a sentence without a verb that is longer gives grounds."""
_THOUGHTS = re.compile(
    r"(?is)[<◁]think(?:ing)?[>▷].*?(?:[<◁]/think(?:ing)?[>▷]|\Z)|\A(?:(?![<◁]think).)*?[<◁]/think(?:ing)?[>▷]"
)
_SHARE = re.compile(r"[(\[,:–—-]\s*[~≈]?\s*(\d{1,3}(?:\.\d+)?)\s*%\s*(?:[)\]–—:,.-]|$)")
"""How likely an entry is said to be."""
_IN_BRACKETS = re.compile(r"\[(/?[A-Z_]{3,20})\]")
"""Tags in other brackets: "[ANSWER]"."""
_BOXED = re.compile(r"\$?\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]+)\}?\s*\}\$?\.?")
_RULE_OR_FENCE = re.compile(r"\s*(?:```\w*|([-=_*])\1{2,}|\+[-=+]{3,})\s*")
_SIGN = re.compile(r"(?m)^[ \t]*([^\w\s!-~“‘«•–—◦▪‣·●]\ufe0f?)[ \t]+(?=\S)")
"""Before a line; where all have the same it is the mark of a list."""
_RISING = re.compile(
    r"(?i)\b(?:least|lowest)\b[^.\n]{0,40}\bto\b[^.\n]{0,20}\b(?:most|highest)\b|\b(?:increasing|ascending|rising|reverse)\s+(?:order|likelihood|probability)\b"
)
"""The least likely comes first."""

_LEADING_IN = re.compile(
    r"(?i)diagnos|differential|\bddx\b|condition|disease|possibilit|\bcauses?\b|consider|explain|candidates|\btop\b|\bconcern(?:ing|ed|s)\b|\b(?:my|the) (?:list|ranking|answer)\b|^based on\b"
)
_NOT_LEADING_IN = re.compile(
    r"(?i)\b(?:rul(?:ed?|ing)\b|exclu|unlikely|less\b|against|before|need|further|question|tests?\b|treat|manag|work-?up|recommend|steps?\b|other\b|also\b|alternativ|factors|not?\b)"
)
_UNSETTLED = re.compile(
    r"(?i)\b(?:however|instead|rather\s+than|alternativ\w+|differential|also\s+(?:consider|possible|likely)|other\s+(?:possib\w+|diagnos\w+|causes?|conditions?|considerations?)"
    r"|rule\s+out|lean|(?:cannot|can't|must)\s+be\s+(?:considered|excluded|ruled)|(?:less|more|most|second|equally)\s+(?:likely|probable)|likeliest|final\s+(?:diagnosis|answer)"
    r"|diagnosis\s+(?:is|would|of)|(?:is|are|remains?)\s+possible|suspect|favou?r(?:ed(?=\s*:))?|on\s+reflection|wait|actually|versus|vs|(?:could|might|may)\s+(?:also\s+)?be|consistent\s+with|suggestive\s+of|I\s+think|(?:goes|moves|rises|jumps)\s+(?:up|to))\b"
)
"""Beside an answer: another diagnosis may be meant, or another order."""
_POINTS = re.compile(
    r"(?i)\b(?:suggest|indicat|point|not\b|diagnos|(?:this|it)\s+is\b(?!\s+an?\b|:)|has\b(?!\s+(?:a|been|had)\b))"
)
"""Before a list: a diagnosis may be named that is none of its entries."""
_LIKELIEST = r"(?:single )?(?:most likely|most probable|likeliest|leading|primary|principal|working|probable|presumptive|final|top|correct|best|underlying)"
_LIKELY = r"(?:(?:most )?(?:likely|probably)|almost certainly)"
_SEEN = r"(?:findings|presentation|picture|symptoms|features|history|case|constellation|combination|results|everything)"
_FRAMES = tuple(re.compile(rf"(?:.{{0,200}}?[,:] )?{form}".replace(" ", r"\s+").replace("NAME", "(?P<name>.+?)"), re.IGNORECASE | re.DOTALL) for form in (
    rf"(?:(?:the|my|his|her|this patient's)(?: {_LIKELIEST})?|{_LIKELIEST})(?: single)? (?:diagnosis|answer)(?: (?:here|(?:in|for) this (?:case|patient)|at this point))? (?:is|would be|remains)(?: {_LIKELY})?:? NAME",
    rf"NAME (?:is|would be|remains) (?:by far )?the (?:{_LIKELIEST}|(?:{_LIKELIEST} )?diagnosis)(?: (?:that |I would |given |in this |\().+)?",
    rf"(?:this|the|he|she) ?(?:\d+-year-old )?(?:patient|man|woman|boy|girl|child|infant)? ?(?:{_LIKELY} has|has most likely|is (?:most likely )?suffering from) NAME",
    rf"(?:(?:this|it) is (?:{_LIKELY}|most consistent with|highly suggestive of)|(?:(?:this|it|that) )?(?:sounds|looks) (?:most |very much )?like|most likely,?(?: (?:(?:this|it) is|(?:this|the) patient has))?) NAME",
    rf".{{0,200}}?\b{_SEEN}\b.{{0,200}}? (?:(?:is|are) (?:(?:most|highly) (?:consistent with|suggestive of)|consistent with(?= a diagnosis))|points? to(?:wards?)?) NAME",
    r".{1,200}? (?:is|are) NAME until proven otherwise",
    r".{0,400}? strongly (?:suggests?|indicates?) NAME",
    rf"I (?:think|believe|suspect|would (?:say|diagnose)|am confident|(?:am|would be) most concerned (?:about|for))(?: that)?(?: (?:(?:this|it|the(?: {_LIKELIEST})? diagnosis) is|(?:this|the) patient has))?(?: {_LIKELY}| most consistent with)? NAME",
))  # fmt: skip
"""Sentences that name one diagnosis, and no other."""
_BEFORE_A_NAME = re.compile(
    r"(?i)^(?:(?:an?|the)\s+)?(?:(?:\w+\s+)?(?:case|attack|episode|diagnosis)\s+of\s+)?(?:an?\s+|the\s+)?"
)
_BEHIND_A_NAME = re.compile(
    r"(?i),\s+(?:with|(?:al)?though|while|likely\s+(?:due|related|secondary)\s+to)\b.*|\s+to\s+me\b.*|\s+as\s+the\s.*diagnosis|\s+and\s+(?:refer|start|treat|admit|recommend|would)\b.*"
)
_SEVERAL = re.compile(r"\b(?<!with )(?<!/)(?:or|vs\.?|versus)\b(?![-\s]host)|(?:,\s.*){3}")
"""More than one name, which nothing parts: of 200,000 names of diseases 4 in 1,000 have three commas."""
_SENTENCE_END = re.compile(r"(?<=[\w)\]*\"”])[.!?](?:\*\*)?\s+(?=[\"“*]*[A-Z])|\n+")
_INLINE = re.compile(
    r"(?:^|(?<=[\s,;:]))(?<!type )(?<!stage )(?<!grade )(?<!class )(?:\(?(\d{1,2})[.)]|\(?([a-h])\))\s+(?=[^\W\d_*]|\*\*)"
)
_OPTION = re.compile(r"\(?[A-H][.)]\s+(?=[A-Z][a-z])")
_MARKS = re.compile(r"[;|](?![^()]*\))|\s>\s")
_UNKNOWN_MARK = re.compile(
    r"\(?(?:[A-Za-z]\)|[A-Z]\.(?=\s+[A-Z])|(?:[ivx]{2,}|[IVX]{2,})[.)])\s|1\s+(?=[A-Z][a-z])"
    r"|\W*[^\W\d_][\w/'’-]*(?:\s+[\w/'’-]+){0,4}\s*(?::|=|\t)(?:\s|$)"
)
"""The mark of a list, of which only this entry is there (not "C. difficile"); a label."""


def without_thoughts(text: str) -> str:
    """Gives what comes after the model's thoughts. A thought without an end is all that there is."""
    return _THOUGHTS.sub("", text[:_LONGEST])


def ranked_diagnoses(text: str) -> list[str] | None:
    """Reads the diagnoses, the likeliest first; [] for a text that names none, None where none of the forms fits.

    >>> ranked_diagnoses("1. **STEMI** - raised troponin in two samples\\n2. Pericarditis (20%)")
    ['STEMI', 'Pericarditis']
    >>> ranked_diagnoses("It could be lupus, or gout.") is None
    True
    """
    text = (
        _BOXED.sub(r"\nFinal answer: \1\n", without_thoughts(_IN_BRACKETS.sub(r"<\1>", text))).rstrip().lstrip("\r\n")
    )
    if not text or (any(map(str.isalpha, text)) and "\n" not in text and is_nothing(text.strip(" *_#`\"'"))):
        return []
    signs = _SIGN.findall(text)
    if _RISING.search(text) or 1 < len({*signs}) < len(signs):
        return None
    text = _SIGN.sub("- ", text) if len({*signs}) < len(signs) else text
    written = (without_json(without_tags(text)) or "").splitlines()
    lines = without_table([re.sub(r"^\s*>\s?", "", line) for line in written if not _RULE_OR_FENCE.fullmatch(line)])
    try:
        return _of_sections(sections_of([part for line in lines or [] for part in _inline_apart(line[:_LONGEST_LINE])]))
    except OutOfOrder:
        return None


def says_more(text: str, diagnoses: Sequence[str]) -> bool:
    """Tells whether an answer holds noticeably more than the names that were read from it, such as reasons.

    >>> says_more("1. gout\\n2. sepsis", ["gout", "sepsis"]), says_more("Gout, since the toe is red and hot.", ["Gout"])
    (False, True)
    """
    return sum(map(len, diagnoses)) + _AROUND_A_NAME * (len(diagnoses) + 1) < len(text.strip())


def _inline_apart(line: str) -> list[str]:
    """A line, cut before each number or letter where it holds a list: "1. gout 2. sepsis"."""
    found = [*_INLINE.finditer(line)]
    if len(found) < 2 or [int(one[1] or ord(one[2]) - 96) for one in found] != [*range(1, len(found) + 1)]:
        return [line]
    entries = [line[a.end() : b.start() if b else None] for a, b in zip_longest(found, found[1:])]
    parts = [line[: found[0].start()], *(f"{number}. {entry}" for number, entry in enumerate(entries, 1))]
    return [part for part in (part.strip(" ,;|") for part in parts) if part]


def _of_sections(sections: Sequence[Section]) -> list[str] | None:
    """What a label or a sentence names first, then the one list."""
    held = [one for one in sections if one.kind != ASIDE and (one.own or one.text or one.entries)]
    held = held[max((i for i, one in enumerate(held) if one.is_final and one.entries), default=0) :]
    if any(one.kind == UNKNOWN and (one.own or one.entries) for one in held):
        return None
    named = [one for one in held if one.kind == LEAD and (one.own or one.text)]
    if len({(one.own or one.text[0]).strip(" *.").casefold() for one in named}) > 1:
        return None
    # bullets below a diagnosis that a label names are what speaks for it
    lists = [one for one in held if one.entries and (one.last or not (one.own or one in named))]
    if not named and len(lists) == 2 and lists[0].kind == LEAD and len(lists[0].entries) == 1:
        named = [lists.pop(0)]
    behind = [one for one in held if one.kind in (LIST, OTHERS) and one not in lists]
    if len(lists) + bool(behind) > 1 or (len(behind) > 1 and not all(one.own for one in behind)):
        return None
    if any(_UNKNOWN_MARK.match(line) for one in behind if one.own for line in one.text):
        return None
    before = [line for one in held if one.kind == TEXT for line in one.text]
    headed = any(one.kind != TEXT for one in [*lists, *behind])
    led = _before_a_list(before, headed) if lists or behind else _of_text(before) if before and not named else []
    if named and led is None and not headed:
        lists, led = [], []  # of findings, or steps
    first = led if not named else _labelled(named[0])
    shares = [float(found[1]) for one in lists for entry in one.entries if (found := _SHARE.search(entry))]
    if shares != sorted(shares, reverse=True):
        return None
    rest = names_of(lists[0].entries) if lists else _of_list(behind) if behind else []
    only_others = all(one.kind == OTHERS for one in [*lists, *behind]) and bool(lists or behind)
    if first is None or led is None or rest is None or not first + rest or (only_others and not first):
        return None
    again, after = _framed_in(line for one in held for line in (one.text if one.kind == UNKNOWN else one.below))
    leading = [*first, *rest][0].casefold()
    if any(map(_UNSETTLED.search, after)) or any(name.casefold() not in leading for name in again):
        return None
    return [*first, *(name for name in rest if not any(_is_same(name, one) for one in first))]


def _is_same(name: str, other: str) -> bool:
    """Whether two names are one, but for what stands in brackets behind one of them."""
    a, b = name.casefold(), other.casefold()
    return a in (b, _BRACKET.sub("", b)) or _BRACKET.sub("", a) == b


def _of_list(sections: Sequence[Section]) -> list[str] | None:
    """The names behind labels of several, or in the lines below one; a comma or "and" between them, or within the name of one, is unread."""
    lines = [one.own for one in sections if one.own] or sections[0].text
    return None if len(lines) == 1 and re.search(r",|\b(?:and|or|vs)\b", lines[0]) else _of_text(lines)


def _labelled(section: Section) -> list[str] | None:
    """The diagnosis behind or below a label; None where what follows may mean another."""
    own, *more = [line for line in (section.own, *section.text) if line] or section.entries
    several = len(re.findall(r",(?!\s+with)", own)) > 1
    return None if several or not _are_grounds(more) else _of_text([_OPTION.sub("", own, count=1)])


def _before_a_list(lines: Sequence[str], headed: bool) -> list[str] | None:
    """What the text before a list names: [] for none, and for a sentence that leads in; None where it says something else.

    headed : whether the list stands under a heading of its own, so that nothing needs to lead in.
    """
    named, rest = _framed_in(lines)
    if rest and not named:
        last = rest[-1].rstrip()
        if last.endswith(":") and _LEADING_IN.search(last) and not _NOT_LEADING_IN.search(last):
            rest.pop()
        elif not headed:
            return None
    is_name = headed and len(lines) == 1 and lines[0].rstrip()[-1] not in ".!:" and name_of(lines[0]) is not None
    unsettled = any(_UNSETTLED.search(part.replace("differential", "")) or _POINTS.search(part) for part in rest)
    return None if len(named) > 1 or is_name or unsettled else named


def _of_text(lines: Sequence[str]) -> list[str] | None:
    """Lines, or parts of one between marks, with a name each; or sentences of which one names a diagnosis, or the first is one, and others give grounds."""
    one = [part for part in _MARKS.split(lines[0]) if part.strip()]
    parts = lines if len(lines) > 1 else lines[0].split(" / ") if len(one) == 1 and lines[0].count(" / ") > 1 else one
    alike = len({part.lstrip().startswith("**") for part in parts}) == 1
    if len(parts) > 1 and alike and not any(map(_UNKNOWN_MARK.match, parts)) and (found := names_of(parts)) is not None:
        return found
    named, rest = _framed_in(lines)
    if rest and not named and not _SEVERAL.search(rest[0]) and not _UNKNOWN_MARK.match(rest[0]):
        named = [name for name in (name_of(rest.pop(0)),) if name]
    return named if len(named) == 1 and _are_grounds(rest) else None


def _are_grounds(lines: Sequence[str]) -> bool:
    """Whether each says something, and none means another diagnosis or has a label."""
    says_all = all(says(line) or len(line.split()) > _MOST_OF_A_FRAGMENT for line in lines)
    return says_all and not any(_UNSETTLED.search(line) or _UNKNOWN_MARK.match(line) for line in lines)


def _framed_in(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """The diagnoses that sentences of a known form name; the other sentences."""
    said = [part for line in lines for part in _SENTENCE_END.split(line) if part.strip()]
    names = [_framed(plain(part).rstrip(" :.")) for part in said]
    rest = [part for part, name in zip(said, names, strict=True) if name is None]
    return [name for name in names if name is not None], rest


def _framed(sentence: str) -> str | None:
    found = next((found for frame in _FRAMES if (found := frame.fullmatch(sentence))), None)
    words = _BEFORE_A_NAME.sub("", found["name"]) if found else ""
    if found is None or _MARKS.search(words) or _UNSETTLED.search(words):
        return None
    name = name_of(_BEHIND_A_NAME.sub("", words))
    return None if name is None or "," in name or _SEVERAL.search(name) or is_nothing(name) else name
