"""The ranked diagnoses in what a language model wrote, by its form alone: what has none of these forms is unread.

In this order: JSON, tags, a table, lines. Of lines there are headings and labels ("Final diagnosis: gout"), one list, and text. A
diagnosis that a label or a sentence names goes before the list. Two lists, two JSON values, prose: unread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ...terms.text.sentences import is_nothing
from .answer_sections import ASIDE, TEXT, UNKNOWN, OutOfOrder, Section, sections_of
from .entry_names import name_of, names_of, plain, says
from .structured_answers import LEAD, OTHERS, column_mark, json_in, led_by, listed, of_json, of_table, tagged

_LONGEST = 100_000
_LONGEST_LINE = 1_000
"""Characters; what is longer is prose."""
_AROUND_A_NAME = 5
"""Characters around a name in a plain list: a number, quotes, a comma."""
_MOST_OF_A_FRAGMENT = 4
"""Words; a sentence without a verb that is longer gives grounds."""
_ASIDE_TAGS = re.compile(
    r"[<◁](think|thinking|thoughts?|reasoning|scratchpad|analysis|reflection|explanation|rationale|justification|confidence)(?:_\d+)?[>▷].*?[<◁]/\1(?:_\d+)?[>▷]",
    re.DOTALL | re.IGNORECASE,
)
_END_OF_THOUGHTS = re.compile(r"\A.*</(?:think|thinking)>", re.DOTALL | re.IGNORECASE)
_UNENDED_THOUGHTS = re.compile(r"<(?:think|thinking)>.*\Z", re.DOTALL | re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\[(/?[A-Z_]{3,20})\]")
"""Tags in square brackets: "[ANSWER]"."""
_BOXED = re.compile(r"\$?\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]+)\}?\s*\}\$?")

_LEADING_IN = re.compile(
    r"diagnos|differential|\bddx\b|\bcondition|\bdisease|\bpossibilit|\bcauses?\b|\bconsider|\bexplain|\betiolog|\bcandidates|\btop\b|\b(?:my|the)\s+(?:list|ranking|answer)\b|\bmost likely|^based on\b", re.IGNORECASE
)  # fmt: skip
_NOT_LEADING_IN = re.compile(
    r"\brul(?:ed?|ing)\b.*\bout\b|\bexclu|\bunlikely|\bless\s+likely|\bagainst\b|\bbefore\b|\bneed|\bfurther\b|\bquestions?\b|\btests?\b|\btreat|\bmanage"
    r"|\bwork-?up|\brecommend|\bsteps?\b|\bother\b|\balso\b|\bbesides\b|\balternativ|\bsymptoms\s+(?:include|are)|\bfindings\s+(?:include|are)|\bfactors\b|\bno\s+longer\b|\bwould\s+not\b",
    re.IGNORECASE,
)  # fmt: skip
_UNSETTLED = re.compile(
    r"\b(?:however|instead|rather\s+than|alternativ\w+|differential|also\s+(?:consider|possible|likely)|other\s+(?:possib\w+|diagnos\w+|causes?|conditions?|considerations?)"
    r"|cannot\s+be\s+(?:excluded|ruled)|can't\s+be|(?:less|more|most|second|equally)\s+(?:likely|probable)|likeliest|final\s+(?:diagnosis|answer)|diagnosis\s+(?:is|would|of)|suspect|favou?r"
    r"|on\s+reflection|wait|actually|versus|vs|or\s+possibly|could\s+(?:also\s+)?be|might\s+(?:also\s+)?be|may\s+(?:also\s+)?be|consistent\s+with|suggestive\s+of|I\s+think|must\s+be\s+(?:considered|excluded|ruled))\b",
    re.IGNORECASE,
)  # fmt: skip
"""Beside an answer: another diagnosis may be meant, or another order."""
_POINTS = re.compile(
    r"\b(?:suggest\w*|indicat\w*|point\w*\s+to|not|diagnos\w+|(?:this|it)\s+is(?!\s+an?\b)|has(?!\s+(?:a|been|had)\b))\b",
    re.IGNORECASE,
)
"""Before a list: a diagnosis may be named that is none of its entries."""
_BEFORE = r"(?:.{0,200}?,\s+)?"
_THE_LIKELIEST = r"(?:single\s+)?(?:most\s+likely|most\s+probable|likeliest|leading|primary|principal|working|probable|presumptive|final|top|correct|best|underlying)"
_LIKELY = r"(?:most\s+likely|most\s+probably|likely|probably|almost\s+certainly)"
_OF_THE_CASE = (
    r"(?:findings|presentation|picture|symptoms|features|history|case|constellation|combination|results|everything)"
)
_FRAMES = tuple(re.compile(form, re.IGNORECASE | re.DOTALL) for form in (
    rf"{_BEFORE}(?:(?:the|my|his|her|this\s+patient's)\s+)?{_THE_LIKELIEST}\s+diagnosis(?:\s+(?:here|in\s+this\s+(?:case|patient)|for\s+this\s+(?:case|patient)|at\s+this\s+point))?\s+(?:is|would\s+be|remains):?\s+(?P<name>.+)",
    rf"{_BEFORE}(?:the|my)\s+diagnosis\s+(?:is|would\s+be)(?:\s+{_LIKELY})?:?\s+(?P<name>.+)",
    rf"(?P<name>.+?)\s+(?:is|would\s+be|remains)\s+(?:the|my)\s+{_THE_LIKELIEST}\s+diagnosis",
    r"(?P<name>.+?)\s+(?:is|would\s+be)\s+the\s+diagnosis\s+(?:that\s+best\s+explains|I\s+would\s+favou?r)\b.*",
    rf"{_BEFORE}(?:this|the|he|she)\s*(?:\d+-year-old\s+)?(?:patient|man|woman|boy|girl|child|infant)?\s*(?:{_LIKELY}\s+has|has\s+most\s+likely|is\s+(?:most\s+likely\s+)?suffering\s+from)\s+(?P<name>.+)",
    rf"{_BEFORE}(?:this|it)\s+is\s+{_LIKELY}\s+(?P<name>.+)",
    rf".{{0,200}}?\b{_OF_THE_CASE}\b.{{0,200}}?\b(?:(?:is|are)\s+(?:most|highly)\s+(?:consistent\s+with|suggestive\s+of)|points?\s+to(?:wards?)?)\s+(?P<name>.+)",
    r".{0,400}?\bstrongly\s+(?:suggests?|indicates?)\s+(?P<name>.+)",
    r"(?:(?:based\s+on|given|in\s+light\s+of)\b.{0,200}?,\s+)?I\s+(?:think|believe|suspect|would\s+(?:say|diagnose)|am\s+confident)(?:\s+that)?(?:\s+(?:(?:this|it|the\s+diagnosis)\s+is|(?:this|the)\s+patient\s+has))?(?:\s+(?:most\s+likely|likely|probably|most\s+consistent\s+with))?\s+(?P<name>.+)",
    r"most\s+likely,?\s+(?:(?:this|it)\s+is\s+)?(?P<name>.+)",
))  # fmt: skip
"""Sentences that name one diagnosis, and no other."""
_BEFORE_A_NAME = re.compile(
    r"^(?:an?|the)?\s*(?:(?:acute|severe|classic)\s+)?(?:case|attack|episode|presentation)\s+of\s+(?:an?\s+)?|^(?:an?|the)\s+", re.IGNORECASE
)  # fmt: skip
_BEHIND_A_NAME = re.compile(
    r",\s+(?:with|though|although|while)\b.*|\s+as\s+the\s+(?:\w+\s+)?diagnosis|\s+and\s+(?:refer|start|treat|admit|recommend|would|should|needs?)\b.*", re.IGNORECASE
)  # fmt: skip
_SEVERAL = re.compile(r",|\b(?:or|and/or|vs|un(?:clear|known|certain))\b|\bwith\s+(?:a\s+)?differential", re.IGNORECASE)
_SEVERAL_OF_ONE = re.compile(r"\b(?:or|vs\.?|versus)\b(?![-\s]host)|(?:,\s.*){4}|(?:,\s.*){2},\s+and\s")
"""More than one name, which nothing parts: of 20,000 names of diseases 41 have so many commas."""
_PARTED = re.compile(r",|\b(?:and|or|vs)\b")
"""Between several diagnoses behind a label, or within the name of one."""
_SENTENCE_END = re.compile(r"(?<=[\w)\]*\"”])[.!?](?:\*\*)?\s+(?=[\"“*]*[A-Z])|\n+")
_INLINE = re.compile(r"(?:^|(?<=[\s,;:]))\(?(\d{1,2})[.)]\s+(?=[^\W\d_*]|\*\*)")
_BEFORE_A_NUMBER = re.compile(
    r"\b(?:type|stage|grade|class|group|factor|vitamin|level|phase|trisomy|number|no|men|covid|hiv|hsv|degree|part)[\s-]*\Z", re.IGNORECASE
)  # fmt: skip
_OPTION = re.compile(r"\(?[A-H][.)]\s+(?=[A-Z][a-z])")
_LETTERED = re.compile(r"\(?(?:[A-Za-z]\)|[A-Z]\.(?=\s+[A-Z])|(?:[ivx]{2,}|[IVX]{2,})[.)])\s|1\s+(?=[A-Z][a-z])")
"""The mark of a list, of which only this entry is there; not "C. difficile"."""
_MARKS = re.compile(r"[;|](?![^()]*\))|\s>\s")
_UNKNOWN_LABEL = re.compile(r"\W*[^\W\d_][\w/'’-]*(?:\s+[\w/'’-]+){0,4}\s*(?::|=|\t)(?:\s|$)")
_LISTED_BESIDE = re.compile(r"^\s*1[.)]\s[^<]*^\s*2[.)]\s", re.MULTILINE)
"""A list around the tag of one diagnosis: which of the two is the answer?"""


def without_thoughts(text: str) -> str:
    """Gives what comes after the model's thoughts. A thought without an end is all that there is."""
    text = text[:_LONGEST]
    text = _ASIDE_TAGS.sub("\n", text) if "</" in text or "◁/" in text else text
    return _UNENDED_THOUGHTS.sub("", _END_OF_THOUGHTS.sub("", text))


