"""The columns of lists in long form, each checked row by row.

A row that cannot be right becomes one of `Problems`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.limits import MAX_CHARACTERS
from ...files.tables import Table
from .lists import FINAL, NO_DIAGNOSIS, REFERENCE, ROLES, Cell, as_text
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

    of_case : the rows whose problem is one of the whole case, not of one list.
    column_of : what the column of a cell of the long form is called in the user's own table.
    """

    def __init__(self, table: Table, column_of: Callable[[str, int], str] = lambda column, row: column) -> None:
        super().__init__()
        self.table, self.column_of = table, column_of
        self.of_case: set[int] = set()

    def add(self, row: int, problem: str, column: str, *, of_case: bool = False, **details: Any) -> None:
        if row not in self:
            self[row] = self.table.error(problem, row, self.column_of(column, row), **details)
            if of_case:
                self.of_case.add(row)

    def drop(self, row: int) -> None:
        del self[row]
        self.of_case.discard(row)

    def rows_of(self, codes: Codes) -> Codes:
        """Each code that stands in a row with a problem."""
        return np.unique(codes[sorted(self)]) if self else np.empty(0, np.int64)


def unique(column: pa.ChunkedArray) -> tuple[Codes, list[Any]]:
    """Codes (-1 for null) into the unique values."""
    encoded = column.dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    if pa.types.is_null(encoded.type):
        return np.full(len(column), -1), []
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), encoded.dictionary.to_pylist()


def cell_text(value: Any) -> str:
    """The text of an optional cell; "" for a blank and for a word that says so: NULL, NA, nan, none."""
    text = as_text(value)
    return "" if text.casefold() in _BLANKS else text


def optional_cells(table: Table, column: str, rows: Codes, there: NDArray[np.bool_] | bool = True) -> list[str | None]:
    """The texts of an optional column in these rows; None where none is `there`."""
    codes, values = unique(table.data.column(column))
    texts = [*(cell_text(value) or None for value in values), None]
    return [texts[code] for code in np.where(there, codes[rows], -1).tolist()]


def blanks(table: Table, column: str) -> NDArray[np.bool_]:
    """bool [rows]: where the column is blank, or holds a word that says so."""
    codes, values = unique(table.data.column(column))
    return np.array([*(not cell_text(value) for value in values), True])[codes]


def check_words(
    column: str,
    check: Callable[[str], object],
    needed: NDArray[np.bool_],
    problems: Problems,
    *,
    of_case: bool = False,
) -> None:
    """Adds a problem for each row `needed` whose cell `check` raises `InputError` for."""
    codes, values = unique(problems.table.data.column(column))
    for code, value in enumerate(values):
        try:
            check(cell_text(value)) if cell_text(value) else None
        except InputError as error:
            for row in np.flatnonzero((codes == code) & needed).tolist():
                problems.add(row, error.problem, column, of_case=of_case, allowed=error.allowed, got=value)


def coded(column: str, problems: Problems, problem: str | None) -> Named:
    """The column as codes into unique names, in order of first appearance; -1 where blank, which is the problem named."""
    codes, values = unique(problems.table.data.column(column))
    index: dict[str, int] = {}
    number = [index.setdefault(name, len(index)) if (name := as_text(value)) else -1 for value in values]
    out = np.array([*number, -1], np.int64)[codes]
    if problem is not None:
        check_named(column, out < 0, problems, problem)
    return out, list(index)


def check_named(
    column: str, blank: NDArray[np.bool_], problems: Problems, problem: str, *, of_case: bool = False
) -> None:
    """Adds a problem for each row whose name is blank and must not be."""
    for row in np.flatnonzero(blank).tolist():
        problems.add(row, problem, column, of_case=of_case, allowed="a name", got=None)


def _as_rank(value: Any) -> int:
    """A whole number from 0; `NO_RANK` for anything else."""
    if isinstance(value, str):
        found = _WHOLE.fullmatch(value.strip())
        return int(found[1]) if found and int(found[1]) <= MAX_RANK else NO_RANK
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NO_RANK
    return int(value) if 0 <= value <= MAX_RANK and value == int(value) else NO_RANK


def ranks(column: str, needed: NDArray[np.bool_], problems: Problems) -> Codes:
    """The rank in each row; what is none is a problem in the rows `needed`."""
    codes, values = unique(problems.table.data.column(column))
    out = np.array([*map(_as_rank, values), NO_RANK], np.int64)[codes]
    for row in np.flatnonzero((out == NO_RANK) & needed).tolist():
        got = None if codes[row] < 0 else values[codes[row]]
        problems.add(row, "a rank that is no rank", column, allowed="1, 2, 3, … (1 is likeliest)", got=got)
    return out


