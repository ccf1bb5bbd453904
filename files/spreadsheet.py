"""Cells that a spreadsheet would run as a formula: made plain text, or told of."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..settings import for_spreadsheets
from .counted import counted

_RUNS = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$"


def guarded(tables: Iterable[pa.Table], target: Path, spreadsheet: bool | None) -> Iterator[pa.Table]:
    """The tables of a CSV or TSV file as they are to be written: `without_formulas` where that is wanted, else with a warning after the last.

    spreadsheet : None as was configured; False for a file that programs read, of which nothing is told.
    """
    if spreadsheet or (spreadsheet is None and for_spreadsheets()):
        yield from map(without_formulas, tables)
        return
    found = 0
    for table in tables:
        if spreadsheet is None:
            found += sum(pc.sum(_runs(column)).as_py() or 0 for column in table.columns if _is_text(column.type))
        yield table
    if found:
        warnings.warn(
            f"{target}: {counted(found, 'cell begins', 'cells begin')} like a formula (=, +, -, @), which a spreadsheet would run; "
            "the option 'spreadsheet' writes such cells as text.",
            stacklevel=4,
        )


def without_formulas(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before every text, and every name of a column, that a spreadsheet would run.

    Such a text begins with =, +, -, @, a tab or a line break, and is no plain number. "-ve culture" becomes "'-ve culture": the text
    is no longer what came, so this is for reading in a spreadsheet and not for reading back.
    """
    names = _marked(pa.chunked_array([table.column_names], pa.string())).to_pylist()
    columns = [_marked(column) if _is_text(column.type) else column for column in table.columns]
    return pa.table(columns, names=names).replace_schema_metadata(table.schema.metadata)


def _marked(column: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = column.cast(pa.large_string())
    marked = pc.binary_join_element_wise(pa.scalar("'", texts.type), texts, pa.scalar("", texts.type))
    return pc.if_else(_runs(texts), marked, texts)


def _runs(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """bool of each text, null of none: whether a spreadsheet would run it."""
    texts = column.cast(pa.large_string())
    return pc.and_not(pc.match_substring_regex(texts, _RUNS), pc.match_substring_regex(texts, _NUMBER))


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
