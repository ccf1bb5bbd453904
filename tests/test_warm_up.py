"""Kernels made ready in the background, each time in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = """
import os, sys, threading, time
import numpy as np
from dxmatch import compiled, warm_up
from dxmatch.features.levenshtein import Spelling, normalized_levenshtein

@compiled.compiled(few="x")
def twice(x):
    return x * 2 if isinstance(x, list) else x + x

numbers = np.arange(3)
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stderr == ""
    return done.stdout


def test_others_do_without_until_it_is_done() -> None:
    said = run("""
inside, go = threading.Event(), threading.Event()
def work():
    assert compiled.kernels_compiled()
    inside.set()
    go.wait()
warm_up.warm_up(work)
inside.wait()
print(compiled.kernels_compiled(), compiled.made_ready(), twice(numbers).tolist(), "numba" in sys.modules)
go.set()
warm_up.wait()
print(compiled.kernels_compiled(), compiled.made_ready())
""")
    assert said.splitlines() == ["False True [0, 2, 4] False", "True False"]


def test_what_fails_there_comes_up_here() -> None:
    said = run("""
def work():
    raise ValueError("no kernels today")
warm_up.warm_up(work)
warm_up.wait()
print(compiled.kernels_compiled(), compiled.made_ready())
""")
    assert said == "False False\n"


def test_only_once() -> None:
    said = run("""
runs = []
def work():
    runs.append(1)
    raise ValueError
for _ in range(3):
    warm_up.warm_up(work)
    warm_up.wait()
print(len(runs))
""")
    assert said == "1\n"


def test_the_process_may_end_meanwhile() -> None:
    said = run("""
def work():
    print("begun", flush=True)
    time.sleep(0.2)
    many = np.arange(100)
    Spelling.of(["a", "b"])
    zeros = np.zeros(9, np.int32)
    normalized_levenshtein(Spelling.of(["a", "b"]), zeros, zeros, np.empty(9, np.float32))
    print("not reached")
warm_up.warm_up(work)
while not compiled.made_ready():
    pass
""")
    assert said == "begun\n"


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
def test_a_child_has_what_its_parent_began() -> None:
    said = run("""
def work():
    zeros = np.zeros(9, np.int32)
    normalized_levenshtein(Spelling.of(["a", "b"]), zeros, zeros, np.empty(9, np.float32))
warm_up.warm_up(work)
child = os.fork()
if not child:
    out = np.empty(9, np.float32)
    normalized_levenshtein(Spelling.of(["a", "b"]), np.zeros(9, np.int32), np.ones(9, np.int32), out)
    print(compiled.kernels_compiled(), float(out[0]), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
""")
    assert said.splitlines() == ["True 1.0", "0"]
