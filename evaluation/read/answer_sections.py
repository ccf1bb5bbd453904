"""A raw answer cut at its headings and labels: what stands behind and below each, and the list in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .answer_words import ASIDE, LIST, Unread, kind_of, plain

TEXT, UNKNOWN = range(10, 12)
_LONGEST_LINE = 1_000  # characters; what is longer is prose
_MOST_OF_A_LABEL = 4  # words of a heading without a mark, or of a label of unknown words
_NUMBERED = re.compile(
    r"\s*(?P<heading>#{1,6}\s+)?(?P<bold>\*\*|__)?(?:(?:diagnosis|dx|differential|rank|option|candidate|choice|answer|number|no\.)\s*)?"
    r"(?:#\s?(?P<hash>[1-9]\d?)(?!\d)[.:)]?|[(\[]?(?P<number>[1-9]\d?)(?:(?:\*\*)?(?:[.)\]]+:?|:(?!\d)|\s+[-–—](?=\s))|\*\*(?=\s))(?!\d))\s*(?P<text>\S.*)",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"(?m)(?:(?<=^)|(?<=^\*\*))\(?([A-Ha-h])[.)][ \t]+(?=\S)")
_BULLET = re.compile(r"\s*(?:[-*•–+◦▪‣·●]\s+|[-•](?=[^\W\d_])|[^\w\s!-~“‘«—✓✔✅✗✘❌❎]\ufe0f?[ \t]+)(?P<text>\S.*)")
_INLINE = r"(?:^|(?<=[\s,;:]))(?<!type )(?<!stage )(?<!grade )(?<!class )(?:\(?(\d{1,2})[.)]|\(?([a-h])\))\s+(?=[^\W\d_*]|\*\*)"
_LABEL = re.compile(r"([^:=\t—\[]{2,60}?)\s*(?::|[-=]?>|=|\t|→|\s[–—-]\s)\s*(.*)")
_LABEL_BEHIND = re.compile(r"(?<=[\w)*])[.;]\s+(?=[^\W\d_][^:.;]{1,40}:\s)|\s+(?=\*\*[^*:]{2,40}:\*\*\s)")
_OF_DIAGNOSES = re.compile(r"diagnos[ei]s\b|differential|possibilit", re.IGNORECASE)


@dataclass
class Section:
    """What stands below a heading or label. kind : as in `answer_words`, TEXT or UNKNOWN. own : behind the label in its line.

    text : lines before a list. entries : of the one list. below : the text after its last. last : the number of that, 0 for bullets. indent : of its marks.
    """

    kind: int
    own: str = ""
    text: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    last: int = 0
    indent: int = 0


def lines_of(text: str) -> list[str]:
    """The lines of a text, without marks of quotes; one that holds several labels or a list is several."""
    letters = "".join(_LETTERED.findall(text)).casefold()
    if "abcdefgh".startswith(letters) and len(letters) > 1 and "answer" not in text.casefold():
        text = _LETTERED.sub(lambda mark: f"{ord(mark[1].casefold()) - 96}. ", text)
    lines = [re.sub(r"^\s*>\s?", "", line)[:_LONGEST_LINE] for line in text.splitlines()]
    return [part for line in lines for one in _labels_apart(line) for part in _list_apart(one)]


def _labels_apart(line: str) -> list[str]:
    """A line, cut before each label behind a sentence or in bold: "Dx: gout. DDx: sepsis, flu"."""
    parts = _LABEL_BEHIND.split(line)
    known = all(kind_of(part.partition(":")[0]) is not None for part in parts[1:])
    return parts if known and not _NUMBERED.fullmatch(line) and not _BULLET.fullmatch(line) else [line]


def _list_apart(line: str) -> list[str]:
    """A line, cut before each number or letter where it holds a list: "1. gout 2. sepsis"."""
    found = [int(number or ord(letter) - 96) for number, letter in re.findall(_INLINE, line)]
    numbers = iter(found if found == [*range(1, len(found) + 1)] and len(found) > 1 else [])
    apart = re.sub(_INLINE, lambda mark: f"\n{number}. " if (number := next(numbers, 0)) else mark[0], line)
    return [part.strip(" ,;|") if part else part for part in apart.strip("\n").split("\n")] if "\n" in apart else [line]


def sections_of(lines: Sequence[str]) -> list[Section]:
    """Cuts an answer at its headings and labels.

    Raises
    ------
    Unread
        Where the numbers of a list do not rise by one, or a section has two lists.
    """
    # numbers of the parts of an answer, and not of a list: "2. Differential diagnoses:", "3. Plan: …"
    labels = [found["text"].partition(":") for line in lines if (found := _NUMBERED.fullmatch(line))]
    of_parts = any(colon and "(" not in label and kind_of(label) in (ASIDE, LIST) for label, colon, _ in labels)
    sections, blank = [Section(TEXT)], False
    for line in lines:
        after_blank, blank = blank, not any(map(str.isalnum, line))
        here, numbered = sections[-1], _NUMBERED.fullmatch(line)
        mark, indent = numbered or _BULLET.fullmatch(line), len(line) - len(line.lstrip())
        if blank or (here.entries and indent > here.indent):
            continue
        if len(lines) == 1 and re.match(r"\s*[^\w\s!-~•–◦▪‣·●]", line):
            mark = None  # a sign before several lines is a bullet, one before a name is not known
        number = int(numbered["hash"] or numbered["number"]) if numbered else 0
        headed = bool(numbered and (numbered["heading"] or numbered["bold"]))
        text = f"{(numbered['bold'] or '') if numbered else ''}{mark['text']}" if mark else line
        opened = _opened(text, mark is not None)
        if opened is not None and (not number or headed or of_parts):
            # a reason right below an entry opens nothing
            sections += [] if here.last and opened.kind == ASIDE and opened.own and not after_blank else [opened]
        elif number:
            here = _that_goes_on(sections, number, headed)
            if here is not None:
                sections.append(sections.pop(sections.index(here)))
                _add(here, text, number, indent)
            elif sections[-1].kind != ASIDE:
                raise Unread
        elif mark and not here.last:
            if here.entries and here.below and here.kind != ASIDE:
                raise Unread
            _add(here, text, 0, indent)
        elif not here.entries:
            here.text.append(line)
        elif not mark and (after_blank or here.below):
            here.below.append(line)
    return sections


def _that_goes_on(sections: Sequence[Section], number: int, headed: bool) -> Section | None:
    """The section whose list an entry of this number goes on with, below another heading of diagnoses, too, or begins."""
    here, last = sections[-1], next((one for one in reversed(sections) if one.last), None)
    kept = headed or here.own or here.kind not in (ASIDE, UNKNOWN)
    if last is not None and kept and (number == last.last + 1 or (number == last.last and last is here)):
        return last
    return here if number == 1 and not here.entries and here.kind != ASIDE else None


def _add(section: Section, text: str, number: int, indent: int) -> None:
    section.indent = section.indent if section.entries else indent
    section.entries.append(text)
    section.last, section.below = number, []


def _opened(line: str, is_entry: bool) -> Section | None:
    """The section that a line opens: a heading, or a label with what is behind it; None for another line."""
    text = re.sub(r"^\s*(?:#{1,6}\s+|>\s*)", "", line)
    marked, bare = text != line, plain(text)
    if marked or text.startswith("**"):
        bare = re.sub(r"^(?i:step|part)\s+\d+\s*[.:]\s*", "", bare)
    label = _LABEL.match(bare)
    if label is not None and (kind := kind_of(label[1])) is not None:
        return Section(kind, label[2].strip())
    if label is not None and label[2].strip() and len(label[1].split()) <= 4 and _OF_DIAGNOSES.search(label[1]):
        return Section(UNKNOWN, label[2].strip())  # "Cannot-miss diagnoses: sepsis"
    headed = marked or bare.endswith(":") or re.fullmatch(r"\s*\*\*[^*]+\*\*:?\s*", text) is not None
    if (headed or (not is_entry and len(bare.split()) <= _MOST_OF_A_LABEL)) and (kind := kind_of(bare)) is not None:
        return Section(kind)
    return Section(UNKNOWN) if marked and bare and not is_entry else None
