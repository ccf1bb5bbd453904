"""The same scores whatever the seed of Python's hashes, the threads, the chunks: `score` to the byte, `evaluate` to the digit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .jobs.conftest import diagnoses, random_pairs
from .small_model import model_of

PARTS = (1, 11)
"""Chunks that the rows are cut into."""
_ROOT = Path(__file__).resolve().parents[2]
_ASKED = """
import hashlib, json, sys
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.jobs.job import score_files
from dxmatch.jobs.plan import Job
from dxmatch.matcher.match_function import load
folder, model, rows, threads, *parts = sys.argv[1:]
model = model or None
found = {}
for part in parts:
    output = f"{folder}/{hash('x')}-{threads}-{part}.parquet"
    job = Job(workers=int(threads), chunk_rows=-(-int(rows) // int(part)))
    score_files(f"{folder}/pairs.parquet", output, matcher=model, job=job)
    found[f"score in {part} chunks"] = hashlib.sha256(open(output, "rb").read()).hexdigest()
told = json.dumps(evaluate(f"{folder}/cases.parquet", matcher=load(model), resampling={"resamples": 50}).to_dict(), sort_keys=True, default=str)
found["evaluate"] = hashlib.sha256(told.encode()).hexdigest()
print(json.dumps(found))
"""


def outcomes(folder: Path, model: Path | None, rows: int, seed: int, threads: int) -> dict[str, str]:
    """The hash of each output, made in a process of its own with these settings."""
    number = str(threads)
    environment = {
        **os.environ, "PYTHONHASHSEED": str(seed), "OMP_NUM_THREADS": number, "NUMBA_NUM_THREADS": number,
        "PYTHONPATH": os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    command = [sys.executable, "-c", _ASKED, str(folder), str(model or ""), str(rows), number, *map(str, PARTS)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write_both(folder: Path, rows: int) -> None:
    """Pairs, and cases with a list of three each."""
    pairs, names = random_pairs(rows), diagnoses(100)
    pq.write_table(pairs, folder / "pairs.parquet", write_page_checksum=True)
    listed = [[names[(i * step) % 100] for step in (1, 3, 7)] for i in range(rows // 10)]
    cases = pa.table({"case": pa.array(map(str, range(rows // 10))), "reference": pairs["a"][: rows // 10], "m": listed})  # fmt: skip
    pq.write_table(cases, folder / "cases.parquet", write_page_checksum=True)


@pytest.mark.slow
def test_the_same_under_other_seeds_threads_and_chunks(tmp_path: Path) -> None:
    write_both(tmp_path, 1000)
    model = model_of(tmp_path / "cheap")
    one, other = (outcomes(tmp_path, model, 1000, seed, threads) for seed, threads in ((0, 1), (1, 2)))
    assert one == other
    tables = [pq.read_table(path) for path in tmp_path.glob("*-1-*.parquet")]
    assert len(tables) == len(PARTS) and all(table.equals(tables[0]) for table in tables)
