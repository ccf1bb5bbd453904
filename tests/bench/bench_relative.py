"""RPAD and RRAD with 1,000 resamples on 100,000 cases x 8 raters x 5 diagnoses, against plain Python loops.

The loops run on a subsample of cases and of resamples, and their time is scaled up; both are linear in each. M is a table
here, so that only the metrics are timed. What stands on the same ground is timed beside it: expected values, the correction
from labelled pairs, agreement. All on one core, in seconds of the processor, so that a busy machine does not matter.
Run: python -m tests.bench relative
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from dxmatch.evaluation.families import agreement
from dxmatch.evaluation.lists.lists import Lists, panels
from dxmatch.evaluation.matches.case_matches import CaseMatches, pair_codes
from dxmatch.evaluation.matches.multiplicity import expected_multiplicities, multiplicities
from dxmatch.evaluation.metrics.relative import relative
from dxmatch.evaluation.relative.correction.corrected import corrected
from dxmatch.evaluation.relative.rates import CaseCounts, resampled
from dxmatch.evaluation.statistics.bootstrap import resampled_means
from dxmatch.evaluation.statistics.section import Context

from .report import Row, best_of, peak_memory, show

CASES, RATERS, K, REPEATS, STRINGS, LABELLED = 100_000, 8, 5, 1000, 2000, 2000
LOOP_CASES, LOOP_REPEATS = 1000, 5
MARK, MOST_MEMORY = 200, 4 * 1024
NAMES = [f"disease {i:04}" for i in range(STRINGS)]


def drawn(n: int) -> tuple[np.ndarray, CaseMatches]:
    """Lists from a pool of 12 strings per case, and an M that matches one pair in twenty."""
    generator = np.random.default_rng(0)
    pools = generator.integers(0, STRINGS, (n, 12)).astype(np.int32)
    picks = generator.integers(0, 12, (n, RATERS * K))
    entries = np.take_along_axis(pools, picks, 1).reshape(n, RATERS, K)
    i, j = np.triu_indices(STRINGS)
    codes = np.sort(pair_codes(i, j, STRINGS))
    same = codes // STRINGS == codes % STRINGS
    chance = np.where(same, 1, generator.random(len(codes)) ** 4).astype(np.float32)
    return entries, CaseMatches(STRINGS, codes, chance > 0.81, chance)


class TableMatcher:
    """M as a table of all pairs, asked by name."""

    threshold = 0.5

    def __init__(self, matches: CaseMatches) -> None:
        self.table = np.zeros((STRINGS, STRINGS))
        self.table.flat[matches.codes] = matches.verdicts

    def probabilities(self, a: list[str], b: list[str]) -> np.ndarray:
        low, high = (np.array([int(name[-4:]) for name in names]) for names in (a, b))
        return self.table[np.minimum(low, high), np.maximum(low, high)]


def lists_of(entries: np.ndarray) -> Lists:
    """Whole lists, of which the first rater's is an algorithm's."""
    n = len(entries)
    places = np.arange(n * RATERS).reshape(n, RATERS) * K
    return Lists(
        "bench", [f"case {i:06}" for i in range(n)], list("ABCDEFGH"), ("algorithm", *["expert"] * (RATERS - 1)), NAMES,
        entries.ravel(), places, np.full((n, RATERS), K), np.arange(entries.size), [()] * n,
    )  # fmt: skip


def labelled(matches: CaseMatches) -> pa.Table:
    """Pairs drawn at random, of which M has one in ten wrong."""
    generator = np.random.default_rng(1)
    low, high = np.divmod(generator.choice(matches.codes, LABELLED, replace=False), STRINGS)
    right = matches.verdicts[np.searchsorted(matches.codes, low * STRINGS + high)] != (generator.random(LABELLED) < 0.1)
    return pa.table({"a": [NAMES[i] for i in low], "b": [NAMES[i] for i in high], "label": right.astype(int)})


def mu_by_loops(entries: list, table: np.ndarray) -> dict[tuple[int, int, int, int], int]:
    """By k, case and the two raters."""
    matches = table.tolist()
    mu = {}
    for k in range(1, K + 1):
        for case, lists in enumerate(entries):
            for a, b in combinations(range(RATERS), 2):
                total = 0
                for p in lists[a][:k]:
                    row = matches[p]
                    for q in lists[b][:k]:
                        if row[q]:
                            total += 1
                mu[k, case, a, b] = total
    return mu


def means_by_loops(mu: dict[tuple[int, int, int, int], int], resamples: list[list[int]]) -> list[float]:
    """RPAD and RRAD for k = 1 … K of each resample of the cases; the first rater is the algorithm."""
    values = []
    for cases in resamples:
        for k in range(1, K + 1):
            for weigh, scale in ((lambda m: m, k * k), (bool, 1)):
                rates = {}
                for a, b in combinations(range(RATERS), 2):
                    total = 0
                    for case in cases:
                        total += weigh(mu[k, case, a, b])
                    rates[a, b] = total / (len(cases) * scale)
                ae = [rate for pair, rate in rates.items() if pair[0] == 0]
                ee = [rate for pair, rate in rates.items() if pair[0] != 0]
                values.append((sum(ae) / len(ae)) / (sum(ee) / len(ee)))
    return values


def by_kernels(entries: np.ndarray, matches: CaseMatches, repeats: int) -> tuple[np.ndarray, np.ndarray, float, float]:
    """(RPAD and RRAD of the data [K, 2], of the resamples [repeats, K, 2], seconds for mu, seconds for the bootstrap)."""
    first, second = np.triu_indices(RATERS, 1)
    algorithm = first == 0
    start = time.process_time()
    mu = multiplicities(entries, first, second, matches)
    counted = time.process_time()
    counts = CaseCounts(mu, None, entries[:, :, 0].astype(np.int64), first, second)
    values = []
    for rates in (counts.rates(), resampled(counts, repeats, seed=0)):
        both = [relative(part[..., algorithm], part[..., ~algorithm], 1.0) for part in (rates.precision, rates.recall)]
        values.append(np.stack(both, -1))
    return values[0], values[1], counted - start, time.process_time() - counted


def expected(entries: np.ndarray, matches: CaseMatches) -> np.ndarray:
    first, second = np.triu_indices(RATERS, 1)
    return resampled_means(np.hstack(expected_multiplicities(entries, first, second, matches)), REPEATS, 0)


def correction(lists: Lists, matches: CaseMatches, context: Context) -> None:
    pair_of = np.full((RATERS, RATERS), -1)
    first, second = np.triu_indices(RATERS, 1)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    corrected(lists, panels(lists), pair_of, matches, labelled(matches), context)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@threadpool_limits.wrap(limits=1)
def rows(scale: str = "full") -> Iterator[Row]:
    """At the short scale fewer cases, and only what has a peer."""
    cases, loop_cases = (CASES, LOOP_CASES) if scale == "full" else (5_000, 200)
    entries, matches = drawn(cases)
    table = np.zeros((STRINGS, STRINGS), bool)
    table.flat[matches.codes] = matches.verdicts
    few = entries[:loop_cases]
    generator = np.random.default_rng(0)
    resamples = [generator.integers(0, loop_cases, loop_cases).tolist() for _ in range(LOOP_REPEATS)]
    mu = mu_by_loops(few.tolist(), table | table.T)
    looped = means_by_loops(mu, [list(range(loop_cases)), *resamples])
    data, repeats, *_ = by_kernels(few, matches, LOOP_REPEATS)
    assert np.allclose(looped, [*data.ravel(), *repeats.ravel()]), "kernels and loops differ"
    mu_loops = best_of(lambda: mu_by_loops(few.tolist(), table | table.T), 2, time.process_time)
    per_resample = best_of(lambda: means_by_loops(mu, resamples), 2, time.process_time) / LOOP_REPEATS
    by_loop = (mu_loops + per_resample * REPEATS) * cases / loop_cases

    mu_time, bootstrap_time = np.min([by_kernels(entries, matches, REPEATS)[2:] for _ in range(2)], axis=0).tolist()
    size = f"{cases:,} cases x {RATERS} raters x {K} diagnoses, {REPEATS:,} resamples"
    yield Row(f"RPAD, RRAD, kappa, {size}", "s", mu_time + bootstrap_time, "Python loops", by_loop, MARK)
    if scale == "full":
        yield Row("  multiplicities alone", "s", mu_time, "Python loops", mu_loops * cases / loop_cases)
        lists, context = lists_of(entries), Context(TableMatcher(matches), k=K, repeats=REPEATS)
        yield Row(f"expected P, R at {K}", "s", seconds(lambda: expected(entries, matches)))
        corrected_in = seconds(lambda: correction(lists, matches, context))
        yield Row(f"corrected P at {K}, {LABELLED:,} labelled pairs", "s", corrected_in)
        yield Row("kappa, Fleiss, alpha, alpha_M", "s", seconds(lambda: agreement.compute(lists, context)))


def main() -> None:
    show(rows())
    peak = peak_memory()
    assert peak < MOST_MEMORY, f"{peak:,.0f} MB of memory; {MOST_MEMORY:,} are allowed"


if __name__ == "__main__":
    main()
