"""A match function trained here, beside a string score and an embedding, on references that none of them saw.

    python -m tests.bench.bench_accuracy

Trains on the real labelled pairs (`DXMATCH_DATA`), holds out a fifth of the references, and gives each rival its own
best threshold on the training references.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from rapidfuzz import fuzz
from rich.console import Console
from rich.table import Table

from dxmatch.features.pairs import read_pairs
from dxmatch.training.measure import measure
from dxmatch.training.split import Groups
from dxmatch.training.threshold import choose_threshold
from dxmatch.training.train import fit

from .shared import DATA, minilm_cosines

SHOWN = ("average_precision", "f1", "precision", "recall", "accuracy")


def main(features: str = "offline") -> None:
    source = DATA / "craft_md_pairs.csv"
    if not source.is_file():
        print(f"skipped: no real data at {DATA} (set DXMATCH_DATA)")
        return
    with tempfile.TemporaryDirectory() as folder:
        rejects = Path(folder) / "rejects.csv"
        start = time.perf_counter()
        result = fit(source, features, a="expert", b="algorithm", rejects=rejects)
        seconds = time.perf_counter() - start
        pairs = read_pairs(source, a="expert", b="algorithm", label="label", rejects=rejects)
    assert pairs.label is not None
    m, test = result.matcher, result.held_out
    normalized = [m.providers.normalizer(x) for x in pairs.a.to_pylist()]
    a, b = normalized, [m.providers.normalizer(x) for x in pairs.b.to_pylist()]
    held_out = Groups.of([name for name, chosen in zip(normalized, test, strict=True) if chosen]).code
    scores = {
        "rapidfuzz token_set_ratio": np.array([fuzz.token_set_ratio(x, y) for x, y in zip(a, b, strict=True)]) / 100,
        "all-MiniLM-L6-v2 cosine": minilm_cosines(a, b),
    }
    probability = m.probabilities(pairs.a.filter(pa.array(test)), pairs.b.filter(pa.array(test)))
    results = {"dxmatch": measure(probability, pairs.label[test], held_out, m.threshold)}
    for name, score in scores.items():
        threshold = choose_threshold(score[~test], pairs.label[~test])
        results[name] = measure(score[test], pairs.label[test], held_out, threshold)
    table = Table("Held-out references", *SHOWN, "threshold")
    for name, got in results.items():
        cells = [f"{got[key]['value']:.3f} [{got[key]['low']:.3f}, {got[key]['high']:.3f}]" for key in SHOWN]
        table.add_row(name, *cells, f"{got['threshold']:.3f}")
    Console(width=170).print(table)
    first = results["dxmatch"]
    print(
        f"{first['pairs']:,} pairs of {first['groups']} references, {first['matches']} matches; {int((~test).sum()):,} pairs trained in {seconds:.0f} s."
    )


if __name__ == "__main__":
    main()
