"""Tables written as an Excel workbook (.xlsx): texts stay texts, whatever they begin with."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from ..errors import InputError
from .workbook import MAX_DIGITS

MAX_ROWS, MAX_COLUMNS, MAX_CELL = 1_048_576, 16_384, 32_767
"""What a sheet of Excel holds at most: rows with the header, columns, characters in a cell."""
_LOOKS_CODED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_WIDTH = 24


def check_fits(rows: int, columns: int, target: str) -> None:
    """Raises `InputError` for more than a sheet holds."""
    for count, most, what in ((rows + 1, MAX_ROWS, "rows"), (columns, MAX_COLUMNS, "columns")):
        if count > most:
            allowed = f"{most:,} {what} with the header, which is all that a sheet of Excel holds; .csv and .parquet have no such limit"
            raise InputError(f"{count:,} {what} are too many for an Excel workbook", source=target, allowed=allowed)


class WorkbookWriter:
    """Writes tables of one schema below each other into the only sheet of a workbook, the header bold and in sight.

    A text is written as text, also where it begins with "=". Whole numbers of more than 15 digits are texts too, since
    Excel would round them. A column of lists is an `InputError`.
    """

    def __init__(self, path: Path, schema: pa.Schema, target: Path) -> None:
        """target : the name for errors, where `path` is temporary."""
        from openpyxl import Workbook
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter

        self._path, self._target, self._names, self._rows = path, str(target), schema.names, 0
        for field in schema:
            if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
                raise InputError(
                    "a column that a cell cannot hold",
                    source=self._target, column=field.name, allowed="text, numbers and dates; .jsonl and .parquet hold lists", got=str(field.type),
                )  # fmt: skip
        self._book = Workbook(write_only=True)
        self._sheet: Any = self._book.create_sheet("Table")
        self._sheet.freeze_panes = "A2"
        for number, name in enumerate(self._names, start=1):
            self._sheet.column_dimensions[get_column_letter(number)].width = max(len(name) + 2, _WIDTH)
        header = [self._text(name) for name in self._names]
        for cell in header:
            cell.font = Font(bold=True)
        self._sheet.append(header)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._book.save(self._path)
        else:
            self._sheet.close()

    def write_table(self, table: pa.Table) -> None:
        check_fits(self._rows + len(table), table.num_columns, self._target)
        for batch in table.to_batches(max_chunksize=65_536):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                self._rows += 1
                self._sheet.append([self._cell(value, i) for i, value in enumerate(values)])

    def _cell(self, value: Any, column: int) -> Any:
        if isinstance(value, str):
            if len(value) > MAX_CELL:
                raise InputError(
                    f"a text of {len(value):,} characters is too long for a cell of Excel",
                    source=self._target, row=self._rows + 1, column=self._names[column],
                    allowed=f"at most {MAX_CELL:,}; .csv and .parquet have no such limit", got=value,
                )  # fmt: skip
            # What openpyxl would take for a formula or an error, or could not write.
            odd = value[:1] in ("=", "#") or "_x" in value or _UNFIT.search(value)
            return self._text(value) if odd else value
        if isinstance(value, float):
            return value if math.isfinite(value) else None if math.isnan(value) else str(value)
        if isinstance(value, int | Decimal) and not isinstance(value, bool) and abs(value) >= 10**MAX_DIGITS:
            return str(value)
        return str(value) if getattr(value, "tzinfo", None) is not None else value

    def _text(self, text: str) -> Any:
        """A cell that is text, whatever it looks like."""
        from openpyxl.cell import WriteOnlyCell

        coded = _UNFIT.sub(lambda found: f"_x{ord(found[0]):04X}_", _LOOKS_CODED.sub("_x005F_", text))
        cell = WriteOnlyCell(self._sheet, coded)
        cell.data_type = "s"
        return cell
