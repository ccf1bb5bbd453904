"""Lists of terms as users hold them: lists, series, or a column of a table or file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import pyarrow as pa

from ...errors import InputError, Open, Remedy
from ...files.tables import Table, read_table
from .ranking import as_list

NAMES = ("diagnosis", "dx", "term", "name", "disease", "condition", "problem", "text", "diagnoses", "terms", "names")
"""What the column of the terms is called where nobody says it, the first that is there."""


@dataclass(frozen=True)
class Terms:
    """n terms. table : where they stand in `column`; of a list, a table of that one column, and `is_list`."""

    texts: Sequence[Any]
    table: Table
    column: str
    is_list: bool = False

    def __len__(self) -> int:
        return len(self.texts)

    def others(self, prefix: str) -> dict[str, pa.ChunkedArray]:
        """The other columns of the table, their names with a prefix."""
        data = self.table.data
        return {f"{prefix}{name}": data.column(name) for name in data.column_names if name != self.column}


def read_terms(source: Any, column: str | None, option: str, encoding: str | None = None) -> Terms:
    """Reads a list of terms.

    Parameters
    ----------
    source : a list, series or array of texts, of which some may be None; or a table, as `read_table` takes it.
    column : the column of a table; by default the first of `NAMES` that is there, else the only one.
    option : the parameter that names the column, for errors.

    Raises
    ------
    InputError
        For a source that is empty, a table without such a column, and a column that is no text.
    """
    records = isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping)
    if isinstance(source, str | os.PathLike | Mapping) or records or _is_frame(source):
        table = read_table(source, encoding)
        chosen = _column(table, column, option)
        return Terms(table.text(chosen).to_pylist(), table, chosen)
    texts = [text if isinstance(text, str) else _missing(text, row) for row, text in enumerate(as_list(source, option))]
    frame = nw.from_native(source, series_only=True).to_frame() if nw.dependencies.is_into_series(source) else None
    if not texts:
        raise InputError("no terms", column=option, allowed="at least one")
    name = column or "term"
    table = Table(pa.table({name: pa.array(texts, pa.large_string())}), option, 0, frame, in_memory=frame is None)
    return Terms(texts, table, name, is_list=True)


def _is_frame(source: Any) -> bool:
    return isinstance(source, Table | pa.Table) or nw.dependencies.is_into_dataframe(source)


def _missing(value: Any, row: int) -> None:
    missing = value is None or type(value).__name__ in ("NAType", "NaTType")
    if not missing and not (isinstance(value, float) and value != value):
        raise InputError("not a text", source="terms", row=row, allowed="a diagnosis in words, or None", got=value)


def _column(table: Table, column: str | None, option: str) -> str:
    if column is not None:
        table.require(column, "the terms", option=option)
        return column
    lowered = {name.casefold(): name for name in reversed(table.names)}
    if (found := next((lowered[name] for name in NAMES if name in lowered), None)) is not None:
        return found
    if len(table.names) == 1:
        return table.names[0]
    raise InputError(
        "which column holds the terms?",
        source=table.source,
        allowed=f"a column {', '.join(map(repr, NAMES[:4]))} or such, or a single column",
        got=table.names,
        remedy=Remedy("names the column", **{option: Open("COLUMN")}),
    )
