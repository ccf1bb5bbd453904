"""CSV as spreadsheets write it: what is read, and the rows that errors name."""

from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.errors import InputError
from dxmatch.files.tables import Table, read_table


def read(folder: Path, text: str, name: str = "t.csv") -> Table:
    (folder / name).write_text(text, "utf-8", newline="")
    return read_table(folder / name)


@pytest.mark.parametrize(
    ("text", "records", "rows"),
    [
        ("a,b\nx,y\nz,\n", [("x", "y"), ("z", None)], [2, 3]),
        ("a;b\nx;0,5\n", [("x", "0,5")], [2]),
        ("sep=;\na;b\nx;y\n", [("x", "y")], [2]),
        ("sep=,\r\na,b\r\n\r\nx,y\r\n", [("x", "y")], [3]),
        ("\ufeffsep=\t\na\tb\nx\ty\n", [("x", "y")], [2]),
        ("a,b\n\nx,y\n\n\nz,w\n\n", [("x", "y"), ("z", "w")], [3, 6]),
        ("\n\na,b\nx,y\n", [("x", "y")], [4]),
        ("a,b\nx,y\n,\nz,w\n,\n,\n", [("x", "y"), ("z", "w")], [2, 4]),
        ('a,b\n"x\ny",z\nv,w\n', [("x\ny", "z"), ("v", "w")], [2, 3]),
        ('a,b\n"x\r\n\r\ny",z\n\nv,w\n', [("x\r\n\r\ny", "z"), ("v", "w")], [2, 4]),
        ('"a",b\n"say ""x"", y",z\n', [('say "x", y', "z")], [2]),
        ("a,b,,\nx,y,,\nz,w,,\n", [("x", "y"), ("z", "w")], [2, 3]),
        ("a, b \nx,y\n", [("x", "y")], [2]),
    ],
)
def test_what_is_read(tmp_path: Path, text: str, records: list[tuple[str, str | None]], rows: list[int]) -> None:
    table = read(tmp_path, text)
    assert [tuple(row.values()) for row in table.data.to_pylist()] == records
    assert table.row_numbers().tolist() == rows


def test_a_blank_in_the_only_column_is_a_value(tmp_path: Path) -> None:
    """Its rows may stand beside another table's."""
    table = read(tmp_path, "diagnosis\nflu\n\ngout\n")
    assert table.column("diagnosis") == ["flu", None, "gout"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b\n\nx,"y\nz,w\n', r"row 3: a quote that is not closed"),
        ('a,b\nx,y\nz,"heart attack, MI\nx,"flu"\n', r"row 3: a quote that is not closed"),
        ('a,b\nx,"y"z"\nv,w\n', r"row 2: a quote that is not closed"),
        ("a,b\n\nx,y\n\nz\n", r"row 5: 1 value in a table of 2 columns.*in the header, row 1.*Got: \['z'\]"),
        ("sep=;\na;b\nx;y;z\n", r"row 2: 3 values in a table of 2 columns"),
        ("Table 1\na,b\nx,y\n", r"row 2: 2 values in a table of 1 column\..*in the header, row 1"),
        ("a,,b\nx,y,z\n", r"row 1: column 2 has no name"),
        ("a, a\nx,y\n", r"row 1: two columns of one name.*Got: 'a'"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_the_row_of_a_later_error(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\n\n"x\ny",z\n\n ,w\n')
    with pytest.raises(InputError, match=r"t\.csv, row 5, column 'a': the diagnosis is blank"):
        table.required_text("a")
