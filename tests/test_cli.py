"""The command line as a user calls it: what it does, what it says, with which exit code, and what it leaves behind."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dxmatch.files.tables import read_table


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dxmatch.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo")
    done = run("demo", "--output", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "out", done.stdout


def test_demo(demo: tuple[Path, str]) -> None:
    folder, said = demo
    assert {"model", "held_out.csv", "scored.csv", "report.html", "report.json"} <= {p.name for p in folder.iterdir()}
    assert f"Open the report: {folder.resolve() / 'report.html'}" in said.replace("\n", "")
    assert "RPAD" in (folder / "report.html").read_text("utf-8")
    json.loads((folder / "report.json").read_text("utf-8"))


def test_score(demo: tuple[Path, str], example: Path, tmp_path: Path) -> None:
    done = run("score", example / "pairs.csv", "-o", tmp_path / "s.parquet", "--model", demo[0] / "model", "--features")
    assert done.returncode == 0, done.stderr
    scored = read_table(tmp_path / "s.parquet")
    assert {"id", "a", "b", "probability", "match", "levenshtein", "icd_nearest"} <= set(scored.names)
    assert f"{len(scored):,} pairs" in done.stdout


def test_evaluate_on_the_terminal(example: Path, tmp_path: Path) -> None:
    done = run("evaluate", example / "lists.csv", "--no-diagnosis", "none", "--json", tmp_path / "r.json", "--k", "2")
    assert done.returncode == 0, done.stderr
    assert "RPAD" in done.stdout
    assert "RRAD" in done.stdout
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))


def test_columns_of_other_names(example: Path, tmp_path: Path) -> None:
    text = (
        (example / "lists.csv")
        .read_text("utf-8")
        .replace("case_id,rater,role,rank,diagnosis", "case_id,who,role,rank,dx", 1)
    )
    (tmp_path / "l.csv").write_text(text, "utf-8")
    names = ("--column", "rater=who", "--column", "diagnosis=dx")
    assert run("evaluate", tmp_path / "l.csv", "--no-diagnosis", "none", *names).returncode == 0
    assert run("evaluate", tmp_path / "l.csv", "--column", "rater").returncode == 2


def test_icd(tmp_path: Path) -> None:
    done = run("icd", "heart attack", "acute MI", "I21")
    assert done.returncode == 0, done.stderr
    assert "I21" in done.stdout
    (tmp_path / "s.csv").write_text("dx\nacute MI\n")
    done = run("icd", tmp_path / "s.csv", "--column", "dx", "-o", tmp_path / "o.csv", "--k", "3")
    assert done.returncode == 0, done.stderr
    row = read_table(tmp_path / "o.csv").data.to_pylist()[0]
    assert row["icd10"].startswith("I21")
    assert row["candidates"].count(";") == 2


def test_own_abbreviations_travel_with_the_model(example: Path, tmp_path: Path) -> None:
    (tmp_path / "abbr.csv").write_text("abbreviation,expansion\nZZQ,acute appendicitis\n")
    done = run("train", example / "pairs.csv", "-o", tmp_path / "m", "--abbreviations", tmp_path / "abbr.csv")
    assert done.returncode == 0, done.stderr
    (tmp_path / "p.csv").write_text("a,b\nZZQ,acute appendicitis\n")
    done = run("score", tmp_path / "p.csv", "-o", tmp_path / "o.csv", "--model", tmp_path / "m")
    assert read_table(tmp_path / "o.csv").column("probability") == ["1"]


def lists(example: Path, change: object) -> list[dict[str, str]]:
    with (example / "lists.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    return change(rows)  # type: ignore[operator]


def write(rows: list[dict[str, str]], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _set(row: int, column: str, value: str) -> object:
    def change(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        rows[row] = {**rows[row], column: value}
        return rows

    return change


def _without(column: str) -> object:
    return lambda rows: [{k: v for k, v in row.items() if k != column} for row in rows]


def _panel_of_one(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row for row in rows if row["rater"] in ("expert_1", "algorithm")]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_without("diagnosis"), ["'diagnosis'", "missing"]),
        (_without("rank"), ["'rank'", "missing"]),
        (_set(4, "diagnosis", ""), ["row 6", "diagnosis"]),
        (_set(4, "rank", "0"), ["row 6", "rank"]),
        (_set(4, "rank", "x"), ["row 6", "rank"]),
        (_set(1, "rank", "1"), ["rank"]),
        (_set(2, "rank", "5"), ["rank"]),
        (lambda rows: rows[3:], ["case_01"]),
        (lambda rows: [{**row, "reference": ""} for row in _panel_of_one(rows)], ["expert"]),
        (_set(4, "diagnosis", "x" * 1_000_000), ["row 6", "1,000,000 characters"]),
    ],
    ids=[
        "no diagnosis column",
        "no rank column",
        "blank",
        "rank 0",
        "rank x",
        "rank twice",
        "rank gap",
        "case lacks a rater",
        "one expert",
        "long",
    ],
)
def test_bad_lists(example: Path, tmp_path: Path, change: object, words: list[str]) -> None:
    path = write(lists(example, change), tmp_path / "lists.csv")
    done = run("evaluate", path, "--no-diagnosis", "none", "-o", tmp_path / "r.html", "--json", tmp_path / "r.json")
    refused(done, ["lists.csv", *words], tmp_path, {"lists.csv"})


def refused(done: subprocess.CompletedProcess[str], words: list[str], folder: Path, kept: set[str]) -> None:
    """Exit code 1, one clear line with these words, no traceback, and nothing left behind."""
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr, done.stderr
    assert len(done.stderr) < 1500
    assert {p.name for p in folder.iterdir()} == kept


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.csv", b"a,c,label\nx,y,1\n", ["p.csv", "the column 'b'", "is missing"]),
        ("p.csv", b"", ["p.csv", "empty"]),
        ("p.csv", b"a,b,label\nx,,1\n", ["row 2", "'b'", "blank"]),
        ("p.csv", b"a,b,label\nx,y,maybe\n", ["row 2", "'label'", "0 (no match) or 1 (match)", "'maybe'"]),
        ("p.csv", b"a,b,label\nx,y,1\ny,x,0\n", ["two labels"]),
        ("p.csv", b"a,b,label\nx,\xe9t\xe9,1\n", ["row 2", "UTF-8"]),
        ("p.parquet", b"a,b,label\nx,y,1\n", ["not Parquet"]),
        ("p.csv", b"a,b,label\nx," + b"y" * 1_000_000 + b",1\n", ["row 2", "1,000,000 characters"]),
    ],
)
def test_bad_pairs(tmp_path: Path, name: str, content: bytes, words: list[str]) -> None:
    (tmp_path / name).write_bytes(content)
    refused(run("train", tmp_path / name, "-o", tmp_path / "m"), words, tmp_path, {name})


def test_k_of_zero(example: Path, tmp_path: Path) -> None:
    done = run("evaluate", example / "lists.csv", "--k", "0", "-o", tmp_path / "r.html")
    refused(done, ["'k' parameter", "Got 0"], tmp_path, set())


def test_a_folder_that_is_no_model(example: Path, tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    done = run("score", example / "pairs.csv", "-o", tmp_path / "o.csv", "--model", tmp_path / "m")
    refused(done, ["model.json"], tmp_path, {"m"})


def test_a_model_that_was_changed(demo: tuple[Path, str], example: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(demo[0] / "model", folder)
    tree = folder / "trees" / "0.txt"
    tree.write_text(tree.read_text().replace("leaf_value=", "leaf_value=0", 1))
    done = run("score", example / "pairs.csv", "-o", tmp_path / "o.csv", "--model", folder)
    refused(done, ["trees/0.txt", "changed"], tmp_path, {"m"})


def test_wrong_usage_is_2() -> None:
    assert run("score").returncode == 2
    assert run("nothing").returncode == 2


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = run("score", tmp_path / "none.csv", "-o", tmp_path / "o.csv", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_an_existing_model_is_not_replaced_unasked(demo: tuple[Path, str], example: Path) -> None:
    done = run("train", example / "pairs.csv", "-o", demo[0] / "model")
    assert done.returncode == 1
    assert "overwrite" in done.stderr


@pytest.mark.parametrize("command", ["demo", "score", "train", "evaluate", "icd", "metrics"])
def test_help_has_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert "Example: dxmatch" in " ".join(done.stdout.split())


def test_version() -> None:
    assert run("--version").stdout.startswith("dxmatch 0.")
