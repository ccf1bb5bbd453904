"""Pairs of diagnoses as users hold them: validation, expert labels, rejects."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import SET_ASIDE, InputError, Remedy
from .formula_errors import FORMULA_ERROR
from .invisible import read_visible
from .limits import MAX_CHARACTERS
from .pair_columns import PairColumns
from .pair_labels import BLANK, check_conflicts, experts_of, read_labels, read_shares
from .reading import Reading
from .tables import Table, check_keeps_input, read_table, stacked, with_columns

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

    Raises
    ------
    InputError
        For a file that cannot be read, a column that is missing, the first row that cannot be right, or where no row is left.
    """
    [table] = _tables([from_tuples(source)], Reading(encoding=encoding, rejects=rejects), visible=visible)
    problems: dict[int, InputError] = {}
    pairs = _checked([table], problems, _Columns(a, b, label, soft, weight, group))
    if pairs.label is not None:
        check_conflicts(table, a, (pairs.a, pairs.b), pairs.label, problems)
    return _sound(pairs, problems, rejects)


class _Columns(NamedTuple):
    """The columns that are asked for, as `read_pairs` has them."""

    a: str
    b: str
    label: str | None
    soft: str | None
    weight: str | None
    group: str | None


def _tables(sources: Sequence[Any], reading: Reading, *, visible: bool) -> list[Table]:
    """The tables as they were brought; what is wrong with a row alone has a remedy."""
    read = read_visible if visible else read_table
    for source in sources:
        if isinstance(source, str | os.PathLike):
            check_keeps_input(source, reading.rejects)
    try:
        return [read(source, reading.encoding, set_aside=reading.rejects is not None) for source in sources]
    except InputError as error:
        if error.row_alone:
            error.with_remedy(SET_ASIDE)
        raise


def read_labelled(
    pairs: Any, columns: PairColumns = PairColumns(), reading: Reading = Reading(), *, on_conflict: str = REFUSE
) -> tuple[Pairs, int]:
    """The labelled pairs, and how many rows are left out since none of a panel voted on them.

    Parameters
    ----------
    pairs : what `read_table` takes, or several of them in a list, a tuple or an iterator. A column `label` of one and columns
        `label_<name>` of another, or the same name for two columns of labels, are each read as in a file alone. The table that comes
        of several has all their columns, and in the column `label` what was decided.
    on_conflict : "refuse" makes an `InputError` of a pair with two labels; otherwise they are let through.

    The errors are those of `read_pairs`; also `InputError` for one file twice.
    """
    sources = [*pairs] if isinstance(pairs, Iterator) else pairs
    if not isinstance(sources, list | tuple) or not sources or isinstance(sources[0], Mapping | list | tuple):
        sources = [sources]
    tables = _tables(sources, reading, visible=True)
    if len(tables) > 1:
        for number, (source, table) in enumerate(zip(sources, tables, strict=True)):
            if not isinstance(source, str | os.PathLike | Table):  # errors tell it from others by its number
                tables[number] = replace(table, source=f"{table.source} {number + 1}")
        places = [Path(table.source).resolve() for table in tables]
        if twice := next((table for i, table in enumerate(tables) if places[i] in places[:i]), None):
            raise InputError("a file is given twice", source=twice.source, allowed="each file once")
    problems: dict[int, InputError] = {}
    read = _checked(tables, problems, _Columns(**vars(columns)), blank=True)
    assert read.label is not None
    unlabelled = read.label == BLANK
    unlabelled[list(problems)] = False
    if unlabelled.all():
        raise InputError("no row has a label", source=read.source, allowed="0 or 1 in a column of labels")
    if unlabelled.any():
        place = np.cumsum(~unlabelled) - 1
        read, problems = read.take(~unlabelled), {int(place[row]): error for row, error in problems.items()}
        assert read.label is not None
    if on_conflict == REFUSE:
        check_conflicts(read.table, columns.a, (read.a, read.b), read.label, problems, _MAJORITY)
    return _sound(read, problems, reading.rejects), int(unlabelled.sum())


def _checked(
    tables: Sequence[Table], problems: dict[int, InputError], columns: _Columns, *, blank: bool = False
) -> Pairs:
    """All rows of the tables, with what is wrong with some of them in `problems`; parameters and errors as of `read_pairs`.

    The experts of several tables are told apart by the names of their columns. blank : as of `read_labels`.
    """
    a, b, label, soft, weight, group = columns
    labels, shares, votes = list[NDArray[np.int8]](), list[NDArray[np.float64]](), list[tuple[list[str], Any]]()
    for start, one in zip(accumulate(map(len, tables), initial=0), tables, strict=False):
        own, ballots = dict[int, InputError](), None
        one.require_named({"a": a, "b": b}, "a diagnosis")
        experts = [] if label is None else experts_of(one, label)
        for column, purpose, option in (
            (None if experts else label, "0 or 1", "label"), (weight, "a weight", "weight"), (group, "the reference diagnosis", "group"),
        ):  # fmt: skip
            if column is not None:
                one.require(column, purpose, option=option)
        if label is not None:
            found, ballots = read_labels(one, label, own, blank=blank)
            labels.append(found)
            votes.append((experts, ballots))
        if soft is not None:
            shares.append(read_shares(one, soft, label, ballots, own))
        problems.update({start + row: error for row, error in own.items()})
    table, wrong = stacked(tables), dict[int, InputError]()
    decided = np.concatenate(labels) if labels else None
    if decided is not None and len(tables) > 1:
        column = pa.array(decided, mask=decided == BLANK)
        table = replace(table, data=with_columns(table.data, {str(label): column}))
    text = {column: table.text(column) for column in (a, b)}
    for column, values in text.items():
        check_text(table, column, values, wrong)
    problems.update(wrong)
    weights = groups = None
    if weight is not None:
        parsed = table.parsed(weight, _weight, "a weight that is no positive number", "> 0", problems)
        weights = np.array(parsed, np.float64)
    if group is not None:
        groups = table.text(group)
        for row in np.flatnonzero(groups.is_null().to_numpy()).tolist():
            problems.setdefault(row, table.blank(row, group))
    return Pairs(
        table, text[a], text[b], table.row_numbers(), decided, weights, 0, _together(votes, tables),
        np.concatenate(shares) if shares else None, groups,
    )  # fmt: skip


def _together(
    votes: Sequence[tuple[list[str], NDArray[np.int8] | None]], tables: Sequence[Table]
) -> NDArray[np.int8] | None:
    """The votes of the experts of all tables, each under the name of its column; None where no panel voted."""
    everybody = [*dict.fromkeys(name for experts, ballots in votes if ballots is not None for name in experts)]
    rows = [np.full((len(table), len(everybody)), BLANK, np.int8) for table in tables]
    for own, (experts, ballots) in zip(rows, votes, strict=False):
        if ballots is not None:
            own[:, [everybody.index(name) for name in experts]] = ballots
    return np.concatenate(rows) if everybody else None


def _sound(pairs: Pairs, problems: Mapping[int, InputError], rejects: str | os.PathLike[str] | None) -> Pairs:
    """The rows without a problem; see `Table.sound_rows`."""
    sound = pairs.table.sound_rows(problems, rejects)
    pairs = replace(pairs, n_rejected=len(problems) + len(pairs.table.broken))
    return pairs.take(sound) if problems else pairs


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
        problem, allowed = why_refused(values[row].as_py())
        problems.setdefault(row, table.error(problem, row, column, allowed=allowed, **table.got(row, column)))


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
