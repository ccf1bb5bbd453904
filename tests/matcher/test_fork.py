"""A process that forks after M was used, as `multiprocessing` does on Linux and gunicorn with `--preload`: parent and child score on."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import multiprocessing, os, sys
import numpy as np
import dxmatch

names = [f"{x} of the {y}" for x in ("cancer", "infection", "stenosis") for y in ("heart", "lung", "liver", "kidney")]
others = ["injury of the eye", "pain of the toe", "abscess of the lung", "gout of the toe", "lesion of the lung"]
m = dxmatch.load()
expected = m.probabilities(others, others[::-1])
m.probabilities(names, names[5:] + names[:5])
m.link(names, others)

def again(_):
    return m.probabilities(others, others[::-1]).tolist(), m.link(names[:3], others)["note"].to_pylist(), dxmatch.icd(others, matcher=m)["icd10"].to_pylist()

child = os.fork()
if child == 0:
    os._exit(0 if again(0)[0] == expected.tolist() else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    found = pool.map(again, range(4))
assert all(one == again(0) for one in found), found
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_parent_and_children_score() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
