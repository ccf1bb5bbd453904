"""Python values as columns of one kind each, and what a header must be."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

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
    warnings
        What is doubtful in it, a sentence each.
    broken
        The lines that are no rows, where they are not refused.
    """

    data: pa.Table
    first_row: int
    rows: NDArray[np.int64] | None = None
    source: str | None = None
    note: str = ""
    warnings: tuple[str, ...] = ()
    broken: Sequence[InputError] = ()


def column_of(
    name: str, values: Sequence[Any], source: str, first_row: int, rows: Sequence[int] | None = None
) -> pa.Array:
    """Values as one column; None and NaN are null.

    rows : the number of each, where they do not count on from `first_row`.

    Errors: `InputError`, with the first row whose value is of another kind than most, or that no column can hold.
    """
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError):
        present = [(row, value) for row, value in enumerate(values) if value is not None and value == value]
        kinds = Counter(type(value) for _, value in present)
        kind = max(kinds, key=lambda each: (kinds[each], each is str), default=object)
        odd = next(
            ((row, value, _IN_WORDS.get(kind, kind.__name__)) for row, value in present if type(value) is not kind),
            None,
        )
        problem = "a value of another kind than others in its column"
        if odd is None:
            problem = "a value that no column can hold"
            odd = next(((row, value, "") for row, value in present if _why_unheld(value)), (*present[-1], ""))
        row, got, allowed = odd
        if why := _why_unheld(got):
            problem, allowed = why
        raise InputError(
            problem, source=source, row=row + first_row if rows is None else rows[row], column=name, allowed=allowed, got=got
        ) from None  # fmt: skip


_IN_WORDS = {str: "text", int: "whole numbers", float: "numbers", bool: "true or false", list: "lists", dict: "objects"}


def _why_unheld(value: Any) -> tuple[str, str] | None:
    """What is wrong with a value that is alone in its column, and what is allowed; None where nothing is."""
    try:
        pa.array([value], from_pandas=True)
    except UnicodeError:
        return "half a surrogate pair", "Unicode text"
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return "a number of more than 64 bits" if isinstance(value, int) else "a value that no column can hold", "text or numbers"  # fmt: skip
    return None


def of_records(records: Sequence[Any], source: str) -> pa.Table:
    """A list of dicts as columns, a key that a dict lacks null. Errors: `InputError`, with the row, counted from 0."""
    for row, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                "not a dict", source=source, row=row, allowed="one dict a row, {column: value}", got=record
            )
    names = _texts(dict.fromkeys(name for record in records for name in record), source)
    return pa.table({name: column_of(name, [each.get(name) for each in records], source, 0) for name in names})


def of_columns(columns: Mapping[Any, Any], source: str) -> pa.Table:
    """A dict of columns. Errors: `InputError`, with the column, and the row, counted from 0."""
    values: dict[str, list[Any]] = {}
    for name in _texts(columns, source):
        if isinstance(columns[name], str | bytes | Mapping) or not isinstance(columns[name], Iterable):
            allowed = "a list of values for each column"
            raise InputError("not a column", source=source, column=name, allowed=allowed, got=columns[name])
        values[name] = list(columns[name])
    lengths = {name: len(column) for name, column in values.items()}
    if len(set(lengths.values())) > 1:
        raise InputError("columns of several lengths", source=source, allowed="as many values in each", got=lengths)
    return pa.table({name: column_of(name, column, source, 0) for name, column in values.items()})


def _texts(names: Iterable[Any], source: str) -> list[str]:
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise InputError("a column whose name is not text", source=source, allowed="names in text", got=name)
    return names


def named_columns(header: Sequence[str | None], data: pa.Table, source: str, row: int) -> pa.Table:
    """`data` under the names of its header; columns without name and values are left out, as a spreadsheet leaves them behind.

    Errors: `InputError` for a column of values without a name, and for two columns of one name.
    """
    names = [name.strip() if name else "" for name in header]
    kept = [i for i, name in enumerate(names) if name or data.column(i).null_count < len(data)]
    blank = next((i for i in kept if not names[i]), None)
    if blank is not None:
        raise InputError(
            f"column {blank + 1} has no name",
            source=source, row=row, got=[name or "" for name in header],
            allowed="a name for each column, in the first row"
            + ("; is it a title above the header? then delete the rows down to the header" if _is_title(names) else ""),
        )  # fmt: skip
    repeated = next((names[i] for place, i in enumerate(kept) if names[i] in [names[j] for j in kept[:place]]), None)
    if repeated is not None:
        raise InputError("two columns of one name", source=source, row=row, allowed="each name once", got=repeated)
    return data.select(kept).rename_columns([names[i] for i in kept])


def _is_title(names: Sequence[str]) -> bool:
    """Whether most columns have no name, as under a line of text that stands above the header."""
    return sum(map(bool, names)) * 2 <= len(names)


def rows_with_values(data: pa.Table) -> NDArray[np.bool_] | None:
    """bool[n]: the rows that hold anything; None where all do, or where there is one column, whose blanks are values."""
    if data.num_columns < 2 or not all(column.null_count for column in data.columns):
        return None
    blank = np.logical_and.reduce([pc.is_null(column).to_numpy(zero_copy_only=False) for column in data.columns])
    return ~blank if blank.any() else None


def of_frame(frame: nw.DataFrame[Any]) -> tuple[pa.Table, dict[str, InputError]]:
    """The columns, and why one holds no values of one kind: its cells are then texts."""
    try:
        return frame.to_arrow(), {}
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        columns, mixed = {}, {}
        for name in map(str, frame.columns):
            values = frame.get_column(name).to_list()
            try:
                columns[name] = column_of(name, values, "data frame", 0)
            except InputError as error:
                mixed[name] = error
                texts = [None if value is None or value != value else str(value) for value in values]
                columns[name] = column_of(name, texts, "data frame", 0)
        return pa.table(columns), mixed


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
