"""A table as it was read: its columns, each of one kind, and where each row came from, so that an error can name it."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InputError
from .wording import hint, nearest

T = TypeVar("T")
_UNHELD = (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError)
"""What Arrow raises of values that one column cannot hold."""
_HALF = re.compile("[\ud800-\udfff]")
Problems = dict[int, InputError]
"""What is wrong with rows of a table, by their place in it."""


@dataclass(frozen=True)
class Table:
    """Columns with the place they came from, so that an error can name the row as its reader sees it.

    `first_row` is the number of the first record: 2 in a CSV (the header is row 1), 1 in JSONL and Parquet,
    0 in a data frame. Where the rows do not simply count on from there, `rows` (int64[n]) are their numbers.
    Of a table put together from several files, `sources` (n of them) says where each row came from.
    """

    data: pa.Table
    source: str
    first_row: int
    frame: nw.DataFrame[Any] | None = None
    rows: NDArray[np.int64] | None = None
    sources: Sequence[str] | None = None
    warnings: tuple[str, ...] = ()
    """What is doubtful in what was read, a sentence each."""
    broken: tuple[InputError, ...] = ()
    """Lines that are no rows, where `read_table` was told to set them aside."""
    mixed: frozenset[str] = frozenset()
    """Columns of a frame whose values are of several kinds: texts here, they come back as they were."""

    def __len__(self) -> int:
        return self.data.num_rows

    @property
    def names(self) -> list[str]:
        return self.data.column_names

    def row_number(self, index: int) -> int:
        return self.first_row + int(index) if self.rows is None else int(self.rows[index])

    def row_numbers(self) -> NDArray[np.int64]:
        """int64[n]: `row_number` of every row."""
        return np.arange(self.first_row, self.first_row + len(self)) if self.rows is None else self.rows

    def source_of(self, index: int) -> str:
        """The file that holds a row."""
        return self.source if self.sources is None else self.sources[index]

    def filter(self, kept: NDArray[np.bool_]) -> Table:
        """The rows where bool[n] is true, with the numbers they had."""
        sources = None if self.sources is None else [self.sources[i] for i in np.flatnonzero(kept).tolist()]
        return replace(self, data=self.data.filter(pa.array(kept)), rows=self.row_numbers()[kept], sources=sources)

    def column(self, name: str) -> list[Any]:
        """The values of a column; None where it is blank."""
        return self.data.column(name).to_pylist()

    def native(self, data: pa.Table) -> Any:
        """`data` as its caller keeps tables: a frame of the kind that came; Arrow where a file, lists or dicts did."""
        made = to_native(data, self.frame)
        if self.frame is not None and self.frame.implementation.is_pandas():
            for name in self.mixed & {*made.columns}:
                made[name] = self.frame.get_column(name).to_native().iloc[self.row_numbers()].to_numpy()
            if self.rows is not None:
                made.index = self.frame.to_native().index[self.rows]
        return made

    def require(self, name: str, purpose: str = "", *, option: str | None = None) -> None:
        """Errors: `InputError` where the column is missing, with the nearest of those present.

        option : the parameter that gives the column another name, for the remedy.
        """
        if name in self.names:
            return
        remedy = f"the option {option!r} ({nearest(name, self.names) or 'COLUMN'}) names the column" if option else ""
        said = f"the column {name!r}{f' ({purpose})' if purpose else ''} is missing{hint(name, self.names)}"
        above = "" if all(self.names) else "; headings must be the first row"
        raise InputError(f"{said}{above}", source=self.source, got=self.names, remedy=remedy)

    def text(self, name: str) -> pa.ChunkedArray:
        """A column as strings; blank and white space are null.

        Errors: `InputError` where the column holds something other than text, with the first such row.
        """
        column = self.data.column(name)
        if not (is_text(column.type) or pa.types.is_null(column.type)):
            first = max(column.is_valid().index(True).as_py(), 0)
            raise self.error("a value that is not text", first, name, allowed="text", got=column[first].as_py())
        trimmed = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
        return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.large_string()), trimmed)

    def required_text(self, name: str) -> pa.ChunkedArray:
        """`text`, with a blank refused."""
        values = self.text(name)
        if values.null_count:
            blank = values.is_null().index(True).as_py()
            raise self.error("the diagnosis is blank", blank, name, allowed="a diagnosis in words")
        return values

    def error(self, problem: str, index: int, column: str, **details: Any) -> InputError:
        return InputError(problem, source=self.source_of(index), row=self.row_number(index), column=column, **details)

    def parsed(
        self, column: str, parse: Callable[[Any], T], problem: str, allowed: str, problems: Problems | None = None
    ) -> list[T | None]:
        """Each value of a column as `parse` reads it; where it raises None, and an error in `problems`, or, without these, the error.

        parse : raises `TypeError`, `ValueError` or `LookupError` for a value that cannot be right.
        """
        out: list[T | None] = []
        for row, value in enumerate(self.column(column)):
            try:
                out.append(parse(value))
            except (TypeError, ValueError, LookupError):
                wrong = self.error(problem, row, column, allowed=allowed, got=value)
                if problems is None:
                    raise wrong from None
                problems.setdefault(row, wrong)
                out.append(None)
        return out


def to_native(data: pa.Table, like: nw.DataFrame[Any] | None) -> Any:
    """`data` as the kind of frame that came in (an Arrow table where a file did)."""
    if like is None or like.implementation.is_pyarrow():
        return data
    return nw.from_arrow(data, backend=like.implementation).to_native()


def as_text(value: Any) -> str | None:
    """A value of any kind as a text: lists, objects and truth in JSON, a blank and nan as None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple | dict | bool):
        return json.dumps(value, ensure_ascii=False, default=str)
    return None if isinstance(value, float) and value != value else str(value)


