"""Several right answers in one cell: how it is parted, and what is said of it."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from ...errors import quoted
from ...terms.text.parts import ways_apart
from .cells import NO_SEPARATOR
from .structured_answers import listed

_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+(?=[^\W\d]))")
_LINES = re.compile(r"\s*[;|\n\r]+\s*")
_CODES = re.compile(r"\s*[;|,\n\r]+\s*")
_EDGE = " \t;|,"


@lru_cache(maxsize=100_000)
def parted(cell: str, separator: str | None = None) -> tuple[str, ...]:
    """The right answers in one cell.

    A list in JSON or Python is taken item by item. Line breaks, ";", "|" and numbers ("1. … 2. …") always part, but within brackets;
    `separator` where it is given.

    >>> parted("gout\\nsepsis")
    ('gout', 'sepsis')
    """
    cell = cell.strip()
    if (names := as_list(cell)) is not None:
        return tuple(names)
    for parts, sure in ways_apart(cell):
        if sure and all(map(_is_whole, parts)):
            return _cleaned(parts)
    return _cleaned(cell.split(separator) if separator and separator != NO_SEPARATOR else [cell])


def parted_beside(cell: str, count: int) -> list[str] | None:
    """A cell of codes or severities beside `count` right answers, one for each; None where the numbers differ."""
    if count < 2:
        return None
    parts = as_list(cell)
    if parts is None or len(parts) != count:
        split = [_LINES.split(cell.strip(_EDGE)), _CODES.split(cell.strip(_EDGE))]
        parts = next((way for way in split if len(way) == count), None)
    return parts


def as_list(cell: str) -> list[str] | None:
    """The texts of a list that a cell holds in JSON or in Python's own form; None where it holds none."""
    values = listed(cell)
    if values is None or not all(isinstance(v, str | int | float) or v is None for v in values):
        return None
    return [text for v in values if v is not None and (text := str(v).strip())]


def _is_whole(part: str) -> bool:
    """Whether no bracket is torn apart: "t(15;17)" is one."""
    return all(part.count(left) == part.count(right) for left, right in ("()", "[]"))


def _cleaned(parts: list[str]) -> tuple[str, ...]:
    return tuple(part for raw in parts if (part := _BULLET.sub("", raw).strip(_EDGE)))


def told(cells: Counter[str], separator: str | None) -> list[str]:
    """The warning on texts that held several right answers. cells : how many cases each stands in."""
    if not cells:
        return []
    example = cells.most_common(1)[0][0]
    parts = " and ".join(map(quoted, parted(example, separator)))
    many = cells.total()
    cases = "1 case has" if many == 1 else f"{many:,} cases have"
    return [f"{cases} several right answers in one cell ({quoted(example)} is {parts})."]
