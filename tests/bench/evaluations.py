"""A leaderboard of many models beside ranx, and many cases evaluated by the shipped model."""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import dxmatch
from dxmatch.terms.diseases.graph import shipped_graph

from .measure import Figures, Row, entry, in_a_process, in_turns

MODELS, K, STRINGS, REPEATS = 8, 5, 2_000, 1_000
NAMES = np.array([f"disease {i:04}" for i in range(STRINGS)])


class TableMatcher:
    """M as a table of all pairs, so that metrics are timed and not the match function; one pair in twenty matches."""

    threshold = 0.5

    def __init__(self) -> None:
        drawn = np.random.default_rng(0).random((STRINGS, STRINGS)) < 0.05
        self.table = np.triu(drawn, 1) | np.triu(drawn, 1).T | np.eye(STRINGS, dtype=bool)

    def probabilities(self, a: list[str], b: list[str]) -> np.ndarray:
        first, second = (np.array([int(name[-4:]) for name in names]) for names in (a, b))
        return self.table[first, second].astype(float)


def long_form(said: np.ndarray, **of_case: np.ndarray) -> pa.Table:
    """said : int[cases, MODELS, K] of strings. of_case : further columns, a cell for each case."""
    cases = len(said)
    columns = {
        "case_id": np.repeat([f"case {i:06}" for i in range(cases)], MODELS * K),
        "rater": np.tile(np.repeat([f"rater {r}" for r in range(MODELS)], K), cases),
        "rank": np.tile(np.arange(1, K + 1), cases * MODELS),
        "diagnosis": NAMES[said.ravel()],
    }
    return pa.table(columns | {name: np.repeat(cells, MODELS * K) for name, cells in of_case.items()})


@entry(
    f"leaderboard of {MODELS} models: top-k, MRR, nDCG, intervals, paired tests",
    "cases/s",
    peer="ranx, no intervals",
    mark=1.0,
)
def leaderboard(short: bool) -> Figures:
    """ranx gets the hits as ready relevance judgements, and does what it has of the job: hit rate, MRR, nDCG, Fisher's test."""
    from ranx import Qrels, Run, compare

    cases, generator, m = 20 if short else 5_000, np.random.default_rng(0), TableMatcher()
    right = generator.integers(0, STRINGS, cases)
    said = (right[:, None, None] + generator.integers(0, 40, (cases, MODELS, K))) % STRINGS
    table = long_form(said, reference=NAMES[right]).rename_columns({"rater": "model"})
    hits = m.table[right[:, None, None], said]
    found = {
        f"q{i}": {f"d{j}-{k}": 1 for j, k in product(range(MODELS), range(K)) if hits[i, j, k]} or {"none": 1}
        for i in range(cases)
    }

    def theirs() -> None:
        runs = [
            Run({f"q{i}": {f"d{j}-{k}": float(K - k) for k in range(K)} for i in range(cases)}, name=f"model {j}")
            for j in range(MODELS)
        ]
        metrics = ["hit_rate@1", "hit_rate@3", "hit_rate@5", "mrr", "ndcg"]
        compare(Qrels(found), runs, metrics, stat_test="fisher", n_permutations=REPEATS)

    def ours() -> dxmatch.Report:
        return dxmatch.evaluate(
            table, matcher=m, k=K, metrics="ranking", resampling=dxmatch.Resampling(resamples=REPEATS)
        )

    seconds = in_turns(ours, theirs, runs=1 if short else 2)
    return cases / seconds[0], cases / seconds[1]


def make_cases(path: Path, cases: int, models: int, names: int = 20_000) -> None:
    """`case`, `reference` and a list of five for each model; `names` names of the shipped graph, some more often.

    In some of the cases the list holds another name of the right disease, or it itself.
    """
    random, graph = np.random.default_rng(0), shipped_graph()
    chosen = np.sort(random.choice(len(graph.names), min(names, len(graph.names)), replace=False))
    texts, disease = pa.array([graph.names[i] for i in chosen]), graph.name_disease[chosen]
    weight = 1 / (random.permutation(len(chosen)) + 100.0)
    weight /= weight.sum()
    reference = random.choice(len(chosen), cases, p=weight)
    # The next name of the same disease, in a circle.
    order = np.argsort(disease, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    after = order[(place + 1) % len(order)]
    twin = np.where(disease[after] == disease, after, np.arange(len(order)))
    columns = {"case": pa.array(np.arange(cases)).cast(pa.string()), "reference": texts.take(pa.array(reference))}
    for number in range(models):
        answers = random.choice(len(chosen), (cases, K), p=weight)
        right = np.flatnonzero(random.random(cases) < 0.6 + 0.1 * number)
        answers[right, random.integers(0, K, len(right))] = twin[reference[right]]
        starts = pa.array(np.arange(cases + 1, dtype=np.int32) * K)
        columns[f"model {number + 1}"] = pa.ListArray.from_arrays(starts, texts.take(pa.array(answers.ravel())))
    pq.write_table(pa.table(columns), path, write_page_checksum=True, row_group_size=1 << 17)


def cases(cases: int, models: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        make_cases(source := Path(name) / "cases.parquet", cases, models)
        done = in_a_process("-m", "dxmatch.cli", "evaluate", source, "-o", page := Path(name) / "report.html")
        return [{"cases": cases, "models": models, **done.figures, "page, MB": page.stat().st_size / 1e6}]
