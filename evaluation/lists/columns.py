"""The columns of lists in long form, each checked row by row.

A row that cannot be right becomes one of `Problems`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import InputError, OptionError
from ...files.limits import MAX_CHARACTERS
from ...files.tables import Table
from .lists import NO_DIAGNOSIS, REFERENCE, ROLES, Cell, as_text

_WORD = re.compile(r"[^\W_]")
_WHOLE = re.compile(r"(\d{1,9})(?:\.0*)?")
_SOUNDS_EMPTY = frozenset(
    ["none", "n/a", "na", "nan", "null", "unknown", "unclear", "multiple", "other", "no diagnosis", "not applicable"]
)
Codes = NDArray[np.int64]
Named = tuple[Codes, list[str]]
"""Codes of each row (-1 is unknown), and the names behind them."""


class Problems(dict[int, InputError]):
    """Row -> why it cannot be right; the first problem of a row is kept."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table

    def add(self, row: int, problem: str, column: str, **details: Any) -> None:
        self.setdefault(row, self.table.error(problem, row, column, **details))

    def rows_of(self, codes: Codes) -> Codes:
        """Each code that stands in a row with a problem."""
        return np.unique(codes[sorted(self)]) if self else np.empty(0, np.int64)


def no_diagnosis_words(words: Iterable[str]) -> frozenset[str]:
    given = [words] if isinstance(words, str) else list(words)
    if not all(isinstance(word, str) and word.strip() for word in given):
        raise OptionError("no_diagnosis", "words, none of them blank", words)
    return frozenset(word.strip().casefold() for word in given)


def unique(column: pa.ChunkedArray) -> tuple[Codes, list[Any]]:
    """Codes (-1 for null) into the unique values."""
    encoded = column.dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    if pa.types.is_null(encoded.type):
        return np.full(len(column), -1), []
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), encoded.dictionary.to_pylist()


def coded(column: str, problems: Problems, problem: str) -> Named:
    """The column as codes into unique names, in order of first appearance; -1 where blank, which is a problem."""
    codes, values = unique(problems.table.data.column(column))
    index: dict[str, int] = {}
    number = [index.setdefault(name, len(index)) if (name := as_text(value)) else -1 for value in values]
    out = np.array([*number, -1], np.int64)[codes]
    for row in np.flatnonzero(out < 0).tolist():
        problems.add(row, problem, column, allowed="a name", got=None)
    return out, list(index)


def _as_rank(value: Any) -> int:
    """A whole number from 1; 0 for anything else."""
    if isinstance(value, str):
        found = _WHOLE.fullmatch(value.strip())
        return int(found[1]) if found else 0
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 < value < 10**9 and value == int(value) else 0


def ranks(column: str, problems: Problems) -> Codes:
    codes, values = unique(problems.table.data.column(column))
    out = np.array([*map(_as_rank, values), 0], np.int64)[codes]
    for row in np.flatnonzero(out == 0).tolist():
        got = None if codes[row] < 0 else values[codes[row]]
        problems.add(row, "a rank that is no rank", column, allowed="1, 2, 3, … (1 is likeliest)", got=got)
    return out


def diagnoses(column: str, empty_words: frozenset[str], problems: Problems) -> tuple[Codes, list[str], list[str]]:
    """Codes into the unique diagnoses, ascending; -1 for a word that means no diagnosis. And what is worth a note."""
    codes, raw = unique(problems.table.text(column))
    strings = sorted(set(raw) - {text for text in raw if text.casefold() in empty_words})
    index = {text: i for i, text in enumerate(strings)}
    number = np.array([*(index.get(text, NO_DIAGNOSIS) for text in raw), NO_DIAGNOSIS], np.int64)
    times = np.bincount(codes[codes >= 0], minlength=len(raw))
    faults = [_fault(text) if at >= 0 else None for text, at in zip(raw, number.tolist(), strict=False)]
    faults.append(("the diagnosis is blank", "a diagnosis in words, or a word for no diagnosis"))
    for row in np.flatnonzero(np.array([fault is not None for fault in faults])[codes]).tolist():
        problem, allowed = faults[codes[row]] or ("", "")
        problems.add(row, problem, column, allowed=allowed, got=None if codes[row] < 0 else raw[codes[row]])
    notes = []
    for word in sorted(empty_words):
        count = sum(int(t) for t, text in zip(times, raw, strict=True) if text.casefold() == word)
        notes.append(f"{word!r} means no diagnosis ({count:,} of {len(codes):,} entries): it matches nothing.")
    for text, count in sorted(zip(raw, times.tolist(), strict=True)):
        if text.casefold() in _SOUNDS_EMPTY - empty_words:
            of = f"{count:,} of {len(codes):,} entries"
            notes.append(f"{text!r} was taken as a diagnosis ({of}); if it means none, name it in no_diagnosis.")
    return number[codes], strings, notes


def _fault(text: str) -> tuple[str, str] | None:
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
    for role in ROLES:
        for i in np.unique(rater_of[(said == role) & (rater_of >= 0)]).tolist():
            if roles[i]:
                row = int(np.flatnonzero((rater_of == i) & (said == role))[0])
                problem = f"the rater {raters[i]!r} has two roles, {roles[i]} and {role}"
                raise table.error(problem, row, column, allowed="one role for a rater", got=role)
            roles[i] = role
    if roles.count(REFERENCE) > 1:
        second = [i for i, role in enumerate(roles) if role == REFERENCE][1]
        row, allowed = int(np.flatnonzero(rater_of == second)[0]), "one rater with the role reference"
        raise table.error("a second reference", row, column, allowed=allowed, got=raters[second])
    return roles, said


def one_per_case(column: str, what: str, case: Named, problems: Problems) -> list[Cell | None]:
    """What a column says of each case, in its first row that is not blank; a row that says another is a problem."""
    codes, values = unique(problems.table.text(column))
    case_of, cases = case
    there = np.flatnonzero((case_of >= 0) & (codes >= 0))
    _, place = np.unique(case_of[there], return_index=True)
    first = np.full(len(cases), -1)
    first[case_of[there[place]]] = there[place]
    said = codes[first]
    for row in there[codes[there] != said[case_of[there]]].tolist():
        problem = f"the {what} differs within the case {cases[case_of[row]]!r}"
        allowed = f"{values[said[case_of[row]]]!r}, as in its first row"
        problems.add(row, problem, column, allowed=allowed, got=values[codes[row]])
    return [None if row < 0 else Cell(values[codes[row]], problems.table.row_number(row)) for row in first.tolist()]
