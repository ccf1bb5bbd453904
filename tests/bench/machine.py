"""The machine that a run was on: what it is, and the most that one of its cores can do."""

from __future__ import annotations

import datetime
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .report import best_of

LIBRARIES = (
    "numpy", "numba", "pyarrow", "lightgbm", "shap", "faiss-cpu", "nltk", "rapidfuzz", "recordlinkage", "duckdb", "textdistance",
    "hiclass", "ranx", "pandas",
)  # fmt: skip


@dataclass(frozen=True)
class Bounds:
    """Of one core. bandwidth : bytes/s of memory read and written in order; arithmetic : float32 operations/s.

    gather : bytes/s of rows of 1 KB read at random places of a table that no cache holds.
    """

    bandwidth: float
    gather: float
    arithmetic: float


def facts() -> dict[str, Any]:
    """Processor, cores, memory, releases, and how busy the machine was when asked."""
    return {
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.system(),
        "python": sys.version.split()[0],
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "libraries": {name: release for name in LIBRARIES if (release := _release(name))},
    }


def _release(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def bounds(megabytes: int = 256) -> Bounds:
    """Measured here: STREAM's triad (McCalpin 1995), a gather of rows, and a product of two float32 matrices in BLAS."""
    triad_kernel, gather_kernel = _kernels()
    n = megabytes * 2**20 // 4
    a, b, c = (np.ones(n, np.float32) for _ in range(3))
    table = a[: n // 256 * 256].reshape(-1, 256)
    at = np.random.default_rng(0).permutation(len(table))
    triad = best_of(_warm(lambda: triad_kernel(a, b, c)), 5, time.process_time)
    gather = best_of(_warm(lambda: gather_kernel(table, at)), 5, time.process_time)
    size = 2048
    x = np.ones((size, size), np.float32)
    with threadpool_limits(limits=1):
        product = best_of(_warm(lambda: x @ x), 3, time.process_time)
    # A triad reads two arrays and writes a third; that it fetches the third before, STREAM does not count either.
    return Bounds(3 * a.nbytes / triad, table.nbytes / gather, 2 * size**3 / product)


def _kernels() -> tuple[Callable[..., None], Callable[..., Any]]:
    from numba import njit

    @njit(nogil=True)
    def triad(a, b, c):
        for i in range(a.size):
            a[i] = b[i] + np.float32(3.0) * c[i]

    @njit(nogil=True, fastmath=True)
    def gather(table, at):
        total = np.float32(0.0)
        for row in at:
            for k in range(table.shape[1]):
                total += table[row, k]
        return total

    return triad, gather


def bounds_as_facts(of_one_core: Bounds) -> dict[str, float]:
    return {name: round(value / 1e9, 1) for name, value in asdict(of_one_core).items()}


def _warm(work: Callable[[], object]) -> Callable[[], object]:
    work()
    return work
