"""Tables written as an Excel workbook (.xlsx): texts stay texts, whatever they begin with."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError
from .columns import is_text
from .workbook import MAX_DIGITS

MAX_ROWS, MAX_COLUMNS, MAX_CELL = 1_048_576, 16_384, 32_767
"""What a sheet of Excel holds at most: rows with the header, columns, characters in a cell."""
_CODED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
"""What XML cannot hold, and what looks like the code that stands for it."""
_WIDTH = 24


def check_fits(rows: int, columns: int, target: str) -> None:
    """Raises `InputError` for more than a sheet holds."""
    for count, most, what in ((rows + 1, MAX_ROWS, "rows"), (columns, MAX_COLUMNS, "columns")):
        if count > most:
            allowed = f"{most:,} {what} with the header, which is all that a sheet of Excel holds; .csv and .parquet have no such limit"
            raise InputError(f"{count:,} {what} are too many for an Excel workbook", source=target, allowed=allowed)


def write_workbook(tables: Iterable[pa.Table], schema: pa.Schema, path: Path, target: str) -> None:
    """Tables of one schema below each other in the only sheet of a workbook, the header bold and in sight.

    A text is written as text, also where it begins with "=". Whole numbers of more than 15 digits are texts too, since
    Excel would round them. target : the file's name for errors, where `path` is temporary.

    Errors: `InputError` for a column of lists, a text too long for a cell, and more rows than a sheet holds.
    """
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    for field in schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            allowed = "text, numbers and dates; .jsonl and .parquet hold lists"
            raise InputError("a column that a cell cannot hold", source=target, column=field.name, allowed=allowed, got=str(field.type))  # fmt: skip
    book = Workbook(write_only=True)
    sheet: Any = book.create_sheet("Table")
    sheet.freeze_panes = "A2"
    header = [_cell(sheet, name, Font(bold=True)) for name in schema.names]
    for number, name in enumerate(schema.names, start=1):
        sheet.column_dimensions[get_column_letter(number)].width = max(len(name) + 2, _WIDTH)
    sheet.append(header)
    rows = 0
    for table in tables:
        rows += len(table)
        check_fits(rows, table.num_columns, target)
        for name, column in zip(schema.names, table.columns, strict=True):
            longest = pc.max(pc.utf8_length(column.cast(pa.large_string()))).as_py() if is_text(column.type) else 0
            if longest and longest > MAX_CELL:
                problem = f"a text of {longest:,} characters is too long for a cell of Excel"
                allowed = f"at most {MAX_CELL:,}; .csv and .parquet have no such limit"
                raise InputError(problem, source=target, column=name, allowed=allowed)
        for batch in table.to_batches(max_chunksize=65_536):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                sheet.append([_cell(sheet, value) for value in values])
    book.save(path)


def _cell(sheet: Any, value: Any, font: Any = None) -> Any:
    """What a cell holds of a value."""
    if isinstance(value, str):
        text = _CODED.sub(lambda found: f"_x{ord(found[0]):04X}_", value)
        if font is None and text[:1] not in ("=", "#"):
            return text
        from openpyxl.cell import WriteOnlyCell

        cell = WriteOnlyCell(sheet, text)
        cell.data_type = "s"  # else openpyxl would take it for a formula or an error
        if font is not None:
            cell.font = font
        return cell
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and abs(value) >= 10**MAX_DIGITS:
        return str(value)
    return str(value) if getattr(value, "tzinfo", None) is not None else value
