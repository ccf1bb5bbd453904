"""Excel workbooks (.xlsx): a sheet as a table, its cells as text as they look; and tables written as a workbook."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..errors import InputError
from .columns import Read, named_columns
from .did_you_mean import hint

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_CELL = 32_767
MAX_DIGITS = 15
"""What a sheet of Excel holds at most: rows with the header, columns, characters in a cell, digits of a number."""

_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
"""How the format writes a character that XML cannot hold."""
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]+\d+:[A-Z]+\d+)"')
_UNCOMPUTED = re.compile(
    rb"<(?:\w+:)?c\s([^>]*)>\s*(?:<(?:\w+:)?f\b[^>]*/>|<(?:\w+:)?f\b[^>]*>([^<]*)</(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ATTRIBUTE_R = re.compile(rb'\br="([A-Z]+\d+)"')
_ROW, _COLUMN = re.compile(rb"<(?:\w+:)?row\s[^>]*>"), re.compile(rb"<(?:\w+:)?col\s[^>]*>")
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_NUMBER, _LOW, _HIGH = re.compile(rb'\br="(\d+)"'), re.compile(rb'\bmin="(\d+)"'), re.compile(rb'\bmax="(\d+)"')
_SHOWN = 5
_MOST_UNPACKED, _MOST_PACKED, _LARGEST_PART = 64 << 20, 200, 4 << 30
"""A part of more bytes than the first is refused where it is packed tighter than the second, to one, and above the third."""
_LOOKED_AT = 50
"""Rows that tell whether a sheet that was not asked for holds anything."""


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """The file and the sheet of `lists.xlsx#Cases`; None where no sheet is named."""
    file, mark, sheet = str(path).rpartition("#")
    return (Path(file), sheet) if mark and file.lower().endswith(".xlsx") and not path.exists() else (path, None)


def read_workbook(path: Path, sheet: str | None) -> Read:
    """One sheet of a workbook; all values are text as they look, a blank one is null.

    Rows have the numbers that Excel shows. The first row with a value is the header; columns without name and values, and rows
    without a value are left out (in a table of one column only those at the end). Of cells merged downwards each has their value.

    Parameters
    ----------
    sheet
        Its name; the first visible one if None.

    Raises
    ------
    InputError
        For a workbook that cannot be read, a sheet that is not there, cells merged across columns, and a formula whose value
        was not saved.
    """
    source = str(path)
    with _damage_told(source), _opened(path) as book:
        sheets: list[Any] = book.worksheets
        visible = [each for each in sheets if each.sheet_state == "visible"] or sheets
        found = visible[0] if sheet is None else next((each for each in sheets if each.title == sheet), None)
        if found is None:
            names = [each.title for each in sheets]
            raise InputError(
                f"no such sheet{hint(sheet or '', names)}", source=source, allowed=", ".join(names), got=sheet
            )
        others = [each.title for each in visible if each is not found and _holds_anything(each)]
        note = ""
        if sheet is not None or others:
            source = f"{path}, sheet {found.title!r}"
        if sheet is None and others:
            note = f"Read the first sheet of {path.name}, {found.title!r}; others hold values too: {', '.join(others)}. {path.name}#{others[0]} names one."
        cells = _cells(found)
        with zipfile.ZipFile(path) as archive:
            xml = archive.read(found._worksheet_path)
    if not cells:
        allowed = f"a header and at least one row{f'; {path.name}#{others[0]} names a sheet that holds values' if others else ''}"
        raise InputError("the sheet is empty", source=source, allowed=allowed, got=found.title)
    hidden = _hidden(xml)
    if found.sheet_state != "visible":
        hidden.insert(0, f"the sheet {found.title!r}")
    told = (f"{source}: hidden in Excel, but read: {', '.join(hidden)}.",) if hidden else ()
    _check_formulas(xml, source)
    _fill_merged(cells, list(_merged(xml)), source)
    header_row, *rows = sorted(cells)
    width = max(column for row in cells.values() for column in row)
    data_rows = rows if width > 1 or not rows else range(header_row + 1, rows[-1] + 1)
    columns = [
        pa.array([cells.get(row, {}).get(column) for row in data_rows], pa.string()) for column in range(1, width + 1)
    ]
    data = pa.table(columns, names=[str(i) for i in range(width)])
    header = [cells[header_row].get(column) for column in range(1, width + 1)]
    table = named_columns(header, data, source, header_row)
    return Read(table, header_row + 1, np.array(data_rows, np.int64), source, note, told)


@contextmanager
def _opened(path: Path) -> Iterator[Workbook]:
    from openpyxl import load_workbook

    _check_sizes(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and validations, which nothing here reads
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            yield book
        finally:
            book.close()


@contextmanager
def _damage_told(source: str) -> Iterator[None]:
    try:
        yield
    except (InputError, OSError, MemoryError):
        raise
    except Exception as error:  # of damaged parts openpyxl raises whatever its code comes upon
        raise InputError(f"the Excel workbook is damaged ({str(error)[:200]})", source=source) from None


def _check_sizes(path: Path) -> None:
    """Raises `InputError` for parts that unpack to more than a workbook holds: a zip bomb. Python unpacks no more than a part says."""
    with zipfile.ZipFile(path) as archive:
        for part in archive.infolist():
            if (
                part.file_size > max(_MOST_UNPACKED, _MOST_PACKED * part.compress_size)
                or part.file_size > _LARGEST_PART
            ):
                raise InputError(
                    f"a part of {part.file_size:,} bytes, packed in {part.compress_size:,}",
                    source=str(path), allowed=f"parts of less than {_LARGEST_PART:,} bytes, packed less than {_MOST_PACKED} to 1", got=part.filename,
                )  # fmt: skip


def _hidden(xml: bytes) -> list[str]:
    """The hidden rows and columns of a sheet, in words."""
    from openpyxl.utils.cell import get_column_letter

    rows = [int(found[1]) for tag in _ROW.findall(xml) if _HIDDEN.search(tag) and (found := _NUMBER.search(tag))]
    columns = [
        get_column_letter(column)
        for tag in _COLUMN.findall(xml)
        if _HIDDEN.search(tag) and (low := _LOW.search(tag)) and (high := _HIGH.search(tag))
        for column in range(int(low[1]), min(int(high[1]), int(low[1]) + _SHOWN, MAX_COLUMNS) + 1)
    ]
    return [
        f"{kind} {', '.join(map(str, found[:_SHOWN]))}{', …' if len(found) > _SHOWN else ''}"
        for kind, found in (("rows", rows), ("columns", columns))
        if found
    ]


def _holds_anything(sheet: ReadOnlyWorksheet) -> bool:
    return any(value is not None for row in sheet.iter_rows(max_row=_LOOKED_AT, values_only=True) for value in row)


def _cells(sheet: ReadOnlyWorksheet) -> dict[int, dict[int, str]]:
    """Of each row that holds a value, its texts by column; both counted from 1."""
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    cells: dict[int, dict[int, str]] = {}
    for number, row in enumerate(sheet.iter_rows(), start=1):
        texts = {column: text for column, cell in enumerate(row, start=1) if (text := _text(cell)) is not None}
        if texts:
            cells[number] = texts
    return cells


def _text(cell: Any) -> str | None:
    value = cell.value
    if value is None:
        return None
    if isinstance(value, str):
        text = _CODE.sub(lambda found: chr(int(found[1], 16)), value) if "_x" in value else value
        return text if text.strip() else None
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        text = str(value) if isinstance(value, int) else _number(value)
        # "007" shown of 7: the format of numbers that name something.
        return text.zfill(len(cell.number_format)) if set(cell.number_format) == {"0"} and text.isdigit() else text
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)


def _number(value: float) -> str:
    """As many digits as Excel keeps: 0.3 for 0.1 + 0.2."""
    short = float(f"{value:.{MAX_DIGITS}g}")
    return str(int(short)) if short.is_integer() and abs(short) < 10**MAX_DIGITS else repr(short)


def _merged(xml: bytes) -> Iterator[tuple[Any, ...]]:
    """The merged cells of a sheet: first column, first row, last column, last row."""
    from openpyxl.utils.cell import range_boundaries

    for found in _MERGED.finditer(xml):
        yield range_boundaries(found[1].decode())


def _fill_merged(cells: dict[int, dict[int, str]], merged: list[tuple[Any, ...]], source: str) -> None:
    """Gives each cell of those merged downwards their value."""
    header_row = min(cells)
    for left, top, right, bottom in merged:
        value = cells.get(top, {}).get(left)
        if value is None:
            continue
        if left != right or top == header_row:
            one = "one row of names" if top == header_row else "one value for each column"
            raise InputError(
                "merged cells in the header" if top == header_row else "cells merged across columns",
                source=source, row=top, allowed=f"{one}; Excel parts them by Unmerge Cells", got=value,
            )  # fmt: skip
        for row in range(top + 1, bottom + 1):
            cells.setdefault(row, {})[left] = value


def _check_formulas(xml: bytes, source: str) -> None:
    """Raises `InputError` for a formula that has no value in the file: a program wrote it, and Excel never computed it."""
    from openpyxl.utils.cell import coordinate_from_string

    for found in _UNCOMPUTED.finditer(xml):
        place = _ATTRIBUTE_R.search(found[1])
        if place is None or b't="str"' in found[1]:  # a formula whose value is the empty text
            continue
        column, row = coordinate_from_string(place[1].decode())
        raise InputError(
            "a formula without its value",
            source=source, row=row, column=column,
            allowed="a value; to open the file in Excel and save it computes them", got=(found[2] or b"").decode("utf-8", "replace"),
        )  # fmt: skip
