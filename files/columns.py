"""Python values as columns of one kind each, and what a header must be."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InputError


class Read(NamedTuple):
    """What a file holds.

    Parameters
    ----------
    data
        Its columns.
    first_row
        The number of the first record for a reader: 2 under the header of a CSV.
    rows
        int64[n]: the numbers of all records, where they do not simply count on.
    source
        What to call it in errors, where it is not the whole file.
    note
        What was read, where there was a choice.
    broken
        The lines that are no rows, where they are not refused.
    """

    data: pa.Table
    first_row: int
    rows: NDArray[np.int64] | None = None
    source: str | None = None
    note: str = ""
    broken: Sequence[InputError] = ()


def column_of(
    name: str,
    values: Sequence[Any],
    source: str,
    first_row: int,
    rows: Sequence[int] | NDArray[np.integer] | None = None,
    *,
    mixed: bool = False,
) -> pa.Array:
    """Values as one column; None and NaN are null.

    rows : the number of each, where they do not count on from `first_row`. mixed : values of several kinds become texts.

    Errors: `InputError`, with the first row whose value is of another kind than most, or that no column can hold.
    """
    try:
        return pa.array(values, from_pandas=True)
    except _UNHELD:
        with contextlib.suppress(UnicodeError):
            if mixed:
                return pa.array([as_text(value) for value in values], pa.string())
    present = [(at, value) for at, value in enumerate(values) if value is not None and value == value]
    kinds = Counter(type(value) for _, value in present)
    kind = max(kinds, key=lambda each: (kinds[each], each is str), default=object)
    odd = ((at, value) for at, value in present if type(value) is not kind or not _is_held(value))
    at, value = next(odd, present[-1])
    row = at + first_row if rows is None else int(rows[at])
    if not _is_held(value):
        allowed = "text in Unicode, or numbers of at most 64 bits"
        raise InputError("a value that no column can hold", source=source, row=row, column=name, allowed=allowed)
    problem, allowed = "a value of another kind than others in its column", _IN_WORDS.get(kind, kind.__name__)
    raise InputError(problem, source=source, row=row, column=name, allowed=allowed, got=value)


_UNHELD = (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError)
_IN_WORDS = {str: "text", int: "whole numbers", float: "numbers", bool: "true or false", list: "lists", dict: "objects"}


def _is_held(value: Any) -> bool:
    """Whether a value that is alone in its column makes one; half a surrogate pair does not."""
    try:
        pa.array([value], from_pandas=True)
    except _UNHELD:
        return False
    return True


def as_text(value: Any) -> str | None:
    """A value of any kind as a text: lists and objects in JSON, a blank and nan as None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value != value:
        return None
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | tuple | dict) else str(value)


def of_records(
    records: Sequence[Any],
    source: str,
    first_row: int = 0,
    rows: Sequence[int] | NDArray[np.integer] | None = None,
    *,
    mixed: bool = False,
) -> pa.Table:
    """Objects as columns, a key that one lacks null; parameters as of `column_of`. Errors: `InputError`, with the row."""
    for at, record in enumerate(records):
        if not isinstance(record, Mapping):
            row = at + first_row if rows is None else int(rows[at])
            raise InputError(
                "not an object", source=source, row=row, allowed="{column: value} for each row", got=record
            )
    names = dict.fromkeys(name for record in records for name in record)
    values = {name: [record.get(name) for record in records] for name in names}
    return _of_values(values, source, first_row, rows, mixed)


def of_columns(columns: Mapping[Any, Any], source: str) -> pa.Table:
    """A dict of columns. Errors: `InputError`, with the column, and the row, counted from 0."""
    for name, column in columns.items():
        if isinstance(column, str | bytes | Mapping) or not isinstance(column, Iterable):
            allowed = "a list of values for each column"
            raise InputError("not a column", source=source, column=str(name), allowed=allowed, got=column)
    values = {name: list(column) for name, column in columns.items()}
    lengths = {name: len(column) for name, column in values.items()}
    if len(set(lengths.values())) > 1:
        raise InputError("columns of several lengths", source=source, allowed="as many values in each", got=lengths)
    return _of_values(values, source, 0, None, False)


