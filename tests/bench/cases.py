"""Many cases evaluated by the shipped model, in a process of its own: the time, the peak memory, the size of the page.

    python -m tests.bench cases --a 1000000 --models 2

References and answers are names of the shipped graph of diseases: each case has one right answer and a list of five from each
model, which holds another name of it, it itself, or a disease in its line, in some of the cases.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dxmatch.terms.diseases.graph import shipped_graph

LISTED = 5


def make_cases(path: Path, cases: int, models: int, names: int, seed: int = 0) -> None:
    """`case`, `reference` and a list column for each model; `names` different names, common ones more often."""
    random, graph = np.random.default_rng(seed), shipped_graph()
    chosen = np.sort(random.choice(len(graph.names), min(names, len(graph.names)), replace=False))
    texts, disease = pa.array([graph.names[i] for i in chosen]), graph.name_disease[chosen]
    weight = 1 / (random.permutation(len(chosen)) + 100.0)
    weight /= weight.sum()
    reference = random.choice(len(chosen), cases, p=weight)
    # Another name of the same disease, where there is one: the next with its number, in a circle.
    order = np.argsort(disease, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    after = order[(place + 1) % len(order)]
    twin = np.where(disease[after] == disease, after, np.arange(len(order)))
    columns = {"case": pa.array(np.arange(cases)).cast(pa.string()), "reference": texts.take(pa.array(reference))}
    for number in range(models):
        answers = random.choice(len(chosen), (cases, LISTED), p=weight)
        right = np.flatnonzero(random.random(cases) < 0.6 + 0.1 * number)
        answers[right, random.integers(0, LISTED, len(right))] = twin[reference[right]]
        starts = pa.array(np.arange(cases + 1, dtype=np.int32) * LISTED)
        columns[f"model {number + 1}"] = pa.ListArray.from_arrays(starts, texts.take(pa.array(answers.ravel())))
    pq.write_table(pa.table(columns), path, write_page_checksum=True, row_group_size=1 << 17)


def main(cases: int, models: int, names: int = 20_000) -> None:
    with tempfile.TemporaryDirectory() as name:
        source, page = Path(name) / "cases.parquet", Path(name) / "report.html"
        make_cases(source, cases, models, names)
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "dxmatch.cli", "evaluate", source, "-o", page], check=False)
        seconds, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
        size = f"page {page.stat().st_size / 1e6:.1f} MB" if page.exists() else "no page"
        print(f"{cases:,} cases x {models} models x {LISTED}: {seconds:.0f} s, peak {peak:.2f} GB, {size}, exit {done.returncode}")  # fmt: skip
