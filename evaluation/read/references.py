"""The right answers of each case, with their codes and severities, from columns or from rows with a role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError, quoted
from .cells import SEPARATORS, commas_ask
from .columns import Codes, Named, Problems, fault_of, one_for_each, optional_cells
from .lists import REFERENCE, Cell
from .no_diagnosis import NoDiagnosis
from .right_answers import as_list, parted, parted_beside, told

MORE_OF_THE_REFERENCE = ("icd10", "severity")


class Told(NamedTuple):
    """names : the right answers of each case. more : of their codes and severities a cell for each of them, or one for the case."""

    names: list[tuple[str, ...]]
    more: dict[str, list[tuple[Cell, ...]]]
    warnings: list[str]


def references_of(
    role: str, case: Named, rows: Codes, is_none: NoDiagnosis, problems: Problems, separator: str | None = None
) -> Told:
    """Reads them.

    role : "reference", or "final" for the final diagnoses: the name of their column, and the role of their rows. rows : those, by case and rank.

    Raises
    ------
    InputError
        For a reference by column and by rows at once; where nothing tells what commas among them are.
    """
    (case_of, cases), columns = case, problems.data.column_names
    by_row: list[list[int]] = [[] for _ in cases]
    for row in rows.tolist():
        by_row[case_of[row]].append(row)
    if role in columns:
        if len(rows):
            raise _two(role, role, int(rows.min()), problems)
        cells = [[] if cell is None else [cell] for cell in one_for_each(role, "case", case, problems)]
    else:
        texts = dict(zip(rows.tolist(), _cells(problems, "diagnosis", rows), strict=True))
        cells = [[texts[row] for row in own] for own in by_row]
    _check_commas(
        [cell for own in cells for cell in own if cell.value],
        role if role in columns else "diagnosis",
        separator,
        problems,
    )

    parts = [[_parts(cell, separator) for cell in own] for own in cells]
    named = [[tuple(name for name in of if not is_none(name)) for of in own] for own in parts]
    names = [tuple(name for of in own for name in of) for own in named]
    for i, own in enumerate(names):
        if fault := next(filter(None, map(fault_of, own)), None):
            row = by_row[i][0] if by_row[i] else int(np.flatnonzero(case_of == i)[0])
            problems.add(
                row,
                fault[0].replace("diagnosis", "reference", 1),
                role if role in columns else "diagnosis",
                of_case=True,
                allowed=fault[1],
            )
    more: dict[str, list[tuple[Cell, ...]]] = {}
    for name in MORE_OF_THE_REFERENCE:
        column = f"{role}_{name}"
        of_rows = (
            dict(zip(rows.tolist(), _cells(problems, name, rows), strict=True)) if name in columns and len(rows) else {}
        )
        if column in columns:
            if said := [row for row, cell in of_rows.items() if cell.value]:
                raise _two(column, role, said[0], problems)
            of_case = one_for_each(column, "case", case, problems)
            more[name] = [
                () if cell is None else _beside(cell, len(own)) for cell, own in zip(of_case, names, strict=True)
            ]
        elif of_rows:
            more[name] = [
                tuple(one for row, of in zip(own, held, strict=True) if of for one in _for_each(of_rows[row], len(of)))
                for own, held in zip(by_row, named, strict=True)
            ]
    warnings = told(
        Counter(
            cell.value
            for own, held in zip(cells, parts, strict=True)
            for cell, of in zip(own, held, strict=True)
            if len(of) > 1
        ),
        separator,
    )
    if none := [own[0].value or "" for own, name in zip(cells, names, strict=True) if own and not name]:
        word = Counter(none).most_common(1)[0][0]
        in_cases = "1 case" if len(none) == 1 else f"{len(none):,} cases"
        what = "reference" if role == REFERENCE else "final diagnosis"
        warnings.append(f"In {in_cases} the {what} names no diagnosis{f' ({quoted(word)})' if word else ''}.")
    return Told(names, more, warnings)


def _parts(cell: Cell, separator: str | None) -> tuple[str, ...]:
    return parted(str(cell.value), separator) if cell.value else ()


def _cells(problems: Problems, column: str, rows: Codes) -> list[Cell]:
    numbers = problems.table.row_numbers()[rows].tolist()
    return [Cell(text, row) for text, row in zip(optional_cells(problems, column, rows), numbers, strict=True)]


def _check_commas(cells: Sequence[Cell], column: str, separator: str | None, problems: Problems) -> None:
    """Asks whether commas part right answers, where a tenth of the cells leaves it open."""
    open_ = [
        cell for cell in cells if "," in (text := str(cell.value)) and as_list(text) is None and len(parted(text)) == 1
    ]
    if separator is None and commas_ask(len(open_), len(cells)):
        problem = f"{len(open_):,} of {len(cells):,} right answers hold commas, and nothing else parts them"
        raise InputError(
            problem,
            source=problems.table.source,
            row=open_[0].row,
            column=problems.long.own.get(column, column),
            allowed=SEPARATORS,
            got=open_[0].value,
        )


def _beside(cell: Cell, count: int) -> tuple[Cell, ...]:
    parts = parted_beside(str(cell.value), count)
    return (cell,) if parts is None else tuple(Cell(part or None, cell.row) for part in parts)


def _for_each(cell: Cell, count: int) -> tuple[Cell, ...]:
    """A cell of a row for each of the right answers in it: its parts, or itself and blanks."""
    parts = _beside(cell, count) if cell.value else (cell,)
    return parts + (Cell(None, cell.row),) * (count - len(parts))


def _two(column: str, role: str, row: int, problems: Problems) -> InputError:
    name = problems.long.column_of(column, row)
    allowed = f"a column {name!r} or rows with the role {role}, not both"
    what = "two references" if role == REFERENCE else "two final diagnoses"
    return problems.table.error(what, row, name, allowed=allowed)
