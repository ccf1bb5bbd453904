"""A raw answer cut at its headings and labels: what stands behind and below each, and the list in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .answer_labels import ASIDE, LIST, kind_of, plain

TEXT, UNKNOWN = range(10, 12)
_NUMBERED = re.compile(
    r"(?P<indent>\s*)(?P<heading>#{1,6}\s+)?(?P<bold>\*\*|__)?(?:(?:diagnosis|dx|differential|rank|option|candidate|choice|answer|number|no\.)\s*)?"
    r"(?:#\s?(?P<hash>[1-9]\d?)(?!\d)[.:)]?|[(\[]?(?P<number>[1-9]\d?)(?:\*\*)?(?:[.)\]]+:?|:(?!\d)|\s+[-–—](?=\s))(?!\d))\s*(?P<text>\S.*)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>\s*)(?:[-*•–+◦▪‣·●]\s+|[-•](?=[^\W\d_]))(?P<text>\S.*)")
_FINAL = re.compile(r"\b(?:final|revised|updated|refined)\b", re.IGNORECASE)
_LABEL = re.compile(r"([^:=\t—\[]{2,60}?)\s*(?::|=|\t|→|\s[–-]\s)\s*(.*)")
_OF_DIAGNOSES = re.compile(r"diagnos[ei]s\b|differential|possibilit", re.IGNORECASE)
_MOST_OF_A_LABEL = 4
"""Words of a heading without a mark, or of a label of unknown words."""


class OutOfOrder(Exception):
    """The numbers of a list are in no order, or a section has two lists."""


@dataclass
class Section:
    """What stands below a heading or label. kind : as in `answer_labels`, TEXT or UNKNOWN. own : behind the label in its line.

    text : lines before a list. entries : of the one list. below : the text after its last. last : the number of that, 0 for bullets.
    indent : of its marks. headed : its entries are headings, so that their parts have headings, too. is_final : an answer comes to this list after others.
    """

    kind: int
    own: str = ""
    text: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    last: int = 0
    indent: int = 0
    headed: bool = False
    is_final: bool = False


def sections_of(lines: Sequence[str]) -> list[Section]:
    """Cuts an answer at its headings and labels.

    Raises
    ------
    OutOfOrder
        Where the numbers of a list do not rise by one, or a section has two lists.
    """
    sections, blank = [Section(TEXT)], False
    for line in lines:
        after_blank, blank = blank, not line.strip()
        if blank:
            continue
        current, numbered = sections[-1], _NUMBERED.fullmatch(line)
        mark = numbered or _BULLET.fullmatch(line)
        number = int(numbered["hash"] or numbered["number"]) if numbered else 0
        headed = bool(numbered and (numbered["heading"] or numbered["bold"]))
        text = f"{(numbered['bold'] or '') if numbered else ''}{mark['text']}" if mark else line
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        if current.entries and indent > current.indent:
            continue
        opened = None if number and not headed else _opened(text, mark is not None)
        if number and opened is None:
            if (going := _that_goes_on(sections, number, headed)) is not None:
                sections.append(sections.pop(sections.index(going)))
            elif current.kind == ASIDE:
                continue
            elif number > 1:
                raise OutOfOrder
        if current.last and (opened is not None or not number):
            reason = (
                opened is not None and opened.kind == ASIDE and (current.headed or (opened.own and not after_blank))
            )
            if reason or (opened is None and mark):
                continue
        if opened is not None:
            sections.append(opened)
        elif mark:
            _add(sections[-1], text, number, indent, headed)
        elif not current.entries:
            current.text.append(line)
        elif after_blank or current.below:
            current.below.append(line)
    return sections


def _that_goes_on(sections: Sequence[Section], number: int, headed: bool) -> Section | None:
    """The section whose list an entry of this number goes on with, below another heading of diagnoses, too."""
    last = next((one for one in reversed(sections) if one.last), None)
    of_aside = sections[-1].kind in (ASIDE, UNKNOWN) and not sections[-1].own
    if last is None or (of_aside and not headed):
        return None
    return last if number == last.last + 1 or (number == last.last and last is sections[-1]) else None


def _add(section: Section, text: str, number: int, indent: int, headed: bool) -> None:
    goes_on = number in (section.last, section.last + 1) if number else not (section.last or section.below)
    if section.entries and not goes_on and section.kind != ASIDE:
        raise OutOfOrder
    if not section.entries:
        section.indent, section.headed = indent, headed
    section.entries.append(text)
    section.last, section.below = number, []


def _opened(line: str, is_entry: bool) -> Section | None:
    """The section that a line opens: a heading, or a label with what is behind it; None for another line."""
    text = re.sub(r"^\s*(?:#{1,6}\s+|>\s*)", "", line)
    marked = text != line
    bare, step = plain(text), re.sub(r"^(?:step|part)\s+\d+\s*[.:]\s*", "", plain(text), flags=re.IGNORECASE)
    if marked or (text.lstrip().startswith("**") and kind_of(step) is not None):
        bare = step
    label = _LABEL.match(bare)
    if label is not None and (kind := kind_of(label[1])) is not None:
        return Section(kind, label[2].strip(), is_final=kind == LIST and _FINAL.search(label[1]) is not None)
    if label is not None and label[2].strip() and len(label[1].split()) <= 4 and _OF_DIAGNOSES.search(label[1]):
        return Section(UNKNOWN, label[2].strip())  # "Cannot-miss diagnoses: sepsis"
    headed = marked or bare.endswith(":") or re.fullmatch(r"\s*\*\*[^*]+\*\*:?\s*", text) is not None
    short = not is_entry and len(bare.split()) <= _MOST_OF_A_LABEL
    if (headed or short) and (kind := kind_of(bare)) is not None:
        return Section(kind, is_final=kind == LIST and _FINAL.search(bare) is not None)
    return Section(UNKNOWN) if marked and bare and not is_entry else None
