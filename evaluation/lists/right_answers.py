"""Several right answers in one cell: how it is parted, and what is said of it."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from ...errors import quoted
from ...terms.text.parts import ways_apart

_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+(?=[^\W\d]))")
_LINES = re.compile(r"\s*[;|\n\r]+\s*")
_CODES = re.compile(r"\s*[;|,\n\r]+\s*")
_MAY_PART = re.compile(r",|\s/\s|\s(?:and|or|vs\.?|versus|\+|&)\s", re.IGNORECASE)
_EDGE = " \t;|,"


class Parted(NamedTuple):
    """parts : one or several right answers. how : what parted them; "" where the cell holds one, or a list."""

    parts: tuple[str, ...]
    how: str = ""


MARKED, BY_NAMES = "at line breaks, semicolons, bars or numbers", "where each part is a known name"


@lru_cache(maxsize=100_000)
def parted(cell: str) -> Parted:
    """The right answers in one cell.

    A list in JSON or Python is taken item by item. Line breaks, ";", "|" and numbers ("1. … 2. …") always part, but within
    brackets. A comma, " / ",
    " and ", " or ", " vs " part only where the text as a whole is no name that the shipped model knows and every part is one,
    of another disease, and the parts are not all symptoms: "SLE, gout" is two, "diabetes mellitus, type 2" is one.

    >>> parted("gout\\nsepsis").parts
    ('gout', 'sepsis')
    """
    cell = cell.strip()
    listed = as_list(cell)
    if listed is not None:
        return Parted(tuple(listed))
    for parts, sure in ways_apart(cell):
        if sure and all(map(_is_whole, parts)):
            return Parted(_cleaned(parts), MARKED)
    if _MAY_PART.search(cell) and (parts := _shipped_parts(cell)):
        return Parted(_cleaned(parts), BY_NAMES)
    return Parted(_cleaned([cell]))


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
    if not (cell.startswith("[") and cell.endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            values = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(values, list) and all(isinstance(v, str | int | float) or v is None for v in values):
            return [text for v in values if v is not None and (text := str(v).strip())]
    return None


def _is_whole(part: str) -> bool:
    """Whether no bracket is torn apart: "t(15;17)" is one."""
    return all(part.count(left) == part.count(right) for left, right in ("()", "[]"))


def _cleaned(parts: list[str]) -> tuple[str, ...]:
    return tuple(part for raw in parts if (part := _BULLET.sub("", raw).strip(_EDGE)))


def _shipped_parts(cell: str) -> list[str]:
    return _shipped_naming().parts_of(cell)


@lru_cache(maxsize=1)
def _shipped_naming():
    from ...matcher.match_function import load

    return load().providers.naming


def told(cells: Counter[str]) -> list[str]:
    """The warning on texts that held several right answers. cells : how many cases each stands in."""
    said = []
    for how in (BY_NAMES, MARKED):
        found = Counter({cell: n for cell, n in cells.items() if parted(cell).how == how})
        if found:
            example = found.most_common(1)[0][0]
            parts = " and ".join(map(quoted, parted(example).parts))
            said.append(f"{found.total():,} parted {how} ({quoted(example)} is {parts})")
    many = cells.total()
    cases = "1 case has" if many == 1 else f"{many:,} cases have"
    return [f"{cases} several right answers in one cell: {'; '.join(said)}."] if said else []
