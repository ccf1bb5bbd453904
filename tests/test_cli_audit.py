"""`dxmatch audit` and `dxmatch explain` from the command line, with the model that ships."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dxmatch.cli", *map(str, arguments)], capture_output=True, text=True, timeout=300
    )


def test_audit(example: Path, tmp_path: Path) -> None:
    few = ("--repeats", "1", "--bootstrap", "20", "--sample", "50")
    done = run("audit", example / "pairs.csv", "-o", tmp_path / "audit", *few)
    assert done.returncode == 0, done.stderr
    assert "Shuffling" in done.stdout and "cosine_static" in done.stdout
    assert (tmp_path / "audit" / "audit.html").is_file()
    assert json.loads((tmp_path / "audit" / "audit.json").read_text("utf-8"))["made_with"]["pairs"] == 494
    (tmp_path / "audit" / "mine.txt").write_text("x")
    again = run("audit", example / "pairs.csv", "-o", tmp_path / "audit", *few)
    assert again.returncode == 1 and "mine.txt" in again.stderr and "Traceback" not in again.stderr


def test_explain(tmp_path: Path) -> None:
    done = run("explain", "heart attack", "acute MI", "-o", tmp_path / "why.svg")
    assert done.returncode == 0, done.stderr
    assert "M calls them a match" in done.stdout and (tmp_path / "why.svg").read_text("utf-8").startswith("<svg")
    told = json.loads(run("explain", "type 1 diabetes", "type 2 diabetes", "--json").stdout)
    assert told["opposed"] and told["names"] == ["type 1 diabetes", "type 2 diabetes"]
    wrong = run("explain", "heart attack", "acute MI", "-o", tmp_path / "why.pdf")
    assert wrong.returncode == 1 and ".svg" in wrong.stderr
