"""The benchmarks in short: each runs; and the table that they are shown in."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("leaderboard", "job", "load", "first_match", "match", "trees", "shap", "icd", "ask")
LISTS = ["dedupe", "link", "link-peers", "cases", "--a", "60", "--b", "60", "--sample", "3"]


@pytest.mark.nightly
@pytest.mark.parametrize("arguments", [["--short"], ["--beside", str(ROOT), "--pairs", "5000", "--runs", "0"], LISTS])
def test_each_runs(arguments: list[str], tmp_path: Path, shared_data: Path) -> None:
    """In a process of its own: it starts others, and finds `tests` as a package."""
    command = [sys.executable, "-m", "tests.bench", *arguments, "--json", str(tmp_path / "bench.json")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    if arguments == LISTS:
        assert "all matches" in run.stdout
        return
    rows = json.loads((tmp_path / "bench.json").read_text("utf-8"))["rows"]
    absent = {"leaderboard"} if find_spec("ranx") is None else set()
    assert len(rows) == (5 if "--beside" in arguments else len({*NAMES} - absent))
    assert all(row["ratio"] > 0 for row in rows)
