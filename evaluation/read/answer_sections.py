"""A raw answer cut at its headings and labels: what stands behind and below each, and the lists in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from .entry_names import plain

FINAL, LEAD, OTHERS, ASIDE, TEXT, UNKNOWN = range(6)
_DX = r"(?:diagnosis|dx|condition|disease|answer|impression)"
_LABELS = (
    (FINAL, re.compile(rf"(?:my\s+)?(?:final|definitive|confirmed)\s+{_DX}|(?:the\s+)?answer", re.IGNORECASE)),
    (LEAD, re.compile(
        rf"(?:(?:my|the)\s+)?(?:(?:single\s+)?(?:most\s+likely|likeliest|most\s+probable|leading|primary|principal|main|top|working|provisional|presumptive)\s+)?{_DX}"
        r"|most\s+(?:likely|probable)|likeliest|dx", re.IGNORECASE,
    )),
    (OTHERS, re.compile(
        rf"(?:(?:key|top|main|other|ranked|possible|potential|likely|additional|alternative|relevant|remaining)\s+)*(?:differentials?(?:\s+diagnos[ei]s)?(?:\s+list)?|ddx|d/?dx|diagnoses)"
        r"(?:\s+(?:includes?|to\s+consider|considered|in\s+order\s+of\s+likelihood|\(\w[^()]{0,40}\)|for\s+.{1,60}))?"
        rf"|(?:other|alternative)\s+(?:{_DX}|diagnoses|possibilities|considerations|conditions|diseases)(?:\s+to\s+consider)?|secondary\s+(?:diagnos[ei]s|considerations)|still\s+possible|alternatives|others?|(?:also|less|least)\s+(?:consider|likely|probable|possible)(?:\s+diagnos[ei]s)?|top\s+\d+(?:\s+diagnoses)?"
        r"|(?:top\s+\d+\s+)?(?:most\s+likely|ranked|likely|possible)\s+(?:diagnoses|differentials?)", re.IGNORECASE,
    )),
    (ASIDE, re.compile(
        r"(?:\w+\s+){0,2}(?:basis\s+(?:of|for)\s+(?:the\s+)?diagnosis|reason(?:s|ing)?|rationale|explanation|justification|evidence|findings|features|symptoms|presentation|history|complaint|summary|analysis|assessment"
        r"|discussion|plan|management|treatment|therapy|tests?|testing|work-?up|investigations?|recommendations?|steps?|notes?|disclaimer|confidence|likelihood|probability"
        r"|follow-?up|labs?|imaging|medications?|comorbidities|patient|question|code|icd-?10(?:\s+code)?|basis|severity|urgency|ruled\s+out|red\s+flags|caveats?|clues?|support|why)"
            r"(?:\s+(?:support\w*|for|of|that|in|include[sd]?|are|is|this|the|an?|point\w*|diagnos\w+|favou?r\w*|consistent|with|to|against|recommended|leading|primary|most|likely|following))*", re.IGNORECASE,
    )),
)  # fmt: skip
"""What a heading or a label is of. ASIDE holds no answer, whatever stands below it."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERED = re.compile(
    r"(?P<indent>\s*)(?:#{1,6}\s+|>\s*|\*\*|__)*(?:(?:diagnosis|dx|differential|rank|option|candidate|choice|answer|number|no\.|#)[\s_#]*)?\(?(?P<number>\d{1,2})(?:\*\*)?"
    r"(?:[.)\]]+:?|:(?!\d)|\s+[-–—](?=\s))(?!\d)\s*(?P<text>\S.*)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"(?P<indent>\s*)(?:\*\*)?(?P<number>{'|'.join(_ORDINALS)})(?:\s+(?:most\s+likely|choice|diagnosis|dx))*(?:\*\*)?:(?:\*\*)?\s*(?P<text>\S.*)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>\s*)[-*•–+◦▪‣·●]\s+(?P<text>\S.*)")
_OF_DIAGNOSES = re.compile(r"diagnos[ei]s\b|differential|possibilit", re.IGNORECASE)
_ALONE_OTHERS = re.compile(r"other|alternative|also|less|least|additional|remaining", re.IGNORECASE)


@dataclass
class Listing:
    """Entries of a list. indent : of its marks. last : the number of the last entry, 0 for bullets. below : the text after it."""

    indent: int
    entries: list[str] = field(default_factory=list)
    last: int = 0
    below: list[str] = field(default_factory=list)


@dataclass
class Section:
    """What stands below a heading or label. own : behind the label in its line. text : lines of no list.

    alone : whether it may be all of the answer; "other diagnoses" are not.
    """

    kind: int
    own: str = ""
    text: list[str] = field(default_factory=list)
    lists: list[Listing] = field(default_factory=list)
    alone: bool = True


