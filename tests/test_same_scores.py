"""The same scores whatever the seed of Python's hashes and the threads: `score` to the byte, `evaluate` to the digit. Chunks: tests/jobs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest


@pytest.mark.slow
def test_the_same_under_other_seeds_and_threads(example: Path, tmp_path: Path) -> None:
    """Each in a process of its own."""
    pq.write_table(pa_csv.read_csv(example / "pairs.csv"), tmp_path / "pairs.parquet", write_page_checksum=True)
    score = "score pairs.parquet -o {0}.parquet --chunk-rows 50 --workers {0}"
    evaluate = f"evaluate {example / 'lists.csv'} --resamples 50 --json"
    told = []
    for number in "12":
        own = {"PYTHONHASHSEED": number, "OMP_NUM_THREADS": number, "NUMBA_NUM_THREADS": number}
        runs = [
            subprocess.run(
                [sys.executable, "-m", "dxmatch.cli", *line.format(number).split()], cwd=tmp_path,
                env={**os.environ, **own}, capture_output=True, check=True,
            )
            for line in (score, evaluate)
        ]  # fmt: skip
        told.append(((tmp_path / f"{number}.parquet").read_bytes(), runs[1].stdout))
    assert told[0] == told[1] and len(told[0][1]) > 1000
