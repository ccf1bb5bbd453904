"""The ranked diagnoses in what a language model wrote, by its form alone: what has none of these forms is unread.

In this order: JSON, tags, a table, lines. Of lines there are headings and labels ("Final diagnosis: gout"), one list, and text. A
diagnosis that a label or a sentence names goes before the list. Two lists, two JSON values, prose: unread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ...terms.text.sentences import is_nothing
from .answer_sections import ASIDE, FINAL, LEAD, OTHERS, TEXT, UNKNOWN, Section, sections_of
from .entry_names import name_of, names_of, plain, says
from .structured_answers import json_in, led_by, listed, of_json, of_table, tagged

_LONGEST = 100_000
_LONGEST_LINE = 1_000
"""Characters; what is longer is prose."""
_AROUND_A_NAME = 5
"""Characters around a name in a plain list: a number, quotes, a comma."""
_ASIDE_TAGS = re.compile(
    r"[<◁](think|thinking|thoughts?|reasoning|scratchpad|analysis|reflection|explanation|rationale|justification|confidence)(?:_\d+)?[>▷].*?[<◁]/\1(?:_\d+)?[>▷]",
    re.DOTALL | re.IGNORECASE,
)
_END_OF_THOUGHTS = re.compile(r"\A.*</(?:think|thinking)>", re.DOTALL | re.IGNORECASE)
_UNENDED_THOUGHTS = re.compile(r"<(?:think|thinking)>.*\Z", re.DOTALL | re.IGNORECASE)

_LEADING_IN = re.compile(
    r"diagnos|differential|\bddx\b|\bcondition|\bdisease|\bpossibilit|\bcauses?\b|\bconsider|\bexplain|\betiolog|\bcandidates|\btop\b|\b(?:my|the)\s+(?:list|ranking|answer)\b|\bmost likely|^based on\b", re.IGNORECASE
)  # fmt: skip
_NOT_LEADING_IN = re.compile(
    r"\brul(?:ed?|ing)\b.*\bout\b|\bexclu|\bunlikely|\bless\s+likely|\bagainst\b|\bbefore\b|\bneed|\binformation\b|\bfurther\b|\bquestions?\b|\btests?\b|\btreat|\bmanage"
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
_FRAMES = tuple(re.compile(form, re.IGNORECASE | re.DOTALL) for form in (
    r"(?:.{0,200}?,\s+)?(?:(?:the|my|his|her|this\s+patient's)\s+)?(?:single\s+)?(?:most\s+likely|most\s+probable|likeliest|leading|primary|working|probable|presumptive|final|top|correct|best|underlying)\s+diagnosis(?:\s+(?:here|in\s+this\s+(?:case|patient)|for\s+this\s+(?:case|patient)|at\s+this\s+point))?\s+(?:is|would\s+be|remains):?\s+(?P<name>.+)",
    r"(?:.{0,200}?,\s+)?(?:the|my)\s+diagnosis\s+(?:is|would\s+be)(?:\s+(?:most\s+likely|likely|probably))?:?\s+(?P<name>.+)",
    r"(?P<name>.+?)\s+(?:is|would\s+be|remains)\s+(?:the|my)\s+(?:single\s+)?(?:most\s+likely|most\s+probable|likeliest|leading|primary|working|top)\s+diagnosis",
    r"(?:.{0,200}?,\s+)?(?:this|the|he|she)\s*(?:\d+-year-old\s+)?(?:patient|man|woman|boy|girl|child|infant)?\s*(?:(?:most\s+likely|most\s+probably|likely|probably|almost\s+certainly)\s+has|has\s+most\s+likely|is\s+(?:most\s+likely\s+)?suffering\s+from)\s+(?P<name>.+)",
    r"(?:.{0,200}?,\s+)?(?:this|it)\s+is\s+(?:most\s+likely|most\s+probably|likely|probably|almost\s+certainly)\s+(?P<name>.+)",
    r"(?:.{0,200}?)\b(?:findings|presentation|picture|symptoms|features|history|case|constellation|results)\b.{0,120}?\b(?:is|are)\s+(?:most|highly)\s+(?:consistent\s+with|suggestive\s+of)\s+(?P<name>.+)",
    r"(?:(?:based\s+on|given)\b.{0,200}?,\s+)?I\s+(?:think|believe|suspect|would\s+say|am\s+confident)(?:\s+that)?(?:\s+(?:(?:this|it|the\s+diagnosis)\s+is|(?:this|the)\s+patient\s+has))?(?:\s+(?:most\s+likely|likely|probably|most\s+consistent\s+with))?\s+(?P<name>.+)",
    r"most\s+likely,?\s+(?:(?:this|it)\s+is\s+)?(?P<name>.+)",
))  # fmt: skip
"""Sentences that name one diagnosis, and no other."""
_SENTENCE_END = re.compile(r"(?<=[\w)\]*\"”])[.!?](?:\*\*)?\s+(?=[\"“*]*[A-Z])|\n+")
_INLINE = re.compile(r"(?:^|(?<=[\s,;:]))\(?(\d{1,2})[.)]\s+(?=[^\W\d_*]|\*\*)")
_BOLD_HEAD = re.compile(r"(?P<indent>\s*)(?P<text>\*\*[^*]+\*\*\s*(?:[:–—-].*)?)$")
_MOST_OF_A_FRAGMENT = 4
"""Words; a sentence without a verb that is longer gives grounds."""
_OPTION = re.compile(r"\(?[A-H][.)]\s+(?=[A-Z][a-z])")
_BOXED = re.compile(r"\$?\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]+)\}?\s*\}\$?")
_LISTED_BESIDE = re.compile(r"^\s*1[.)]\s[^<]*^\s*2[.)]\s", re.MULTILINE)
"""A list around the tag of one diagnosis: which of the two is the answer?"""
_ANNOUNCES = re.compile(
    r"(?:below|here|this|these|the\s+(?:following|table)|following)\b.{0,80}\b(?:differential|diagnos[ei]s|table|list)\b",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"\(?(?:[A-Za-z]|[ivx]+|[IVX]+)[.)]\s|1\s+(?=[A-Z][a-z])")
_MARKS = re.compile(r"[;|](?![^()]*\))|\s>\s")
_BEFORE_A_NUMBER = re.compile(
    r"\b(?:type|stage|grade|class|group|factor|vitamin|level|phase|trisomy|number|no|men|covid|hiv|hsv|degree|part)[\s-]*\Z",
    re.IGNORECASE,
)
_UNKNOWN_LABEL = re.compile(r"\W*[^\W\d_][\w/'’-]*(?:\s+[\w/'’-]+){0,4}\s*(?::|=|\t)(?:\s|$)")


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
    text = _BOXED.sub(r"\nFinal answer: \1\n", without_thoughts(text)).strip()
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
        found = ranked_diagnoses(inside) if inside != text else None
        return None if found and len(found) == 1 and _LISTED_BESIDE.search(text) else found
    if inside is not None:
        return names_of(inside)
    lines = [
        re.sub(r"^\s*>\s?", "", line)
        for line in text.splitlines()
        if not re.fullmatch(r"\s*(?:```\w*|([-=_*])\1{2,})\s*", line)
    ]
    written = [line for line in lines if line.strip()]
    if len(written) > 2 and all(line.count("|") == written[0].count("|") > 0 for line in written):
        lines = [line if line.strip().startswith("|") else f"|{line}|" for line in written]
    if any(line.strip().startswith("|") for line in lines) or _is_csv(lines):
        return _beside_a_table(lines)
    return _of_sections(sections_of([part for line in lines for part in _inline_apart(line[:_LONGEST_LINE])]))


def says_more(text: str, diagnoses: Sequence[str]) -> bool:
    """Tells whether an answer holds noticeably more than the names that were read from it, such as reasons.

    >>> says_more("1. gout\\n2. sepsis", ["gout", "sepsis"]), says_more("Gout, since the toe is red and hot.", ["Gout"])
    (False, True)
    """
    return sum(map(len, diagnoses)) + _AROUND_A_NAME * (len(diagnoses) + 1) < len(text.strip())


def _checked(names: list[str] | None) -> list[str] | None:
    """Names out of JSON, each a name."""
    if names is None:
        return None
    made = [name_of(name) for name in names if name.strip()]
    return None if any(name is None for name in made) else [name for name in made if name]


def _beside_a_table(lines: Sequence[str]) -> list[str] | None:
    """The names in the one table, behind a diagnosis that a label or sentence around it names."""
    piped = [line for line in lines if line.strip().startswith("|")]
    around = [line for line in lines if piped and not line.strip().startswith("|")]
    rows = of_table(piped or lines)
    sections = sections_of(around)
    if rows is None or sections is None:
        return None
    leads = [section for section in sections if section.kind in (FINAL, LEAD)]
    if len(leads) > 1 or any(section.lists for section in sections if section.kind in (TEXT, OTHERS, UNKNOWN)):
        return None
    text = [line for section in sections if section.kind == TEXT for line in section.text]
    named = _labelled(leads[0]) if leads else _before_a_list(text, True)
    found = names_of(rows)
    if named is None or found is None:
        return None
    return led_by(named, found)


def _is_csv(lines: Sequence[str]) -> bool:
    head, *rows = [line for line in lines if line.strip()] or [""]
    return (
        bool(rows)
        and re.fullmatch(
            r"(?:rank|no|#|number)[,\t]\s*\w*\s*(?:diagnosis|disease|condition|dx)\b.*", head.strip(), re.IGNORECASE
        )
        is not None
    )


def _inline_apart(line: str) -> list[str]:
    """A line, cut before each number where it holds a list: "1. gout 2. sepsis"."""
    found = [one for one in _INLINE.finditer(line) if not _BEFORE_A_NUMBER.search(line[: one.start()])]
    starts: list[int] = []
    for one in found:
        if int(one[1]) == len(starts) + 1:
            starts.append(one.start())
    if len(starts) < 2 or len(starts) < len(found):
        return [line]
    cuts = [0, *starts, len(line)]
    parts = [line[a:b].strip(" ,;|") for a, b in pairwise(cuts)]
    return [part for part in parts if part]


def _of_sections(sections: list[Section] | None) -> list[str] | None:
    """What a label or a sentence names first, then the one list."""
    if sections is None:
        return None
    leads = [section for section in sections if section.kind in (FINAL, LEAD)]
    others = [
        section for section in sections if section.kind == OTHERS and (section.own or section.text or section.lists)
    ]
    text = [section for section in sections if section.kind == TEXT]
    of_lines = all(section.own and not section.lists and not section.text for section in others)
    if len({_first(section) for section in leads}) > 1 or (len(others) > 1 and not of_lines):
        return None
    unknown = [section for section in sections if section.kind == UNKNOWN]
    if any(section.lists or section.own for section in unknown) or (unknown and not leads + others):
        return None
    of_lead = [one for section in leads[:1] if not section.own and not section.text for one in section.lists]
    # bullets below a diagnosis that a label names are what speaks for it
    grounds = [
        one
        for section in leads
        if section.own or section.text
        for one in section.lists
        if not one.last or section.kind == FINAL
    ]
    lists = [
        one
        for section in sections
        if section.kind not in (ASIDE, UNKNOWN)
        for one in section.lists
        if not any(one is other for other in (*of_lead, *grounds))
    ]
    behind = [
        line for section in others for line in ([section.own] if section.own else [] if section.lists else section.text)
    ]
    if len(of_lead) > 1 or len(lists) + bool(behind) > 1:
        return None
    before = [line for section in text for line in section.text]
    headed = bool(behind) or any(lists[0] in section.lists for section in others if lists)
    led = _before_a_list(before, headed) if lists or behind else _of_text(before)
    if leads and led is None and not headed:
        if lists and leads[0].kind != FINAL:
            return None
        lists = []  # of findings, or steps
    named = led
    if leads:
        named = names_of(of_lead[0].entries) if of_lead else _labelled(leads[0])
    if named is None:
        return None
    found = names_of(lists[0].entries) if lists else _listed(behind) if behind else []
    if found is None or not named + found or (not named and others and not others[0].alone):
        return None
    if lists and any(map(_UNSETTLED.search, lists[0].below)) and not _settled(lists[0].below, [*named, *found][0]):
        return None
    return led_by(named, found)


def _listed(lines: Sequence[str]) -> list[str] | None:
    """Diagnoses without marks behind or below a label that announces several: a line each, or between ";"; a comma parts nothing."""
    if len(lines) > 1:
        return None if any(map(_UNKNOWN_LABEL.match, lines)) else names_of(lines)
    parts = [part for part in _MARKS.split(plain(lines[0])) if part.strip()]
    return None if re.search(r",|\band\b|\bor\b|\bvs\b", lines[0]) else names_of(parts)


def _first(section: Section) -> str:
    return (section.own or "\n".join(section.text[:1])).strip(" *.").casefold()


def _settled(below: Sequence[str], first: str) -> bool:
    """Whether what stands below a list says no more than that its first is the likeliest."""
    said = [part for line in below for part in _SENTENCE_END.split(plain(line)) if _UNSETTLED.search(part)]
    return (
        len(said) == 1
        and first.casefold() in said[0].casefold()
        and re.search(r"most\s+(?:likely|probable)", said[0], re.IGNORECASE) is not None
        and re.search(r"\b(?:but|however|although|other|not)\b", said[0]) is None
    )


def _labelled(section: Section) -> list[str] | None:
    """The diagnosis behind or below a label; None where what follows may mean another."""
    own, *more = [section.own, *section.text] if section.own else section.text or [""]
    own = _OPTION.sub("", own, count=1)
    unsettled = any(_UNSETTLED.search(line) or _UNKNOWN_LABEL.match(line) for line in more)
    return None if (section.kind == LEAD and unsettled) or own.count(",") > 1 else _of_line(own) or None


def _before_a_list(lines: Sequence[str], headed: bool) -> list[str] | None:
    """What the text before a list names: [] for none, and for a sentence that leads in; None where it says something else.

    headed : whether the list stands under a heading of its own, so that nothing needs to lead in.
    """
    said = [part for line in lines for part in _SENTENCE_END.split(plain(line)) if part.strip()]
    if headed:  # "Below is the ranked differential in a table."
        said = [
            part
            for part in said
            if not (_ANNOUNCES.match(part) and not _UNSETTLED.search(re.sub("differential", "", part)))
        ]
    names = [
        _framed(part.rstrip(" :.")) or (name_of(part) if headed and len(said) == 1 and not part.endswith(".") else None)
        for part in said
    ]
    rest = [part for part, name in zip(said, names, strict=True) if name is None]
    named = [name for name in names if name is not None]
    if not headed and rest and not named:
        last = re.sub(r"\bI(?:'m| am) not an? \w+(?: \w+)?\b", "", rest.pop())
        leads_in = last.rstrip().endswith(":") or (not says(last) and len(last.split()) <= 6)
        if not leads_in or not _LEADING_IN.search(last) or _NOT_LEADING_IN.search(last):
            return None
    unsettled = len(named) > 1 or any(_UNSETTLED.search(part) or _POINTS.search(part) for part in rest)
    return None if unsettled else named


def _of_text(lines: Sequence[str]) -> list[str] | None:
    """Lines of no list: one name, several short ones, names in bold with prose below each, or a sentence that names one."""
    if not lines:
        return []
    if len(lines) == 1:
        return _of_line(lines[0])
    bold = [_BOLD_HEAD.fullmatch(line) for line in lines]
    if bold[0] is not None:
        rest = [line for line, head in zip(lines, bold, strict=True) if head is None]
        settled = all(map(_is_prose, rest)) and not any(map(_UNSETTLED.search, rest))
        return names_of([head["text"] for head in bold if head is not None]) if settled else None
    if (
        not any(_UNKNOWN_LABEL.match(line) or _LETTERED.match(line) for line in lines)
        and (found := names_of(lines)) is not None
    ):
        return found
    return _said("\n".join(lines))


def _is_prose(line: str) -> bool:
    return says(line) or line.rstrip().endswith(".")


def _of_line(line: str) -> list[str] | None:
    """One line: a name, several between marks, a sentence that names one; None for any other."""
    text = plain(line)
    parts = [part for part in _MARKS.split(text) if part.strip()]
    if _LETTERED.match(text) or _UNKNOWN_LABEL.match(text):
        return None
    if len(parts) > 1:
        return names_of(parts)
    return _said(line)


def _said(text: str) -> list[str] | None:
    """Sentences of which one names a diagnosis, or the first is one, and the others give grounds."""
    said = [part for part in _SENTENCE_END.split(text) if part.strip()]
    names = [_framed(part) for part in said]
    if (
        not any(names)
        and said
        and not re.search(r"\b(?:or|vs\.?|versus|and/or)\b", said[0].replace("with or without", ""))
    ):
        names[0] = name_of(said[0])
    rest = [part for part, name in zip(said, names, strict=True) if name is None]
    if any(
        _UNSETTLED.search(part)
        or _UNKNOWN_LABEL.match(part)
        or not (says(part) or len(part.split()) > _MOST_OF_A_FRAGMENT)
        for part in rest
    ):
        return None
    found = [name for name in names if name is not None]
    return found if len(found) == 1 else None


def _framed(sentence: str) -> str | None:
    """The one diagnosis that a sentence of a known form names."""
    for frame in _FRAMES:
        if (found := frame.fullmatch(plain(sentence).strip().rstrip("."))) is not None:
            words = re.sub(
                r"^(?:an?|the)?\s*(?:(?:acute|severe|classic)\s+)?(?:case|attack|episode|presentation)\s+of\s+(?:an?\s+)?|^(?:an?|the)\s+",
                "",
                found["name"],
                flags=re.IGNORECASE,
            )
            name = name_of(words)
            if name is None or re.search(
                r",|\b(?:or|and/or|vs|un(?:clear|known|certain))\b|\bwith\s+(?:a\s+)?differential", name, re.IGNORECASE
            ):
                return None
            return name
    return None
