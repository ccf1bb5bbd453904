"""RPAD and RRAD with a bootstrap on 100,000 cases x 8 raters x 5 diagnoses, against plain Python loops.

The loops run on a subsample of cases and of resamples, and their time is scaled up; both are linear in each.
M is a table here, so that only the metrics are timed. Run: python tests/bench/bench_relative.py
"""

from __future__ import annotations

import resource
import sys
import time
from itertools import combinations

import numpy as np

from dxmatch.matcher.bootstrap import CaseCounts, resampled
from dxmatch.matcher.case_matches import CaseMatches, pair_codes
from dxmatch.matcher.metrics.relative import relative
from dxmatch.matcher.multiplicity import multiplicities

CASES, RATERS, K, REPEATS, STRINGS = 100_000, 8, 5, 1000, 2000
LOOP_CASES, LOOP_REPEATS = 1000, 5


def drawn(n: int) -> tuple[np.ndarray, CaseMatches]:
    """Lists from a pool of 12 strings per case, and an M that matches one pair in twenty."""
    generator = np.random.default_rng(0)
    pools = generator.integers(0, STRINGS, (n, 12)).astype(np.int32)
    picks = generator.integers(0, 12, (n, RATERS * K))
    entries = np.take_along_axis(pools, picks, 1).reshape(n, RATERS, K)
    i, j = np.triu_indices(STRINGS)
    codes = np.sort(pair_codes(i, j, STRINGS))
    same = codes // STRINGS == codes % STRINGS
    return entries, CaseMatches(STRINGS, codes, same | (generator.random(len(codes)) < 0.05))


def by_loops(entries: list, table: np.ndarray, resamples: list[list[int]]) -> list[float]:
    """RPAD and RRAD for k = 1 … K of the data, then of each resample; the first rater is the algorithm."""
    pairs = list(combinations(range(RATERS), 2))
    matches = table.tolist()
    mu = {}
    for k in range(1, K + 1):
        for case, lists in enumerate(entries):
            for a, b in pairs:
                total = 0
                for p in lists[a][:k]:
                    row = matches[p]
                    for q in lists[b][:k]:
                        if row[q]:
                            total += 1
                mu[k, case, a, b] = total
    values = []
    for cases in [list(range(len(entries))), *resamples]:
        for k in range(1, K + 1):
            for weigh, scale in ((lambda m: m, k * k), (bool, 1)):
                rates = {}
                for a, b in pairs:
                    total = 0
                    for case in cases:
                        total += weigh(mu[k, case, a, b])
                    rates[a, b] = total / (len(cases) * scale)
                ae = [rate for pair, rate in rates.items() if pair[0] == 0]
                ee = [rate for pair, rate in rates.items() if pair[0] != 0]
                values.append((sum(ae) / len(ae)) / (sum(ee) / len(ee)))
    return values


def by_kernels(
    entries: np.ndarray, matches: CaseMatches, repeats: int
) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """(RPAD and RRAD of the data [K, 2], of the resamples [repeats, K, 2], seconds for mu and for the bootstrap)."""
    first, second = np.triu_indices(RATERS, 1)
    algorithm = first == 0
    start = time.perf_counter()
    mu = multiplicities(entries, first, second, matches)
    counted = time.perf_counter()
    counts = CaseCounts(mu, None, entries[:, :, 0].astype(np.int64), first, second)
    values = []
    for rates in (counts.rates(), resampled(counts, repeats, seed=0)):
        both = [relative(part[..., algorithm], part[..., ~algorithm], 1.0) for part in (rates.precision, rates.recall)]
        values.append(np.stack(both, -1))
    return values[0], values[1], (counted - start, time.perf_counter() - counted)


def main() -> None:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    entries, matches = drawn(CASES)
    data, repeats, (mu_time, bootstrap_time) = by_kernels(entries, matches, REPEATS)
    print(
        f"{CASES:,} cases x {RATERS} raters x {K} diagnoses, all {RATERS * (RATERS - 1) // 2} pairs of raters, k = 1 … {K}"
    )
    print(f"kernels: mu {mu_time:.2f} s; RPAD, RRAD, kappa with {REPEATS:,} resamples {bootstrap_time:.2f} s")
    low, high = np.quantile(repeats[:, K - 1, 0], [0.025, 0.975])
    print(f"RPAD@{K} {data[K - 1, 0]:.4f} [{low:.4f}, {high:.4f}]")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB")

    table = np.zeros((STRINGS, STRINGS), bool)
    table.flat[matches.codes] = matches.verdicts
    few = entries[:LOOP_CASES]
    generator = np.random.default_rng(0)
    resamples = [generator.integers(0, LOOP_CASES, LOOP_CASES).tolist() for _ in range(LOOP_REPEATS)]
    start = time.perf_counter()
    plain = by_loops(few.tolist(), table | table.T, [])
    mu_loops = time.perf_counter() - start
    start = time.perf_counter()
    looped = by_loops(few.tolist(), table | table.T, resamples)
    per_resample = max(time.perf_counter() - start - mu_loops, 0) / LOOP_REPEATS
    data, repeats, _ = by_kernels(few, matches, LOOP_REPEATS)
    assert np.allclose(plain, data.ravel()), "kernels and loops differ"
    assert np.allclose(looped, [*data.ravel(), *repeats.ravel()]), "kernels and loops differ in a resample"
    scaled = (mu_loops + per_resample * REPEATS) * CASES / LOOP_CASES
    ours = mu_time + bootstrap_time
    print(
        f"loops, from {LOOP_CASES:,} cases and {LOOP_REPEATS} resamples: {scaled:,.0f} s (without kappa); equal values"
    )
    print(f"ratio {scaled / ours:,.0f}; without the bootstrap {mu_loops * CASES / LOOP_CASES / mu_time:,.0f}")


if __name__ == "__main__":
    main()
