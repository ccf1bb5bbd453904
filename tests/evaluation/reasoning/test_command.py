"""`dxmatch reasoning`: its files, its runs by name, its errors."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from dxmatch.cli.main import app
from dxmatch.errors import DxmatchError
from dxmatch.files.tables import read_table

from .made import FILES, written


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in a folder of the two runs."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, FILES)

    def command(*words):
        done = CliRunner().invoke(
            app, ["reasoning", "graphs", "notes", *words, "--bootstrap", "20"], env={"COLUMNS": "200"}
        )
        if isinstance(done.exception, DxmatchError):
            raise done.exception
        return done

    return command


def test_runs_by_name(run, tmp_path):
    done = run("GPT=perfect", "run", *("-o", "r.csv", "-o", "r.md", "--per-note", "n.csv", "--deductions", "d.csv"))
    assert done.exit_code == 0, done.output
    assert "GPT − run" in done.output and "No prediction for 1 of 3 notes in run" in done.output
    assert done.output.count("Written:") == 4
    assert {row["algorithm"] for row in read_table(tmp_path / "r.csv").data.to_pylist()} == {"GPT", "run"}
    assert read_table(tmp_path / "n.csv").data.num_rows == 6
    kinds = {row["kind"] for row in read_table(tmp_path / "d.csv").data.to_pylist()}
    assert kinds == {"common", "only in the note", "only predicted"}


def test_options(run, tmp_path):
    (tmp_path / "notes").rename(tmp_path / "other")
    done = run("original=perfect", "--notes-of", "original=other", "--pairing", "greedy")
    assert done.exit_code == 0 and "1.000" in done.output
    (tmp_path / "other").rename(tmp_path / "notes")
    for words in (
        ("perfect", "--notes-of", "best=other"), ("perfect", "--notes-of", "other"), ("perfect", "--judge", "local:m"), ("a=run", "a=perfect"),
    ):  # fmt: skip
        assert run(*words).exit_code == 2, words
    for words, error in (
        (("run", "--missing", "refuse"), "Asthma/day"), (("run", "-o", "r.odt"), r"r\.odt"), (("run", "--per-note", "n.odt"), r"n\.odt"),
    ):  # fmt: skip
        with pytest.raises(DxmatchError, match=error):
            run(*words)


def test_failed_calls_of_the_judge(run, tmp_path, loopback):
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    (tmp_path / "e.toml").write_text(f'[endpoint.local]\nurl = "{loopback.url}"\ntries = 1\n')
    loopback.rules({"contains": "fever", "status": 400}, {"text": "Yes"})
    done = run("run", "--judge", "local:m", "--endpoints", "e.toml")
    assert done.exit_code == 1, "questions failed, and the figures are there all the same"
    assert "Exp_all(judge)" in done.output and "No verdict of m on 4 pairs of observations" in done.output