def ranked_diagnoses(text: str) -> list[str] | None:
    """Reads the diagnoses, the likeliest first; [] for a text that names none, None where none of the forms fits.

    >>> ranked_diagnoses("1. **STEMI** - raised troponin in two samples\\n2. Pericarditis (20%)")
    ['STEMI', 'Pericarditis']
    >>> ranked_diagnoses("It could be lupus, or gout.") is None
    True
    """
    text = _BOXED.sub(r"\nFinal answer: \1\n", without_thoughts(_IN_BRACKETS.sub(r"<\1>", text))).strip()
    if not text or (any(map(str.isalpha, text)) and "\n" not in text and is_nothing(text.strip(" *_#`\"'"))):
        return []
    if (values := listed(text)) is not None:
        return _checked(of_json(values))
    if (found := json_in(text)) is not None:
        value, around = found
        beside = [line for line in around.splitlines() if not line.rstrip().endswith(":")]
        return None if any(map(_UNSETTLED.search, beside)) or "{" in around else _checked(of_json(value))
    if "{" in text:
        return None
    inside = tagged(text)
    if isinstance(inside, str):
        names = ranked_diagnoses(inside) if inside != text else None
        return None if names and len(names) == 1 and _LISTED_BESIDE.search(text) else names
    if inside is not None:
        return names_of(inside)
    lines = [
        re.sub(r"^\s*>\s?", "", line)
        for line in text.splitlines()
        if not re.fullmatch(r"\s*(?:```\w*|([-=_*])\1{2,})\s*", line)
    ]
    written = [line for line in lines if line.strip()]
    if len(written) > 2 and all(line.count("|") == written[0].count("|") > 0 for line in written):
        lines = [f"|{line.strip().strip('|')}|" for line in written]
    try:
        if any(line.strip().startswith("|") for line in lines) or (len(written) > 1 and column_mark(written[0])):
            return _of_a_table(lines)
        return _of_sections(sections_of([part for line in lines for part in _inline_apart(line[:_LONGEST_LINE])]))
    except OutOfOrder:
        return None


