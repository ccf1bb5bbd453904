"""A raw answer cut at its headings and labels: what stands behind and below each, and the list in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .answer_words import ASIDE, TEXT, Unread, kind_of, plain

_LONGEST_LINE = 1_000  # characters; what is longer is prose
_MOST_OF_A_LABEL = 4  # words of a heading without a mark, or of a label of unknown words
_NUMBERED = re.compile(
    r"(?i)\s*(?:#{1,6}\s+)?(?:\*\*|__)?(?:(?:diagnosis|dx|rank)\s*)?(?:#(?=\d)|[(\[])?(?P<number>[1-9]\d?)"
    r"(?:[.)\]]+:?|:(?!\d)|\s+[-–—](?=\s)|(?<=#\d)|(?<=#\d\d))(?!\d)\s*(?P<text>\S.*)"
)
_BULLET = re.compile(r"\s*(?:[-*•–+◦▪‣·●►➤]\s+|[-•](?=[^\W\d_]))(?P<text>\S.*)")
_INLINE = re.compile(r"(?:^|(?<=[\s,;:>]))(?<!type )(?<!stage )(?<!grade )\(?(\d{1,2})[.)]\s+(?=[^\W\d_*]|\*\*)")
_LABEL = re.compile(r"([^:\t—\[]{2,60}?)\s*(:|[-=]?>|=|\t|→|\s[–—-]\s)\s*(.*)")
_HEADING = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*]+\*\*\s*|[^:]*(:)\**\s*)")


@dataclass
class Section:
    """What stands below a heading or label. kind : as in `answer_words`. own : whether its text begins in the label's line.

    text : lines before a list. entries : of the list, with their numbers (0 for bullets). below : the text after its last. indent : of its marks.
    """

    kind: int
    text: list[str] = field(default_factory=list)
    own: bool = False
    entries: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    indent: int = 0


def sections_of(text: str) -> list[Section]:
    """Cuts an answer at its headings and labels.

    Raises
    ------
    Unread
        Where a section has two lists, or a heading or label is unknown.
    """
    sections, blank, counted = [Section(TEXT)], False, 0
    for line in (part for one in text.splitlines() for part in _list_apart(one[:_LONGEST_LINE])):
        after_blank, blank = blank, not any(map(str.isalnum, line))
        here, indent = sections[-1], len(line) - len(line.lstrip())
        numbered, bullet = _NUMBERED.fullmatch(line), _BULLET.fullmatch(line)
        if blank or (here.entries and indent > here.indent) or (bullet and any(here.numbers)):
            continue  # what is said of an entry
        mark, number = numbered or bullet, int(numbered["number"]) if numbered else 0
        is_reason = here.kind == ASIDE or (here.entries and not (after_blank or here.below))
        opened = None if number else _opened(mark["text"] if mark else line, here, bool(mark or is_reason))
        if opened is not None:
            sections += [] if opened.kind == ASIDE and opened.own and any(here.numbers) else [opened]
        elif mark:
            last = here.numbers[-1] if here.entries else number
            is_other = number not in (last, last + (last > 0)) or (here.below and number == last)
            if here.kind == ASIDE:
                is_other = not any(here.numbers) and number == counted + 1 > 1  # it may go on with the list above
            if is_other:
                raise Unread
            here.indent, here.below = here.indent if here.entries else indent, []
            here.entries.append(mark["text"])
            here.numbers.append(number)
            counted = counted if here.kind == ASIDE else number
        elif not is_reason:
            (here.below if here.entries else here.text).append(line)
    return sections


def _list_apart(line: str) -> list[str]:
    """A line, cut before each number where it holds a list: "1. gout 2. sepsis"."""
    found = [int(number) for number in _INLINE.findall(line)]
    if len(found) < 2 or found != [*range(1, len(found) + 1)]:
        return [line]
    return [part.strip(" ,;|") for part in _INLINE.sub(r"\n\1. ", line).strip("\n").split("\n")]


def _opened(line: str, here: Section, is_free: bool) -> Section | None:
    """The section that a line opens: a heading, or a label with what is behind it; None for another line.

    Errors: `Unread` for one of unknown words, where it is not free in these, and not the bold name below a label.
    """
    bare = plain(re.sub(r"^\s*#{1,6}\s+", "", line))
    label, heading = _LABEL.fullmatch(bare), _HEADING.fullmatch(line)
    if label and label[3] and (kind := kind_of(label[1])) is not None:
        return Section(kind, [label[3].strip()], own=True)
    if (heading or (len(bare.split()) <= _MOST_OF_A_LABEL and not is_free)) and (
        kind := kind_of(bare.rstrip(":"))
    ) is not None:
        return Section(kind)
    is_label = label and label[2] == ":" and label[3] and len(label[1].split()) <= _MOST_OF_A_LABEL
    is_title = heading and not heading[1] and (here.kind == TEXT or here.text or here.entries or line.startswith("#"))
    if not is_free and (is_label or is_title):
        raise Unread
    return None
