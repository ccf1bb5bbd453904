"""Excel workbooks in and out, made and looked at with openpyxl itself."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from dxmatch.errors import InputError
from dxmatch.files.tables import check_keeps_input, check_output, read_table, write_table, write_tables

Rows = list[list[Any]]


def workbook(path: Path, *sheets: tuple[str, Rows], then: Callable[[Worksheet], None] = lambda sheet: None) -> Path:
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


HEADER = ["id", "dx"]


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
    table = read_table(workbook(tmp_path / "t.xlsx", ("One", [HEADER, ["x", cell]])))
    assert table.data.to_pylist() == [{"id": "x", "dx": text}] if text is not None else [{"id": "x", "dx": None}]
    assert table.source == str(tmp_path / "t.xlsx") and table.note == ""


def test_numbers_shown_with_leading_zeros(tmp_path: Path) -> None:
    def shown(sheet: Worksheet) -> None:
        sheet["A2"].number_format, sheet["B2"].number_format = "000", "0.00"

    table = read_table(workbook(tmp_path / "t.xlsx", ("One", [HEADER, [7, 2.5]]), then=shown))
    assert table.data.to_pylist() == [{"id": "007", "dx": "2.5"}]


@pytest.mark.parametrize(
    ("rows", "records", "numbers"),
    [
        ([HEADER, [1, "flu"], [2, "gout"]], [("1", "flu"), ("2", "gout")], [2, 3]),
        ([[], [], HEADER, [1, "flu"]], [("1", "flu")], [4]),
        ([HEADER, [1, "flu"], [], [None, " "], [2, None]], [("1", "flu"), ("2", None)], [2, 5]),
        ([[*HEADER, None, ""], [1, "flu", None, " "]], [("1", "flu")], [2]),
        ([["dx"], ["flu"], [None], ["gout"], [None]], [("flu",), (None,), ("gout",)], [2, 3, 4]),
    ],
)
def test_rows_and_columns(tmp_path: Path, rows: Rows, records: list[tuple[str, ...]], numbers: list[int]) -> None:
    table = read_table(workbook(tmp_path / "t.xlsx", ("One", rows)))
    assert [tuple(row.values()) for row in table.data.to_pylist()] == records
    assert table.row_numbers().tolist() == numbers


@pytest.mark.parametrize(
    ("named", "source", "ids", "note"),
    [
        ("", ", sheet 'Cases'", ["1"], "Read the first sheet of t.xlsx, 'Cases'; others hold values too: More cases. t.xlsx#More cases names one."),
        ("#More cases", ", sheet 'More cases'", ["2", "3"], ""),
        ("#Hidden", ", sheet 'Hidden'", ["4"], ""),
    ],
)  # fmt: skip
def test_which_sheet(tmp_path: Path, named: str, source: str, ids: list[str], note: str) -> None:
    path = tmp_path / "t.xlsx"
    workbook(path, ("Hidden", [HEADER, [4, "x"]]), ("Cases", [HEADER, [1, "x"]]), ("Empty", [[]]),
             ("More cases", [HEADER, [2, "x"], [3, "x"]]), then=lambda sheet: setattr(sheet, "sheet_state", "hidden"))  # fmt: skip
    table = read_table(f"{path}{named}")
    assert (table.column("id"), table.source, table.note) == (ids, f"{path}{source}", note)
    with pytest.raises(InputError, match="the output is the input"):
        check_keeps_input(f"{path}{named}", path)


def merge(ranges: str) -> Callable[[Worksheet], None]:
    return lambda sheet: sheet.merge_cells(ranges)


def test_cells_merged_downwards_have_one_value_each(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ("One", [HEADER, [1, "flu"], [None, "gout"], [2, "RA"]]), then=merge("A2:A3"))
    assert read_table(path).column("id") == ["1", "1", "2"]


def test_two_rows_of_names(tmp_path: Path) -> None:
    """The first of them merged over the columns of each model, and over both rows where there is nothing below."""
    rows = [
        ["case", "GPT-4o", None, "Claude", None],
        [None, "Dx1", "Dx2", "Dx1", "Dx2"],
        [7, "flu", "gout", "flu", None],
    ]

    def merged(sheet: Worksheet) -> None:
        for ranges in ("A1:A2", "B1:C1", "D1:E1"):
            sheet.merge_cells(ranges)

    table = read_table(workbook(tmp_path / "t.xlsx", ("One", rows), then=merged))
    assert table.names == ["case", "GPT-4o Dx1", "GPT-4o Dx2", "Claude Dx1", "Claude Dx2"]
    assert (table.column("GPT-4o Dx2"), table.row_numbers().tolist()) == (["gout"], [3])


@pytest.mark.parametrize(
    ("rows", "then", "message"),
    [
        ([[]], None, r"the sheet is empty.*Got: 'One'"),
        ([HEADER], None, r"the table has no rows"),
        ([["Table 1: our cases"], [*HEADER, "x"], [1, "flu", 2]], None, r"row 1: two columns without a name.*a title above"),
        ([["id", " id"], [1, 2]], None, r"row 1: two columns of one name"),
        ([HEADER, [1, "flu"], ["a note", None]], merge("A3:B3"), r"row 3: cells merged across columns or rows.*Unmerge Cells.*Got: 'a note'"),
        ([["Table 1"], HEADER, [1, "flu"]], merge("A1:B1"), r"row 1: cells merged.*without a title.*Got: 'Table 1'"),
        ([HEADER, [None, "x"], [None, "y"], [1, "flu"]], merge("A1:A3"), r"row 1: cells merged.*Got: 'id'"),
        ([HEADER, [1, "flu"], [], [2, "=A2"]], None, r"t\.xlsx, row 4, column 'B': a formula without its value.*save"),
    ],
)  # fmt: skip
def test_sheets_that_are_refused(
    tmp_path: Path, rows: Rows, then: Callable[[Worksheet], None] | None, message: str
) -> None:
    path = workbook(tmp_path / "t.xlsx", ("One", rows), **({} if then is None else {"then": then}))
    with pytest.raises(InputError, match=message):
        read_table(path)


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04", r"the Excel workbook is damaged"),
        (b"a,b\nx,y\n", r"the Excel workbook is damaged"),
        (b"\xd0\xcf\x11\xe0", r"or has a password"),
    ],
)
def test_files_that_are_no_workbook(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "t.xlsx").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "t.xlsx")


def test_a_damaged_workbook_is_told(tmp_path: Path) -> None:
    """Cut or with a byte flipped, it is an error or what it was, never other values."""
    path = write_table(pa.table({"id": [str(i) for i in range(300)], "dx": [f"diagnosis {i}" for i in range(300)]}), tmp_path / "t.xlsx")  # fmt: skip
    whole, expected, refused = path.read_bytes(), read_table(path).data, 0
    damaged = [whole[:-20], whole[: len(whole) // 2]]
    for at in range(4, len(whole), len(whole) // 60):
        damaged.append(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
    for content in damaged:
        path.write_bytes(content)
        try:
            assert read_table(path).data.equals(expected)
        except InputError:
            refused += 1
    assert refused > 20


def test_a_sheet_that_is_not_there(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ("Cases", [HEADER, [1, "x"]]), ("Notes", [["x"]]))
    with pytest.raises(
        InputError, match=r"t\.xlsx: no such sheet; did you mean 'Cases'\?.*Allowed: Cases, Notes\. Got: 'cases'"
    ):
        read_table(f"{path}#cases")
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "u.xlsx#Cases")
    path = workbook(tmp_path / "t.xlsx", ("Empty", [[]]), ("Cases", [HEADER, [1, "x"]]))
    assert (read_table(path).column("id"), read_table(path).note) == (["1"], "")


def test_what_is_written(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-ve culture", "@x", "#N/A", "007", "bell\x07", "_x0041_", "tab\tand\nline"]
    values = pa.table({
        "text": texts, "whole": [7] * 9, "long": [12345678901234567] * 9, "share": [0.5, None, float("nan"), float("inf"), *[1.0] * 5],
        "match": [True, False, None, *[True] * 6], "day": [datetime.date(2026, 3, 1)] * 9,
    })  # fmt: skip
    write_tables(iter([values.slice(0, 4), values.slice(4)]), tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert sheet is not None
    assert {cell.data_type for cell in sheet["A"]} == {"s"}, "a text became a formula, a number or an error"
    assert [cell.value for cell in sheet["D"]][1:5] == [0.5, None, None, "inf"]
    assert (sheet["B2"].value, sheet["C2"].value, sheet["E2"].value) == (7, "12345678901234567", True)
    assert sheet["F2"].is_date and sheet["A1"].font.bold and sheet.freeze_panes == "A2"
    table = read_table(tmp_path / "t.xlsx")
    assert table.column("text") == texts
    assert table.column("long")[0] == "12345678901234567"
    assert table.column("match")[:3] == ["TRUE", "FALSE", None]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pa.table({"a": [[1]]}), r"t\.xlsx, column 'a': a column that a cell cannot hold.*\.jsonl and \.parquet"),
        (pa.table({"a": ["x", "y" * 40_000]}), r"column 'a': a text of 40,000 characters is too long.*at most 32,767"),
    ],
)  # fmt: skip
def test_what_a_workbook_cannot_hold(tmp_path: Path, data: pa.Table, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_table(data, tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_too_many_rows_are_told_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"1,048,577 rows are too many for an Excel workbook.*1,048,576 rows with the header"
    ):
        check_output(tmp_path / "t.xlsx", rows=1_048_576)
    assert check_output(tmp_path / "t.xlsx", rows=1_048_575, columns=16_384) == ".xlsx"
