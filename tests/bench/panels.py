"""RPAD and RRAD over large panels with 1,000 resamples, against plain Python loops.

The loops run on a part of the cases and of the resamples, and their time is scaled up; both are linear in each. M is a table
here, so that the metrics are timed and not the match function.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa

import dxmatch

from .report import Figures, entry, in_turns

RATERS, K, STRINGS, REPEATS, LOOP_CASES, LOOP_REPEATS = 8, 5, 2_000, 1_000, 300, 5


class TableMatcher:
    """M as a table of all pairs, asked by name; one pair in twenty matches."""

    threshold = 0.5

    def __init__(self) -> None:
        drawn = np.random.default_rng(0).random((STRINGS, STRINGS)) < 0.05
        self.table = np.triu(drawn, 1) | np.triu(drawn, 1).T | np.eye(STRINGS, dtype=bool)

    def probabilities(self, a: list[str], b: list[str]) -> np.ndarray:
        first, second = (np.array([int(name[-4:]) for name in names]) for names in (a, b))
        return self.table[first, second].astype(float)


def drawn_lists(cases: int) -> tuple[np.ndarray, pa.Table]:
    """int[cases, raters, k] of strings, from a pool of 12 per case, and the same as the lists that users have."""
    generator = np.random.default_rng(0)
    pools = np.argsort(generator.random((cases, 60)), axis=1)[:, :12] + 60 * generator.integers(0, 33, (cases, 1))
    picks = np.argsort(generator.random((cases, RATERS, 12)), axis=2)[:, :, :K]
    entries = np.take_along_axis(pools[:, None, :], picks, 2)
    names = np.array([f"disease {i:04}" for i in range(STRINGS)])
    rater = np.array([f"rater {r}" for r in range(RATERS)])
    role = np.array(["algorithm", *["expert"] * (RATERS - 1)])
    columns = {
        "case_id": np.repeat([f"case {i:06}" for i in range(cases)], RATERS * K),
        "rater": np.tile(np.repeat(rater, K), cases),
        "role": np.tile(np.repeat(role, K), cases),
        "rank": np.tile(np.arange(1, K + 1), cases * RATERS),
        "diagnosis": names[entries.ravel()],
    }
    return entries, pa.table(columns)


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
    for cases in resamples:
        for k in range(1, K + 1):
            for found, scale in ((lambda m: m, k * k), (bool, 1)):
                rate = {(a, b): sum(found(mu[k, c, a, b]) for c in cases) / (len(cases) * scale) for a, b in pairs}
                ae = [value for pair, value in rate.items() if pair[0] == 0]
                ee = [value for pair, value in rate.items() if pair[0] != 0]
                values.append((sum(ae) / len(ae)) / (sum(ee) / len(ee)))
    return values


@entry(f"RPAD and RRAD, {RATERS} raters, {REPEATS:,} resamples, lists read", "cases/s", peer="Python loops", mark=30.0)
def relative(short: bool) -> Figures:
    """Hardness 1, at which the source's formula is a ratio of means."""
    cases = LOOP_CASES if short else 50_000
    entries, lists = drawn_lists(cases)
    m, few = TableMatcher(), entries[:LOOP_CASES].tolist()
    table = m.table.tolist()

    def ours(lists: pa.Table = lists) -> dxmatch.Report:
        return dxmatch.evaluate(
            lists,
            matcher=m,
            k=K,
            panel=dxmatch.Panel(hardness=1.0),
            resampling=dxmatch.Resampling(resamples=REPEATS),
            metrics=["relative"],
        )

    found = {row["metric"]: row["value"] for row in ours(lists.slice(0, LOOP_CASES * RATERS * K)).table.to_pylist()}
    *_, rpad, rrad = by_loops(few, table, [list(range(LOOP_CASES))])
    assert np.allclose([found["RPAD"], found["RRAD"]], [rpad, rrad]), "evaluate and the loops differ"
    resamples = np.random.default_rng(0).integers(0, LOOP_CASES, (LOOP_REPEATS, LOOP_CASES)).tolist()
    seconds, looped = in_turns(ours, lambda: by_loops(few, table, resamples), 1)
    _, once = in_turns(lambda: None, lambda: by_loops(few, table, []), 1)
    all_resamples = once + (looped - once) * REPEATS / LOOP_REPEATS
    return cases / seconds, LOOP_CASES / all_resamples
