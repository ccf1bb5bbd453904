"""Every reader beside the reader of the standard library, or openpyxl, and what each refuses or tells."""

from __future__ import annotations

import csv
import io
import json
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.cli.main import main
from dxmatch.errors import InputError
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.files import delimited
from dxmatch.files.pairs import read_pairs
from dxmatch.files.parquet_file import damaged
from dxmatch.files.tables import Table, check_apart, read_table

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.fuzz.tables import Refused, difference, mutant, reference_rows

CELLS = st.text(st.sampled_from('ab",;\t\n\r é\u2028\u00a0'), max_size=6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_damaged_tables_are_read_as_their_reference_readers_do(tmp_path: Path, first: int) -> None:
    """Without the models, which `make fuzz` asks, too."""
    wrong = {seed: difference(mutant(seed), tmp_path, through=False) for seed in range(first, first + 100)}
    assert {seed: said for seed, said in wrong.items() if said} == {}


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5),
    ends=st.sampled_from(["\n", "\r", "\r\n"]),
    before=st.sampled_from(["", "\n", "\r\n\r\n", " \n", "\ufeff"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_csv_writes_is_read_as_csv_reads_it(
    tmp_path_factory: Any, rows: list[tuple[str, str]], ends: str, before: str, quoting: Any
) -> None:
    made = io.StringIO(newline="")
    csv.writer(made, lineterminator=ends, quoting=quoting).writerows([("a", "b"), *rows])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes((before + made.getvalue()).encode())
    try:
        wanted = reference_rows(path, None)
    except Refused:
        with pytest.raises(InputError):
            read_table(path)
    else:
        assert read_table(path).data.to_pylist() == wanted


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def told(path: Path) -> tuple[Table, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(path)
    return table, [str(one.message) for one in caught]


@pytest.mark.parametrize("content", ["\na,b\nx,y\n", "\r\n\r\na,b\r\nx,y\r\n", "\r\ra,b\rx,y\r", "  \na,b\nx,y\n", "\n\n\na;b\n\nx;y"])  # fmt: skip
def test_blank_first_lines_lose_no_row(tmp_path: Path, content: str) -> None:
    table, said = told(written(tmp_path, "t.csv", content))
    assert table.data.to_pylist() == [{"a": "x", "b": "y"}]
    assert said == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('id,a,b\n1,x,"y\n2,z,w\n3,p,q"\n', "1 value over several lines that look like rows, the longest in row 2, lines 2 to 4"),
        ('a,b\n"x,y\nz,w\np",q\n', "row 2, lines 2 to 4"),
        ('a,b\nx,"first\nsecond"\n', None),
        ('a,b\n"1. x\n2. y, or z",w\n', None),
    ],
)  # fmt: skip
def test_a_quote_that_may_have_swallowed_rows_is_told(tmp_path: Path, content: str, message: str | None) -> None:
    _, said = told(written(tmp_path, "t.csv", content))
    assert (message is None) == (not said)
    assert message is None or message in said[0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "a,b\n" + "x,y\n" * 3000 + "x\0,y\n", "row 3002: a NUL character"),
        ("t.csv", "a" * 140_000 + ",b\nx,y\n", "row 1: a value of more than 131,072 characters"),
        ("t.csv", 'a,b\nx,"' + "y" * 140_000 + '"""\n', "row 2: a value of more than 131,072 characters"),
        ("t.csv", 'a\nx\n"y', "row 3: a quote that is not closed"),
        ("t.csv.gz", b"\x1f\x8b", "unknown kind.*unpack it"),
        ("t.jsonl", '{"a": 1}\n{"a": 1, "a": 2}\n', "row 2: two equal keys in one object.*each key once. Got: 'a'"),
        ("t.json", '[{"a": {"b": 1, "b": 2}}]', "two equal keys"),
        ("t.jsonl", '{"a": "\\ud83d"}\n', "row 1: half a surrogate pair"),
        ("t.jsonl", '{"a": "x"}\n\n{"\\ud83d": "x"}\n', "row 3: half a surrogate pair"),
        ("t.jsonl", '{"a": ' + "9" * 5000 + "}\n", "row 1: a line that is not JSON"),
        ("t.jsonl", '{"a": 1}\n{"a": ' + "9" * 30 + "}\n", "row 2, column 'a': a number of more than 64 bits"),
        ("t.jsonl", '{"a": ' + "[" * 100_000 + "\n", "row 1: JSON that is nested too deep"),
        ("t.jsonl", '{"a": "x"}\n\n{"a": "x', "row 3: a line breaks off"),
        ("t.json", '[{"a": "x"}, {"a":', "the file breaks off"),
        ("t.jsonl", '{"a": "x"}\n' * 900 + "\0\n", "row 901: a NUL character"),
        ("t.xlsx", b"PK\x03\x04 and no more", "the Excel workbook is damaged"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    path = written(tmp_path, name, content)
    with pytest.raises(InputError, match=message):
        read_table(path)


def test_json_lines_with_blanks_in_them(tmp_path: Path) -> None:
    table, said = told(written(tmp_path, "t.jsonl", '{ "a": "x", "n": NaN}\n\n{ "a": "y", "n": 1e999}\n{"a": "z\\u0000"}\n\n'))  # fmt: skip
    assert table.column("a") == ["x", "y", "z\0"]
    assert table.row_numbers().tolist() == [1, 3, 4]
    assert table.column("n") == [None, float("inf"), None]
    assert [text.split("t.jsonl")[1] for text in said] == [
        ", row 1: NaN, which is no JSON, is read as a blank.",
        ", row 3: 1e999 is read as an infinite number.",
        ", row 4: a NUL character in a text.",
    ]


def test_what_is_hidden_in_a_workbook_is_told(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.worksheets[0]
    for row in (["id", "dx", "more"], ["1", "flu", "x"], ["2", "gout", "y"]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    book.save(tmp_path / "t.xlsx")
    table, said = told(tmp_path / "t.xlsx")
    assert table.column("dx") == ["flu", "gout"]
    assert said == [f"{tmp_path / 't.xlsx'}: hidden in Excel, but read: rows 3, columns C."]


def test_a_workbook_that_unpacks_to_a_bomb(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (65 << 20))
    with pytest.raises(InputError, match=r"a part of 68,157,440 bytes, packed in .*sheet1\.xml"):
        read_table(tmp_path / "t.xlsx")


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    case = '{"case_id": "c%d", "diagnosis": ["flu"]}\n'
    written(folder, "gpt.jsonl", case % 1 + '{"case_id": "c2", \n' + case % 3)
    written(folder, "llama.jsonl", "".join(case % i for i in (1, 2, 3)))
    written(folder, "empty.jsonl", "")
    return folder


def test_a_broken_line_and_an_empty_file_are_set_aside(models: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty.jsonl: the file is empty"):
        read_lists(models)
    lists = read_lists(models, rejects=tmp_path / "rejects.csv")
    assert sorted(lists.raters) == ["gpt", "llama"] and sorted(lists.cases) == ["c1", "c2", "c3"]
    assert lists.rejected.rows == 2
    assert any("set aside: 1 line and 1 file as a whole; the first is" in text for text in lists.warnings)
    rejected = read_table(tmp_path / "rejects.csv").data.to_pylist()
    assert [(row["rejected_row"], Path(row["rejected_file"]).name) for row in rejected] == [(None, "empty.jsonl"), ("2", "gpt.jsonl")]  # fmt: skip


def test_warnings_of_reading_stand_above_the_figures(tmp_path: Path) -> None:
    path = written(
        tmp_path, "t.csv", 'case_id,rater,rank,diagnosis\nc1,m,1,flu\nc2,m,1,"gout\nc3,m,1,flu\nc4,m,1,flu"\n'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert any("look like rows" in text for text in read_lists(path).warnings)


def test_an_output_that_would_replace_what_is_there(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "a,b\nx,\nx,y\n")
    with pytest.raises(InputError, match="the output is the input"):
        read_pairs(path, rejects=path)
    with pytest.raises(InputError, match="one file for two outputs"):
        check_apart([path, None, tmp_path / "." / "t.csv"])
    assert path.read_text() == "a,b\nx,\nx,y\n"


def test_a_fault_of_dxmatch_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words of the error are not shown, since they may hold a diagnosis."""

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("heart attack")

    path = written(tmp_path, "t.csv", "a,b\nx,y\n")
    monkeypatch.setattr(delimited._File, "read", broken)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    call = ["dxmatch", "score", str(path), "-o", str(tmp_path / "o.csv")]
    monkeypatch.setattr(sys, "argv", call)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 70
    said = capsys.readouterr().err
    assert said.startswith("dxmatch: this is a fault of dxmatch (ZeroDivisionError in ")
    assert said.count("\n") == 1 and "heart attack" not in said
    monkeypatch.setattr(sys, "argv", [*call, "--debug"])
    with pytest.raises(ZeroDivisionError):
        main()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
@pytest.mark.parametrize(
    ("times", "error", "said"),
    [
        (1.2, ImportError("No module named expat"), "out of memory"),
        (10, ImportError("No module named expat"), "this is a fault of dxmatch (ImportError"),
        (10, MemoryError(), "out of memory"),
    ],
)  # fmt: skip
def test_want_of_memory_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any, times: float, error: Exception, said: str
) -> None:
    """Where memory is limited, what fails is any module, with any words."""
    resource = pytest.importorskip("resource")

    def broken(*_: Any) -> None:
        raise error

    path = written(tmp_path, "t.csv", "a,b\nx,y\n")
    monkeypatch.setattr(delimited._File, "read", broken)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    status = Path("/proc/self/status").read_text("utf-8").split()
    most = int(int(status[status.index("VmPeak:") + 1]) * 1024 * times)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (most, most))
    assert said in command("score", path, "-o", tmp_path / "o.csv").err
    with pytest.raises(MemoryError):
        damaged("p.parquet", "Unknown error: Failed to launch worker thread: Resource temporarily unavailable")


def test_pieces_of_a_file_are_counted_as_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line breaks that fall apart at the end of a piece are one."""
    rows = [{"a": f"x{i}", "b": json.dumps(i)} for i in range(40)]
    path = written(tmp_path, "t.csv", "a,b\r\n" + "".join(f"{row['a']},{row['b']}\r\n" for row in rows))
    monkeypatch.setattr(delimited, "_PIECE", 7)
    file = delimited._File(path, ".csv", None, set_aside=False)
    assert file._counted_from(5) == (40, 0)
