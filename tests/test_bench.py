"""The benchmarks in short: each runs; and the table that they are shown in."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from .bench.report import ASKED, Row, failures, in_turns, show
from .bench.rivals import Verdicts

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("relative", "leaderboard", "job", "load", "first_match", "match", "trees", "shap", "icd")
LISTS = ["dedupe", "link", "link-peers", "--a", "60", "--b", "60", "--sample", "3"]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--short"], ["--beside", str(ROOT), "--pairs", "5000", "--runs", "0"], LISTS])
def test_each_runs(arguments: list[str], tmp_path: Path, shared_data: Path) -> None:
    """In a process of its own: it starts others, and finds `tests` as a package."""
    command = [sys.executable, "-m", "tests.bench", *arguments, "--json", str(tmp_path / "bench.json")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    if arguments == LISTS:
        assert "recall_of_the_best_5" in run.stdout
        return
    rows = json.loads((tmp_path / "bench.json").read_text("utf-8"))["rows"]
    absent = {"leaderboard"} if find_spec("ranx") is None else set()
    assert len(rows) == (5 if "--beside" in arguments else len({*NAMES} - absent))
    assert all(row["ratio"] > 0 for row in rows)


def test_a_table_of_ratios_with_what_is_below_its_mark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """More of a rate and less of a time or of memory are better; a bound that was asked for counts like a peer."""
    rows = [
        Row("quick", "pairs/s", 5000.0, "peer", 10.0, mark=100), Row("slow", "s", 4.0, "peer", 2.0, mark=1),
        Row("large", "MB", 5, "peer", 10), Row("late", "ms", 90, ASKED, 45, mark=1),
    ]  # fmt: skip
    show(rows, tmp_path / "made" / "bench.json")
    shown = capsys.readouterr().out
    assert "5,000" in shown and "500" in shown and "slow (peer): 0.5 times, of a mark of 1" in shown
    written = json.loads((tmp_path / "made" / "bench.json").read_text("utf-8"))
    assert [row["ratio"] for row in written["rows"]] == [500, 0.5, 2, 0.5]
    assert [line.split(" (")[0] for line in failures(rows)] == ["slow", "late"]


def test_ours_and_the_peer_are_measured_in_turns_and_the_fastest_run_counts() -> None:
    turns: list[str] = []
    clock = iter([0, 7, 7, 10, 10, 12, 12, 17])
    assert in_turns(lambda: turns.append("A"), lambda: turns.append("B"), 2, lambda: next(clock)) == (2, 3)
    assert turns == list("ABAB")


@pytest.mark.parametrize(("yes", "votes", "right", "true_match"), [
    (4, 4, 1, 1), (0, 4, 1, 0), (3, 4, 3 / 4, 3 / 4), (1, 4, 3 / 4, 0), (2, 4, 0, 0),
    (2, 3, 2 / 3 * 1 / 2, 2 / 3 * 1 / 2),  # of the other two votes one is a match and one is not: half a match each
])  # fmt: skip
def test_one_vote_beside_the_others(yes: int, votes: int, right: float, true_match: float) -> None:
    said = Verdicts.of_one_vote(np.array([yes / votes]), np.array([votes]))
    assert said.right[0] == pytest.approx(right) and said.true_match[0] == pytest.approx(true_match)
    assert said.true_match + said.false_match + said.missed + said.true_other == pytest.approx(1)
