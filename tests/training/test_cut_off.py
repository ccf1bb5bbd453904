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
from dxmatch.training.train import train

PAIR = ("disease of the heart", "heart disease")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, toy_rows: pd.DataFrame, strings_only: Path) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    toy_rows.to_csv(folder / "pairs.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dxmatch.training.engines.lightgbm_engine.MAX_ROUNDS", 40)
        train(toy_rows, strings_only, contained="match").save(folder / "m")
    return folder


@pytest.fixture
def place(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    return tmp_path


def run(script: str, place: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], cwd=place, capture_output=True, text=True, check=False)


def training(features: Path, before: str) -> str:
    """`dxmatch train --overwrite`, after the lines `before`."""
    return f"""
import os, signal, sys
from dxmatch.cli.main import main
from dxmatch.training import fold_fit
from dxmatch.training.engines import lightgbm_engine
lightgbm_engine.MAX_ROUNDS = 40
{before}
sys.argv = ["dxmatch", "train", "pairs.csv", "-o", "m", "--overwrite", "--features", {str(features)!r}, "--seed", "1"]
main()
"""


def saving(before: str) -> str:
    """The model is saved over itself, with another threshold, after the lines `before`."""
    return f"""
import os, signal
from dataclasses import replace
from pathlib import Path
from dxmatch.models import folder
parts = folder.load("m")
{before}
folder.save("m", replace(parts, manifest=replace(parts.manifest, threshold=0.123)), overwrite=True)
"""


WHILE_WRITING = """
write = Path.write_bytes
def cut(path, content):
    write(path, content[: len(content) // 2])
    os.kill(os.getpid(), signal.SIGKILL)
Path.write_bytes = cut
"""
BEFORE_THE_NAME = "folder._put_in_place = lambda *a: os.kill(os.getpid(), signal.SIGKILL)"
BETWEEN_RENAMES = """
rename = Path.rename
def cut(path, target):
    rename(path, target)
    os.kill(os.getpid(), signal.SIGKILL)
Path.rename = cut
"""


@pytest.mark.parametrize(("name", "code"), [("SIGKILL", -9), ("SIGINT", 130)])
def test_cut_off_while_it_trains(place: Path, strings_only: Path, name: str, code: int) -> None:
    before = dxmatch.load(place / "m")
    done = run(
        training(strings_only, f"fold_fit.fit_ensemble = lambda *a, **k: os.kill(os.getpid(), signal.{name})"), place
    )
    assert done.returncode == code, done.stderr
    assert sorted(path.name for path in place.iterdir()) == ["m", "pairs.csv"]
    after = dxmatch.load(place / "m")
    assert after.identity == before.identity
    assert after.probability(*PAIR) == before.probability(*PAIR)


@pytest.mark.parametrize("stop", [WHILE_WRITING, BEFORE_THE_NAME], ids=["writing", "before the name"])
def test_killed_while_it_saves(place: Path, stop: str) -> None:
    before = dxmatch.load(place / "m").identity
    assert run(saving(stop), place).returncode == -signal.SIGKILL
    assert dxmatch.load(place / "m").identity == before


def test_killed_between_the_renames(place: Path) -> None:
    """The old model is left whole beside, and can be put back by hand."""
    before = dxmatch.load(place / "m").identity
    assert run(saving(BETWEEN_RENAMES), place).returncode == -signal.SIGKILL
    (old,) = place.glob(".m.*.part/old")
    assert dxmatch.load(old).identity == before and not (place / "m").exists()
