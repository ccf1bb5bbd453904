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


def column_of(name: str, values: Sequence[Any], source: str, rows: Sequence[int], *, mixed: bool = False) -> pa.Array:
    """Values as one column; None and NaN are null.

    rows : the number of each. mixed : values of several kinds become texts.

    Errors: `InputError`, with the first row whose value is of another kind than most, or that no column can hold.
    """
    try:
        return pa.array(values, from_pandas=True)
    except _UNHELD:
        with contextlib.suppress(UnicodeError):
            if mixed:
                return pa.array([as_text(value) for value in values], pa.string())
    present = [(row, value) for row, value in zip(rows, values, strict=True) if value is not None and value == value]
    kinds = Counter(type(value) for _, value in present)
    kind = max(kinds, key=lambda each: (kinds[each], each is str))
    odd = ((row, value) for row, value in present if type(value) is not kind or not _is_held(value))
    row, value = next(odd, present[-1])
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


def of_records(records: Sequence[Any], source: str, rows: Sequence[int], *, mixed: bool = False) -> pa.Table:
    """Objects as columns, a key that one lacks null; parameters as of `column_of`. Errors: `InputError`, with the row."""
    for row, record in zip(rows, records, strict=True):
        if not isinstance(record, Mapping):
            allowed = "{column: value} for each row"
            raise InputError("not an object", source=source, row=row, allowed=allowed, got=record)
    names = dict.fromkeys(name for record in records for name in record)
    return of_columns({name: [record.get(name) for record in records] for name in names}, source, rows, mixed=mixed)


def of_columns(
    columns: Mapping[Any, Any], source: str, rows: Sequence[int] | None = None, *, mixed: bool = False
) -> pa.Table:
    """A dict of columns; `rows`, counted from 0, and `mixed` as of `column_of`. Errors: `InputError`, with the column, and the row."""
    for name, column in columns.items():
        if not isinstance(name, str) or not _is_held(name):
            raise InputError("a column whose name is not text", source=source, allowed="names in text", got=name)
        if isinstance(column, str | bytes | Mapping) or not isinstance(column, Iterable):
            allowed = "a list of values for each column"
            raise InputError("not a column", source=source, column=name, allowed=allowed, got=column)
    values = {name: list(column) for name, column in columns.items()}
    lengths = {name: len(column) for name, column in values.items()}
    if len(set(lengths.values())) > 1:
        raise InputError("columns of several lengths", source=source, allowed="as many values in each", got=lengths)
    return pa.table({
        name: column_of(name, column, source, range(len(column)) if rows is None else rows, mixed=mixed)
        for name, column in values.items()
    })  # fmt: skip


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


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds texts, of whatever width, or a dictionary of them."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


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
                columns[name] = column_of(name, values, "data frame", range(len(values)))
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
    with contextlib.suppress(TypeError):
        return nw.from_native(source, eager_only=True).head(0)
    of_files = isinstance(source, list | tuple) and all(isinstance(one, str | os.PathLike) for one in source)
    if of_files or not isinstance(source, dict | list | tuple) or not find_spec("pandas"):
        return None
    import pandas as pd

    return nw.from_native(pd.DataFrame(), eager_only=True)
