"""The form of an answer: JSON, tags and tables, written as the headings and numbered lines that mean the same; and lines, cut at headings and labels."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from .answer_words import DENIES, FEW, LEADS_IN, OF_NAMES, Kind, certain, kind_of, plain
from .formats.answer import value_in

_LIKELIHOOD = re.compile(r"(?i)^p$|probab|likelihood|confidence|chance|score|%")
_IN_WORDS = {"low": "1", "medium": "2", "moderate": "2", "high": "3"}
_RANKED = re.compile(r"(?i)(?:rank|top|differential|diagnos[ei]s|answer|d?dx|[\W_])*0*([1-9]\d?)(?:st|nd|rd|th)?")
_RANKING = re.compile(r"(?i)\brank|\b(?:likelihood|prob\w*)$")
_RANK = re.compile(r"(?i)rank|#|no\.?|")
_BOXED = re.compile(r"\$?\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]+)\}?\s*\}\$?\.?")
_LONGEST_LINE = 1_000  # characters; what is longer is prose
_TAG = re.compile(r"(?is)<([a-z]\w{0,40})(?:\s[^<>]{0,80})?>((?:(?!<\1\b).)*?)</\1>")
_NUMBERED = re.compile(
    r"(?i)\s*(?:#{1,6}\s+)?(?:\*\*|__)?(?:(?:diagnosis|dx|rank)\s*)?(?:#(?=\d)|[(\[])?(?P<number>[1-9]\d?)"
    r"(?:[.)\]]+:?|:(?!\d)|\s+[-–—](?=\s)|(?<=#\d)|(?<=#\d\d))(?!\d)\s*(?P<text>\S.*)"
)
_BULLET = re.compile(r"\s*(?:[-*•–+◦▪‣·●►➤]\s+|[-•](?=[^\W\d_]))(?P<text>\S.*)")
_INLINE = re.compile(r"(?:^|(?<=[\s,;:>]))(?<!type )(?<!stage )(?<!grade )\(?(\d{1,2})[.)]\s+(?=[^\W\d_*]|\*\*)")
_LABEL = re.compile(r"([^:\t—\[]{2,60}?)\s*(:|[-=]?>|=|\t|→|\s[–—-]\s)\s*(\S.*)")
_HEADING = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*]+\*\*\s*|[^:]*(:)\**\s*)")


def without_json(text: str) -> str:
    """Writes the one value of JSON in a text as lines. Errors: `Unread` for one that is no ranking, or that is not whole."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    value = value_in(text[start:end])
    if isinstance(value, dict) or (isinstance(value, list) and all(isinstance(v, str | dict | None) for v in value)):
        return "\n".join([text[:start], *_lines_of(value, "Diagnoses"), "", text[end:]])
    certain("{" not in text)
    return text


def _lines_of(value: Any, label: str) -> list[str]:
    """A value as a heading with a name or a numbered list below."""
    if not isinstance(value, list | dict) or kind_of(label) == Kind.ASIDE:
        return [] if _LIKELIHOOD.search(label) else [f"## {label}", " ".join(str(value or "").split())]
    if isinstance(value, dict):
        if all(isinstance(one, float) for one in value.values()) and 0.5 < sum(value.values()) < 1.05:
            return _lines_of([{"name": name, "probability": share} for name, share in value.items()], label)
        numbers = {key: found[1] for key in value if (found := _RANKED.fullmatch(key))}
        if not numbers or {kind_of(key) for key in value if key not in numbers} - {Kind.ASIDE}:
            return [line for key, one in value.items() for line in _lines_of(one, key)]
        of = {at: value[key] for key, at in numbers.items()}
        value = [{"rank": at, **(one if isinstance(one, dict) else {"name": one})} for at, one in of.items()]
    lines = [f"## {label}"]
    for at, row in enumerate((one if isinstance(one, dict) else {"name": one} for one in value if one), 1):
        certain(not any(one is False or DENIES.match(str(one)) for one in row.values()))
        names = [value for key, value in row.items() if kind_of(key) in OF_NAMES]
        ranked = [row[key] for key in row if _RANK.fullmatch(key)]
        rank = _RANKED.fullmatch(str([*ranked, at][0]).strip(" #."))
        told = [str(value).strip("~<>≈ %").casefold() for key, value in row.items() if _LIKELIHOOD.search(key)]
        share = next((_IN_WORDS.get(one, one) for one in told), "")
        certain(rank and len(names) == 1 and isinstance(names[0], str))
        name = " ".join(names[0].split()) + (f" ({share}%)" if share.replace(".", "").isdecimal() else "")
        mark = f"{rank and rank[1]}. " if ranked or not told or "score" in " ".join(row).casefold() else "* "
        lines += [name if _NUMBERED.fullmatch(name) else f"{mark}{name}"] if names[0] else []
    return lines


def without_tags(text: str) -> str:
    """Writes what stands in tags, also "\\boxed{…}", as lines: like or numbered ones as a list, a single one as a heading and what is below it."""
    text = _BOXED.sub(r"\n<answer>\1</answer>\n", text)
    tags = [tag.casefold() for tag in re.findall(r"<(\w+)", text)]

    def line_of(found: re.Match[str]) -> str:
        tag, inside = found[1].casefold(), _TAG.sub(line_of, found[2]).strip()
        kind, number = kind_of(tag.strip("0123456789")), _RANKED.fullmatch(tag)
        if kind == Kind.ASIDE:
            return "\n"
        if number or tags.count(tag) > 1:
            return f"\n{f'{number[1]}.' if number else '*'} {' '.join(inside.split())}\n"
        return f"\n{inside}\n" if kind is None else f"\n\n## {tag}\n{inside}\n"

    return _TAG.sub(line_of, text)


