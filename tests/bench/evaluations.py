"""Large panels against plain Python loops, a leaderboard of many models beside ranx, and many cases evaluated by the shipped model.

In the first two M is a table, so that the metrics are timed and not the match function.
"""

from __future__ import annotations

import tempfile
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import dxmatch
from dxmatch.terms.diseases.graph import shipped_graph

from .measure import Figures, Row, entry, in_a_process, in_turns

RATERS, K, STRINGS, REPEATS, LOOP_CASES, LOOP_REPEATS = 8, 5, 2_000, 1_000, 300, 5
NAMES = np.array([f"disease {i:04}" for i in range(STRINGS)])


class TableMatcher:
    """M as a table of all pairs, asked by name; one pair in twenty matches."""

    threshold = 0.5

    def __init__(self) -> None:
        drawn = np.random.default_rng(0).random((STRINGS, STRINGS)) < 0.05
        self.table = np.triu(drawn, 1) | np.triu(drawn, 1).T | np.eye(STRINGS, dtype=bool)

    def probabilities(self, a: list[str], b: list[str]) -> np.ndarray:
        first, second = (np.array([int(name[-4:]) for name in names]) for names in (a, b))
        return self.table[first, second].astype(float)


def long_form(said: np.ndarray, **of_case: np.ndarray) -> pa.Table:
    """said : int[cases, RATERS, K] of strings. of_case : further columns, a cell for each case."""
    cases = len(said)
    columns = {
        "case_id": np.repeat([f"case {i:06}" for i in range(cases)], RATERS * K),
        "rater": np.tile(np.repeat([f"rater {r}" for r in range(RATERS)], K), cases),
        "rank": np.tile(np.arange(1, K + 1), cases * RATERS),
        "diagnosis": NAMES[said.ravel()],
    }
    return pa.table(columns | {name: np.repeat(cells, RATERS * K) for name, cells in of_case.items()})


def drawn_lists(cases: int) -> np.ndarray:
    """int[cases, RATERS, K] of strings, from a pool of 12 per case."""
    generator = np.random.default_rng(0)
    pools = np.argsort(generator.random((cases, 60)), axis=1)[:, :12] + 60 * generator.integers(0, 33, (cases, 1))
    picks = np.argsort(generator.random((cases, RATERS, 12)), axis=2)[:, :, :K]
    return np.take_along_axis(pools[:, None, :], picks, 2)


def by_loops(entries: list[list[list[int]]], table: list[list[bool]], resamples: list[list[int]]) -> list[float]:
    """RPAD and RRAD for k = 1 … K of each resample of the cases; the first rater is the algorithm."""
    pairs = list(combinations(range(RATERS), 2))
    mu = {
        (k, case, a, b): sum(table[p][q] for p in lists[a][:k] for q in lists[b][:k])
        for k in range(1, K + 1)
        for case, lists in enumerate(entries)
        for a, b in pairs
    }
    values = []
    for cases, k in product(resamples, range(1, K + 1)):
        for found, scale in ((lambda m: m, k * k), (bool, 1)):
            rate = {(a, b): sum(found(mu[k, c, a, b]) for c in cases) / (len(cases) * scale) for a, b in pairs}
            ae = [value for pair, value in rate.items() if pair[0] == 0]
            ee = [value for pair, value in rate.items() if pair[0] != 0]
            values.append((sum(ae) / len(ae)) / (sum(ee) / len(ee)))
    return values


@entry(f"RPAD and RRAD, {RATERS} raters, {REPEATS:,} resamples, lists read", "cases/s", peer="Python loops", mark=30.0)
def relative(short: bool) -> Figures:
    """Hardness 1, at which the source's formula is a ratio of means. The time of the loops, on a part, is scaled up."""
    cases = LOOP_CASES if short else 50_000
    entries, m = drawn_lists(cases), TableMatcher()
    few, table = entries[:LOOP_CASES].tolist(), m.table.tolist()
    role = np.tile(np.repeat(["algorithm", *["expert"] * (RATERS - 1)], K), cases)
    lists = long_form(entries).append_column("role", pa.array(role))

    def ours(some: pa.Table = lists) -> dxmatch.Report:
        panel, resampling = dxmatch.Panel(hardness=1.0), dxmatch.Resampling(resamples=REPEATS)
        return dxmatch.evaluate(some, matcher=m, k=K, panel=panel, resampling=resampling, metrics=["relative"])

    found = {row["metric"]: row["value"] for row in ours(lists.slice(0, LOOP_CASES * RATERS * K)).table.to_pylist()}
    *_, rpad, rrad = by_loops(few, table, [list(range(LOOP_CASES))])
    assert np.allclose([found["RPAD"], found["RRAD"]], [rpad, rrad]), "evaluate and the loops differ"
    resamples = np.random.default_rng(0).integers(0, LOOP_CASES, (LOOP_REPEATS, LOOP_CASES)).tolist()
    seconds, looped = in_turns(ours, lambda: by_loops(few, table, resamples), 1)
    _, once = in_turns(lambda: None, lambda: by_loops(few, table, []), 1)
    all_resamples = once + (looped - once) * REPEATS / LOOP_REPEATS
    return cases / seconds, LOOP_CASES / all_resamples


@entry(
    f"leaderboard of {RATERS} models: top-k, MRR, nDCG, intervals, paired tests",
    "cases/s",
    peer="ranx, no intervals",
    mark=1.0,
)
def leaderboard(short: bool) -> Figures:
    """ranx gets the hits as ready relevance judgements, and does what it has of the job: hit rate, MRR, nDCG, Fisher's test."""
    from ranx import Qrels, Run, compare

    cases, generator, m = 20 if short else 5_000, np.random.default_rng(0), TableMatcher()
    right = generator.integers(0, STRINGS, cases)
    said = (right[:, None, None] + generator.integers(0, 40, (cases, RATERS, K))) % STRINGS
    table = long_form(said, reference=NAMES[right]).rename_columns({"rater": "model"})
    hits = m.table[right[:, None, None], said]
    found = {
        f"q{i}": {f"d{j}-{k}": 1 for j, k in product(range(RATERS), range(K)) if hits[i, j, k]} or {"none": 1}
        for i in range(cases)
    }

    def theirs() -> None:
        runs = [
            Run({f"q{i}": {f"d{j}-{k}": float(K - k) for k in range(K)} for i in range(cases)}, name=f"model {j}")
            for j in range(RATERS)
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
