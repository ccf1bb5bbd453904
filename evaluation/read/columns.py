"""The columns of lists in long form, each checked row by row.

A row that cannot be right becomes one of `Problems`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.limits import MAX_CHARACTERS
from .lists import FINAL, NO_DIAGNOSIS, REFERENCE, ROLES, UNUSED, as_text, assign_roles
from .long import COLUMN, RIGHT, Long, unique
from .no_diagnosis import NoDiagnosis

NO_RANK = -1
MAX_RANK = 10_000
_WORD = re.compile(r"[^\W_]")
_WHOLE = re.compile(r"(\d{1,9})(?:\.0*)?")
_BLANKS = frozenset(["", "null", "na", "n/a", "nan", "none", "#n/a", "<na>", "nil"])
"""What tables hold in an optional cell that says nothing."""
Codes = NDArray[np.int64]
Named = tuple[Codes, list[str]]
"""Codes of each row (-1 is unknown), and the names behind them."""


class Problems(dict[int, InputError]):
    """Row -> why it cannot be right; the first problem of a row is kept.

    table : the rows as they are shown. of_case : the rows whose problem is one of the whole case, not of one list.
    """

    def __init__(self, long: Long) -> None:
        super().__init__()
        self.long, self.data = long, long.table.data
        shown = [name for name in long.table.names if not name.startswith("_")]
        self.table = replace(long.table, data=self.data.select(shown))
        self.of_case: set[int] = set()

    def add(self, row: int, problem: str, column: str, *, of_case: bool = False, **details: Any) -> None:
        if row not in self:
            self[row] = self.table.error(problem, row, self.long.column_of(column, row), **details)
            if of_case:
                self.of_case.add(row)

    def rows_of(self, codes: Codes) -> Codes:
        """Each code that stands in a row with a problem."""
        return np.unique(codes[sorted(self)]) if self else np.empty(0, np.int64)


def cell_text(value: Any) -> str:
    """The text of an optional cell; "" for a blank and for a word that says so: NULL, NA, nan, none."""
    text = as_text(value)
    return "" if text.casefold() in _BLANKS else text


def cells_of(problems: Problems, column: str) -> tuple[Codes, list[str]]:
    """Codes (-1 for a blank) into the unlike texts of an optional column."""
    codes, values = unique(problems.data[column])
    index: dict[str, int] = {}
    number = [index.setdefault(text, len(index)) if (text := cell_text(value)) else -1 for value in values]
    return np.array([*number, -1], np.int64)[codes], list(index)


def optional_cells(
    problems: Problems, column: str, rows: Codes, there: NDArray[np.bool_] | bool = True
) -> list[str | None]:
    """The texts of an optional column in these rows; None where none is `there`."""
    codes, texts = cells_of(problems, column)
    held = [*texts, None]
    return [held[code] for code in np.where(there, codes[rows], -1).tolist()]


def coded(column: str, problems: Problems) -> Named:
    """The column as codes into unique names, in order of first appearance; -1 where blank."""
    codes, values = unique(problems.data.column(column))
    index: dict[str, int] = {}
    number = [index.setdefault(name, len(index)) if (name := as_text(value)) else -1 for value in values]
    return np.array([*number, -1], np.int64)[codes], list(index)


def check_named(column: str, blank: NDArray[np.bool_], problems: Problems, *, of_case: bool = False) -> None:
    """Adds a problem for each row whose name is blank and must not be."""
    for row in np.flatnonzero(blank).tolist():
        problem = f"the {column.removesuffix('_id')} has no name"
        problems.add(row, problem, column, of_case=of_case, allowed="a name", got=None)


def check_twice(case: Named, rater: Named, problems: Problems) -> None:
    """Adds a problem for each row of a list that stands in cells of a case that has another row, by the same rater."""
    if COLUMN not in problems.data.column_names:
        return
    (case_of, cases), (rater_of, raters), table = case, rater, problems.table
    rows, number = (
        np.flatnonzero(np.array(problems.data[COLUMN].is_valid()) & (case_of >= 0) & (rater_of >= 0)),
        table.row_numbers(),
    )
    _, first, of = np.unique(case_of[rows] * len(raters) + rater_of[rows], return_index=True, return_inverse=True)
    first = rows[first][of]
    again = number[rows] != number[first]
    if table.sources is not None:
        source = np.array(table.sources)
        again |= source[rows] != source[first]
    for row, before in zip(rows[again].tolist(), first[again].tolist(), strict=True):
        problem = f"a second answer by {quoted(raters[rater_of[row]])} to the case {quoted(cases[case_of[row]])} (the first is in row {table.row_number(before)})"
        problems.add(
            row, problem, "case_id", of_case="rater" not in problems.long.own, allowed="one row for each case and rater"
        )


def _as_rank(value: Any) -> int:
    """A whole number from 1; `NO_RANK` for anything else."""
    if isinstance(value, str):
        found = _WHOLE.fullmatch(value.strip())
        return int(found[1]) if found and 1 <= int(found[1]) <= MAX_RANK else NO_RANK
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NO_RANK
    return int(value) if 1 <= value <= MAX_RANK and value == int(value) else NO_RANK


def ranks(needed: NDArray[np.bool_], problems: Problems) -> Codes:
    """The rank in each row; what is none is a problem in the rows `needed`."""
    codes, values = unique(problems.data.column("rank"))
    out = np.array([*map(_as_rank, values), NO_RANK], np.int64)[codes]
    for row in np.flatnonzero((out == NO_RANK) & needed).tolist():
        got = None if codes[row] < 0 else values[codes[row]]
        problems.add(row, "a rank that is no rank", "rank", allowed="1, 2, 3, … (1 is likeliest)", got=got)
    return out


def diagnoses(
    is_none: NoDiagnosis, of_lists: NDArray[np.bool_], problems: Problems
) -> tuple[Codes, list[str], Counter[str]]:
    """Codes into the unique diagnoses, ascending; -1 for what means no diagnosis. And how often each such word stands in
    the rows `of_lists` ("" for a blank).
    """
    codes, raw = unique(problems.table.text("diagnosis"))
    none = {text for text in raw if is_none(text)}
    strings = sorted(set(raw) - none)
    index = {text: i for i, text in enumerate(strings)}
    number = np.array([*(index.get(text, NO_DIAGNOSIS) for text in raw), NO_DIAGNOSIS], np.int64)
    faults = [None if text in none else fault_of(text) for text in raw]
    blank = ("the diagnosis is blank", "a diagnosis in words, or a word for no diagnosis")
    faults.append(None if is_none.by_default else blank)
    for row in np.flatnonzero(np.array([fault is not None for fault in faults])[codes] & of_lists).tolist():
        problem, allowed = faults[codes[row]] or blank
        problems.add(row, problem, "diagnosis", allowed=allowed, got=None if codes[row] < 0 else raw[codes[row]])
    times = np.bincount(codes[of_lists] + 1, minlength=len(raw) + 1)
    counts = Counter({text: int(n) for text, n in zip(raw, times[1:], strict=True) if text in none and n})
    if times[0] and is_none.by_default:
        counts[""] = int(times[0])
    return number[codes], strings, counts


def fault_of(text: str) -> tuple[str, str] | None:
    """What is wrong with a diagnosis, and what is allowed."""
    if len(text) > MAX_CHARACTERS:
        return f"a diagnosis of {len(text):,} characters", f"at most {MAX_CHARACTERS:,} characters"
    return None if _WORD.search(text) else ("a diagnosis without a letter or digit", "a diagnosis in words")


class Who(NamedTuple):
    """role : rater -> its role, "" where nothing tells it; not of the reference. told : whether anything tells the roles.

    is_reference, is_final : bool [rows]. in_use : bool [raters + 1], the last for no rater.
    """

    role: dict[int, str]
    told: bool
    is_reference: NDArray[np.bool_]
    is_final: NDArray[np.bool_]
    in_use: NDArray[np.bool_]
    notes: list[str]


def who(rater: Named, algorithms: str | Iterable[str] | None, problems: Problems) -> Who:
    """Who is an expert, an algorithm or the reference, by the column role and by those named as algorithms.

    Raises
    ------
    InputError
        For a rater with two roles, or a second reference rater.
    """
    (rater_of, raters), columns = rater, problems.data.column_names
    told = "role" in columns
    right = np.zeros(len(rater_of), bool)
    said = np.full(len(rater_of), "", "<U16")
    if RIGHT in columns:  # right answers that were kept apart have the role that their file gives them
        codes, values = unique(problems.data[RIGHT])
        right, said = codes >= 0, np.array([*values, ""], "<U16")[codes]
    if told:
        codes, values = unique(problems.data["role"])
        of_rows = np.array([*(as_text(value).casefold() for value in values), ""])[codes]
        for row in np.flatnonzero(~np.isin(of_rows, ROLES) & ~right).tolist():
            got = None if codes[row] < 0 else values[codes[row]]
            problems.add(row, "a role that is none", "role", allowed=", ".join(ROLES), got=got)
        said = np.where(right, said, of_rows)
    role, holds = dict[int, str](), dict[str, int]()
    for one in ROLES:
        for i in np.unique(rater_of[(said == one) & (rater_of >= 0)]).tolist():
            # the final diagnosis may stand under the name of the reference, or of nobody else
            of_rater, row = REFERENCE if one == FINAL else one, int(np.flatnonzero((rater_of == i) & (said == one))[0])
            column = problems.long.column_of("role", row)
            if role.setdefault(i, of_rater) != of_rater:
                problem = f"the rater {quoted(raters[i])} has two roles, {role[i]} and {one}"
                raise problems.table.error(problem, row, column, allowed="one role for a rater", got=one)
            if one in (REFERENCE, FINAL) and holds.setdefault(one, i) != i:
                allowed = f"one rater with the role {one}"
                raise problems.table.error(f"a second {one}", row, column, allowed=allowed, got=raters[i])
    listed = [i for i in range(len(raters)) if role.get(i) != REFERENCE]
    assigned = tuple(role.get(i, "") for i in listed)
    notes: list[str] = []
    if algorithms is not None:
        names = [raters[i] for i in listed]
        assigned = assign_roles(names, assigned if told else None, algorithms, problems.table.source)
        if unused := [name for name, one in zip(names, assigned, strict=True) if one == UNUSED]:
            notes = [f"Algorithms that were not named and were left out: {', '.join(unused)}."]
    role = dict(zip(listed, assigned, strict=True))
    in_use = np.array([role.get(i, UNUSED) != UNUSED for i in range(len(raters))] + [False])
    return Who(role, told or algorithms is not None, said == REFERENCE, said == FINAL, in_use, notes)


def one_for_each(column: str, what: str, of: Named, problems: Problems) -> list[tuple[int, str] | None]:
    """What a column says of each case, or rater, in its first row that is not blank, and that row; a row that says another is a problem.

    what : "case" or "rater". of : those of the rows.
    """
    (codes, values), (of_row, names) = cells_of(problems, column), of
    there = np.flatnonzero((of_row >= 0) & (codes >= 0))
    which, place = np.unique(of_row[there], return_index=True)
    first = np.full(len(names), -1)
    first[which] = there[place]
    said = codes[first] if len(codes) else first
    for row in there[codes[there] != said[of_row[there]]].tolist():
        problem = f"the {column} differs within the {what} {quoted(names[of_row[row]])}"
        allowed = f"{quoted(values[said[of_row[row]]])}, as in its first row"
        problems.add(row, problem, column, of_case=True, allowed=allowed, got=values[codes[row]])
    return [None if row < 0 else (row, values[codes[row]]) for row in first.tolist()]
