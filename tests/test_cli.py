"""The command line as a user calls it: what commands give, with which exit code they end, and what they leave behind."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dxmatch.features.feature_set import FeatureSet
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import read_table

from .toy_pairs import *  # noqa: F403

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, command: Command) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo") / "my demo"
    done = command("demo", "--output", folder)
    assert done.code == 0, done.err
    return folder, done.out


def test_demo(demo: tuple[Path, str]) -> None:
    folder, said = demo
    made = {"model", "held_out.csv", "scored.csv", "report.html", "matches.csv", "panel.html"}
    assert made <= {each.name for each in folder.iterdir()}
    if os.name != "nt":
        assert not [each for each in (folder, *folder.rglob("*")) if each.stat().st_mode & 0o077], "others can read it"
    assert str(folder.resolve() / "report.html") in said.replace("\n", "")
    assert "top-1" in (folder / "report.html").read_text("utf-8") and "RPAD" in (folder / "panel.html").read_text(
        "utf-8"
    )
    assert read_table(folder / "matches.csv").data.num_rows > 12 * 3


def test_score_icd_and_explain(demo: tuple[Path, str], example: Path, tmp_path: Path, command: Command) -> None:
    given = ("--matcher", demo[0] / "model", "--add", "features")
    done = command("score", example / "pairs.csv", "-o", tmp_path / "s.parquet", *given)
    scored = read_table(tmp_path / "s.parquet")
    assert done.code == 0 and f"{len(scored):,} pairs" in done.out, done.err
    assert {"id", "a", "b", "probability", "match", "excluded", "icd_nearest"} <= set(scored.names)
    assert "I21" in command("icd", "heart attack", "acute MI", "I21").out
    (tmp_path / "s.csv").write_text("dx\nacute MI\n")
    assert command("icd", tmp_path / "s.csv", "--column", "dx", "-o", tmp_path / "o.csv", "--k", "3").code == 0
    (row,) = read_table(tmp_path / "o.csv").data.to_pylist()
    assert row["icd10"].startswith("I21") and row["candidates"].count(";") == 2
    done = command("explain", "heart attack", "acute MI", "-o", tmp_path / "why.svg")
    assert "a match" in done.out and (tmp_path / "why.svg").read_text("utf-8").startswith("<svg"), done.err
    assert "not understood" in command("explain", "Лихорадка", "fever").err
    assert command("explain", "Лихорадка", "fever", "--judge-all").code == 0
    told = json.loads(command("explain", "type 1 diabetes", "type 2 diabetes", "--json").out)
    assert told["opposed"] and told["names"] == ["type 1 diabetes", "type 2 diabetes"]


@pytest.mark.slow
def test_audit(example: Path, tmp_path: Path, command: Command) -> None:
    few = ("--repeats", "1", "--resamples", "20", "--sample", "50")
    done = command("audit", example / "pairs.csv", "-o", tmp_path / "audit", *few)
    assert done.code == 0 and "cosine_static" in done.out and (tmp_path / "audit" / "audit.html").is_file(), done.err
    assert json.loads((tmp_path / "audit" / "audit.json").read_text("utf-8"))["made_with"]["pairs"] == 494
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.txt").write_text("x")
    assert command("audit", example / "pairs.csv", "-o", tmp_path / "mine", *few).code == 1


@pytest.mark.slow
def test_own_abbreviations_travel_with_the_model(example: Path, tmp_path: Path, command: Command) -> None:
    (tmp_path / "abbr.csv").write_text("abbreviation,expansion\nZZQ,acute appendicitis\n")
    (tmp_path / "p.csv").write_text("a,b\nZZQ,acute appendicitis\n")
    given = ("--abbreviations", tmp_path / "abbr.csv")
    assert command("train", example / "pairs.csv", "-o", tmp_path / "m", *given).code == 0
    command("score", tmp_path / "p.csv", "-o", tmp_path / "o.csv", "--matcher", tmp_path / "m")
    assert read_table(tmp_path / "o.csv").column("probability") == ["1"]


@pytest.mark.usefixtures("few_rounds")
def test_from_pairs_to_a_model_to_labels_to_a_model(
    toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command as it is typed: train, suggest, label, labels with its ties and its review, and train again."""

    def run(*arguments: object) -> str:
        done = command(*arguments)
        assert done.code == 0, done.err
        return f"{done.out}{done.err}"

    monkeypatch.chdir(tmp_path)
    truth = {frozenset((row.a, row.b)): row.label for row in toy_pairs.itertuples()}
    toy_pairs[:150].to_csv("first.csv", index=False)
    toy_pairs[150:][["a", "b"]].to_csv("pool.csv", index=False)
    given = ["--features", strings_only, "--contained", "match"]
    run("train", "first.csv", "-o", "m1", *given)
    run("suggest", "pool.csv", "--matcher", "m1", "-n", 60, "-o", "round", "--experts", "anna, ben")
    assert command("suggest", "pool.csv", "-n", 20, "-o", "round").code == 1, "the folder holds something"
    sheets = {expert: read_table(f"round/sheets/{expert}.xlsx").data.to_pylist() for expert in ("anna", "ben")}
    labels, of_ben = ([truth[frozenset((row["a"], row["b"]))] for row in rows] for rows in sheets.values())
    typed = "".join(f"{label}\n" for label in labels[:-1]) + "u\n"
    for part in (typed[:40], typed[40:]):
        monkeypatch.setattr(sys, "stdin", io.StringIO(part))
        said = run("label", "round", "-o", "anna.csv", "--expert", "anna")
    assert f"60 pairs: {sum(labels[:-1])} yes, {59 - sum(labels[:-1])} no, 1 unsure." in said
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{label}\n" for label in of_ben)))
    run("label", "round", "-o", "ben.csv", "--expert", "ben")
    both, ties, review = ("labels", "anna.csv", "ben.csv", "-o", "labelled.csv"), Path("ties.csv"), Path("review.csv")
    assert "1 pair to adjudicate" in run(*both, "--open-pairs", ties)
    assert command(*both, "--open-pairs", ties).code == 1, "a sheet that may be filled is kept"
    ties.write_text(ties.read_text("utf-8-sig").replace(",,", ",yes,"), "utf-8")
    assert "60 pairs to review" in run(*both, "--adjudicated", ties, "--review", review)
    review.write_text(review.read_text("utf-8-sig").replace(",,", ",no,"), "utf-8")
    run(*both, "--adjudicated", ties, "--reviewed", review)
    assert (
        len(read_pairs("labelled.csv", label="label")) == 60
        and not read_pairs("labelled.csv", label="label").label.any()
    )
    assert "150 of first.csv, 59 of anna.csv" in run("train", "first.csv", "anna.csv", "-o", "m2", *given)


