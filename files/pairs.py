"""Pairs of diagnoses as users hold them: validation, expert labels, rejects."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import SET_ASIDE, InputError, Remedy
from .invisible import read_visible
from .limits import FORMULA_ERROR, MAX_CHARACTERS
from .pair_labels import BLANK, check_conflicts, read_labels, read_shares
from .tables import Table, check_keeps_input, read_table

REFUSE = "refuse"
_MAJORITY = Remedy("keeps the rows that say what most do", on_conflict="majority")


@dataclass(frozen=True)
class Pairs:
    """n rows that passed every check; nothing after that asks their table again.

    Parameters
    ----------
    table
        The rows as they came, to be given back: rejected ones taken out.
    a, b
        The two diagnoses, stripped of white space, none null.
    row
        int64[n]: the number of each row as its reader sees it.
    label
        int8[n] of 0 and 1; None where no label was asked for.
    weight
        float64[n] > 0; None where none was asked for.
    n_rejected
        Rows that were rejected.
    n_unlabelled
        Rows left out since nobody of a panel voted on them.
    ballots
        int8[n, k]: what each of k experts voted, -1 for a blank; None where no panel voted.
    soft
        float64[n] in [0, 1]: the share of votes for "match"; None where it was not asked for.
    group
        The reference diagnosis of each row, none null; None where no column of it was asked for.
    """

    table: Table
    a: pa.ChunkedArray
    b: pa.ChunkedArray
    row: NDArray[np.int64]
    label: NDArray[np.int8] | None = None
    weight: NDArray[np.float64] | None = None
    n_rejected: int = 0
    ballots: NDArray[np.int8] | None = None
    soft: NDArray[np.float64] | None = None
    group: pa.ChunkedArray | None = None
    n_unlabelled: int = 0

    def __len__(self) -> int:
        return len(self.a)

    @property
    def source(self) -> str:
        """The file that the rows came from, or "data frame"."""
        return self.table.source

    def take(self, rows: NDArray[np.bool_]) -> Pairs:
        """The rows where bool[n] is true."""
        return replace(self, **{field.name: _taken(getattr(self, field.name), rows) for field in fields(self)})


def _taken(value: Any, rows: NDArray[np.bool_]) -> Any:
    if isinstance(value, Table):
        return value.filter(rows)
    if isinstance(value, pa.ChunkedArray):
        return value.filter(pa.array(rows))
    return value[rows] if isinstance(value, np.ndarray) else value


def read_pairs(
    source: Any,
    *,
    a: str = "a",
    b: str = "b",
    label: str | None = None,
    soft: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    rejects: str | os.PathLike[str] | None = None,
    encoding: str | None = None,
    visible: bool = False,
    unlabelled: bool = False,
    on_conflict: str | None = None,
) -> Pairs:
    """Reads and checks pairs.

    Parameters
    ----------
    source
        Two-tuples of strings, in a sequence, an iterator or an array of two columns, or what `read_table` takes: a path, a data frame, a list of dicts, a dict of columns.
    a, b
        The columns of the two diagnoses.
    label
        The column of 0/1 labels. Where it is absent but columns `label_<name>` are there, each is an expert's and
        the majority of that panel decides; without one, the column `adjudicated` does. None reads no label.
    soft
        A column with the share of votes for "match", in [0, 1]; the name of `label` itself stands for the panel's votes.
    weight
        A column of positive weights.
    group
        The column of the reference diagnosis.
    rejects
        A file for the rows that cannot be right, and for lines of JSON that are no object; without it the first of them is an error.
    encoding
        Of a text file that is not UTF-8.
    visible
        Names are read as they look, with a warning: see `files.invisible`.
    unlabelled
        Rows that nobody of a panel voted on are left out and counted, instead of being an error.
    on_conflict
        None refuses the rows of a pair with two labels, "refuse" says in the error that "majority" would not; otherwise they are let through.

    Raises
    ------
    InputError
        For a file that cannot be read, a column that is missing, the first row that cannot be right, or where no row is left.
    """
    if isinstance(source, str | os.PathLike):
        check_keeps_input(source, rejects)
    try:
        table = (read_visible if visible else read_table)(from_tuples(source), encoding, set_aside=rejects is not None)
    except InputError as error:
        if error.row_alone:
            error.with_remedy(SET_ASIDE)
        raise
    table.require_named({"a": a, "b": b}, "a diagnosis")
    for column, purpose, option in ((weight, "a weight", "weight"), (group, "the reference diagnosis", "group")):
        if column is not None:
            table.require(column, purpose, option=option)
    problems: dict[int, InputError] = {}
    text, labels, ballots, shares, weights, groups = (table.text(a), table.text(b)), None, None, None, None, None
    for column, values in zip((a, b), text, strict=True):
        check_text(table, column, values, problems)
    if label is not None:
        labels, ballots = read_labels(table, label, problems, blank=unlabelled)
    if soft is not None:
        shares = read_shares(table, soft, label, ballots, problems)
    if weight is not None:
        parsed = table.parsed(weight, _weight, "a weight that is no positive number", "> 0", problems)
        weights = np.array(parsed, np.float64)
    if group is not None:
        groups = table.text(group)
        for row in np.flatnonzero(groups.is_null().to_numpy()).tolist():
            problems.setdefault(row, table.blank(row, group))
    if labels is not None and on_conflict in (None, REFUSE):
        check_conflicts(table, a, text, labels, problems, _MAJORITY if on_conflict else None)
    kept = table.sound_rows(problems, rejects)
    n_rejected, n_unlabelled = len(problems) + len(table.broken), 0
    pairs = Pairs(table, *text, table.row_numbers(), labels, weights, n_rejected, ballots, shares, groups)
    if labels is not None:
        n_unlabelled = int((kept & (labels == BLANK)).sum())
        kept &= labels != BLANK
        if not kept.any():
            raise InputError("no row has a label", source=table.source, allowed="0 or 1 in a column of labels")
    return pairs if kept.all() else replace(pairs.take(kept), n_unlabelled=n_unlabelled)


def from_tuples(source: Any) -> Any:
    """A table of two-tuples; anything else stays as it is. Errors: `InputError` for a row that is no pair of strings."""
    if isinstance(source, Iterator) or (isinstance(source, np.ndarray) and source.ndim):
        source = list(source) if isinstance(source, Iterator) else source.tolist()
    if not isinstance(source, Sequence) or isinstance(source, str | bytes | os.PathLike):
        return source
    if source and isinstance(source[0], Mapping):  # a list of dicts
        return source
    for row, pair in enumerate(source):
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(side, str) for side in pair)):
            raise InputError(
                "not a pair", source="pairs", row=row, allowed='two strings, ("heart attack", "MI")', got=pair
            )
    if not source:
        raise InputError("no pairs", source="pairs", allowed="at least one")
    sides = (pa.array(side, pa.string()) for side in zip(*source, strict=True))
    return Table(pa.table(dict(zip("ab", sides, strict=True))), "pairs", 0, in_memory=True)


def check_text(table: Table, column: str, values: pa.ChunkedArray, problems: dict[int, InputError]) -> None:
    """Texts of a column that are no diagnosis, into `problems`."""
    encoded = values.dictionary_encode().unify_dictionaries()
    refused = np.append(
        refused_texts(encoded.chunk(0).dictionary), True
    )  # the last stands for blanks, which have no code
    codes = [chunk.indices.fill_null(len(refused) - 1).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    for row in np.flatnonzero(refused[np.concatenate(codes)]).tolist():
        problem, allowed = why_refused(text := values[row].as_py())
        got = {"got": text} if text else {}
        problems.setdefault(row, table.error(problem, row, column, allowed=allowed, **got))


def refused_texts(values: pa.Array) -> NDArray[np.bool_]:
    """bool[n]: which of n texts, stripped of white space, are no diagnosis: null, blank, too long, without a letter or digit, or
    what a spreadsheet shows of a formula that failed (#N/A).
    """
    missing = pc.fill_null(pc.equal(pc.utf8_length(values), 0), True)
    too_long = pc.fill_null(pc.greater(pc.utf8_length(values), MAX_CHARACTERS), False)
    failed = pc.fill_null(pc.match_substring_regex(values, FORMULA_ERROR), False)
    wordless = pc.fill_null(pc.invert(pc.match_substring_regex(values, r"[\pL\pN]")), False)
    refused = pc.or_(pc.or_(missing, too_long), pc.or_(wordless, failed))
    return np.asarray(refused.to_numpy(zero_copy_only=False))


def why_refused(text: str | None) -> tuple[str, str]:
    """What is wrong with one of `refused_texts`, and what is allowed."""
    if not text:
        return "the diagnosis is blank", "a diagnosis in words"
    if len(text) > MAX_CHARACTERS:
        return f"a diagnosis of {len(text):,} characters", f"at most {MAX_CHARACTERS:,} characters"
    if re.match(FORMULA_ERROR, text):
        return "the error of a formula in a spreadsheet", "a diagnosis in words"
    return "a diagnosis without a letter or digit", "a diagnosis in words"


def _weight(value: Any) -> float:
    if not 0 < float(value) < float("inf"):
        raise ValueError
    return float(value)
