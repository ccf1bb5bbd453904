"""The command line as a user calls it: what it does, what it says, with which exit code, and what it leaves behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from dxmatch.cli.main import app
from dxmatch.errors import DxmatchError
from dxmatch.files.tables import read_table

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, command: Command) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo")
    done = command("demo", "--output", folder / "my demo")
    assert done.code == 0, done.err
    return folder / "my demo", done.out


def test_demo(demo: tuple[Path, str]) -> None:
    folder, said = demo
    made = {"model", "held_out.csv", "scored.csv", "report.html", "matches.csv", "panel.html"}
    assert made <= {p.name for p in folder.iterdir()}
    if os.name != "nt":
        assert not [p for p in (folder, *folder.rglob("*")) if p.stat().st_mode & 0o077], "others can read it"
    assert f"Open the reports: {folder.resolve() / 'report.html'}" in said.replace("\n", "")
    assert "top-1" in (folder / "report.html").read_text("utf-8")
    assert "RPAD" in (folder / "panel.html").read_text("utf-8")
    assert read_table(folder / "matches.csv").data.num_rows > 12 * 3


def test_score(demo: tuple[Path, str], example: Path, tmp_path: Path, command: Command) -> None:
    done = command(
        "score", example / "pairs.csv", "-o", tmp_path / "s.parquet", "--model", demo[0] / "model", "--features"
    )
    assert done.code == 0, done.err
    scored = read_table(tmp_path / "s.parquet")
    assert {"id", "a", "b", "probability", "match", "excluded", "icd_nearest"} <= set(scored.names)
    assert f"{len(scored):,} pairs" in done.out


def test_evaluate_on_the_terminal(example: Path, command: Command) -> None:
    done = command("evaluate", example / "lists.csv", "--no-diagnosis", "none", "--k", "2")
    assert done.code == 0 and "RPAD" in done.out and "RRAD" in done.out, done.err


def test_columns_of_other_names(example: Path, tmp_path: Path, command: Command) -> None:
    head, _, rows = (example / "lists.csv").read_text("utf-8").partition("\n")
    (tmp_path / "l.csv").write_text(f"{head.replace('rater', 'who').replace('diagnosis', 'dx')}\n{rows}", "utf-8")
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


@pytest.mark.parametrize(
    ("command_of", "content", "words"),
    [
        ("evaluate", b"case_id,rater,role,rank\n1,A,expert,1\n", ["no column holds diagnoses", "Or: --columns diagnosis=COLUMN"]),
        ("evaluate", b"case_id,rater,role,rank,diagnosis\n1,A,expert,1,x\n1,A,expert,1,y\n", ["row 3", "rank"]),
        ("evaluate", b"case_id,rater,role,rank,diagnosis\n1,A,expert,1," + b"x" * 1_000_000 + b"\n", ["row 2", "1,000,000 characters"]),
        ("evaluate", b"case_id,rater,role,rank,diagnosis\n1,A,expert,1,x\n1,B,algorithm,1,x\n", ["expert"]),
        ("train", b"", ["empty"]),
        ("train", b"a,b,label\nx,y,maybe\n", ["row 2", "'label'", "0 or 1, yes or no", "'maybe'"]),
        ("train", b"a,b,label\nx,\xe9t\xe9,1\n", ["row 2", "UTF-8", "in cp1252 it reads 'été'", "Or: --encoding cp1252"]),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, command_of: str, content: bytes, words: list[str], command: Command) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    refused(command(command_of, tmp_path / "t.csv", "-o", tmp_path / "r.html"), ["t.csv", *words], tmp_path, {"t.csv"})


def test_options_and_models_that_cannot_be_right(
    demo: tuple[Path, str], example: Path, tmp_path: Path, command: Command
) -> None:
    shutil.copytree(demo[0] / "model", tmp_path / "m")
    tree = tmp_path / "m" / "trees" / "0.txt"
    tree.write_text(tree.read_text().replace("leaf_value=", "leaf_value=0", 1))
    (tmp_path / "none").mkdir()
    lists, pairs = example / "lists.csv", example / "pairs.csv"
    for arguments, words in (
        (("evaluate", lists, "--k", 0, "-o", tmp_path / "r.html"), ["option --k must be", "Got 0"]),
        (("score", pairs, "-o", tmp_path / "o.csv", "--model", tmp_path / "none"), ["model.json"]),
        (("score", pairs, "-o", tmp_path / "o.csv", "--model", tmp_path / "m"), ["trees/0.txt", "changed"]),
        (("train", pairs, "-o", demo[0] / "model"), ["overwrite"]),
    ):
        refused(command(*arguments), words, tmp_path, {"m", "none"})


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
    (MemoryError(), 1, "dxmatch: out of memory; give it the data in parts."),
])  # fmt: skip
def test_how_a_command_ends_that_was_cut_short(
    raised: BaseException, code: int, said: str, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def cut_short(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("dxmatch.matcher.icd_mapping.map_icd", cut_short)
    done = command("icd", "heart attack")
    assert (done.code, done.err.strip()) == (code, said)


def commands(group: typer.Typer = app, *before: str) -> Iterator[tuple[str, ...]]:
    yield from ((*before, one.name or one.callback.__name__) for one in group.registered_commands if one.callback)
    for below in group.registered_groups:
        assert below.typer_instance is not None
        yield from commands(below.typer_instance, *before, below.typer_instance.info.name)


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_help_has_an_example(words: tuple[str, ...], command: Command) -> None:
    done = command(*words, "--help")
    assert done.code == 0 and f"Example: dxmatch {' '.join(words)}" in " ".join(done.out.split())


def test_version_and_wrong_usage(command: Command) -> None:
    assert command("--version").out.startswith("dxmatch 0.")
    assert command("score").code == command("nothing").code == 2


def test_an_output_never_replaces_the_input(example: Path, tmp_path: Path, command: Command) -> None:
    for name, arguments in (
        ("lists.csv", ("evaluate", "lists.csv", "-o")),
        ("pairs.csv", ("train", "pairs.csv", "-o", "m", "--held-out")),
    ):
        path = tmp_path / name
        shutil.copy(example / name, path)
        before = path.read_bytes()
        done = command(*(tmp_path / a if a in ("lists.csv", "pairs.csv", "m") else a for a in arguments), path)
        assert done.code == 1 and "the output is the input" in done.err and str(path) in done.err
        assert path.read_bytes() == before
