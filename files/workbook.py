"""Excel workbooks (.xlsx): a sheet read as a table, its cells as text as they look; tables written, no text of which runs as a formula."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import contextlib
import math
import re
import warnings
import zipfile
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InputError, ReadingWarning, warn
from .table import as_text, is_text, named_columns
from .wording import hint

MAX_DIGITS = 15
"""Of a number in a sheet of Excel."""

MAX_ROWS, MAX_CELL = 1_048_576, 32_767
"""What a sheet of Excel holds at most: rows with the header, characters in a cell."""
_CODED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
"""What XML cannot hold, and what looks like the code that stands for it."""
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]+\d+:[A-Z]+\d+)"')
_UNCOMPUTED = re.compile(
    rb'<(?:\w+:)?c r="([A-Z]+)(\d+)"(?![^>]*t="str")[^>]*><(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>'
)
"""A formula without a value: a program wrote it, and Excel never computed it. One whose value is the empty text is a `str`."""
_WHOLE, _NUMBER = r"^(0|-?[1-9]\d{0,14})$", r"^(0|-?[1-9]\d{0,7}|-?(0|[1-9]\d{0,7})\.\d{0,6}[1-9])$"
_DAY = r"^(19[1-9]|20\d)\d-\d\d-\d\d$"
"""How a number, and a date that Excel knows, is shown."""
_Cells = dict[int, dict[int, str]]


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """The file and the sheet of `lists.xlsx#Cases`; None where no sheet is named."""
    file, mark, sheet = str(path).rpartition("#")
    return (Path(file), sheet) if mark and file.lower().endswith(".xlsx") and not path.exists() else (path, None)


def read_workbook(path: Path, sheet: str | None) -> tuple[pa.Table, int, NDArray[np.int64], str]:
    """One sheet of a workbook; all values are text as they look, a blank one is null.

    Rows have the numbers that Excel shows. The first row with a value is the header; where cells of it are merged across columns, it
    is two rows, and "GPT-4o" above "Dx1" is "GPT-4o Dx1". Columns without name and values, and rows without a value are left out
    (in a table of one column only those at the end). Of cells merged downwards each has their value.

    Parameters
    ----------
    sheet
        Its name; the first visible one if None, with a warning where there are others.

    Returns
    -------
    Columns, the row of their names, the number of each row, and what to call the sheet in errors.

    Raises
    ------
    InputError
        For a workbook that cannot be read, a sheet that is not there, cells merged across columns below the header, and a
        formula whose value was not saved.
    """
    from openpyxl import load_workbook

    wrong = partial(InputError, source=str(path))
    try:
        with warnings.catch_warnings(), path.open("rb") as file:
            warnings.simplefilter("ignore")  # of styles and validations, which nothing here reads
            every: list[Any] = load_workbook(file, read_only=True, data_only=True, keep_links=False).worksheets
            shown = [one for one in every if sheet or one.sheet_state == "visible"] or every
            titles = [one.title for one in shown]
            found = next((one for one in shown if sheet in (None, one.title)), None)
            cells = _cells(found) if found else {}
            xml = zipfile.ZipFile(file).read(found._worksheet_path) if found else b""
    except MemoryError:
        raise
    except Exception as error:  # of damaged parts openpyxl raises whatever its code comes upon
        raise wrong(f"the Excel workbook is damaged, or has a password ({str(error)[:200]})") from None
    if found is None:
        raise wrong(f"no such sheet{hint(sheet or '', titles)}", allowed=", ".join(titles), got=sheet)
    source = f"{path}, sheet {found.title!r}" if sheet or titles[1:] else str(path)
    if not sheet and titles[1:]:
        others = f"others are {', '.join(titles[1:])}. {path.name}#{titles[1]} names one."
        warn(f"Read the first sheet of {path.name}, {found.title!r}; {others}", ReadingWarning)
    wrong = partial(InputError, source=source)
    if not cells:
        raise wrong("the sheet is empty", allowed="a header and at least one row", got=found.title)
    if place := _UNCOMPUTED.search(xml):
        allowed = "a value; to open the file in Excel and save it computes them"
        raise wrong("a formula without its value", row=int(place[2]), column=place[1].decode(), allowed=allowed)
    two, columns = _fill_merged(cells, xml, source), range(1, max(map(max, cells.values())) + 1)
    above, rows = sorted(cells)[: 1 + two], sorted(cells)[1 + two :]
    names = [" ".join(filter(None, dict.fromkeys(cells[row].get(column) for row in above))) for column in columns]
    if len(columns) == 1 and rows:
        rows = [*range(above[-1] + 1, rows[-1] + 1)]
    texts = [pa.array([cells.get(row, {}).get(column) for row in rows], pa.string()) for column in columns]
    data = named_columns(names, pa.table(texts, [*map(str, columns)]))
    return data, above[-1], np.array(rows, np.int64), source


def _cells(sheet: Any) -> _Cells:
    """Of each row that holds a value, its texts by column; both counted from 1."""
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    cells: _Cells = {}
    for number, row in enumerate(sheet.iter_rows(), start=1):
        for at, cell in enumerate(row, start=1):
            if (text := _text(cell)) is not None:
                cells.setdefault(number, {})[at] = text
    return cells


def _text(cell: Any) -> str | None:
    value = cell.value
    if isinstance(value, str):
        from openpyxl.utils.escape import unescape

        return text if (text := unescape(value)).strip() else None
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        # As many digits as Excel keeps: 0.3 for 0.1 + 0.2.
        text = str(value) if isinstance(value, int) else f"{value:.{MAX_DIGITS}g}"
        # "007" shown of 7: the format of numbers that name something.
        return text.zfill(len(cell.number_format)) if set(cell.number_format) == {"0"} and text.isdigit() else text
    return None if value is None else str(value).removesuffix(" 00:00:00")  # a date is a time of day, too


def _fill_merged(cells: _Cells, xml: bytes, source: str) -> bool:
    """Gives each of the cells that are merged their value; says whether there are such in the header, which then is two rows."""
    from openpyxl.utils.cell import range_boundaries

    header_row, width, two = min(cells), max(map(max, cells.values())), False
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


def check_fits(rows: int, target: str) -> None:
    """Raises `InputError` for more than a sheet holds."""
    if rows + 1 > MAX_ROWS:
        allowed = f"{MAX_ROWS:,} rows with the header, which is all that a sheet of Excel holds; .csv and .parquet have no such limit"
        raise InputError(f"{rows + 1:,} rows are too many for an Excel workbook", source=target, allowed=allowed)


def write_workbook(table: pa.Table, path: Path, target: str) -> None:
    """A table as the only sheet of a workbook, whose header stays in sight.

    A column of texts that are all numbers, or all dates, is one of these, since what is read of a file is text. Any other text is written as
    text, also where it begins with "="; lists and objects are JSON. Whole numbers of more than 15 digits are texts too, since Excel would
    round them. target : the file's name for errors, where `path` is temporary.

    Errors: `InputError` for a text too long for a cell, and more rows than a sheet holds.
    """
    from openpyxl import Workbook

    check_fits(len(table), target)
    book = Workbook(write_only=True)
    sheet: Any = book.create_sheet("Table")
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name) for name in table.column_names])
    typed = pa.table([*map(_numbers_or_days, table.columns)], table.column_names)
    for batch in typed.to_batches(max_chunksize=65_536):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            cells = [_cell(sheet, value) for value in values]
            for name, cell in zip(table.column_names, cells, strict=True):
                if isinstance(cell, str) and len(cell) > MAX_CELL:
                    allowed = f"at most {MAX_CELL:,}; .csv and .parquet have no such limit"
                    problem = f"a text of {len(cell):,} characters is too long for a cell of Excel"
                    raise InputError(problem, source=target, column=name, allowed=allowed)
            sheet.append(cells)
    book.save(path)


def _numbers_or_days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of texts as numbers or dates where each is written as one is shown, so that it reads the same again; "007" and "2.50" are none."""
    if is_text(column.type) and column.null_count < len(column):
        texts = column.cast(pa.large_string())
        for kind, pattern in ((pa.int64(), _WHOLE), (pa.float64(), _NUMBER), (pa.date32(), _DAY)):
            if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
                with contextlib.suppress(pa.ArrowInvalid):  # the 30th of February
                    return texts.cast(kind)
    return column


def _cell(sheet: Any, value: Any) -> Any:
    """What a cell holds of a value."""
    value = as_text(value) if isinstance(value, list | dict) else value
    if isinstance(value, str):
        text = _CODED.sub(lambda found: f"_x{ord(found[0]):04X}_", value)
        if text[:1] not in ("=", "#"):
            return text
        from openpyxl.cell import WriteOnlyCell

        cell = WriteOnlyCell(sheet, text)
        cell.data_type = "s"  # else openpyxl would take it for a formula or an error
        return cell
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    long = isinstance(value, int | Decimal) and not isinstance(value, bool) and abs(value) >= 10**MAX_DIGITS
    return str(value) if long or getattr(value, "tzinfo", None) is not None else value
