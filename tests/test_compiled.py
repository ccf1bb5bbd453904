"""The first use on a machine says that it compiles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
