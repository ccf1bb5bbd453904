"""The right answers of each case, with their codes and severities, from columns or from rows with a role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...errors import InputError, quoted
from ...files.counted import counted
from .cells import NO_SEPARATOR, SEPARATORS, commas_ask
from .columns import Codes, Named, Problems, fault_of, one_for_each, optional_cells
from .lists import REFERENCE, Cell
from .no_diagnosis import NoDiagnosis
from .structured_answers import listed

MORE_OF_THE_REFERENCE = ("icd10", "severity")
_APART = re.compile(r"[;|\n\r]+(?![^()]*\)|[^\[\]]*\])")
"""Not within brackets: "t(15;17)" is one name."""
_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+(?=[^\W\d]))")


class Told(NamedTuple):
    """names : the right answers of each case. more : of their codes and severities a cell for each of them, or one for the case."""

    names: list[tuple[str, ...]]
    more: dict[str, list[tuple[Cell, ...]]]
    warnings: list[str]


def references_of(
    role: str, case: Named, rows: Codes, is_none: NoDiagnosis, problems: Problems, separator: str | None
) -> Told:
    """Reads them.

    role : "reference", or "final" for the final diagnoses: the name of their column, and the role of their rows. rows : those, by case and rank.

    Raises
    ------
    InputError
        For a reference by column and by rows at once; where nothing tells what commas among them are.
    """
    (case_of, cases), columns = case, problems.data.column_names
    source = role if role in columns else "diagnosis"
    of_rows = _of_rows("diagnosis", rows, problems)
    by_row: list[list[int]] = [[] for _ in cases]
    for row in of_rows:
        by_row[case_of[row]].append(row)
    if source == role and len(rows):
        raise _two(role, role, int(rows.min()), problems)
    by_column = one_for_each(role, "case", case, problems) if source == role else []
    cells = [[cell] if cell else [] for cell in by_column] or [[of_rows[row] for row in own] for own in by_row]
    if all(len(own) < 2 for own in cells):  # else rows part them
        _check_commas([cell for own in cells for cell in own if cell.value], source, separator, problems)

    parts = [[parted(cell.value or "", separator) for cell in own] for own in cells]
    none_said = set(filter(is_none, {name for own in parts for of in own for name in of}))
    named = [[[name for name in of if name not in none_said] for of in own] for own in parts]
    names = [tuple(name for of in own for name in of) for own in named]
    for i, fault in enumerate(next(filter(None, map(fault_of, own)), None) for own in names):
        if fault is not None:
            row, problem = int(np.flatnonzero(case_of == i)[0]), fault[0].replace("diagnosis", "reference", 1)
            problems.add(row, problem, source, of_case=True, allowed=fault[1])
    more: dict[str, list[tuple[Cell, ...]]] = {}
    for name in MORE_OF_THE_REFERENCE:
        column, beside = f"{role}_{name}", _of_rows(name, rows, problems)
        if column in columns:
            if said := [row for row, cell in beside.items() if cell.value]:
                raise _two(column, role, said[0], problems)
            of_case = zip(one_for_each(column, "case", case, problems), names, strict=True)
            more[name] = [_beside(cell, len(own)) if cell else () for cell, own in of_case]
        elif beside:
            both = (
                [(beside[row], of) for row, of in zip(*one, strict=True) if of]
                for one in zip(by_row, named, strict=True)
            )
            more[name] = [tuple(part for cell, of in own for part in _for_each(cell, len(of))) for own in both]
    told = [cell.value for one in zip(cells, parts, strict=True) for cell, of in zip(*one, strict=True) if len(of) > 1]
    none = [own[0].value or "" for own, kept in zip(cells, names, strict=True) if own and not kept]
    return Told(names, more, [*_told_several(told, separator), *_told_none(none, role)])


def _of_rows(column: str, rows: Codes, problems: Problems) -> dict[int, Cell]:
    if column not in problems.data.column_names:
        return {}
    texts, numbers = optional_cells(problems, column, rows), problems.table.row_numbers()[rows].tolist()
    return dict(zip(rows.tolist(), map(Cell, texts, numbers), strict=True))


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


def _told_several(cells: Sequence[str], separator: str | None) -> list[str]:
    if not cells:
        return []
    example = Counter(cells).most_common(1)[0][0]
    shown, have = " and ".join(map(quoted, parted(example, separator))), counted(len(cells), "case has", "cases have")
    return [f"{have} several right answers in one cell ({quoted(example)} is {shown})."]


def _told_none(cells: Sequence[str], role: str) -> list[str]:
    if not cells:
        return []
    word, what = Counter(cells).most_common(1)[0][0], "reference" if role == REFERENCE else "final diagnosis"
    return [f"In {counted(len(cells), 'case')} the {what} names no diagnosis{f' ({quoted(word)})' if word else ''}."]


def _check_commas(cells: Sequence[Cell], column: str, separator: str | None, problems: Problems) -> None:
    """Asks whether commas part right answers, where a tenth of the cells leaves it open."""
    open_ = [
        cell for cell in cells if "," in cell.value and _as_list(cell.value) is None and len(parted(cell.value)) == 1
    ]
    if separator is None and commas_ask(len(open_), len(cells)):
        raise InputError(
            f"{len(open_):,} of {len(cells):,} right answers hold commas, and nothing else parts them", source=problems.table.source,
            row=open_[0].row, column=problems.long.own.get(column, column), allowed=SEPARATORS, got=open_[0].value,
        )  # fmt: skip


def _beside(cell: Cell, count: int) -> tuple[Cell, ...]:
    """A cell of codes or severities beside `count` right answers: one for each, or the cell where the numbers differ."""
    ways = (_as_list(cell.value), parted(cell.value), parted(cell.value, ",")) if count > 1 else ()
    parts = next((way for way in ways if way is not None and len(way) == count), None)
    return (cell,) if parts is None else tuple(Cell(part, cell.row) for part in parts)


def _for_each(cell: Cell, count: int) -> tuple[Cell, ...]:
    """A cell of a row for each of the right answers in it: its parts, or itself and blanks."""
    parts = _beside(cell, count) if cell.value else (cell,)
    return parts + (Cell(None, cell.row),) * (count - len(parts))


def _two(column: str, role: str, row: int, problems: Problems) -> InputError:
    name = problems.long.column_of(column, row)
    allowed = f"a column {name!r} or rows with the role {role}, not both"
    what = "two references" if role == REFERENCE else "two final diagnoses"
    return problems.table.error(what, row, name, allowed=allowed)