def says_more(text: str, diagnoses: Sequence[str]) -> bool:
    """Tells whether an answer holds noticeably more than the names that were read from it, such as reasons.

    >>> says_more("1. gout\\n2. sepsis", ["gout", "sepsis"]), says_more("Gout, since the toe is red and hot.", ["Gout"])
    (False, True)
    """
    return sum(map(len, diagnoses)) + _AROUND_A_NAME * (len(diagnoses) + 1) < len(text.strip())


def _checked(names: list[str] | None) -> list[str] | None:
    """Names out of JSON, each a name."""
    made = [name_of(name) for name in names or [] if name.strip()]
    several = len(made) == 1 and str(made[0]).count(",") > 1
    return None if names is None or None in made or several else [name for name in made if name]


def _of_a_table(lines: Sequence[str]) -> list[str] | None:
    """The names in the one table; text around it is read as text around a list."""
    piped = [line for line in lines if line.strip().startswith("|")]
    rows = of_table(piped or lines)
    if rows is None:
        return None
    around = [line for line in lines if piped and not line.strip().startswith("|")]
    at = next((i for i, line in enumerate(lines) if line.strip().startswith("|")), 0)
    listed_there = [f"{number}. {row}" for number, row in enumerate(rows, 1)]
    before = lines[:at] if piped else []
    return _of_sections(sections_of([*before, "Differential diagnoses:", *listed_there, "", *around[len(before) :]]))


