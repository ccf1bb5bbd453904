"""Excel workbooks in and out, made and looked at with openpyxl itself."""

from __future__ import annotations

import datetime
import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from dxmatch.errors import InputError
from dxmatch.files.tables import check_apart, check_output, read_table, write_table, write_tables

from ..case_table import rows_of

Rows = list[list[Any]]
HEADER = ["id", "dx"]


def workbook(path: Path, *sheets: tuple[str, Rows], then: Callable[[Worksheet], Any] = lambda sheet: None) -> Path:
    """then : done to the first sheet before it is saved."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    then(book.worksheets[0])
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (7, "7"), (7.0, "7"), (-3, "-3"), (0.1 + 0.2, "0.3"), (0.85, "0.85"), (1e20, "1e+20"), (123456789012345, "123456789012345"),
        (1 / 3, "0.333333333333333"), (1e-07, "1e-07"), (True, "TRUE"), (False, "FALSE"),
        (datetime.date(2026, 3, 1), "2026-03-01"), (datetime.datetime(2026, 3, 1), "2026-03-01"),
        (datetime.datetime(2026, 3, 1, 14, 5), "2026-03-01 14:05:00"), (datetime.time(9, 30), "09:30:00"),
        ("007", "007"), (" padded ", " padded "), ("two\nlines", "two\nlines"), ("  ", None), ("#N/A", "#N/A"), ("_x0041_ stays", "A stays"),
    ],
)  # fmt: skip
def test_cells_as_they_look(tmp_path: Path, cell: Any, text: str | None) -> None:
    def shown(sheet: Worksheet) -> None:
        sheet["A2"].number_format = "000"

    table = read_table(workbook(tmp_path / "t.xlsx", ("One", [HEADER, [7, cell]]), then=shown))
    assert table.data.to_pylist() == [{"id": "007", "dx": text}]
    assert table.source == str(tmp_path / "t.xlsx")


SHEETS = rows_of(Path(__file__).parents[1] / "cases" / "sheets.csv")
"""rows of cells, and which are merged; the names of the columns and the rows below, with their numbers, or what the refusal says after "refused: "."""


@pytest.mark.parametrize("case", SHEETS, ids=[one["why"] or one["rows"] for one in SHEETS])
def test_a_sheet(tmp_path: Path, case: dict[str, str]) -> None:
    def merge(sheet: Worksheet) -> None:
        for cells in case["merged"].split():
            sheet.merge_cells(cells)

    path = workbook(tmp_path / "t.xlsx", ("One", json.loads(case["rows"])), ("Other", [HEADER]), then=merge)
    if case["read"].startswith("refused: "):
        with pytest.raises(InputError, match=case["read"].removeprefix("refused: ")):
            read_table(path)
        return
    table = read_table(path)
    assert [table.names, *([*row.values()] for row in table.data.to_pylist())] == json.loads(case["read"])
    assert table.row_numbers().tolist() == json.loads(case["numbers"])


@pytest.mark.parametrize(
    ("named", "source", "ids", "note"),
    [
        ("", ", sheet 'Cases'", ["1"], ["Read the first sheet of t.xlsx, 'Cases'; others are More cases. t.xlsx#More cases names one."]),
        ("#More cases", ", sheet 'More cases'", ["2", "3"], []),
        ("#Hidden", ", sheet 'Hidden'", ["4"], []),
    ],
)  # fmt: skip
def test_which_sheet(tmp_path: Path, named: str, source: str, ids: list[str], note: list[str]) -> None:
    """The first that is seen, or that is named."""
    path = tmp_path / "t.xlsx"
    sheets = ("Hidden", [HEADER, [4, "x"]]), ("Cases", [HEADER, [1, "x"]]), ("More cases", [HEADER, [2, "x"], [3, "x"]])
    workbook(path, *sheets, then=lambda sheet: setattr(sheet, "sheet_state", "hidden"))
    with warnings.catch_warnings(record=True) as told:
        table = read_table(f"{path}{named}")
    assert (table.column("id"), table.source) == (ids, f"{path}{source}") and [str(one.message) for one in told] == note
    with pytest.raises(InputError, match="the output is the input"):
        check_apart([path], [f"{path}{named}"])
    with pytest.raises(InputError, match=r"no such sheet; did you mean 'Cases'\?.*Allowed: Hidden, Cases, More cases"):
        read_table(f"{path}#cases")


def test_values_of_formulas(tmp_path: Path) -> None:
    """The values that Excel saved beside its formulas, the empty text among them."""
    path = workbook(tmp_path / "t.xlsx", ("One", [[*HEADER, "more"], ["=1+1", "=A2", "x"]]))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    xml = parts["xl/worksheets/sheet1.xml"].decode().replace("<v></v>", "<v/>").replace("<v />", "<v/>")
    xml = xml.replace("<f>1+1</f><v/>", "<f>1+1</f><v>2</v>").replace('<c r="B2"><f>A2</f><v/>', '<c r="B2" t="str"><f>A2</f><v></v>')  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, xml if name == "xl/worksheets/sheet1.xml" else part)
    assert read_table(path).data.to_pylist() == [{"id": "2", "dx": None, "more": "x"}]


def test_what_is_written(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-ve culture", "@x", "#N/A", "007", "bell\x07", "_x0041_", "tab\tand\nline"]
    values = pa.table({
        "text": texts, "whole": [7] * 9, "long": [12345678901234567] * 9, "share": [0.5, None, float("nan"), float("inf"), *[1.0] * 5],
        "match": [True, False, None, *[True] * 6], "day": [datetime.date(2026, 3, 1)] * 9,
        "read whole": ["7", None, *["-12"] * 7], "read share": ["0.25", "3", None, *["-1.5"] * 6], "read day": ["2026-03-01", None, *["1999-12-31"] * 7],
        "code": ["250.5", "250.50", *["1"] * 7], "id": ["007"] * 9, "no day": ["2026-02-30"] * 9,
    })  # fmt: skip
    write_tables(iter([values.slice(0, 4), values.slice(4)]), tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert sheet is not None
    assert {cell.data_type for cell in sheet["A"]} == {"s"}, "a text became a formula, a number or an error"
    assert [cell.value for cell in sheet["D"]][1:5] == [0.5, None, None, "inf"]
    assert (sheet["B2"].value, sheet["C2"].value, sheet["E2"].value) == (7, "12345678901234567", True)
    assert sheet["F2"].is_date and sheet.freeze_panes == "A2"
    assert [cell.data_type for cell in sheet[2]][6:] == ["n", "n", "d", "s", "s", "s"], (
        "a column is read as text, and is of one kind"
    )
    table = read_table(tmp_path / "t.xlsx")
    assert table.data.select(values.column_names[6:]).equals(values.select(values.column_names[6:]))
    assert table.column("text") == texts and table.column("match")[:3] == ["TRUE", "FALSE", None]


def test_what_a_workbook_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"column 'a': a text of 40,000 characters is too long.*at most 32,767"):
        write_table(pa.table({"a": ["x", "y" * 40_000]}), tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []
    assert read_table(write_table(pa.table({"a": [["é"]]}), tmp_path / "t.xlsx")).column("a") == ['["é"]']
    with pytest.raises(InputError, match=r"1,048,577 rows are too many .*1,048,576 rows with the header"):
        check_output(tmp_path / "t.xlsx", rows=1_048_576)
    assert check_output(tmp_path / "t.xlsx", rows=1_048_575) == ".xlsx"
