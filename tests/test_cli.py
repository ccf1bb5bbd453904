"""The command line as a user calls it: what it does, what it says, with which exit code, and what it leaves behind."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dxmatch.cli.main import app
from dxmatch.errors import DxmatchError
from dxmatch.files.tables import read_table

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, command: Command) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo")
    done = command("demo", "--output", folder / "out")
    assert done.code == 0, done.err
    return folder / "out", done.out


def test_demo(demo: tuple[Path, str]) -> None:
    folder, said = demo
    assert {"model", "held_out.csv", "scored.csv", "report.html", "report.json"} <= {p.name for p in folder.iterdir()}
    assert f"Open the report: {folder.resolve() / 'report.html'}" in said.replace("\n", "")
    assert "RPAD" in (folder / "report.html").read_text("utf-8")
    json.loads((folder / "report.json").read_text("utf-8"))


def test_score(demo: tuple[Path, str], example: Path, tmp_path: Path, command: Command) -> None:
    done = command(
        "score", example / "pairs.csv", "-o", tmp_path / "s.parquet", "--model", demo[0] / "model", "--features"
    )
    assert done.code == 0, done.err
    scored = read_table(tmp_path / "s.parquet")
    assert {"id", "a", "b", "probability", "match", "levenshtein", "icd_nearest"} <= set(scored.names)
    assert f"{len(scored):,} pairs" in done.out


def test_evaluate_on_the_terminal(example: Path, tmp_path: Path, command: Command) -> None:
    done = command(
        "evaluate", example / "lists.csv", "--no-diagnosis", "none", "--json", tmp_path / "r.json", "--k", "2"
    )
    assert done.code == 0, done.err
    assert "RPAD" in done.out
    assert "RRAD" in done.out
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))


def test_columns_of_other_names(example: Path, tmp_path: Path, command: Command) -> None:
    text = (
        (example / "lists.csv")
        .read_text("utf-8")
        .replace("case_id,rater,role,rank,diagnosis", "case_id,who,role,rank,dx", 1)
    )
    (tmp_path / "l.csv").write_text(text, "utf-8")
    names = ("--column", "rater=who", "--column", "diagnosis=dx")
    assert command("evaluate", tmp_path / "l.csv", "--no-diagnosis", "none", *names).code == 0
    assert command("evaluate", tmp_path / "l.csv", "--column", "rater").code == 2


def test_icd(tmp_path: Path, command: Command) -> None:
    done = command("icd", "heart attack", "acute MI", "I21")
    assert done.code == 0, done.err
    assert "I21" in done.out
    (tmp_path / "s.csv").write_text("dx\nacute MI\n")
    done = command("icd", tmp_path / "s.csv", "--column", "dx", "-o", tmp_path / "o.csv", "--k", "3")
    assert done.code == 0, done.err
    row = read_table(tmp_path / "o.csv").data.to_pylist()[0]
    assert row["icd10"].startswith("I21")
    assert row["candidates"].count(";") == 2


@pytest.mark.slow
def test_own_abbreviations_travel_with_the_model(example: Path, tmp_path: Path, command: Command) -> None:
    (tmp_path / "abbr.csv").write_text("abbreviation,expansion\nZZQ,acute appendicitis\n")
    done = command("train", example / "pairs.csv", "-o", tmp_path / "m", "--abbreviations", tmp_path / "abbr.csv")
    assert done.code == 0, done.err
    (tmp_path / "p.csv").write_text("a,b\nZZQ,acute appendicitis\n")
    done = command("score", tmp_path / "p.csv", "-o", tmp_path / "o.csv", "--model", tmp_path / "m")
    assert read_table(tmp_path / "o.csv").column("probability") == ["1"]


def refused(done: Any, words: list[str], folder: Path, kept: set[str]) -> None:
    """Exit code 1, one clear line with these words, no traceback, and nothing left behind."""
    assert done.code == 1, (done.out, done.err)
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err, done.err
    assert len(done.err) < 1500
    assert {p.name for p in folder.iterdir()} == kept


PANEL = b"case_id,rater,rank,diagnosis\n1,ann,1,gout\n1,bob,1,"


@pytest.mark.parametrize(("content", "words"), [
    (PANEL.replace(b"diagnosis", b"name", 1) + b"flu\n", ["'diagnosis'", "missing"]), (PANEL + b"\n", ["row 3", "diagnosis"]),
    (PANEL + b"flu\n1,bob,3,rash\n", ["rank"]), (PANEL + b"flu\n2,bob,1,rash\n", ["ann", "2"]), (PANEL + b"x" * 1_000_000, ["row 3", "1,000,000 characters"]),
])  # fmt: skip
def test_bad_lists(tmp_path: Path, content: bytes, words: list[str], command: Command) -> None:
    (tmp_path / "lists.csv").write_bytes(content)
    done = command("evaluate", tmp_path / "lists.csv", "-o", tmp_path / "r.html", "--json", tmp_path / "r.json")
    refused(done, ["lists.csv", *words], tmp_path, {"lists.csv"})


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.csv", b"a,c,label\nx,y,1\n", ["p.csv", "the column 'b'", "is missing"]),
        ("p.csv", b"a,b,label\nx,y,maybe\n", ["row 2", "'label'", "0 (no match) or 1 (match)", "'maybe'"]),
        ("p.parquet", b"a,b,label\nx,y,1\n", ["not Parquet"]),
        ("p.csv", b"a,b,label\nx," + b"y" * 1_000_000 + b",1\n", ["row 2", "1,000,000 characters"]),
    ],
)
def test_bad_pairs(tmp_path: Path, name: str, content: bytes, words: list[str], command: Command) -> None:
    (tmp_path / name).write_bytes(content)
    refused(command("train", tmp_path / name, "-o", tmp_path / "m"), words, tmp_path, {name})


def test_an_option_and_a_model_that_cannot_be(
    demo: tuple[Path, str], example: Path, tmp_path: Path, command: Command
) -> None:
    done = command("evaluate", example / "lists.csv", "--k", "0", "-o", tmp_path / "r.html")
    refused(done, ["'k' parameter", "Got 0"], tmp_path, set())
    folder = tmp_path / "m"
    shutil.copytree(demo[0] / "model", folder)
    tree = folder / "trees" / "0.txt"
    tree.write_text(tree.read_text().replace("leaf_value=", "leaf_value=0", 1))
    done = command("score", example / "pairs.csv", "-o", tmp_path / "o.csv", "--model", folder)
    refused(done, ["trees/0.txt", "changed"], tmp_path, {"m"})


def test_wrong_usage_is_2(command: Command) -> None:
    assert command("score").code == 2
    assert command("nothing").code == 2


@pytest.mark.parametrize("arguments", ["--debug score none.csv -o o.csv", "score none.csv -o o.csv --debug",
                                       "votes status --store none --debug", "votes --debug status --store none"])  # fmt: skip
def test_debug_lets_an_error_through(arguments: str, command: Command) -> None:
    with pytest.raises(DxmatchError, match="no such"):
        command(*arguments.split())


def test_debug_shows_the_traceback_of_a_process(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "dxmatch.cli", "score", "none.csv", "-o", "o.csv"]
    for debug, shown in (([], False), (["--debug"], True)):
        done = subprocess.run([*run, *debug], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, "Traceback" in done.stderr) == (1, shown)


@pytest.mark.parametrize(("raised", "code", "said"), [
    (KeyboardInterrupt(), 130, "dxmatch: interrupted; nothing half-written is left."), (KeyboardInterrupt("12 chunks are kept"), 130, "dxmatch: 12 chunks are kept"),
    (MemoryError(), 1, "dxmatch: out of memory; score the file in parts."),
])  # fmt: skip
def test_how_a_command_ends_that_was_cut_short(
    raised: BaseException, code: int, said: str, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def cut_short(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("dxmatch.matcher.icd_mapping.map_icd", cut_short)
    done = command("icd", "heart attack")
    assert (done.code, done.err.strip()) == (code, said)


def test_an_existing_model_is_not_replaced_unasked(demo: tuple[Path, str], example: Path, command: Command) -> None:
    done = command("train", example / "pairs.csv", "-o", demo[0] / "model")
    assert done.code == 1
    assert "overwrite" in done.err


COMMANDS = [info.callback.__name__ for info in app.registered_commands if info.callback]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(name: str, command: Command) -> None:
    done = command(name, "--help")
    assert done.code == 0
    assert f"Example: dxmatch {name}" in " ".join(done.out.split())


def test_version(command: Command) -> None:
    assert command("--version").out.startswith("dxmatch 0.")