LISTS = b"case_id,rater,role,rank,diagnosis\n"


@pytest.mark.parametrize(
    ("command_of", "content", "words"),
    [
        ("evaluate", b"case_id,rater,role,rank\n1,A,expert,1\n", ["Or: --columns diagnosis=COLUMN"]),
        ("evaluate", LISTS + b"1,A,expert,1,x\n1,A,expert,1,y\n", ["row 3", "rank"]),
        ("evaluate", LISTS + b"1,A,expert,1," + b"x" * 1_000_000 + b"\n", ["row 2", "1,000,000"]),
        ("evaluate", LISTS + b"1,A,expert,1,x\n1,B,algorithm,1,x\n", ["expert"]),
        ("train", b"", ["empty"]),
        ("train", b"a,b,label\nx,y,maybe\n", ["row 2", "'label'", "'maybe'"]),
        ("train", b"a,b,label\nx,\xe9t\xe9,1\n", ["row 2", "'été'", "Or: --encoding cp1252"]),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, command_of: str, content: bytes, words: list[str], command: Command) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    done = command(command_of, tmp_path / "t.csv", "-o", tmp_path / "r.html")
    assert done.code == 1 and "Traceback" not in done.err and len(done.err) < 1500
    assert not [word for word in ("t.csv", *words) if word not in done.err], done.err
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]


def test_a_model_that_is_none_or_was_changed(
    demo: tuple[Path, str], example: Path, tmp_path: Path, command: Command
) -> None:
    shutil.copytree(demo[0] / "model", tmp_path / "m")
    tree = tmp_path / "m" / "trees" / "0.txt"
    tree.write_text(tree.read_text().replace("leaf_value=", "leaf_value=0", 1))
    (tmp_path / "none").mkdir()
    for arguments, word in (
        (("score", example / "pairs.csv", "-o", tmp_path / "o.csv", "--matcher", tmp_path / "none"), "model.json"),
        (("score", example / "pairs.csv", "-o", tmp_path / "o.csv", "--matcher", tmp_path / "m"), "trees/0.txt"),
        (("train", example / "pairs.csv", "-o", demo[0] / "model"), "--overwrite"),
    ):
        done = command(*arguments)
        assert done.code == 1 and word in done.err and {each.name for each in tmp_path.iterdir()} == {"m", "none"}


@pytest.mark.parametrize("arguments", ["score none.csv -o o.csv", "votes status --store none"])
def test_debug_shows_the_traceback(arguments: str, command: Command) -> None:
    for debug in (("--debug", *arguments.split()), (*arguments.split(), "--debug")):
        done = command(*debug)
        assert (done.code, "Traceback" in done.err) == (1, True)
    assert "Traceback" not in command(*arguments.split()).err


@pytest.mark.parametrize(("raised", "code", "said"), [
    (KeyboardInterrupt(), 130, "interrupted"), (KeyboardInterrupt("12 chunks are kept"), 130, "12 chunks are kept"),
    (MemoryError(), 1, "out of memory"), (PermissionError(13, "Permission denied", "t.csv"), 1, "t.csv"),
    (ValueError("Zzyzx"), 70, "--debug"),
])  # fmt: skip
def test_how_a_command_ends_that_was_cut_short(
    raised: BaseException, code: int, said: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("dxmatch.matcher.icd_mapping.map_icd", cut_short)
    done = command("icd", "heart attack")
    assert done.code == code and said in done.err and len(done.err.splitlines()) == 1 and "Zzyzx" not in done.err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_command_in_a_line(sent: signal.Signals) -> None:
    run = [sys.executable, "-m", "dxmatch.cli", "score", "/dev/stdin"]
    with subprocess.Popen(
        run, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(5)
        process.send_signal(sent)
        assert process.wait(30) == 130 and process.stderr is not None
        assert process.stderr.read().startswith("dxmatch: interrupted")


@pytest.mark.parametrize("name", ["vote", "soft_vote", "embedding"])
def test_feature_sets_of_the_example(name: str, example: Path) -> None:
    """They have the columns of `offline`, and one more that is asked of a server."""
    made = FeatureSet.read(example / "features" / f"{name}.toml")
    offline = FeatureSet.read("offline")
    assert made.features[1:] == offline.features and made.language == offline.language
    made.check_providers(name)
    assert (made.asked or made.declared_encoders) and len(made.endpoints) == 1
