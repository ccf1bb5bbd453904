"""The benchmarks in short: nothing is below a third of its mark; and the table that they are shown in."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from .bench.collect import NAMED, TABLE
from .bench.report import (
    ASKED,
    Row,
    Work,
    best_of,
    failures,
    peak_memory,
    reset_peak_memory,
    shortfalls,
    show,
    versus,
    with_memory,
)

ROOT = Path(__file__).resolve().parents[1]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A process of its own: it starts others, and finds `tests` as a package."""
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", TABLE)
def test_nothing_is_below_a_third_of_its_mark(name: str, tmp_path: Path) -> None:
    run = python("-m", "tests.bench", name, "--short", "--json", str(tmp_path / "bench.json"))
    assert run.returncode == 0, run.stdout + run.stderr
    rows = json.loads((tmp_path / "bench.json").read_text("utf-8"))["rows"]
    assert any(row["mark"] is not None and row["ratio"] is not None for row in rows), "nothing here has a mark"
    assert all(row["memory"] > 0 and row["part"] == name for row in rows)


def test_more_of_a_rate_and_less_of_a_time_are_better() -> None:
    assert Row("a", "pairs/s", 300, "b", 100).ratio == 3
    assert Row("a", "s", 2, "b", 6).ratio == 3
    assert Row("a", "us/pair", 2, "b", 6).ratio == 3
    assert Row("a", "MB", 50, "b", 100).ratio == 2
    assert Row("a", "share", 0.9, "b", 0.6).ratio == pytest.approx(1.5)
    assert Row("a", "s", 2).ratio is None


@pytest.mark.parametrize(("ours", "reached"), [(90, True), (30, True), (29.9, False), (1, False)])
def test_the_short_version_fails_below_a_third_of_the_mark_only(ours: float, reached: bool) -> None:
    rows = [Row("what", "pairs/s", ours, "peer", 10, mark=9), Row("no mark", "s", 5, "peer", 1), Row("no peer", "s", 5, mark=9)]  # fmt: skip
    rows.append(Row("a bound", "s", 90, ASKED, 1, mark=1))
    assert [line.split(" (")[0] for line in failures(rows)] == ([] if reached else ["what"])
    assert [line.split(" (")[0] for line in shortfalls(rows)] == (["what"] if ours < 90 else []) + ["a bound"]


def test_ours_and_the_peer_are_measured_in_turns() -> None:
    turns: list[str] = []
    ticks = iter(range(100))
    # the clock stands at 0, 1, 2 …: every run takes one second
    row = versus("what", "pairs/s", Work(lambda: turns.append("A"), 50), "peer", Work(lambda: turns.append("B"), 5),
                 mark=2, runs=3, clock=lambda: next(ticks))  # fmt: skip
    assert turns == list("ABABAB")
    assert (row.ours, row.theirs, row.ratio) == (50, 5, 10)
    assert row.memory is not None and row.memory > 0


def test_the_fastest_run_counts() -> None:
    clock = iter([0, 7, 10, 12, 20, 25])
    assert best_of(lambda: None, 3, lambda: next(clock)) == 2


def test_memory_is_of_each_row_alone() -> None:
    def rows():
        held = bytearray(b"x" * (200 << 20))
        yield Row("large", "s", float(len(held)))
        del held
        yield Row("small", "s", 1.0)
        yield Row("says itself", "s", 1.0, memory=7.0)

    before = peak_memory()
    large, small, said = with_memory(rows())
    assert large.memory is not None and small.memory is not None
    assert large.memory >= before
    reset_peak_memory()
    if peak_memory() < large.memory - 100:  # the system counts anew
        assert small.memory < large.memory - 100
    assert said.memory == 7.0


def test_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        Row("quick", "pairs/s", 5000.0, "peer", 10.0, mark=100, memory=12.3),
        Row("slow", "s", 4.0, "peer", 2.0, mark=1),
    ]
    show(rows, tmp_path / "made" / "bench.json", {"scale": "short"})
    shown = capsys.readouterr().out
    assert "5,000" in shown and "500" in shown and "slow (peer): 0.5 times, of a mark of 1" in shown
    written = json.loads((tmp_path / "made" / "bench.json").read_text("utf-8"))
    assert written["scale"] == "short"
    assert [row["ratio"] for row in written["rows"]] == [500, 0.5]
    assert math.isclose(written["rows"][0]["memory"], 12.3)


def test_the_command_names_what_there_is() -> None:
    listed = python("-m", "tests.bench", "--list")
    assert listed.returncode == 0, listed.stderr
    assert all(name in listed.stdout for name in (*TABLE, *NAMED, "growth", "profile"))
    assert all((ROOT / "tests" / "bench" / f"bench_{name}.py").is_file() for name in (*TABLE, *NAMED))
    unknown = python("-m", "tests.bench", "nonsense")
    assert unknown.returncode == 2 and "nonsense" in unknown.stderr


def test_a_benchmark_that_fails_is_told() -> None:
    failing = "from tests.bench.collect import apart; print(apart('of_nothing', 'short'))"
    run = python("-c", failing)
    assert "rows=[], error=\"ModuleNotFoundError: No module named 'tests.bench.bench_of_nothing'" in run.stdout