def without_table(text: str) -> str:
    """Writes a table as a list numbered by its ranks. Errors: `Unread` where no head names its one column of diagnoses.

    A table between bars may have text around it; one of CSV is all of the answer, and has a head.
    """
    lines = text.splitlines()
    runs = [[*run] for barred, run in groupby(enumerate(lines), lambda one: "|" in one[1].strip("| ")) if barred]
    tables = [(run[0][0], run[-1][0] + 1, "|") for run in runs if len(run) > 1]
    for mark in "\t;," if not tables and len(lines) > 1 and not lines[0].endswith(":") else "":
        head = [cell for cell in lines[0].split(mark) if len(cell.split()) <= FEW]
        if 1 < len(head) > lines[0].count(mark) and sum(kind_of(cell) in OF_NAMES for cell in head) == 1:
            tables = [(0, len(lines), mark)]
    for first, last, mark in reversed(tables):
        certain(not lines[first].endswith("|") or lines[last - 1].rstrip().endswith("|"))  # else it is broken off
        written = [line.strip().strip("|") for line in lines[first:last] if line.strip("\t |:+-")]
        head, *rows = [[*map(plain, row)] for row in csv.reader(written, delimiter=mark, skipinitialspace=True)]
        plural = [at for at, cell in enumerate(head) if kind_of(cell) == Kind.LIST]  # a cell may hold several
        certain(all(len(row) == len(head) and not any(", " in row[at] for at in plural) for row in rows))
        kinds = [*map(kind_of, head)]
        is_aside = len(tables) > 1 and kinds[0] == Kind.ASIDE and {*kinds}.isdisjoint(OF_NAMES)
        told = [] if is_aside else _lines_of([dict(zip(head, row, strict=True)) for row in rows], "Diagnoses")
        lines = [*lines[:first], "", *told, "", *lines[last:]]
    return "\n".join(lines)


@dataclass
class Section:
    """What stands below a heading or label. kind : as in `answer_words`. own : whether its text begins in the label's line.

    text : lines before a list. entries : of the list, with their numbers (0 for bullets). below : the text after its last. indent : of its marks.
    """

    kind: Kind
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
    sections, blank, counted = [Section(Kind.TEXT)], False, 0
    for line in (part for one in text.splitlines() for part in _list_apart(one[:_LONGEST_LINE])):
        after_blank, blank = blank, not any(map(str.isalnum, line))
        here, indent = sections[-1], len(line) - len(line.lstrip())
        numbered, bullet = _NUMBERED.fullmatch(line), _BULLET.fullmatch(line)
        if blank or (here.entries and indent > here.indent) or (bullet and any(here.numbers)):
            continue  # what is said of an entry
        mark, number = numbered or bullet, int(numbered["number"]) if numbered else 0
        is_reason = here.kind == Kind.ASIDE or (here.entries and not (after_blank or here.below))
        if here.kind == Kind.ASIDE and number == 1 and line.startswith("#"):
            sections.append(here := Section(Kind.TEXT))
        opened = None if number else _opened(mark["text"] if mark else line, here, bool(mark or is_reason))
        if opened is not None:
            of_all = after_blank and re.match(r"(?i)\W*(?:note|comment|update)", line)
            of_entry = opened.kind == Kind.ASIDE and opened.own and any(here.numbers) and not of_all
            sections += [] if of_entry else [opened]
        elif mark:
            last = here.numbers[-1] if here.entries else number
            is_other = number not in (last, last + (last > 0)) or (here.below and number == last)
            goes_on = not any(here.numbers) and number == counted + 1 > 1  # with the list above
            certain(not (goes_on if here.kind == Kind.ASIDE else is_other))
            here.indent, here.below = here.indent if here.entries else indent, []
            here.entries.append(mark["text"])
            here.numbers.append(number)
            counted = counted if here.kind == Kind.ASIDE else number
        elif not is_reason:
            (here.below if here.entries else here.text).append(line)
    return sections


def _list_apart(line: str) -> list[str]:
    """A line, cut before each number where it holds a list: "1. gout 2. sepsis"."""
    found = [*map(int, _INLINE.findall(line))]
    parts = _INLINE.sub(r"\n\1. ", line).strip("\n").split("\n")
    return [part.strip(" ,;|") for part in parts] if found[1:] and found == [*range(1, len(found) + 1)] else [line]


def _opened(line: str, here: Section, is_free: bool) -> Section | None:
    """The section that a line opens: a heading, or a label with what is behind it; None for another line.

    Errors: `Unread` for one of unknown words, where it is not free in these, and not the bold name below a label.
    """
    bare = plain(re.sub(r"^\s*#{1,6}\s+", "", line))
    label, heading = _LABEL.fullmatch(bare), _HEADING.fullmatch(line)
    is_short = len(bare.split()) <= FEW and not is_free and not bare.endswith(".") and ":" not in bare[:-1]
    if (heading or is_short) and (kind := kind_of(bare.rstrip(":"))) is not None:
        certain(kind != Kind.ASIDE or not _RANKING.search(bare))  # its list may be the one
        return Section(kind)
    if label and (kind := kind_of(label[1])) is not None:
        return Section(kind, [label[3]], own=True)
    is_label = label and label[2] == ":" and len(label[1].split()) <= FEW
    is_title = (
        heading and not heading[1] and (here.kind == Kind.TEXT or here.text or here.entries or line.startswith("#"))
    )
    leads_in = here.kind in (Kind.LEAD, Kind.ASIDE) and LEADS_IN.match(bare)
    if not is_free and (leads_in or (any(here.numbers) and (is_label or is_title))):
        return Section(Kind.TEXT, [line])
    certain(is_free or not (is_label or is_title))
    return None
