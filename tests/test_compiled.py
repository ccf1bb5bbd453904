"""Code that numba keeps is read only from where nobody else can put it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CALL = """
import warnings, sys
warnings.simplefilter("always")
import numba
numba.config.CACHE_DIR = sys.argv[1]
from dxmatch.compiled import compiled
def twice(x):
    return 2 * x
twice.__code__ = twice.__code__.replace(co_filename=sys.argv[2])
twice.__module__ = "some_loops"
assert compiled(twice)(3) == 6
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
@pytest.mark.parametrize(("mode", "used"), [(0o700, True), (0o777, False)])
def test_a_cache_that_others_can_write_is_not_used(tmp_path: Path, mode: int, used: bool) -> None:
    (cache := tmp_path / "numba").mkdir()
    cache.chmod(mode)
    (source := tmp_path / "loops.py").write_text("def twice(x):\n    return 2 * x\n")
    run = [sys.executable, "-c", CALL, str(cache), str(source)]
    done = subprocess.run(run, capture_output=True, text=True, check=False, env={**os.environ})
    assert done.returncode == 0, done.stderr
    assert bool(list(cache.rglob("*.nbi"))) == used
    assert (f"others can write {cache}" in done.stderr) != used


FIRST_USE = "import numpy; from dxmatch.models.tree_loops import sigmoid; sigmoid(numpy.zeros(3), 1.0, 0.0)"


def test_the_first_use_says_that_it_compiles(tmp_path: Path) -> None:
    (cache := tmp_path / "numba").mkdir(mode=0o700)
    run = [sys.executable, "-c", FIRST_USE]
    said = [
        subprocess.run(
            run, capture_output=True, text=True, check=True, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)}
        ).stderr
        for _ in range(2)
    ]
    assert said == ["dxmatch: compiling for this machine, about 15 s\n", ""]
