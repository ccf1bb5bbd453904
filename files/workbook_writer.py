"""Tables written as an Excel workbook (.xlsx): texts stay texts, whatever they begin with."""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from ..errors import InputError
from .workbook import MAX_CELL, MAX_COLUMNS, MAX_DIGITS, MAX_ROWS

_LOOKS_CODED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_WIDEST, _SAMPLE = 60, 200


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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._begin([])
            self._book.save(self._path)
        else:
            self._sheet.close()

    def write_table(self, table: pa.Table) -> None:
        check_fits(self._rows + len(table), table.num_columns, self._target)
        self._begin(table.slice(0, _SAMPLE).to_pylist())
        for batch in table.to_batches(max_chunksize=65_536):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                self._rows += 1
                self._sheet.append([self._cell(value, i) for i, value in enumerate(values)])

    def _begin(self, sample: list[dict[str, Any]]) -> None:
        """The widths of the columns, by what is in them, and the header; once."""
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter

        if self._rows or self._sheet.column_dimensions:
            return
        for number, name in enumerate(self._names, start=1):
            longest = max([len(name), *(len(str(row[name])) for row in sample if row[name] is not None)])
            self._sheet.column_dimensions[get_column_letter(number)].width = min(longest, _WIDEST) + 2
        header = [self._text(name) for name in self._names]
        for cell in header:
            cell.font = Font(bold=True)
        self._sheet.append(header)

    def _cell(self, value: Any, column: int) -> Any:
        if isinstance(value, str):
            if len(value) > MAX_CELL:
                raise InputError(
                    f"a text of {len(value):,} characters is too long for a cell of Excel",
                    source=self._target, row=self._rows + 1, column=self._names[column],
                    allowed=f"at most {MAX_CELL:,}; .csv and .parquet have no such limit", got=value,
                )  # fmt: skip
            return self._text(value) if _needs_care(value) else value
        if isinstance(value, float):
            return value if math.isfinite(value) else None if math.isnan(value) else str(value)
        if isinstance(value, int | Decimal) and not isinstance(value, bool) and abs(value) >= 10**MAX_DIGITS:
            return str(value)
        if isinstance(value, datetime.datetime | datetime.time) and value.tzinfo is not None:
            return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
        return value

    def _text(self, text: str) -> Any:
        """A cell that is text, whatever it looks like."""
        from openpyxl.cell import WriteOnlyCell

        coded = _UNFIT.sub(lambda found: f"_x{ord(found[0]):04X}_", _LOOKS_CODED.sub("_x005F_", text))
        cell = WriteOnlyCell(self._sheet, coded)
        cell.data_type = "s"
        return cell


def _needs_care(text: str) -> bool:
    """Whether openpyxl would take a text for a formula or an error, or could not write it."""
    return text[:1] in ("=", "#") or "_x" in text or _UNFIT.search(text) is not None
