"""The benchmarks in short: each runs; and the table that they are shown in."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from .bench.__main__ import main
from .bench.report import ASKED, Row, failures, in_turns, show
from .bench.rivals import Verdicts

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("relative", "leaderboard", "job", "load", "first_match", "match", "trees", "shap", "icd")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A process of its own: it starts others, and finds `tests` as a package."""
    return subprocess.run(
        [sys.executable, "-m", "tests.bench", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_each_runs(tmp_path: Path) -> None:
    run = bench("--short", "--json", str(tmp_path / "bench.json"))
    assert run.returncode == 0, run.stdout + run.stderr
    rows = json.loads((tmp_path / "bench.json").read_text("utf-8"))["rows"]
    absent = {"leaderboard"} if find_spec("ranx") is None else set()
    assert len(rows) == len(set(NAMES) - absent)
    assert all(row["mark"] > 0 and row["ratio"] > 0 for row in rows)


@pytest.mark.slow
def test_a_checkout_beside_itself(tmp_path: Path) -> None:
    run = bench("--beside", str(ROOT), "--pairs", "5000", "--runs", "0", "--json", str(tmp_path / "beside.json"))
    assert run.returncode == 0, run.stdout + run.stderr
    rows = json.loads((tmp_path / "beside.json").read_text("utf-8"))["rows"]
    assert {row["unit"] for row in rows} == {"pairs/s", "MB", "s", "ms", "rows/s"}
    assert all(0.02 < row["ratio"] < 50 for row in rows), rows


@pytest.mark.parametrize(
    ("unit", "ours", "theirs", "ratio"), [("pairs/s", 300, 100, 3), ("s", 2, 6, 3), ("ms", 6, 2, 1 / 3), ("MB", 5, 10, 2)]
)  # fmt: skip
def test_more_of_a_rate_and_less_of_a_time_are_better(unit: str, ours: float, theirs: float, ratio: float) -> None:
    assert Row("a", unit, ours, "b", theirs).ratio == pytest.approx(ratio)


def test_what_is_below_its_mark_is_named() -> None:
    rows = [Row("fast", "pairs/s", 90, "peer", 10, mark=9), Row("slow", "pairs/s", 89, "peer", 10, mark=9), Row("no mark", "s", 5, "peer", 1), Row("a bound", "s", 90, ASKED, 1, mark=1)]  # fmt: skip
    assert [line.split(" (")[0] for line in failures(rows)] == ["slow", "a bound"]


def test_ours_and_the_peer_are_measured_in_turns_and_the_fastest_run_counts() -> None:
    turns: list[str] = []
    clock = iter([0, 7, 7, 10, 10, 12, 12, 17])
    assert in_turns(lambda: turns.append("A"), lambda: turns.append("B"), 2, lambda: next(clock)) == (2, 3)
    assert turns == list("ABAB")


def test_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [Row("quick", "pairs/s", 5000.0, "peer", 10.0, mark=100), Row("slow", "s", 4.0, "peer", 2.0, mark=1)]
    show(rows, tmp_path / "made" / "bench.json")
    shown = capsys.readouterr().out
    assert "5,000" in shown and "500" in shown and "slow (peer): 0.5 times, of a mark of 1" in shown
    written = json.loads((tmp_path / "made" / "bench.json").read_text("utf-8"))
    assert [row["ratio"] for row in written["rows"]] == [500, 0.5]


def test_the_command_names_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in (*NAMES, "accuracy"))
    assert main(["nonsense"]) == 2 and "nonsense" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("yes", "votes", "right", "true_match"),
    [
        (4, 4, 1, 1),
        (0, 4, 1, 0),
        (3, 4, 3 / 4, 3 / 4),
        (1, 4, 3 / 4, 0),
        # of the other two votes one is a match and one is not: half a match each
        (2, 3, 2 / 3 * 1 / 2, 2 / 3 * 1 / 2),
        (2, 4, 0, 0),
    ],
)
def test_one_vote_beside_the_others(yes: int, votes: int, right: float, true_match: float) -> None:
    said = Verdicts.of_one_vote(np.array([yes / votes]), np.array([votes]))
    assert said.right[0] == pytest.approx(right) and said.true_match[0] == pytest.approx(true_match)
    assert said.true_match + said.false_match + said.missed + said.true_other == pytest.approx(1)
