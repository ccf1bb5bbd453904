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
from pathlib import Path

from .names import make_pairs
from .report import Row
from .speed import start_once

HERE = Path(__file__).resolve().parents[2]
JOB = """
import json, sys, time
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
if __name__ == "__main__":
    start = time.perf_counter()
    import dxmatch
    dxmatch.score_files(Path(sys.argv[1]), Path(sys.argv[2]))
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, max(getrusage(who).ru_maxrss for who in (RUSAGE_SELF, RUSAGE_CHILDREN)) / 1024]))
"""


def beside(other: Path, pairs: int, runs: int) -> list[Row]:
    """The rows of the table: this checkout is ours, `other` the peer."""
    figures: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        source = make_pairs(Path(name) / "pairs.parquet", pairs, 50_000)
        for side, checkout in enumerate((HERE, other)):  # a folder for PYTHONPATH in which it is `dxmatch`
            (Path(name) / str(side)).mkdir()
            (Path(name) / str(side) / "dxmatch").symlink_to(checkout.resolve(), target_is_directory=True)
        for run in range(runs + 1):
            for side in range(2):
                taken = measured(Path(name) / str(side), source, pairs)
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


def measured(path: Path, source: Path, pairs: int) -> dict[str, float]:
    """By "what, unit"."""
    start = start_once(100, PYTHONPATH=str(path))
    (script := path / "measure.py").write_text(JOB, "utf-8")  # which the processes that it starts can import
    command, environment = [sys.executable, script, source, path / "scored.parquet"], {**os.environ, "PYTHONPATH": str(path)}  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    (path / "scored.parquet").unlink()
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return {
        f"{pairs:,} pairs, Parquet to Parquet, pairs/s": pairs / seconds,
        "  memory of its largest process at the peak, MB": memory,
        "loading, s": start["load"],
        "the first match, s": start["first match"],
        "match of two new names, ms": 1e3 * start["match"],
    }
