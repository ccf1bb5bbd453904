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

# Blanks, control, format and combining characters, and letters that show nothing: what a spreadsheet may drop at the start of a cell.
_UNSEEN = r"[\s\pZ\pC\pM\x{115F}\x{1160}\x{2800}\x{3164}\x{FFA0}]*"
_RUNS = rf"^({_UNSEEN}[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])"
_HARMLESS = r"^([+-]?\d+(\.\d+)?([eE][+-]?\d+)?|[+-]+)$"


def guarded(tables: Iterable[pa.Table], target: Path, spreadsheet: bool | None) -> Iterator[pa.Table]:
    """The tables of a CSV or TSV file as they are to be written: `without_formulas` where that is wanted, else with a warning after the last.

    spreadsheet : None as was configured; False for a file that programs read, of which nothing is told.
    """
    if spreadsheet or (spreadsheet is None and for_spreadsheets()):
        yield from map(without_formulas, tables)
        return
    found = 0
    for number, table in enumerate(tables):
        if spreadsheet is None:
            found += sum(pc.sum(_runs(column)).as_py() or 0 for column in table.columns if _is_text(column.type))
            found += sum(_runs(pa.array(table.column_names)).to_pylist()) if not number else 0
        yield table
    if found:
        warnings.warn(
            f"{target}: {counted(found, 'cell begins', 'cells begin')} like a formula (=, +, -, @), which a spreadsheet would run; "
            "the option 'spreadsheet' writes such cells as text.",
            stacklevel=4,
        )


def without_formulas(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before every text, and every name of a column, that a spreadsheet would run.

    Such a text begins with =, +, -, @ or their wide or small forms, after blanks and characters that show nothing or none, or with a
    tab or a line break, and is neither a plain number nor signs alone ("++"). "-ve culture" becomes "'-ve culture": the text is no longer what came, so this is
    for reading in a spreadsheet and not for reading back. In a column of lists each text is seen to.
    """
    names = _marked(pa.array(table.column_names, pa.string())).to_pylist()
    return pa.table([_marked(column) for column in table.columns], names=names).replace_schema_metadata(
        table.schema.metadata
    )


def _marked(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    if isinstance(column, pa.ChunkedArray) and _is_list(column.type):
        return pa.chunked_array([_marked(chunk) for chunk in column.chunks], column.type)
    if _is_list(column.type):
        kind = pa.LargeListArray if pa.types.is_large_list(column.type) else pa.ListArray
        values = _marked(column.flatten()).cast(column.type.value_type)
        lengths = pc.fill_null(pc.list_value_length(column), 0).cast(kind.from_arrays([0], []).offsets.type)
        offsets = pa.concat_arrays([pa.array([0], lengths.type), pc.cumulative_sum(lengths)])
        return kind.from_arrays(offsets, values, column.type, mask=column.is_null())
    if not _is_text(column.type):
        return column
    texts = column.cast(pa.large_string())
    marked = pc.binary_join_element_wise(pa.scalar("'", texts.type), texts, pa.scalar("", texts.type))
    return pc.if_else(_runs(texts), marked, texts).cast(_value_type(column.type))


def _runs(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """bool of each text, null of none: whether a spreadsheet would run it."""
    texts = column.cast(pa.large_string())
    begins = pc.match_substring_regex(texts, _RUNS)
    return pc.and_not(begins, pc.match_substring_regex(texts, _HARMLESS)) if pc.any(begins).as_py() else begins


def _is_list(kind: pa.DataType) -> bool:
    return (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and (
        _is_text(kind.value_type) or _is_list(kind.value_type)
    )


def _is_text(kind: pa.DataType) -> bool:
    kind = _value_type(kind)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