def _inline_apart(line: str) -> list[str]:
    """A line, cut before each number where it holds a list: "1. gout 2. sepsis"."""
    found = [one for one in _INLINE.finditer(line) if not _BEFORE_A_NUMBER.search(line[: one.start()])]
    starts: list[int] = []
    for one in found:
        if int(one[1]) == len(starts) + 1:
            starts.append(one.start())
    if len(starts) < 2 or len(starts) < len(found):
        return [line]
    parts = [line[a:b].strip(" ,;|") for a, b in pairwise([0, *starts, len(line)])]
    return [part for part in parts if part]


def _of_sections(sections: Sequence[Section]) -> list[str] | None:
    """What a label or a sentence names first, then the one list."""
    leads = [one for one in sections if one.kind == LEAD and (one.own or one.text or one.lists)]
    others = [one for one in sections if one.kind == OTHERS and (one.own or one.text or one.lists)]
    unknown = [one for one in sections if one.kind == UNKNOWN]
    if any(one.lists or one.own for one in unknown) or (unknown and not leads + others):
        return None
    if len({_first(one) for one in leads}) > 1:
        return None
    named = [one for one in leads if one.own or one.text]
    # bullets below a diagnosis that a label names are what speaks for it
    lists = [
        one
        for section in sections
        if section.kind not in (ASIDE, UNKNOWN)
        for one in section.lists
        if section not in named or one.last
    ]
    of_one = leads and not named and len(lists) == 2 and lists[0] is leads[0].lists[0] and len(lists[0].entries) == 1
    lead = lists.pop(0) if of_one else None
    behind = [line for one in others for line in ([one.own] if one.own else [] if one.lists else one.text)]
    if len(behind) == 1 and _PARTED.search(behind[0]):
        return None
    if len(lists) + bool(behind) > 1 or (len(others) > 1 and behind and any(one.text for one in others)):
        return None
    before = [line for one in sections if one.kind == TEXT for line in one.text]
    headed = bool(behind) or any(one.lists for one in leads + others)
    led = _before_a_list(before, headed) if lists or behind else _of_text(before)
    if named and led is None and not headed:
        lists = []  # of findings, or steps
    first = names_of(lead.entries) if lead else _labelled(named[0]) if named else led
    found = names_of(lists[0].entries) if lists else _of_text(behind) if behind else []
    if first is None or found is None or not first + found or (not first and others and not others[0].alone):
        return None
    after = [line for one in [*unknown, *lists] for line in (one.text if isinstance(one, Section) else one.below)]
    if any(map(_UNSETTLED.search, after)) and not _settled(after, [*first, *found][0]):
        return None
    return led_by(first, found)


def _first(section: Section) -> str:
    return (section.own or "\n".join(section.text[:1])).strip(" *.").casefold()