def diagnoses(
    column: str, is_none: NoDiagnosis, of_lists: NDArray[np.bool_], problems: Problems
) -> tuple[Codes, list[str], Counter[str]]:
    """Codes into the unique diagnoses, ascending; -1 for what means no diagnosis. And how often each such word stands in
    the rows `of_lists` ("" for a blank).
    """
    codes, raw = unique(problems.table.text(column))
    none = {text for text in raw if is_none(text)}
    strings = sorted(set(raw) - none)
    index = {text: i for i, text in enumerate(strings)}
    number = np.array([*(index.get(text, NO_DIAGNOSIS) for text in raw), NO_DIAGNOSIS], np.int64)
    faults = [None if text in none else fault_of(text) for text in raw]
    blank = (
        None if is_none.by_default else ("the diagnosis is blank", "a diagnosis in words, or a word for no diagnosis")
    )
    faults.append(blank)
    for row in np.flatnonzero(np.array([fault is not None for fault in faults])[codes] & of_lists).tolist():
        problem, allowed = faults[codes[row]] or ("", "")
        problems.add(row, problem, column, allowed=allowed, got=None if codes[row] < 0 else raw[codes[row]])
    times = np.bincount(codes[of_lists] + 1, minlength=len(raw) + 1)
    counts = Counter({text: int(n) for text, n in zip(raw, times[1:], strict=True) if text in none and n})
    if times[0] and blank is None:
        counts[""] = int(times[0])
    return number[codes], strings, counts


def fault_of(text: str) -> tuple[str, str] | None:
    """What is wrong with a diagnosis, and what is allowed."""
    if len(text) > MAX_CHARACTERS:
        return f"a diagnosis of {len(text):,} characters", f"at most {MAX_CHARACTERS:,} characters"
    return None if _WORD.search(text) else ("a diagnosis without a letter or digit", "a diagnosis in words")


def roles(column: str | None, rater: Named, problems: Problems) -> tuple[list[str] | None, NDArray[np.str_]]:
    """The role of each rater (None without the column), and of each row.

    Raises
    ------
    InputError
        For a rater with two roles, or a second reference rater.
    """
    table, (rater_of, raters) = problems.table, rater
    if column is None:
        return None, np.full(len(table), "")
    codes, values = unique(table.data.column(column))
    said = np.array([*(as_text(value).casefold() for value in values), ""])[codes]
    for row in np.flatnonzero(~np.isin(said, ROLES)).tolist():
        got = None if codes[row] < 0 else values[codes[row]]
        problems.add(row, "a role that is none", column, allowed=", ".join(ROLES), got=got)
    roles = [""] * len(raters)
    # the final diagnosis may stand under the name of the reference, or of nobody else
    of_rater = np.where(said == FINAL, REFERENCE, said)
    for role in ROLES:
        for i in np.unique(rater_of[(of_rater == role) & (rater_of >= 0)]).tolist():
            if roles[i]:
                row = int(np.flatnonzero((rater_of == i) & (of_rater == role))[0])
                problem = f"the rater {quoted(raters[i])} has two roles, {roles[i]} and {role}"
                raise table.error(problem, row, column, allowed="one role for a rater", got=role)
            roles[i] = role
    for role in (REFERENCE, FINAL):
        named = np.unique(rater_of[(said == role) & (rater_of >= 0)], return_index=False).tolist()
        if len(named) > 1:
            row, allowed = int(np.flatnonzero(rater_of == named[1])[0]), f"one rater with the role {role}"
            raise table.error(f"a second {role}", row, column, allowed=allowed, got=raters[named[1]])
    return roles, said


def one_per_rater(column: str, what: str, rater: Named, problems: Problems) -> dict[str, str]:
    """Rater -> what a column says of it, where one of its rows says something.

    Raises
    ------
    InputError
        For a rater of whom two rows say different things.
    """
    codes, values = unique(problems.table.data.column(column))
    said: dict[str, str] = {}
    for row, (at, code) in enumerate(zip(rater[0].tolist(), codes.tolist(), strict=True)):
        if at >= 0 and code >= 0 and (text := cell_text(values[code])) and said.setdefault(rater[1][at], text) != text:
            name = rater[1][at]
            raise problems.table.error(
                f"the {what} differs within the rater {quoted(name)}", row, problems.column_of(column, row),
                allowed=f"{quoted(said[name])}, as in its first row", got=text,
            )  # fmt: skip
    return said


def one_per_case(column: str, what: str, case: Named, problems: Problems) -> list[Cell | None]:
    """What a column says of each case, in its first row that is not blank; a row that says another is a problem."""
    raw_codes, raw = unique(problems.table.data.column(column))
    index: dict[str, int] = {}
    number = [index.setdefault(text, len(index)) if (text := cell_text(value)) else -1 for value in raw]
    codes, values = np.array([*number, -1], np.int64)[raw_codes], list(index)
    case_of, cases = case
    there = np.flatnonzero((case_of >= 0) & (codes >= 0))
    _, place = np.unique(case_of[there], return_index=True)
    first = np.full(len(cases), -1)
    first[case_of[there[place]]] = there[place]
    said = codes[first] if len(codes) else first
    for row in there[codes[there] != said[case_of[there]]].tolist():
        problem = f"the {what} differs within the case {quoted(cases[case_of[row]])}"
        allowed = f"{quoted(values[said[case_of[row]]])}, as in its first row"
        problems.add(row, problem, column, of_case=True, allowed=allowed, got=values[codes[row]])
    return [None if row < 0 else Cell(values[codes[row]], problems.table.row_number(row)) for row in first.tolist()]
