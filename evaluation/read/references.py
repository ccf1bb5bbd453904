"""The right answers of each case, with their codes and severities, from columns or from rows with the role reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError, quoted
from ...files.tables import Table
from .cells import SEPARATORS, commas_ask
from .columns import Codes, Named, Problems, fault_of, one_per_case, optional_cells
from .lists import Cell
from .no_diagnosis import NoDiagnosis
from .right_answers import as_list, parted, parted_beside, told

MORE_OF_THE_REFERENCE = ("icd10", "severity")


@dataclass
class References:
    """names : the right answers of each case. more : icd10 and severity, a cell for each of them, or one for the case."""

    names: list[tuple[str, ...]]
    more: dict[str, list[tuple[Cell, ...]]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def references_of(
    names: Mapping[str, str],
    case: Named,
    role_rows: Codes,
    is_none: NoDiagnosis,
    problems: Problems,
    *,
    role: str = "reference",
    separator: str | None = None,
) -> References:
    """Reads them.

    names : our name of a column -> the table's. role_rows : the rows with the role, by case and rank.
    role : "reference", or "final" for the final diagnoses, whose columns go by the names of the reference's in `names`.

    Raises
    ------
    InputError
        For a reference by column and by rows at once.
    """
    table, (case_of, cases) = problems.table, case
    if "reference" in names and len(role_rows):
        raise _two_references(table, names["reference"], int(role_rows.min()), role)
    by_column = {
        what: one_per_case(names[what], what, case, problems)
        for what in ("reference", *(f"reference_{name}" for name in MORE_OF_THE_REFERENCE))
        if what in names
    }
    more_of_rows = {name: _cells(table, names[name], role_rows) for name in MORE_OF_THE_REFERENCE if name in names}
    for name, cells in more_of_rows.items():
        if f"reference_{name}" in by_column and (
            said := [row for c, row in zip(cells, role_rows, strict=True) if c.value]
        ):
            raise _two_references(table, names[f"reference_{name}"], int(said[0]), role)

    out = References([()] * len(cases))
    cells_of: list[list[tuple[str, int]]] = [[] for _ in cases]
    for i, cell in enumerate(by_column.get("reference", [])):
        if cell is not None:
            cells_of[i].append((str(cell.value), cell.row))
    _check_commas(cells_of, separator, names, problems)
    if len(role_rows):
        texts = table.text(names["diagnosis"]).take(role_rows)
        for i, text, row in zip(case_of[role_rows].tolist(), texts.to_pylist(), role_rows.tolist(), strict=True):
            cells_of[i].append((text or "", table.row_number(row)))
    several: Counter[str] = Counter()
    said_none: list[str] = []
    found: list[list[tuple[str, ...]]] = []
    for i, cells in enumerate(cells_of):
        parts = [
            tuple(part for part in parted(text, separator) if not is_none(part)) if text else () for text, _ in cells
        ]
        several.update(text for text, _ in cells if text and len(parted(text, separator)) > 1)
        if cells and not any(parts):
            said_none.append(cells[0][0])
        found.append(parts)
        out.names[i] = tuple(name for part in parts for name in part)
    _check(names, by_column, out.names, case, problems)
    at_case = np.split(np.arange(len(role_rows)), np.cumsum(np.bincount(case_of[role_rows], minlength=len(cases)))[:-1])
    for name in MORE_OF_THE_REFERENCE:
        column, rows = by_column.get(f"reference_{name}"), more_of_rows.get(name, [])
        if column is not None:
            out.more[name] = [
                () if cell is None else _beside(cell, len(known)) for cell, known in zip(column, out.names, strict=True)
            ]
        elif len(rows):
            out.more[name] = [
                tuple(
                    one
                    for at, part in zip(places.tolist(), parts, strict=True)
                    if part
                    for one in _for_each(rows[at], len(part))
                )
                for places, parts in zip(at_case, found, strict=True)
            ]
    out.warnings = told(several, separator)
    if said_none:
        word = Counter(said_none).most_common(1)[0][0]
        told_none = f" ({quoted(word)})" if word else ""
        out.warnings.append(
            f"In {_cases(len(said_none))} the {'reference' if role == 'reference' else 'final diagnosis'} names no diagnosis{told_none}."
        )
    return out


def _check_commas(
    cells_of: Sequence[Sequence[tuple[str, int]]], separator: str | None, names: Mapping[str, str], problems: Problems
) -> None:
    """Asks whether commas part right answers, where a tenth of the cells leaves it open."""
    cells = [cell for cells in cells_of for cell in cells if cell[0]]
    open_ = [(text, row) for text, row in cells if "," in text and as_list(text) is None and len(parted(text)) == 1]
    if separator is None and commas_ask(len(open_), len(cells)):
        problem = f"{len(open_):,} of {len(cells):,} right answers hold commas, and nothing else parts them"
        raise InputError(
            problem, source=problems.table.source, row=open_[0][1], column=names.get("reference", names.get("diagnosis")),
            allowed=SEPARATORS, got=open_[0][0],
        )  # fmt: skip


def _beside(cell: Cell, count: int) -> tuple[Cell, ...]:
    parts = parted_beside(str(cell.value), count)
    return (cell,) if parts is None else tuple(Cell(part or None, cell.row) for part in parts)


def _for_each(cell: Cell, count: int) -> tuple[Cell, ...]:
    """A cell of a row for each of the right answers in it: its parts, or itself and blanks."""
    parted_cells = _beside(cell, count) if cell.value else (cell,)
    return parted_cells + (Cell(None, cell.row),) * (count - len(parted_cells))


def _cells(table: Table, column: str, rows: Codes) -> list[Cell]:
    numbers = table.row_numbers()[rows].tolist()
    return [Cell(text, row) for text, row in zip(optional_cells(table, column, rows), numbers, strict=True)]


def _check(
    names: Mapping[str, str],
    by_column: Mapping[str, list[Cell | None]],
    found: list[tuple[str, ...]],
    case: Named,
    problems: Problems,
) -> None:
    """Adds a problem for each case whose column holds a reference that can be none."""
    wrong = {i: fault for i, parts in enumerate(found) for part in parts if (fault := fault_of(part)) is not None}
    for i, (problem, allowed) in wrong.items():
        row = int(np.flatnonzero(case[0] == i)[0])
        column = names["reference" if "reference" in by_column else "diagnosis"]
        problems.add(row, problem.replace("diagnosis", "reference", 1), column, of_case=True, allowed=allowed)


def _two_references(table: Table, column: str, row: int, role: str) -> InputError:
    allowed = f"a column {column!r} or rows with the role {role}, not both"
    return table.error(f"two {role}s" if role == "reference" else f"two {role} diagnoses", row, column, allowed=allowed)


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count:,} cases"
