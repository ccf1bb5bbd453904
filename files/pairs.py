"""Pairs of diagnoses as users hold them: validation, expert labels, rejects."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InputError
from ..options import Between
from .invisible import read_visible
from .limits import FORMULA_ERROR, MAX_CHARACTERS
from .pair_labels import BLANK, check_conflicts, last_words, numbers_of, read_labels, read_shares
from .table import Problems, Table
from .tables import check_apart, read_table, sound_rows

REFUSE = "refuse"
_MAJORITY = "the option 'on_conflict' (majority) keeps the rows that say what most do"


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
    check_apart([rejects], [source])
    table = (read_visible if visible else read_table)(from_tuples(source), encoding, set_aside=rejects is not None)
    purposes = {"a": "a diagnosis", "b": "a diagnosis", "weight": "a weight", "group": "the reference diagnosis"}
    for (option, purpose), column in zip(purposes.items(), (a, b, weight, group), strict=True):
        if column is not None:
            table.require(column, purpose, option=option)
    if a == b:
        raise InputError("one column for both diagnoses", source=table.source, column=a, allowed="one for each")
    if label is not None:
        table = last_words(table, a, b)
    problems: Problems = {}
    text, read = (table.text(a), table.text(b)), dict[str, Any]()
    for column, values in zip((a, b), text, strict=True):
        check_text(table, column, values, problems)
    if label is not None:
        read["label"], read["ballots"] = read_labels(table, label, problems, blank=unlabelled)
    if soft is not None:
        read["soft"] = read_shares(table, soft, label, read.get("ballots"), problems)
    if weight is not None:
        read["weight"] = numbers_of(table, weight, Between(0, apart=True), "a weight that is not above 0", problems)
    if group is not None:
        check_text(table, group, groups := table.text(group), problems)
        read["group"] = groups
    if label is not None and on_conflict in (None, REFUSE):
        check_conflicts(table, a, text, read["label"], problems, _MAJORITY if on_conflict else "")
    kept = sound_rows(table, problems, rejects)
    pairs = Pairs(table, *text, table.row_numbers(), n_rejected=len(problems) + len(table.broken), **read)
    if pairs.label is not None:
        labelled = pairs.label != BLANK
        pairs, kept = replace(pairs, n_unlabelled=int((kept & ~labelled).sum())), kept & labelled
        if not kept.any():
            raise InputError("no row has a label", source=table.source, allowed="0 or 1 in a column of labels")
    return pairs if kept.all() else pairs.take(kept)


def from_tuples(source: Any) -> Any:
    """A table of two-tuples; anything else stays as it is. Errors: `InputError` for a row that is no pair of strings."""
    if isinstance(source, Iterator) or (isinstance(source, np.ndarray) and source.ndim):
        source = list(source) if isinstance(source, Iterator) else source.tolist()
    if not isinstance(source, list | tuple) or (source and isinstance(source[0], Mapping)):
        return source
    for row, pair in enumerate(source):
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(side, str) for side in pair)):
            raise InputError("not a pair", source="pairs", row=row, allowed='two strings, ("gout", "MI")', got=pair)
    if not source:
        raise InputError("no pairs", source="pairs", allowed="at least one")
    return Table(pa.table([pa.array(side, pa.string()) for side in zip(*source, strict=True)], ["a", "b"]), "pairs", 0)


def check_text(table: Table, column: str, values: pa.ChunkedArray, problems: Problems) -> None:
    """Texts of a column that are no diagnosis, into `problems`."""
    encoded = values.dictionary_encode().unify_dictionaries()
    refused = np.append(refused_texts(encoded.chunk(0).dictionary), True)  # the last for blanks, which have no code
    codes = [chunk.indices.fill_null(len(refused) - 1).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    for row in np.flatnonzero(refused[np.concatenate(codes)]).tolist():
        problem, allowed = why_refused(text := values[row].as_py())
        problems.setdefault(row, table.error(problem, row, column, allowed=allowed, **({"got": text} if text else {})))


def refused_texts(values: pa.Array) -> NDArray[np.bool_]:
    """bool[n]: which of n texts, stripped of white space, are no diagnosis: null, blank, too long, without a letter or digit, or
    what a spreadsheet shows of a formula that failed (#N/A).
    """
    length = pc.fill_null(pc.utf8_length(values), 0)
    sound = pc.and_(pc.greater(length, 0), pc.less_equal(length, MAX_CHARACTERS))
    plain = pc.utf8_normalize(values, "NFKC")  # what it is read as: U+037A becomes a blank
    sound = pc.and_(sound, pc.match_substring_regex(plain, r"[\pL\pN]"))
    sound = pc.and_not(sound, pc.match_substring_regex(values, FORMULA_ERROR))
    return ~np.asarray(pc.fill_null(sound, False).to_numpy(zero_copy_only=False))


def why_refused(text: str | None) -> tuple[str, str]:
    """What is wrong with one of `refused_texts`, and what is allowed."""
    if not text:
        return "the diagnosis is blank", "a diagnosis in words"
    if len(text) > MAX_CHARACTERS:
        return f"a diagnosis of {len(text):,} characters", f"at most {MAX_CHARACTERS:,} characters"
    if re.match(FORMULA_ERROR, text):
        return "the error of a formula in a spreadsheet", "a diagnosis in words"
    return "a diagnosis without a letter or digit", "a diagnosis in words"
