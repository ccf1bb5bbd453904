"""Python values, and the frames of other libraries, as columns of one kind each."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError

_UNHELD = (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError)
"""What Arrow raises of values that one column cannot hold."""
_HALF = re.compile("[\ud800-\udfff]")


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


def as_text(value: Any) -> str | None:
    """A value of any kind as a text: lists, objects and truth in JSON, a blank and nan as None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value != value:
        return None
    return (
        json.dumps(value, ensure_ascii=False, default=str)
        if isinstance(value, list | tuple | dict | bool)
        else str(value)
    )


def _of_one_kind(values: Sequence[Any]) -> pa.Array | None:
    """Values as a column; None where they are of several kinds."""
    try:
        return pa.array(values, from_pandas=True)
    except _UNHELD:
        return None


def _column(name: str, values: Sequence[Any], source: str, rows: Sequence[int]) -> pa.Array:
    """Values as one column, as texts where they are of several kinds; None and NaN are null. rows : the number of each.

    Errors: `InputError` for half a surrogate pair, with its row.
    """
    if (column := _of_one_kind(values)) is not None:
        return column
    texts = [as_text(value) for value in values]
    for row, text in zip(rows, texts, strict=True):
        if _HALF.search(text or ""):
            raise InputError("half a surrogate pair", source=source, row=row, column=name, allowed="Unicode text")
    return pa.array(texts, pa.string())


def records_as_columns(
    records: Sequence[Any], source: str = "", first_row: int = 0, rows: Iterable[int] | None = None
) -> pa.Table:
    """Objects as columns, a key that one lacks null; values of several kinds in a column are texts, lists in JSON.

    rows : the number of each, where they do not count on from `first_row`. Errors: `InputError`, with the row.
    """
    numbers = range(first_row, first_row + len(records)) if rows is None else [*map(int, rows)]
    for row, record in zip(numbers, records, strict=True):
        if not isinstance(record, Mapping):
            allowed = "{column: value} for each row"
            raise InputError("not an object", source=source, row=row, allowed=allowed, got=record)
    names = dict.fromkeys(name for record in records for name in record)
    return of_columns({name: [record.get(name) for record in records] for name in names}, source, numbers)


def of_columns(columns: Mapping[Any, Any], source: str, rows: Sequence[int] | None = None) -> pa.Table:
    """A dict of columns as a table. rows : the number of each row, else counted from 0. Errors: `InputError`, with the column, and the row."""
    values: dict[str, list[Any]] = {}
    for name, column in columns.items():
        if isinstance(column, str | bytes | Mapping) or not isinstance(column, Iterable):
            allowed = "a list of values for each column"
            raise InputError("not a column", source=source, column=str(name), allowed=allowed, got=column)
        if _HALF.search(str(name)):
            raise InputError("half a surrogate pair in a name", source=source, allowed="Unicode text", got=name)
        values[str(name)] = list(column)
    lengths = {name: len(column) for name, column in values.items()}
    if len(lengths) < len(columns):
        raise InputError("two columns of one name", source=source, allowed="each name once", got=list(columns))
    if len(set(lengths.values())) > 1:
        raise InputError("columns of several lengths", source=source, allowed="as many values in each", got=lengths)
    return pa.table({
        name: _column(name, column, source, range(len(column)) if rows is None else rows)
        for name, column in values.items()
    })  # fmt: skip


def named_columns(header: Sequence[str | None], data: pa.Table) -> pa.Table:
    """`data` under the names of its header; columns without name and values are left out, as a spreadsheet leaves them behind.

    A column of values may be without a name: the index that pandas writes before the others.
    """
    names = [(name or "").strip() for name in header]
    kept = [i for i, name in enumerate(names) if name or data.column(i).null_count < len(data)]
    return data.select(kept).rename_columns([names[i] for i in kept])


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds texts, of whatever width, or a dictionary of them."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def of_frame(source: Any) -> tuple[nw.DataFrame[Any], pa.Table, frozenset[str]]:
    """A pandas, polars or Arrow frame, its columns, and which of these are texts here since their values are of several kinds.

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
    with contextlib.suppress(*_UNHELD):
        return frame, frame.to_arrow(), frozenset()
    columns = {str(name): frame.get_column(name).to_list() for name in frame.columns}
    mixed = frozenset(name for name, values in columns.items() if _of_one_kind(values) is None)
    return frame, of_columns(columns, "data frame"), mixed


def frame_like(source: Any) -> Any:
    """An empty narwhals frame of the kind that came: of pandas, where that is installed, for what came as lists or as a dict; None, which is Arrow, for files."""
    with contextlib.suppress(TypeError):
        return None if source is None else nw.from_native(source, eager_only=True).head(0)
    of_files = isinstance(source, list | tuple) and all(isinstance(one, str | os.PathLike) for one in source)
    return pandas_frame() if isinstance(source, Mapping | list | tuple) and not of_files else None


def pandas_frame() -> Any:
    """An empty narwhals frame of pandas; None where it is not installed."""
    if not find_spec("pandas"):
        return None
    import pandas as pd

    return nw.from_native(pd.DataFrame(), eager_only=True)
