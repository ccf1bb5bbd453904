"""The right answers of each case, with their codes and severities, from columns or from rows with a role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ...errors import quoted
from ...files.wording import counted
from .cells import NO_SEPARATOR, SEPARATORS, commas_ask
from .columns import Codes, Named, Problems, fault_of, one_for_each, optional_cells
from .lists import Cell
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
    by_row: list[list[int]] = [[] for _ in cases]
    for row in rows.tolist():
        by_row[case_of[row]].append(row)

    def said(ours: str, name: str) -> list[list[tuple[int, str | None]]]:
        """Of each case what a column says, with its row: once where it is of the case, else in each of the rows."""
        if name in columns:
            if len(rows) and (name == role or any(optional_cells(problems, ours, rows))):
                column = problems.long.own.get(name, name)
                allowed = f"a column {column!r} or rows with the role {role}, not both"
                raise problems.table.error(f"a second {role}", int(rows.min()), column, allowed=allowed)
            return [[cell] if cell else [] for cell in one_for_each(name, "case", case, problems)]
        texts = dict(zip(rows.tolist(), optional_cells(problems, ours, rows), strict=True)) if ours in columns else {}
        return [[(row, texts[row]) for row in own if texts] for own in by_row]

    cells = said("diagnosis", role)
    if all(len(own) < 2 for own in cells):  # else rows part them
        _check_commas(
            [(row, text) for own in cells for row, text in own if text],
            role if role in columns else "diagnosis",
            separator,
            problems,
        )
    parts = [[parted(text or "", separator) for _, text in own] for own in cells]
    none_said = set(filter(is_none, {name for own in parts for of in own for name in of}))
    named = [[[name for name in of if name not in none_said] for of in own] for own in parts]
    names = [tuple(name for of in own for name in of) for own in named]
    for own, of in zip(cells, names, strict=True):
        if fault := next(filter(None, map(fault_of, of)), None):
            problem, allowed = fault[0].replace("diagnosis", "reference", 1), fault[1]
            problems.add(own[0][0], problem, role if role in columns else "diagnosis", of_case=True, allowed=allowed)
    numbers, more = problems.table.row_numbers(), dict[str, list[tuple[Cell, ...]]]()
    for name in (
        name for name in MORE_OF_THE_REFERENCE if f"{role}_{name}" in columns or (len(rows) and name in columns)
    ):
        more[name] = []
        for own, of, beside in zip(named, names, said(name, f"{role}_{name}"), strict=True):
            counts = [len(one) for one in own] if len(own) == len(beside) else [len(of)] * len(beside)
            of_case = f"{role}_{name}" in columns
            told = [
                (Cell(text, int(numbers[row]), problems.table.source_of(row)), n)
                for (row, text), n in zip(beside, counts, strict=True)
                if n or of_case
            ]
            more[name].append(tuple(part for cell, n in told for part in _beside(cell, n)))
    told = [
        text
        for of_cells, of in zip(cells, parts, strict=True)
        for (_, text), one in zip(of_cells, of, strict=True)
        if text and len(one) > 1
    ]
    return Told(names, more, _told_several(told, separator))


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


def _check_commas(cells: Sequence[tuple[int, str]], column: str, separator: str | None, problems: Problems) -> None:
    """Asks whether commas part right answers, where a tenth of the cells leaves it open."""
    open_ = [(row, text) for row, text in cells if "," in text and _as_list(text) is None and len(parted(text)) == 1]
    if separator is None and commas_ask(len(open_), len(cells)):
        row, text = open_[0]
        problem = f"{len(open_):,} of {len(cells):,} right answers hold commas, and nothing else parts them"
        raise problems.table.error(problem, row, problems.long.column_of(column, row), allowed=SEPARATORS, got=text)


def _beside(cell: Cell, count: int) -> tuple[Cell, ...]:
    """A cell of codes or severities beside `count` right answers: one for each, or the cell where the numbers differ."""
    if not cell.value:
        return (cell,) * count
    ways = (_as_list(cell.value), parted(cell.value), parted(cell.value, ",")) if count > 1 else ()
    parts = next((way for way in ways if way is not None and len(way) == count), None)
    return (cell,) if parts is None else tuple(cell._replace(value=part) for part in parts)
