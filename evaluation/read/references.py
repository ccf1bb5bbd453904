"""The right answers of each case, with their codes and severities, from the rows that hold them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...errors import quoted
from ...files.wording import counted
from .cells import NO_SEPARATOR, SEPARATORS, commas_ask
from .lists import Cell
from .long import Codes, coded
from .no_diagnosis import NoDiagnosis
from .rows import Rows, fault_of
from .structured_answers import listed

Right = tuple[list[tuple[str, ...]], dict[str, list[tuple[Cell, ...]]]]
_APART = re.compile(r"[;|\n\r]+(?![^()]*\)|[^\[\]]*\])")
"""Not within brackets: "t(15;17)" is one name."""
_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+(?=[^\W\d]))")


def right_answers(rows: Rows, role: str, is_none: NoDiagnosis, separator: str | None) -> Right:
    """Reads them.

    role : "reference", or "final" for the final diagnoses.

    Returns
    -------
    tuple
        The right answers of each case; of their codes and severities a cell for each of them, or one for the case.

    Raises
    ------
    InputError
        Where nothing tells what commas among them are.
    """
    at = np.flatnonzero(rows.right[role] & (rows.case >= 0))
    at = at[np.lexsort((at, rows.rank[at], rows.case[at]))]
    n, numbers = len(rows.cases), rows.table.row_numbers()
    beside = [ours for ours in ("icd10", "severity") if len(at) and ours in rows.data.column_names]
    texts = {ours: _texts(rows, ours, at) for ours in ("diagnosis", *beside)}
    parts = [() if text is None else parted(text, separator) for text in texts["diagnosis"]]
    of_case = [list[int]() for _ in range(n)]
    for place, case in enumerate(rows.case[at].tolist()):
        of_case[case].append(place)
    if all(sum(bool(parts[place]) for place in places) < 2 for places in of_case):  # else rows part them
        _check_commas(rows, at, texts["diagnosis"], separator)
    none_said = set(filter(is_none, {name for of in parts for name in of}))
    kept = [[name for name in of if name not in none_said] for of in parts]
    for row, of in zip(at.tolist(), kept, strict=True):
        if fault := next(filter(None, map(fault_of, of)), None):
            rows.add(row, fault[0].replace("diagnosis", "reference", 1), "diagnosis", of_case=True, allowed=fault[1])
    names = [tuple(name for place in places for name in kept[place]) for places in of_case]
    more = {ours: [list[Cell]() for _ in range(n)] for ours in beside}
    for ours, cells in more.items():
        for case, places in enumerate(of_case):
            # a code without a name beside it is of all names of the case
            alone = [place for place in places if texts["diagnosis"][place] is None and texts[ours][place] is not None]
            for place in alone or places:
                count = len(names[case]) if alone else len(kept[place])
                cell = Cell(texts[ours][place], int(numbers[at[place]]), rows.table.source_of(at[place]))
                cells[case] += _beside(cell, count) if count else [cell] * (cell.value is not None)
    told = [text for text, of in zip(texts["diagnosis"], parts, strict=True) if text and len(of) > 1]
    if told:
        example = Counter(told).most_common(1)[0][0]
        shown = " and ".join(map(quoted, parted(example, separator)))
        have = counted(len(told), "case has", "cases have")
        rows.told.append(f"{have} several right answers in one cell ({quoted(example)} is {shown}).")
    return names, {ours: [tuple(of) * any(cell.value for cell in of) for of in cells] for ours, cells in more.items()}


def _texts(rows: Rows, ours: str, at: Codes) -> list[str | None]:
    codes, texts = coded(rows.data[ours])
    return [None if code < 0 else texts[code] for code in codes[at].tolist()]


@lru_cache(maxsize=100_000)
def parted(cell: str, separator: str | None = None) -> tuple[str, ...]:
    """The right answers in one cell.

    A list in JSON or Python is taken item by item. Line breaks, ";" and "|" always part, but within brackets; `separator` where it is given.

    >>> parted("gout\\nsepsis")
    ('gout', 'sepsis')
    """
    if (names := _as_list(cell)) is not None:
        return tuple(names)
    parts = _APART.split(cell)
    if len(parts) == 1 and separator and separator != NO_SEPARATOR:
        parts = cell.split(separator)
    named = [part for raw in parts if any(map(str.isalnum, part := _BULLET.sub("", raw).strip(" \t,")))]
    return tuple(named or filter(None, [cell.strip()]))


def _as_list(cell: str) -> list[str] | None:
    """The texts of a list that a cell holds in JSON or in Python's own form; None where it holds none."""
    values = listed(cell)
    if values is None or not all(isinstance(v, str | int | float) or v is None for v in values):
        return None
    return [text for v in values if v is not None and (text := str(v).strip())]


def _check_commas(rows: Rows, at: Codes, texts: Sequence[str | None], separator: str | None) -> None:
    """Asks whether commas part right answers, where a tenth of the cells leaves it open."""
    cells = [(row, text) for row, text in zip(at.tolist(), texts, strict=True) if text]
    open_ = [(row, text) for row, text in cells if "," in text and _as_list(text) is None and len(parted(text)) == 1]
    if separator is None and commas_ask(len(open_), len(cells)):
        problem = f"{len(open_):,} of {len(cells):,} right answers hold commas, and nothing else parts them"
        raise rows.table.error(
            problem, open_[0][0], rows.column_of(open_[0][0], "diagnosis"), allowed=SEPARATORS, got=open_[0][1]
        )


def _beside(cell: Cell, count: int) -> list[Cell]:
    """A cell of codes or severities beside `count` right answers: one for each, or the cell where the numbers differ."""
    if not cell.value:
        return [cell] * count
    ways = (_as_list(cell.value), parted(cell.value), parted(cell.value, ",")) if count > 1 else ()
    parts = next((way for way in ways if way is not None and len(way) == count), None)
    return [cell] if parts is None else [cell._replace(value=part) for part in parts]
