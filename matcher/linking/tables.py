"""Lists of terms as users hold them: lists, series, or a column of a table or file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import InputError
from ...files.reading import Reading
from ...files.tables import Table, read_table
from ...files.term_column import term_column

_UNNAMED_INDEX = "__index_level_"
"""Begins the name that Arrow gives an index of pandas that has none."""


@dataclass(frozen=True)
class Terms:
    """n terms, as they came. table : where they stand in `column`; of a list, a table of that one column."""

    texts: Sequence[Any]
    table: Table
    column: str

    def __len__(self) -> int:
        return len(self.texts)

    def others(self, prefix: str, *, index: bool = False) -> dict[str, pa.ChunkedArray]:
        """The other columns of the table, their names with a prefix. index : also the index of a pandas frame, where it has a name."""
        data, frame = self.table.data, self.table.frame
        own = set(data.column_names if frame is None or index else map(str, frame.columns)) - {self.column}
        return {
            f"{prefix}{name}": data.column(name)
            for name in data.column_names
            if name in own and not name.startswith(_UNNAMED_INDEX)
        }

    def native(self, data: pa.Table, rows: NDArray[np.int64]) -> Any:
        """`Table.native` of `data`, whose rows are about these of the terms: in pandas, each keeps its term's index."""
        made, frame = self.table.native(data), self.table.frame
        if frame is not None and frame.implementation.is_pandas():
            made.index = frame.to_native().index.take(rows)
        return made


def read_terms(source: Any, column: str | None, option: str, reading: Reading = Reading()) -> Terms:
    """Reads a list of terms.

    Parameters
    ----------
    source : a list, series or array, of which some may be None; or a table, as `read_table` takes it.
    column : the column of a table; as `term_column` finds it.
    option : the parameter that names the column, for errors.

    Raises
    ------
    InputError
        For a source that is empty, a table without such a column, and a column without a text.
    """
    if isinstance(source, str | os.PathLike) or is_table(source):
        return _of_table(source, column, option, reading)
    texts = as_list(source, "terms")
    if not texts:
        raise InputError("no terms", column=option, allowed="at least one")
    if isinstance(source, pa.Array):
        source = pa.chunked_array([source])
    frame = nw.from_native(source, series_only=True).to_frame() if nw.dependencies.is_into_series(source) else None
    name = column or "term"
    table = Table(
        pa.table({name: pa.array(only_texts(texts), pa.large_string())}), "terms", 0, frame, in_memory=frame is None
    )
    return Terms(texts, table, name)


def as_list(terms: Any, name: str) -> Sequence[Any]:
    """A list of terms from a list, a series, an array, or the column of a table that `term_column` finds. Raises `InputError` for a single text."""
    if is_table(terms):
        return _of_table(terms, None, None, Reading()).texts
    for method in ("to_pylist", "to_list", "tolist"):  # Arrow, pandas and polars, numpy
        if hasattr(terms, method):
            terms = getattr(terms, method)()
            break
    if isinstance(terms, str | bytes | os.PathLike) or not hasattr(terms, "__iter__"):
        raise InputError("not a list of terms", column=name, allowed="a list or a column of texts", got=terms)
    return terms if isinstance(terms, list | tuple) else list(terms)


def is_table(source: Any) -> bool:
    """Whether it has columns, or is a list of dicts."""
    records = isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping)
    return records or isinstance(source, Table | Mapping) or hasattr(type(source), "columns")


def only_texts(terms: Sequence[Any]) -> list[str | None]:
    """The terms, None for all that is no text."""
    return [term if isinstance(term, str) else None for term in terms]


def is_missing(value: Any) -> bool:
    """None, and the NaN or NA that a frame has for it."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _of_table(source: Any, column: str | None, option: str | None, reading: Reading) -> Terms:
    others: dict[int, Any] = {}
    if isinstance(source, Mapping) or nw.dependencies.is_pandas_dataframe(source):
        # These may hold what no Arrow column does: a number among texts.
        named = Table(pa.table({str(name): pa.nulls(0) for name in source}), type(source).__name__, 0)
        if len(named.names) < len(list(source)):
            raise InputError("two columns of one name", source=named.source, allowed="each name once")
        column = term_column(named, column, option)
        values = as_list(source[column], column)
        others = {row: one for row, one in enumerate(values) if not isinstance(one, str) and not is_missing(one)}
        if 0 < len(others) < len(values):
            texts = [None if row in others else one for row, one in enumerate(values)]
            source = {**source, column: texts} if isinstance(source, Mapping) else source.assign(**{column: texts})
    table = read_table(source, reading.encoding)
    chosen = term_column(table, column, option)
    texts = table.text(chosen).to_pylist()
    for row, other in others.items():
        texts[row] = other
    return Terms(texts, table, chosen)
