"""Excel workbooks (.xlsx): a sheet as a table, its cells as text as they look."""

from __future__ import annotations

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

MAX_DIGITS = 15
"""Of a number in a sheet of Excel."""

_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
"""How the format writes a character that XML cannot hold."""
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]+\d+:[A-Z]+\d+)"')
_UNCOMPUTED = re.compile(
    rb'<(?:\w+:)?c r="([A-Z]+\d+)"(?![^>]*t="str")[^>]*><(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>'
)
"""A formula without a value: a program wrote it, and Excel never computed it. One whose value is the empty text is a `str`."""
_LOOKED_AT = 50
"""Rows that tell whether a sheet that was not asked for holds anything."""
_Cells = dict[int, dict[int, str]]


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """The file and the sheet of `lists.xlsx#Cases`; None where no sheet is named."""
    file, mark, sheet = str(path).rpartition("#")
    return (Path(file), sheet) if mark and file.lower().endswith(".xlsx") and not path.exists() else (path, None)


def read_workbook(path: Path, sheet: str | None) -> Read:
    """One sheet of a workbook; all values are text as they look, a blank one is null.

    Rows have the numbers that Excel shows. The first row with a value is the header; where cells of it are merged across columns, it
    is two rows, and "GPT-4o" above "Dx1" is "GPT-4o Dx1". Columns without name and values, and rows without a value are left out
    (in a table of one column only those at the end). Of cells merged downwards each has their value.

    Parameters
    ----------
    sheet
        Its name; the first visible one that holds anything if None.

    Raises
    ------
    InputError
        For a workbook that cannot be read, a sheet that is not there, cells merged across columns below the header, and a
        formula whose value was not saved.
    """
    source = str(path)
    with _opened(path) as book:
        sheets: list[Any] = book.worksheets
        filled = [each for each in sheets if each.sheet_state == "visible" and _holds_anything(each)] or sheets[:1]
        found = filled[0] if sheet is None else next((each for each in sheets if each.title == sheet), None)
        if found is None:
            names = [each.title for each in sheets]
            problem = f"no such sheet{hint(sheet or '', names)}"
            raise InputError(problem, source=source, allowed=", ".join(names), got=sheet)
        note = ""
        if sheet is None and len(filled) > 1:
            others = [each.title for each in filled[1:]]
            note = f"Read the first sheet of {path.name}, {found.title!r}; others hold values too: {', '.join(others)}. {path.name}#{others[0]} names one."
        if sheet is not None or note:
            source = f"{path}, sheet {found.title!r}"
        cells = _cells(found)
        with zipfile.ZipFile(path) as archive:
            xml = archive.read(found._worksheet_path)
    if not cells:
        raise InputError("the sheet is empty", source=source, allowed="a header and at least one row", got=found.title)
    if place := _UNCOMPUTED.search(xml):
        cell = place[1].decode()
        raise InputError(
            "a formula without its value", source=source, row=int(cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), column=cell.rstrip("0123456789"),
            allowed="a value; to open the file in Excel and save it computes them",
        )  # fmt: skip
    two, width = _fill_merged(cells, xml, source), max(column for row in cells.values() for column in row)
    numbers = sorted(cells)
    above, rows = numbers[: 1 + two], numbers[1 + two :]
    header_row, columns = above[-1], range(1, width + 1)
    names = [dict.fromkeys(cells[row].get(column) for row in above) for column in columns]
    header = [" ".join(filter(None, parts)) for parts in names]
    if width == 1 and rows:
        rows = [*range(header_row + 1, rows[-1] + 1)]
    texts = ([cells.get(row, {}).get(column) for row in rows] for column in columns)
    data = pa.table([pa.array(of, pa.string()) for of in texts], names=[*map(str, columns)])
    return Read(named_columns(header, data), header_row + 1, np.array(rows, np.int64), source, note)


@contextmanager
def _opened(path: Path) -> Iterator[Workbook]:
    from openpyxl import load_workbook

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and validations, which nothing here reads
            book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
            try:
                yield book
            finally:
                book.close()
    except (InputError, MemoryError):
        raise
    except Exception as error:  # of damaged parts openpyxl raises whatever its code comes upon
        problem = f"the Excel workbook is damaged, or has a password ({str(error)[:200]})"
        raise InputError(problem, source=str(path)) from None


def _holds_anything(sheet: Any) -> bool:
    return any(value is not None for row in sheet.iter_rows(max_row=_LOOKED_AT, values_only=True) for value in row)


def _cells(sheet: Any) -> _Cells:
    """Of each row that holds a value, its texts by column; both counted from 1."""
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    cells: _Cells = {}
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
        # As many digits as Excel keeps: 0.3 for 0.1 + 0.2.
        text = str(value) if isinstance(value, int) else f"{value:.{MAX_DIGITS}g}"
        # "007" shown of 7: the format of numbers that name something.
        return text.zfill(len(cell.number_format)) if set(cell.number_format) == {"0"} and text.isdigit() else text
    return str(value).removesuffix(" 00:00:00")  # a date is a time of day, too


def _fill_merged(cells: _Cells, xml: bytes, source: str) -> bool:
    """Gives each of the cells that are merged their value; says whether there are such in the header, which then is two rows."""
    from openpyxl.utils.cell import range_boundaries

    header_row, width, two = min(cells), max(column for row in cells.values() for column in row), False
    for found in _MERGED.finditer(xml):
        left, top, right, bottom = (part or 0 for part in range_boundaries(found[1].decode()))
        value = cells.get(top, {}).get(left)
        if value is None:
            continue
        in_header = top == header_row
        if (bottom > top + 1 or (left, right) == (1, width)) if in_header else left != right:
            allowed = "names in at most two rows, without a title above, and a value for each column; Excel parts cells by Unmerge Cells"
            raise InputError("cells merged across columns or rows", source=source, row=top, allowed=allowed, got=value)
        two |= in_header
        for row in range(top, bottom + 1):
            cells.setdefault(row, {}).update(dict.fromkeys(range(left, right + 1), value))
    return two