def _of_values(
    values: Mapping[Any, list[Any]],
    source: str,
    first_row: int,
    rows: Sequence[int] | NDArray[np.integer] | None,
    mixed: bool,
) -> pa.Table:
    if odd := [name for name in values if not (isinstance(name, str) and _is_held(name))]:
        raise InputError("a column whose name is not text", source=source, allowed="names in text", got=odd[0])
    return pa.table({name: column_of(name, of, source, first_row, rows, mixed=mixed) for name, of in values.items()})


def named_columns(header: Sequence[str | None], data: pa.Table, source: str, row: int) -> pa.Table:
    """`data` under the names of its header; columns without name and values are left out, as a spreadsheet leaves them behind.

    One column of values may be without a name: the index that pandas writes before the others.

    Errors: `InputError` for a second one, and for two columns of one name.
    """
    names = [(name or "").strip() for name in header]
    kept = [i for i, name in enumerate(names) if name or data.column(i).null_count < len(data)]
    chosen = [names[i] for i in kept]
    if twice := next((i for place, i in enumerate(kept) if names[i] in chosen[:place]), None):
        if names[twice]:
            raise InputError(
                "two columns of one name", source=source, row=row, allowed="each name once", got=names[twice]
            )
        raise InputError(
            f"column {twice + 1} has no name", source=source, row=row, got=names,
            allowed="a name for each column, in the first row; a title above the header must go",
        )  # fmt: skip
    return data.select(kept).rename_columns(chosen)


def rows_with_values(data: pa.Table) -> NDArray[np.bool_] | None:
    """bool[n]: the rows that hold anything; None where all do, or where there is one column, whose blanks are values."""
    if data.num_columns < 2 or not all(column.null_count for column in data.columns):
        return None
    blank = np.logical_and.reduce([pc.is_null(column).to_numpy(zero_copy_only=False) for column in data.columns])
    return ~blank if blank.any() else None


def of_frame(source: Any) -> tuple[nw.DataFrame[Any], pa.Table, dict[str, InputError]]:
    """A pandas, polars or Arrow frame, its columns, and why one holds no values of one kind: its cells are then texts.

    Errors: `InputError` for what is no table, and for two columns of one name.
    """
    try:
        found: Any = nw.from_native(source)
        frame: Any = found.collect() if isinstance(found, nw.LazyFrame) else found
    except TypeError:
        allowed = "the path of a file, a pandas, polars or Arrow frame, a list of dicts, or a dict of columns"
        raise InputError("not a table", allowed=allowed, got=type(source).__name__) from None
    except nw.exceptions.DuplicateError:
        raise InputError("two columns of one name", source="data frame", allowed="each name once") from None
    try:
        return frame, frame.to_arrow(), {}
    except _UNHELD:
        columns, mixed = {}, {}
        for name in map(str, frame.columns):
            values = frame.get_column(name).to_list()
            try:
                columns[name] = column_of(name, values, "data frame", 0)
            except InputError as error:
                mixed[name] = error
                columns[name] = pa.array([as_text(value) for value in values], pa.string())
        return frame, pa.table(columns), mixed


def frame_like(source: Any) -> Any:
    """An empty narwhals frame of the kind that came; None, which is Arrow, for a file.

    What came as lists or as a dict comes back in pandas, where that is installed.
    """
    if source is None or isinstance(source, str | os.PathLike):
        return None
    try:
        return nw.from_native(source, eager_only=True).head(0)
    except TypeError:
        pass
    of_files = isinstance(source, list | tuple) and all(isinstance(one, str | os.PathLike) for one in source)
    if of_files or not isinstance(source, dict | list | tuple) or not find_spec("pandas"):
        return None
    import pandas as pd

    return nw.from_native(pd.DataFrame(), eager_only=True)
