from __future__ import annotations

import subprocess
import sys


def test_runs_where_no_folder_can_be_written() -> None:
    """numba finds no place for its cache: the kernels are compiled all the same."""
    code = """
import numba.core.caching as caching
def nowhere(self, *_):
    raise RuntimeError("cannot cache function: no locator available")
caching.FunctionCache.__init__ = nowhere
import numpy as np
from dxmatch.features.levenshtein import Spelling, normalized_levenshtein
out = np.empty(1, np.float32)
normalized_levenshtein(Spelling.of(["abc", "abd"]), np.array([0], np.int32), np.array([1], np.int32), out)
print(out[0])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert abs(float(run.stdout) - 1 / 3) < 1e-6