def _kind_of(words: str) -> int | None:
    words = re.sub(r"[^\w\s()'’/,&+.-]", "", words).strip(" .")
    words = re.sub(r"^(?:the|my)\s+|^\d+[.)]\s*|\s+(?:is|are|would be)$", "", words, flags=re.IGNORECASE)
    return next((kind for kind, form in _LABELS if form.fullmatch(words)), None)


def _opened(text: str) -> Section | None:
    """The section that a line opens: a heading, or a label with what is behind it; None for another line."""
    bare = plain(re.sub(r"^\s*(?:#{1,6}\s+|>\s*)", "", text))
    label = re.match(r"([^:=\t—\[]{2,60}?)\s*(?::|=|\t|→|\s[–-]\s)\s*(.*)", bare)
    if label is not None and (kind := _kind_of(label[1])) is not None:
        return Section(kind, label[2].strip(), alone=_ALONE_OTHERS.search(label[1]) is None)
    if label is not None and label[2].strip() and len(label[1].split()) <= 4 and _OF_DIAGNOSES.search(label[1]):
        return Section(UNKNOWN, label[2].strip())  # "Cannot-miss diagnoses: sepsis"
    headed = (
        text.lstrip().startswith(("#", ">"))
        or text.rstrip().endswith(":")
        or re.fullmatch(r"\s*\*\*[^*]+\*\*:?\s*", text) is not None
    )
    kind = _kind_of(bare) if headed or len(bare.split()) <= 4 else None
    return None if kind is None else Section(kind, alone=_ALONE_OTHERS.search(bare) is None)


def _mark(line: str) -> re.Match[str] | None:
    return _NUMBERED.fullmatch(line) or _ORDINAL.fullmatch(line) or _BULLET.fullmatch(line)


def _is_numbered(mark: re.Match[str] | None) -> TypeGuard[re.Match[str]]:
    return mark is not None and "number" in mark.groupdict()


def sections_of(lines: Sequence[str]) -> list[Section] | None:
    """The answer cut at its headings and labels; None where numbers are in no order, or a heading is unknown."""
    sections, current, blank = [Section(TEXT)], None, False
    marks = [_mark(line) for line in lines]
    parts = [_opened(found["text"]) if _is_numbered(found) else None for found in marks]
    numbered_parts = any(part is not None and part.kind in (OTHERS, ASIDE) for part in parts)
    for at, (line, mark, part) in enumerate(zip(lines, marks, parts, strict=True)):
        if not line.strip():
            blank = True
            continue
        number = _number(mark["number"]) if mark and _is_numbered(mark) else 0
        indent = len(mark["indent"].expandtabs(4)) if mark else 0
        heads = part if numbered_parts else None
        opened = heads if number else _opened(mark["text"] if mark else line)
        if current is not None:
            below = (
                indent > current.indent
                or (current.last and mark and not number)
                or (mark is None and line[:1].isspace())
            )
            # what is said of an entry, where the list goes on below it
            following = [mark for mark, text in zip(marks[at + 1 :], lines[at + 1 :], strict=True) if text.strip()]
            numbers = [_number(one["number"]) for one in following if _is_numbered(one)]
            goes_on = numbers[:1] == [current.last + 1] and not _is_numbered(following[0])
            remark = (
                opened is not None
                and opened.kind == ASIDE
                and ((current.last and goes_on) or (opened.own and not blank) or not re.search(r"[:#*]", line))
            )
            if below or remark:
                continue
        if opened is not None:
            sections.append(opened)
            current = None
        elif not number and _heads_a_part(line, sections[-1], mark is not None):
            sections.append(Section(UNKNOWN))
            current = None
        elif mark:
            if (
                current is None
                or bool(current.last) != bool(number)
                or (number == 1 and current.last > 1)
                or (not number and current.below)
            ):
                before = max((one.last for section in sections for one in section.lists), default=0)
                if number not in (0, 1, before + 1):
                    return None
                current = Listing(indent)
                sections[-1].lists.append(current)
            elif number not in (current.last + 1, current.last):
                return None
            current.entries.append(mark["text"])
            current.last, current.below = number, []
        elif current is None:
            sections[-1].text.append(line)
        elif blank or current.below:
            current.below.append(line)
        blank = False
    return sections


def _heads_a_part(line: str, section: Section, listed: bool) -> bool:
    """Whether a line that is no known heading heads a part: by its mark, or below another part by its bold or colon."""
    text = line.strip()
    if text.startswith("#"):
        return True
    bold = re.fullmatch(r"\*\*[^*]+[:?]\*\*:?|\*\*[^*]+\*\*:", text) is not None
    return not listed and section.kind != TEXT and (bold or (text.endswith(":") and len(text.split()) <= 6))


def _number(written: str) -> int:
    return int(written) if written.isdecimal() else _ORDINALS.index(written.casefold()) + 1
