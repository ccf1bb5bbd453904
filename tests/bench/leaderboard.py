"""A leaderboard of many models over many cases, with intervals and paired tests, beside ranx.

M is a table here, so that the metrics are timed and not the match function. ranx gets the hits as ready relevance judgements, and
does what it has of the job: hit rate, MRR and nDCG of each model, and Fisher's randomisation test of each two on each.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa

import dxmatch

from .panels import STRINGS, TableMatcher
from .report import Figures, entry, in_turns

MODELS, K, SWAPS = 8, 5, 1_000


def drawn_answers(cases: int) -> tuple[np.ndarray, np.ndarray, pa.Table]:
    """int [cases] right answers, int [cases, models, K] of strings, and the same as the table that users have."""
    generator = np.random.default_rng(0)
    right = generator.integers(0, STRINGS, cases)
    said = (right[:, None, None] + generator.integers(0, 40, (cases, MODELS, K))) % STRINGS
    names = np.array([f"disease {i:04}" for i in range(STRINGS)])
    columns = {
        "case_id": np.repeat([f"case {i:06}" for i in range(cases)], MODELS * K),
        "model": np.tile(np.repeat([f"model {i}" for i in range(MODELS)], K), cases),
        "rank": np.tile(np.arange(1, K + 1), cases * MODELS),
        "diagnosis": names[said.ravel()],
        "reference": np.repeat(names[right], MODELS * K),
    }
    return right, said, pa.table(columns)


@entry(
    f"leaderboard of {MODELS} models: top-k, MRR, nDCG, intervals, paired tests", "cases/s", peer="ranx, no intervals", mark=1.0
)  # fmt: skip
def leaderboard(short: bool) -> Figures:
    from ranx import Qrels, Run, compare

    cases = 20 if short else 5_000
    right, said, table = drawn_answers(cases)
    m = TableMatcher()
    hits = m.table[right[:, None, None], said]
    found = {
        f"q{i}": {f"d{j}-{k}": 1 for j, k in product(range(MODELS), range(K)) if hits[i, j, k]} for i in range(cases)
    }
    for of_case in found.values():
        of_case.setdefault("none", 1)

    def theirs() -> None:
        runs = [
            Run({f"q{i}": {f"d{j}-{k}": float(K - k) for k in range(K)} for i in range(cases)}, name=f"model {j}")
            for j in range(MODELS)
        ]
        compare(Qrels(found), runs, ["hit_rate@1", "hit_rate@3", "hit_rate@5", "mrr", "ndcg"], stat_test="fisher", n_permutations=SWAPS)  # fmt: skip

    seconds = in_turns(
        lambda: dxmatch.evaluate(
            table, matcher=m, k=K, metrics="ranking", resampling=dxmatch.Resampling(resamples=1_000)
        ),
        theirs,
        runs=1 if short else 2,
    )
    return cases / seconds[0], cases / seconds[1]
