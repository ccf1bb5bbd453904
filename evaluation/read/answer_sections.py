"""A raw answer cut at its headings and labels: what stands behind and below each, and the lists in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .entry_names import plain
from .structured_answers import LEAD, OTHERS

ASIDE, TEXT, UNKNOWN = range(10, 13)
_DIAGNOSIS = "diagnosis dx answer impression condition disease"
_THE_LIKELIEST = "most likely likeliest probable leading primary principal main working provisional presumptive top single final definitive confirmed"
_WORDS = {
    LEAD: frozenset(f"{_DIAGNOSIS} {_THE_LIKELIEST}".split()),
    OTHERS: frozenset(
        f"{_DIAGNOSIS} {_THE_LIKELIEST} diagnoses conditions diseases differential differentials ddx others other alternative alternatives possible possibly possibilities considerations"
        " potential relevant remaining secondary additional still also less least more unlikely ranked ranking".split()
    ),
}  # fmt: skip
"""All words of a heading or label, but for the small ones, are one of these. Of the first a heading names one diagnosis."""
_SMALL = frozenset(
    [
        "the",
        "my",
        "a",
        "an",
        "of",
        "in",
        "by",
        "to",
        "this",
        "patient",
        "case",
        "is",
        "are",
        "would",
        "be",
        "and",
        "but",
        "with",
        "include",
        "includes",
        "from",
        "here",
        "d",
        "s",
        "tier",
        "key",
        "important",
        "list",
        "consider",
        "considered",
        "order",
        "likelihood",
        "probability",
        "decreasing",
        "descending",
    ]
)
"""Words that say nothing of diagnoses by themselves."""
_NOT_ALONE = re.compile(r"other|alternative|also|additional|remaining|secondary|^\W*(?:less|least)", re.IGNORECASE)
_ASIDE = re.compile(
    r"(?:\w+\s+){0,2}(?:basis|reason(?:s|ing)?|rationale|explanation|justification|evidence|findings|features|symptoms|presentation|history|complaint|summar(?:y|ize)|analysis|assessment"
    r"|discussion|plan|management|treatment|therapy|tests?|testing|work-?up|investigations?|recommendations?|recommended|steps?|actions?|notes?|disclaimer|confidence|likelihood|probability"
    r"|follow-?up|labs?|imaging|medications?|comorbidities|patient|question|code|icd-?10|severity|urgency|ruled\s+out|red\s+flags|caveats?|clues?|supporting|against|why|hypotheses)\b(?!.*\b(?:diagnoses|ddx|exclude|miss)\b)",
    re.IGNORECASE,
)
"""Headings of what is no answer, whatever stands below them."""
_LONGEST_HEADING = 7
"""Words; what is longer is a sentence before a list."""
_NUMBERED = re.compile(
    r"(?P<indent>\s*)(?P<heading>#{1,6}\s+)?(?P<bold>\*\*|__)?(?:(?:diagnosis|dx|differential|rank|option|candidate|choice|answer|number|no\.)\s*)?"
    r"(?:#\s?(?P<hash>\d{1,2})(?!\d)[.:)]?|[(\[]?(?P<number>\d{1,2})(?:\*\*)?(?:[.)\]]+:?|:(?!\d)|\s+[-–—](?=\s))(?!\d))\s*(?P<text>\S.*)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>\s*)[-*•–+◦▪‣·●]\s+(?P<text>\S.*)")
_LABEL = re.compile(r"([^:=\t—\[]{2,60}?)\s*(?::|=|\t|→|\s[–-]\s)\s*(.*)")
_OF_DIAGNOSES = re.compile(r"diagnos[ei]s\b|differential|possibilit", re.IGNORECASE)


class OutOfOrder(Exception):
    """The numbers of a list are in no order."""


@dataclass
class Listing:
    """Entries of a list. indent : of its marks. last : the number of the last entry, 0 for bullets. below : the text after it.

    headed : its entries are headings, so that their parts have headings, too.
    """

    indent: int
    headed: bool
    last: int = 0
    entries: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


@dataclass
class Section:
    """What stands below a heading or label. kind : LEAD, OTHERS, ASIDE, TEXT or UNKNOWN. own : behind the label in its line. text : lines of no list.

    alone : whether it may be all of the answer; "other diagnoses" are not.
    """

    kind: int
    own: str = ""
    text: list[str] = field(default_factory=list)
    lists: list[Listing] = field(default_factory=list)
    alone: bool = True


def _kind_of(heading: str) -> int | None:
    bare = re.sub(r"\([^()]*\)|\bfor\s.*|^\W*\d+[.)]|[^\w\s'’/-]", " ", plain(heading), flags=re.IGNORECASE).strip()
    words = {word for word in re.findall(r"[^\W\d_]+", bare.casefold()) if word not in _SMALL}
    for kind, known in _WORDS.items():
        if words and words <= known:
            return kind
    is_sentence = "," in heading or len(bare.split()) > _LONGEST_HEADING
    return ASIDE if not is_sentence and _ASIDE.match(bare) else None


def _opened(line: str, is_entry: bool, alone: bool) -> Section | None:
    """The section that a line opens: a heading, or a label with what is behind it; None for another line. alone : it is all of the answer."""
    text = re.sub(r"^\s*(?:#{1,6}\s+|>\s*)", "", line)
    marked = text != line
    bare = plain(re.sub(r"^(?:step|part)\s+\d+\s*[.:]\s*", "", text, flags=re.IGNORECASE) if marked else text)
    label = _LABEL.match(bare)
    if label is not None and (kind := _kind_of(label[1])) is not None:
        return Section(kind, label[2].strip(), alone=_NOT_ALONE.search(label[1]) is None)
    if label is not None and label[2].strip() and len(label[1].split()) <= 4 and _OF_DIAGNOSES.search(label[1]):
        return Section(UNKNOWN, label[2].strip())  # "Cannot-miss diagnoses: sepsis"
    headed = marked or bare.endswith(":") or re.fullmatch(r"\s*\*\*[^*]+\*\*:?\s*", text) is not None
    short = not (alone or is_entry) and len(bare.split()) <= 4
    if (headed or short) and (kind := _kind_of(bare)) is not None:
        return Section(kind, alone=_NOT_ALONE.search(bare) is None)
    return Section(UNKNOWN) if marked and bare and not is_entry else None


def sections_of(lines: Sequence[str]) -> list[Section]:
    """Cuts an answer at its headings and labels.

    Raises
    ------
    OutOfOrder
        Where the numbers of a list neither rise by one nor stay.
    """
    sections, current, blank = [Section(TEXT)], None, False
    alone = sum(map(bool, map(str.strip, lines))) == 1
    for line in lines:
        after_blank, blank = blank, not line.strip()
        if blank:
            continue
        numbered, bullet = _NUMBERED.fullmatch(line), _BULLET.fullmatch(line)
        mark = numbered or bullet
        number = int(numbered["hash"] or numbered["number"]) if numbered else 0
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        is_heading = bool(numbered and (numbered["heading"] or numbered["bold"]))
        text = f"{(numbered['bold'] or '') if numbered else ''}{mark['text']}" if mark else line
        opened = _opened(text, mark is not None, alone) if is_heading or not number else None
        goes_on = _list_that_goes_on(sections, number, is_heading) if number and opened is None else None
        if current is not None and (goes_on is None or indent > current.indent):
            below = indent > current.indent or (current.last and bullet and not opened)
            of_entry = current.last and (current.headed or (opened and opened.own and not after_blank))
            if below or (of_entry and opened and opened.kind == ASIDE):
                continue
        if opened is not None:
            sections.append(opened)
            current = None
        elif mark:
            if goes_on is not None:
                current = goes_on
            elif number > 1 and sections[-1].kind != ASIDE:
                raise OutOfOrder
            elif current is None or number or current.last or current.below:
                current = Listing(indent, is_heading)
                sections[-1].lists.append(current)
            current.entries.append(text)
            current.last, current.below = number, []
        elif current is None:
            sections[-1].text.append(line)
        elif after_blank or current.below:
            current.below.append(line)
    return sections


def _list_that_goes_on(sections: Sequence[Section], number: int, is_heading: bool) -> Listing | None:
    """The list that an entry of this number goes on with, below another heading of diagnoses, too."""
    of_aside = sections[-1].kind in (ASIDE, UNKNOWN) and not sections[-1].own
    within = sections[-1:] if of_aside and not is_heading else sections
    last = next((one for section in reversed(within) for one in reversed(section.lists) if one.last), None)
    if last is None or (of_aside and is_heading and not last.headed):
        return None
    return last if number == last.last + 1 or (number == last.last and last in sections[-1].lists) else None