def _settled(below: Sequence[str], first: str) -> bool:
    """Whether what stands below a list says no more than that its first is the likeliest."""
    said = [part for line in below for part in _SENTENCE_END.split(plain(line)) if _UNSETTLED.search(part)]
    known = [name.casefold() for name in (first, *re.findall(r"[^()]+", first)) if len(name) > 1]
    return (
        len(said) == 1
        and any(name.strip() in said[0].casefold() for name in known)
        and re.search(r"most\s+(?:likely|probable)", said[0], re.IGNORECASE) is not None
        and re.search(r"\b(?:but|however|although|other|not)\b", said[0]) is None
    )


def _labelled(section: Section) -> list[str] | None:
    """The diagnosis behind or below a label; None where what follows may mean another."""
    own, *more = [section.own, *section.text] if section.own else section.text
    unsettled = any(_UNSETTLED.search(line) or _UNKNOWN_LABEL.match(line) for line in more)
    return None if unsettled or own.count(",") > 1 else _of_line(_OPTION.sub("", own, count=1))


def _before_a_list(lines: Sequence[str], headed: bool) -> list[str] | None:
    """What the text before a list names: [] for none, and for a sentence that leads in; None where it says something else.

    headed : whether the list stands under a heading of its own, so that nothing needs to lead in.
    """
    said = [part for line in lines for part in _SENTENCE_END.split(plain(line)) if part.strip()]
    names = [_framed(part.rstrip(" :.")) for part in said]
    if headed and len(said) == 1 and not said[0].endswith(".") and names == [None]:
        names = [name_of(said[0])]
    rest = [part for part, name in zip(said, names, strict=True) if name is None]
    named = [name for name in names if name is not None]
    if not headed and rest and not named:
        last = rest.pop().rstrip()
        if not last.endswith(":") or not _LEADING_IN.search(last) or _NOT_LEADING_IN.search(last):
            return None
    unsettled = len(named) > 1 or any(
        _UNSETTLED.search(part.replace("differential", "")) or _POINTS.search(part) for part in rest
    )
    return None if unsettled else named


def _of_text(lines: Sequence[str]) -> list[str] | None:
    """Lines of no list: one name, several short ones, or a sentence that names one."""
    if len(lines) == 1:
        return _of_line(lines[0])
    bold = sum(line.lstrip().startswith("**") for line in lines)
    if bold in (0, len(lines)) and not any(_UNKNOWN_LABEL.match(line) or _LETTERED.match(line) for line in lines):
        found = names_of(lines) if lines else []
        if found is not None:
            return found
    return _said("\n".join(lines))


def _of_line(line: str) -> list[str] | None:
    """One line: a name, several between marks, a sentence that names one; None for any other."""
    text = plain(line)
    if _LETTERED.match(text) or _UNKNOWN_LABEL.match(text):
        return None
    parts = [part for part in _MARKS.split(text) if part.strip()]
    if len(parts) < 2:
        return _said(line)
    framed = None if _SENTENCE_END.search(text) else _framed(line)
    return names_of(parts) if framed is None else [framed]


def _said(text: str) -> list[str] | None:
    """Sentences of which one names a diagnosis, or the first is one, and the others give grounds."""
    said = [part for part in _SENTENCE_END.split(text) if part.strip()]
    names = [_framed(part) for part in said]
    first = re.sub(r"with or without|and/or|\([^()]*\)", "", said[0]) if said else ""
    if first and not any(names) and not _SEVERAL_OF_ONE.search(first):
        names[0] = name_of(said[0])
    rest = [part for part, name in zip(said, names, strict=True) if name is None]
    found = [name for name in names if name is not None]
    grounds = (says(part) or len(part.split()) > _MOST_OF_A_FRAGMENT for part in rest)
    unsettled = any(_UNSETTLED.search(part) or _UNKNOWN_LABEL.match(part) for part in rest)
    return found if len(found) == 1 and not unsettled and all(grounds) else None


def _framed(sentence: str) -> str | None:
    """The one diagnosis that a sentence of a known form names."""
    for frame in _FRAMES:
        if (found := frame.fullmatch(plain(sentence).strip().rstrip("."))) is not None:
            words = _BEFORE_A_NAME.sub("", found["name"])
            behind = _BEHIND_A_NAME.search(words)
            name = name_of(_BEHIND_A_NAME.sub("", words))
            several = _MARKS.search(words) or (behind is not None and _UNSETTLED.search(behind[0]))
            return None if name is None or several or _SEVERAL.search(name) else name
    return None
