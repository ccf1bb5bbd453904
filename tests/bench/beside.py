"""The same measures on this checkout and on another, in turns in one run: what a change costs or brings.

    python -m tests.bench --beside ../dxmatch-of-before --pairs 10000000

Each measure runs in a process of its own that finds one of the two packages, and uses its public functions alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .made import make_pairs
from .report import Row
from .speed import feature_rows, start_once

HERE = Path(__file__).resolve().parents[2]
PROC = Path("/proc")
SECONDS_BETWEEN_LOOKS = 0.1
TREE_ROWS = 200_000

JOB = """
import sys, time
from pathlib import Path
if __name__ == "__main__":
    start = time.perf_counter()
    import dxmatch
    dxmatch.score_files(Path(sys.argv[1]), Path(sys.argv[2]))
    print(time.perf_counter() - start)
"""
TREES = """
import sys, time
import numpy as np
import dxmatch
m, table = dxmatch.load(), np.load(sys.argv[1])[:, :int(sys.argv[2])]
table = np.ascontiguousarray(np.resize(table, (len(table), len(m.features.names))))
raw = (m.decider if hasattr(m, "decider") else m).raw  # where it stood before
raw(table[:1000], threads=1)
each = []
for _ in range(3):
    start = time.process_time()
    raw(table, threads=1)
    each.append(time.process_time() - start)
print(min(each))
"""


@contextmanager
def found_as_dxmatch(checkout: Path) -> Iterator[str]:
    """A folder for PYTHONPATH in which `dxmatch` is this checkout."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "dxmatch").symlink_to(checkout.resolve(), target_is_directory=True)
        yield folder


def beside(other: Path, pairs: int, runs: int) -> list[Row]:
    """The rows of the table: this checkout is ours, `other` the peer."""
    figures: dict[str, list[list[float]]] = {}
    with (
        found_as_dxmatch(HERE) as ours,
        found_as_dxmatch(other) as theirs,
        tempfile.TemporaryDirectory() as name,
    ):
        folder = Path(name)
        source = make_pairs(folder / "pairs.parquet", pairs, 50_000)
        np.save(folder / "rows.npy", feature_rows(min(pairs, TREE_ROWS), 40))
        for run in range(runs + 1):
            for side, path in enumerate((ours, theirs)):
                taken = measured(path, source, folder, pairs)
                if run == 0 and runs:  # compiles, builds the index of ICD-10, fills the disk's cache
                    continue
                for key, value in taken.items():
                    figures.setdefault(key, [[], []])[side].append(value)
    rows = []
    for key, (mine, others) in figures.items():
        what, _, unit = key.rpartition(", ")
        best = max if unit.endswith("/s") else min
        rows.append(Row(what, unit, best(mine), other.name, best(others)))
    return rows


def measured(path: str, source: Path, folder: Path, pairs: int) -> dict[str, float]:
    """By "what, unit"."""
    start = start_once(100, PYTHONPATH=path)
    output = folder / "scored.parquet"
    seconds, memory = run(path, JOB, source, output)
    output.unlink()
    trees, _ = run(path, TREES, folder / "rows.npy", "40")
    return {
        f"{pairs:,} pairs, Parquet to Parquet, pairs/s": pairs / seconds,
        "  its memory at the peak, MB": memory,
        "loading, s": start["load"],
        "the first match, s": start["first match"],
        "match of two new names, ms": 1e3 * start["match"],
        "raw scores of the trees, rows/s": min(pairs, TREE_ROWS) / trees,
    }


def run(path: str, code: str, *arguments: object) -> tuple[float, float]:
    """The seconds that the code prints, and MB that its processes held together at the peak.

    The code is a file, so that the processes which it starts can import it as their main module.
    """
    script = Path(path) / "measure.py"
    script.write_text(code, "utf-8")
    command = [sys.executable, str(script), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})
    peak, over = [0.0], threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, peak, over))
    watcher.start()
    said, _ = process.communicate()
    over.set()
    watcher.join()
    if process.returncode:
        raise RuntimeError(f"{Path(path, 'dxmatch').resolve()}: ended with {process.returncode}")
    return float(json.loads(said.split()[-1])), peak[0]


def _watch(process: int, peak: list[float], over: threading.Event) -> None:
    while not over.wait(SECONDS_BETWEEN_LOOKS):
        peak[0] = max(peak[0], sum(map(held, with_descendants(process))))


def with_descendants(process: int) -> list[int]:
    """The process and all that it started, and those started, and so on."""
    found = [process]
    for one in found:
        for children in (PROC / str(one) / "task").glob("*/children"):
            try:
                found += map(int, children.read_text("ascii").split())
            except OSError:  # it ended meanwhile
                continue
    return found


def held(process: int) -> float:
    """MB in memory; what several processes share, each has its part of. 0 for one that ended."""
    try:
        lines = (PROC / str(process) / "smaps_rollup").read_text("ascii")
    except OSError:
        return 0.0
    _, found, rest = lines.partition("\nPss:")
    return float(rest.split()[0]) / 1024 if found else 0.0