def _column(name: str, values: Sequence[Any], source: str, rows: Sequence[int] | None) -> pa.Array:
    """Values as one column, as texts where they are of several kinds; None and NaN are null. rows : the number of each.

    Errors: `InputError` for half a surrogate pair, with its row.
    """
    with contextlib.suppress(*_UNHELD):
        return pa.array(values, from_pandas=True)
    texts = [as_text(value) for value in values]
    for row, text in zip(rows or range(len(texts)), texts, strict=True):
        if _HALF.search(text or ""):
            raise InputError("half a surrogate pair", source=source, row=row, column=name, allowed="Unicode text")
    return pa.array(texts, pa.string())


def records_as_columns(records: Sequence[Any], source: str = "", rows: Sequence[int] | None = None) -> pa.Table:
    """Objects as columns, a key that one lacks null; values of several kinds in a column are texts, lists in JSON.

    rows : the number of each row, else counted from 0. Errors: `InputError`, with the row.
    """
    for row, record in zip(range(len(records)) if rows is None else rows, records, strict=True):
        if not isinstance(record, Mapping):
            allowed = "{column: value} for each row"
            raise InputError("not an object", source=source, row=row, allowed=allowed, got=record)
    names = dict.fromkeys(name for record in records for name in record)
    return of_columns({name: [record.get(name) for record in records] for name in names}, source, rows)


def of_columns(columns: Mapping[Any, Any], source: str, rows: Sequence[int] | None = None) -> pa.Table:
    """A dict of columns as a table. rows : the number of each row, else counted from 0. Errors: `InputError`, with the column, and the row."""
    arrays: list[pa.Array] = []
    for name, column in columns.items():
        if isinstance(column, str | bytes | Mapping) or not isinstance(column, Iterable):
            allowed = "a list of values for each column"
            raise InputError("not a column", source=source, column=str(name), allowed=allowed, got=column)
        arrays.append(_column(str(name), [*column], source, rows))
    try:
        return pa.table(arrays, [str(name) for name in columns])
    except _UNHELD as error:
        allowed = "as many values in each, and names of Unicode text"
        raise InputError(f"columns that make no table ({error})", source=source, allowed=allowed) from None


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
    data = of_columns({name: frame.get_column(name).to_list() for name in frame.columns}, "data frame")
    mixed = (
        str(name) for name, kind in frame.schema.items() if kind == nw.Object and is_text(data.field(str(name)).type)
    )
    return frame, data, frozenset(mixed)


def frame_like(source: Any) -> Any:
    """An empty narwhals frame of the kind that came; None, which is Arrow, for files, lists and dicts."""
    with contextlib.suppress(TypeError):
        return nw.from_native(source, eager_only=True).head(0)
    return None


TERMS = ("diagnosis", "dx", "term", "name", "disease", "condition", "problem", "text", "diagnoses", "terms", "names")
"""What a column of terms may be called, in any case; the first that is there."""


def term_column(table: Table, column: str | None = None, option: str | None = None) -> str:
    """`column`, which must be there; without it the first of `TERMS` that is, else the only one with a heading (pandas writes none for an index).

    option : the parameter that names the column, for errors.

    Errors: `InputError` where there is none.
    """
    if column is not None:
        table.require(column, "the terms", option=option)
        return column
    titled = [name for name in table.names if name.strip() and not re.fullmatch(r"Unnamed: \d+", name)]
    if found := [name for term in TERMS for name in titled if name.casefold() == term] or titled[: len(titled) == 1]:
        return found[0]
    remedy = f"the option {option!r} (COLUMN) names the column" if option else ""
    allowed = f"a column {', '.join(map(repr, TERMS[:4]))} or such, or a single column"
    raise InputError(
        "no column is known to hold the terms", source=table.source, allowed=allowed, got=table.names, remedy=remedy
    )
