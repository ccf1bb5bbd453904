"""A training that is cut off leaves the old model in place, whole: by a kill, by Ctrl-C, while it trains or while it saves."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dxmatch.models.folder import load

TRAINING = """
import os, signal, sys
from dxmatch.cli.main import main
from dxmatch.training.engines.lightgbm_engine import LightGBM
LightGBM.fit = lambda *a, **k: os.kill(os.getpid(), {signal})
sys.argv = ["dxmatch", "train", {pairs!r}, "-o", "m", "--overwrite", "--features", {features!r}]
main()
"""
SAVING = """
import os, signal
from dataclasses import replace
from pathlib import Path
from dxmatch.models import folder
parts, usual = folder.load("m"), Path.{method}
def cut(path, given):
    usual(path, given[: len(given) // 2] if isinstance(given, bytes) else given)
    os.kill(os.getpid(), signal.SIGKILL)
Path.{method} = cut
folder.save("m", replace(parts, card="# other"), overwrite=True)
"""


@pytest.fixture
def hashed(tmp_path: Path) -> str:
    """Of the model in `m`: any will do."""
    return load(shutil.copytree(Path(__file__).parents[1] / "models" / "golden" / "model", tmp_path / "m")).sha256


def code_of(script: str, place: Path) -> int:
    return subprocess.run([sys.executable, "-c", script], cwd=place, capture_output=True, check=False).returncode


@pytest.mark.nightly
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_cut_off_while_it_trains(
    hashed: str, tmp_path: Path, example: Path, strings_only: Path, sent: signal.Signals, code: int
) -> None:
    given = {"signal": int(sent), "features": str(strings_only), "pairs": str(example / "pairs.csv")}
    assert code_of(TRAINING.format(**given), tmp_path) == code
    assert [path.name for path in tmp_path.iterdir()] == ["m"] and load(tmp_path / "m").sha256 == hashed


@pytest.mark.parametrize(("method", "left"), [("write_bytes", "m"), ("rename", ".m.old")])
def test_killed_while_it_saves(hashed: str, tmp_path: Path, method: str, left: str) -> None:
    """Between the two renames the old model stands beside, whole; the next load puts it back."""
    assert code_of(SAVING.format(method=method), tmp_path) == -signal.SIGKILL
    assert (tmp_path / left).is_dir() and (tmp_path / "m").exists() == (left == "m")
    assert load(tmp_path / "m").sha256 == hashed
