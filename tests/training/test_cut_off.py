"""A training that is cut off leaves the old model in place, whole: by a kill, by Ctrl-C, while it trains or while it saves."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import dxmatch
from dxmatch.training.options import LabelRules
from dxmatch.training.train import train

TRAINING = """
import os, signal, sys
from dxmatch.cli.main import main
from dxmatch.training.engines.lightgbm_engine import LightGBM
LightGBM.fit = lambda *a, **k: os.kill(os.getpid(), {signal})
sys.argv = ["dxmatch", "train", "pairs.csv", "-o", "m", "--overwrite", "--features", {features!r}, "--seed", "1"]
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


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, toy_rows: pd.DataFrame, strings_only: Path) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    toy_rows.to_csv(folder / "pairs.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dxmatch.training.engines.lightgbm_engine.MAX_ROUNDS", 40)
        train(toy_rows, features=strings_only, labels=LabelRules(contained="match")).save(folder / "m")
    return folder


@pytest.fixture
def place(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    return tmp_path


def code_of(script: str, place: Path) -> int:
    return subprocess.run([sys.executable, "-c", script], cwd=place, capture_output=True, check=False).returncode


@pytest.mark.nightly
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_cut_off_while_it_trains(place: Path, strings_only: Path, sent: signal.Signals, code: int) -> None:
    before = dxmatch.load(place / "m").identity
    assert code_of(TRAINING.format(signal=int(sent), features=str(strings_only)), place) == code
    assert sorted(path.name for path in place.iterdir()) == ["m", "pairs.csv"]
    assert dxmatch.load(place / "m").identity == before


@pytest.mark.parametrize(("method", "left"), [("write_bytes", "m"), ("rename", ".m.old")])
def test_killed_while_it_saves(place: Path, method: str, left: str) -> None:
    """Between the two renames the old model stands beside, whole; the next load puts it back."""
    before = dxmatch.load(place / "m").identity
    assert code_of(SAVING.format(method=method), place) == -signal.SIGKILL
    assert (place / left).is_dir()
    assert (place / "m").exists() == (left == "m")
    assert dxmatch.load(place / "m").identity == before
