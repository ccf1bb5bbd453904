"""Every reader beside the reader of the standard library, or openpyxl, and what each refuses or tells."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.cli.main import main
from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files import tables
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import check_apart, read_table

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
    lists = read_lists(models, reading=dxmatch.Reading(rejects=tmp_path / "rejects.csv"))
    assert sorted(lists.raters) == ["gpt", "llama"] and sorted(lists.cases) == ["c1", "c2", "c3"]
    assert lists.rejected.rows == 2
    assert any("set aside: 1 line and 1 file as a whole; the first is" in text for text in lists.warnings)
    rejected = read_table(tmp_path / "rejects.csv").data.to_pylist()
    assert [(row["rejected_row"], Path(row["rejected_file"]).name) for row in rejected] == [(None, "empty.jsonl"), ("2", "gpt.jsonl")]  # fmt: skip


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

    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("heart attack")

    path = written(tmp_path, "t.csv", "a,b\nx,y\n")
    monkeypatch.setattr(tables, "read_file", broken)
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
    with pytest.raises(SystemExit):
        main()
    assert "ZeroDivisionError: heart attack" in capsys.readouterr().err


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

    def broken(*_: Any, **__: Any) -> None:
        raise error

    path = written(tmp_path, "t.csv", "a,b\nx,y\n")
    monkeypatch.setattr(tables, "read_file", broken)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    status = Path("/proc/self/status").read_text("utf-8").split()
    most = int(int(status[status.index("VmPeak:") + 1]) * 1024 * times)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (most, most))
    assert said in command("score", path, "-o", tmp_path / "o.csv").err
