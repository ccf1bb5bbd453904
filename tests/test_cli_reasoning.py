"""`dxmatch reasoning`: its files, its runs by name, its errors."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dxmatch.cli.main import app
from dxmatch.errors import DxmatchError
from dxmatch.files.tables import read_table

EXAMPLE = Path(__file__).parent / "evaluation" / "reasoning_example.py"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return runpy.run_path(str(EXAMPLE))["example"](tmp_path)


def run(*command: str) -> Result:
    done = CliRunner().invoke(app, ["reasoning", "graphs", "notes", *command], env={"COLUMNS": "200"})
    if isinstance(done.exception, DxmatchError):
        raise done.exception
    return done


def test_runs_by_name(here: Path) -> None:
    done = run(
        "GPT=good",
        "poor",
        "-o",
        "r.csv",
        "-o",
        "r.html",
        "--per-note",
        "n.csv",
        "--deductions",
        "d.csv",
        "--bootstrap",
        "20",
    )
    assert done.exit_code == 0, done.output
    assert "GPT - poor" in done.output and "Warning: poor: 1 of 4 notes have no prediction" in done.output
    assert done.output.count("Written:") == 4
    assert {row["run"] for row in read_table(here / "r.csv").data.to_pylist()} == {"GPT", "poor"}
    assert read_table(here / "n.csv").data.num_rows == 8
    assert {row["kind"] for row in read_table(here / "d.csv").data.to_pylist()} == {
        "common", "only in the note", "only predicted",
    }  # fmt: skip
    (here / "labels.csv").write_text("note,observation,predicted,label\nAsthma/a1.json,wheeze,wheeze,1\n")
    done = run("good", "poor", "--charts", "charts", "--bootstrap", "0")
    assert "Written: 6 files in charts" in done.output
    assert sorted(file.name for file in (here / "charts").iterdir()) == [
        f"domains_{name}.{kind}" for name in ("Acc_diag", "Exp_all", "Obs_comp") for kind in ("png", "svg")
    ]  # fmt: skip
    done = run("good", "--human", "labels.csv", "--bootstrap", "0", "--no-premises")
    assert "Observations: M agrees with people on 1.000 of 1 pairs" in done.output and "Prem" not in done.output


def test_options(here: Path) -> None:
    with pytest.raises(DxmatchError, match="no prediction for 1 of 4 notes"):
        run("poor", "--missing", "refuse")
    (here / "notes").rename(here / "other")
    (here / "notes").mkdir()
    done = run("good", "--notes-of", "good=other", "--bootstrap", "0", "--pairing", "greedy")
    assert done.exit_code == 0 and "1.000 ± 0.000" in done.output
    (here / "notes").rmdir()
    (here / "other").rename(here / "notes")
    for wrong in (("good", "--notes-of", "best=other"), ("good", "--notes-of", "other"), ("good", "--judge", "local:m"), ("a=good", "a=poor")):  # fmt: skip
        assert run(*wrong).exit_code == 2, wrong
    with pytest.raises(DxmatchError, match=r"r\.odt"):
        run("good", "-o", "r.odt")


def test_one_run_against_two_annotations(here: Path) -> None:
    shutil.copytree(here / "notes", here / "original")
    done = run("original=good", "amended=good", "--notes-of", "original=original", "--bootstrap", "0")
    assert done.exit_code == 0 and "original" in done.output and "amended" in done.output
    with pytest.raises(DxmatchError, match="one folder for two runs, original and amended, of the same notes"):
        run("original=good", "amended=good")


def test_notes_that_runs_left_out(here: Path) -> None:
    done = run("good", "poor", "--missing", "own", "--bootstrap", "0")
    assert "(n = 3)" in done.output and "(n = 4)" in done.output and "the means rest on other notes" in done.output
    assert "(n = " not in run("good", "poor", "--bootstrap", "0").output


def test_failed_calls_of_the_judge(here: Path, loopback: Any) -> None:
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    (here / "e.toml").write_text(f'[endpoint.local]\nurl = "{loopback.url}"\ntries = 1\n')
    loopback.rules({"contains": "fever", "status": 400}, {"text": "Yes"})
    done = run("poor", "--judge", "local:m", "--endpoints", "e.toml", "--bootstrap", "0")
    assert done.exit_code == 1, "questions failed, and the figures are there all the same"
    assert (
        "Exp_all(judge)" in done.output and "gave no verdict on 2 pairs of observations (2 not answered)" in done.output
    )
