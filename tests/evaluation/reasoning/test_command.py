"""`dxmatch reasoning`: its files, its runs by name, its errors."""

from __future__ import annotations

import pytest

from dxmatch.errors import DxmatchError
from dxmatch.files.tables import read_table
from dxmatch.tests.command_line import invoke

from .made import FILES, written


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in a folder of the two runs."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, FILES)

    def command(*words):
        return invoke(["reasoning", "graphs", "notes", *words, "--resamples", "20"])

    return command


def test_runs_by_name(run, tmp_path):
    done = run("GPT=perfect", "run=run", *("-o", "r.csv", "-o", "r.md", "--per-note", "n.csv", "--deductions", "d.csv"))
    assert done.code == 0, done.output
    assert "GPT − run" in done.output and done.output.count("Written:") == 4
    assert {row["algorithm"] for row in read_table(tmp_path / "r.csv").data.to_pylist()} == {"GPT", "run"}
    assert read_table(tmp_path / "n.csv").data.num_rows == 6
    kinds = {row["kind"] for row in read_table(tmp_path / "d.csv").data.to_pylist()}
    assert kinds == {"common", "only in the note", "only predicted"}


def test_options(run):
    done = run("perfect", "--pairing", "greedy")
    assert done.code == 0 and "1.000" in done.output
    assert run("run", "--missing", "empty").code == 2
    for words in (("run", "-o", "r.odt"), ("run", "--per-note", "r.odt")):
        with pytest.raises(DxmatchError, match=r"r\.odt"):
            run(*words)
