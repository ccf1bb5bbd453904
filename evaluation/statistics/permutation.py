"""Is the difference of two raters more than chance: their values are swapped within cases at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

LEAST_SWAPS, SWAPS_PER_PAIR = 9_999, 2_000
"""So many that a p below 0.001 can be seen after Holm's correction for the pairs; fewer where there are more than some 20 raters."""
_MOST_VALUES = 3e8
_MOST_BITS, _MOST_PRODUCTS = 1e9, 1e11
_BITS_OF_FEW = 5e7
_BYTES_PER_BLOCK = 64_000_000
_TIE = 1e-12
_MOST_OUTCOMES, _MOST_GROUPS, _SAMPLE = 50_000, 15, 300
"""Of an exact p: as many outcomes, and so groups of cases; seen early in a sample."""


@dataclass(frozen=True)
class Statistic:
    """A metric of totals over cases: `combine(totals[values] / totals[held])`.

    values, held : int [c], the columns of the totals. combine : means [..., c] -> [...].
    """

    values: NDArray[np.intp]
    held: NDArray[np.intp]
    combine: Callable[[Values], Values]

    def of(self, totals: Values) -> Values:
        """totals : [..., q]."""
        above, below = totals[..., self.values], totals[..., self.held]
        return self.combine(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0.5))


@dataclass(frozen=True)
class Pairs:
    """What is swapped: the summands of P pairs of raters in n cases.

    columns : q arrays float64 [n, a], a summand of each case and rater; 0 where there is none. Or bool, likewise.
    first, second : int [P], raters. together : bool [n, P], the cases in which both are compared; None for all.
    """

    columns: Sequence[NDArray[np.number] | NDArray[np.bool_]]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    together: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.first)

    @property
    def n(self) -> int:
        return len(self.columns[0])

    def sides(self, pair: int) -> tuple[Values, Values]:
        """float64 [n, q] of the first and of the second rater; 0 in the cases that are not compared."""
        one, other = (
            np.stack([np.asarray(column[:, rater], float) for column in self.columns], 1)
            for rater in (self.first[pair], self.second[pair])
        )
        if self.together is not None:
            for side in (one, other):
                side[~self.together[:, pair]] = 0
        return one, other


@dataclass(frozen=True)
class PermutationTest:
    """p : float64 [statistics, P], two-sided. exact, approximate : bool, likewise, where it is of all permutations, and where of the
    normal approximation. swaps : B, of all others.
    """

    p: Values
    exact: NDArray[np.bool_]
    approximate: NDArray[np.bool_]
    swaps: int


def permutation_test(pairs: Pairs, statistics: Sequence[Statistic], seed: int) -> PermutationTest:
    """`p = (1 + #{|d*| >= |d|}) / (B + 1)`, d the difference of a statistic between two raters (Phipson and Smyth 2010).

    In each of B permutations the two change places in each case with a chance of one half: in the same cases for all pairs and
    statistics. Where cases differ in few ways (top-k accuracy: by 1, and it is McNemar's exact test) p is of all permutations. Where n B is so large that this would take minutes, the distribution of d* is taken for normal, with its
    exact variance (of a statistic that is no mean, by the delta method); but what differs in a few cases only is permuted.
    """
    affordable = int(_MOST_VALUES / max(1, len(pairs) * len(statistics)))
    count = max(LEAST_SWAPS, min(SWAPS_PER_PAIR * len(pairs), affordable))
    shape = len(statistics), len(pairs)
    products = float(pairs.n) * count * len(pairs) * len(pairs.columns)
    if pairs.n * count <= _MOST_BITS and products <= _MOST_PRODUCTS:
        sides = [pairs.sides(pair) for pair in range(len(pairs))]
        change = np.stack([other - one for one, other in sides], 1)
        totals = np.array([[side.sum(0) for side in both] for both in sides])
        p = (1 + _beyond(change, totals, statistics, count, seed)) / (1 + count)
        exact = _with_exact_p(p, change, totals, statistics)
        return PermutationTest(p, exact, np.zeros(shape, bool), count)
    p, exact, approximate = np.empty(shape), np.zeros(shape, bool), np.zeros(shape, bool)
    for pair in range(len(pairs)):
        one, other = pairs.sides(pair)
        change, totals = other - one, np.stack([one.sum(0), other.sum(0)])
        differs = change != 0
        covariance = change.T @ change / 4
        for i, statistic in enumerate(statistics):
            used = np.unique(np.concatenate([statistic.values, statistic.held]))
            rows = differs[:, used].any(1)
            known = exact_p(change[rows], totals, statistic, used)
            if known is not None:
                p[i, pair], exact[i, pair] = known, True
            elif rows.sum() * float(count) <= _BITS_OF_FEW:
                beyond = _beyond(change[rows][:, None], totals[None], [statistic], count, seed)
                p[i, pair] = (1 + beyond[0, 0]) / (1 + count)
            else:
                p[i, pair], approximate[i, pair] = _normal_p(statistic, totals, covariance, used), True
    return PermutationTest(p, exact, approximate, count)


def _with_exact_p(p: Values, change: Values, totals: Values, statistics: Sequence[Statistic]) -> NDArray[np.bool_]:
    """Replaces p [statistics, P] where it can be of all permutations, and says where. change : [n, P, q]. totals : [P, 2, q]."""
    exact = np.zeros(p.shape, bool)
    for i, statistic in enumerate(statistics):
        used = np.unique(np.concatenate([statistic.values, statistic.held]))
        for pair in range(p.shape[1]):
            own = change[:, pair]
            known = exact_p(own[(own[:, used] != 0).any(1)], totals[pair], statistic, used)
            if known is not None:
                p[i, pair], exact[i, pair] = known, True
    return exact


def exact_p(change: Values, totals: Values, statistic: Statistic, used: NDArray[np.intp]) -> float | None:
    """The share of all permutations with a difference as large as in the data; None where there are too many to go through.

    Cases that change alike, up to the sign, are one group: how many of its g cases add the change is binomial, of g and one half.
    change : [d, q], of the cases that differ, second less first. totals : [2, q]. used : the columns of the statistic.
    """
    rows = change[:, used]
    if len(np.unique(np.abs(rows[:_SAMPLE]), axis=0)) > _MOST_GROUPS:
        return None
    signs = np.sign(rows[np.arange(len(rows)), (rows != 0).argmax(1)])
    ways, group = np.unique(rows * signs[:, None], axis=0, return_inverse=True)
    sizes = np.bincount(group.ravel(), minlength=len(ways))
    if np.prod(sizes + 1.0) > _MOST_OUTCOMES:
        return None
    from scipy.stats import binom

    against = np.bincount(group.ravel(), signs < 0, minlength=len(ways))
    moved, chance = np.zeros((1, len(used))), np.ones(1)
    for way, size, negative in zip(ways, sizes.tolist(), against, strict=True):
        added = np.arange(size + 1)
        moved = (moved[:, None] + ((added - negative)[:, None] * way)[None]).reshape(-1, len(used))
        chance = (chance[:, None] * binom.pmf(added, size, 0.5)).ravel()
    every = np.zeros((len(moved), totals.shape[-1]))
    every[:, used] = moved
    apart = np.abs(statistic.of(totals[0] + every) - statistic.of(totals[1] - every))
    data = np.abs(statistic.of(totals[0]) - statistic.of(totals[1]))
    return min(1.0, float(chance[~(apart < data - _TIE)].sum()))


def _beyond(
    change: Values, totals: Values, statistics: Sequence[Statistic], count: int, seed: int
) -> NDArray[np.int64]:
    """int64 [statistics, P]: in how many permutations the difference is as large as in the data, or undefined.

    change : [n, P, q], second less first. totals : [P, 2, q].
    """
    n, pairs, width = change.shape
    flat = np.ascontiguousarray(change.reshape(n, -1))
    data = [np.abs(s.of(totals[:, 0]) - s.of(totals[:, 1])) for s in statistics]
    beyond = np.zeros((len(statistics), pairs), np.int64)
    for swaps in swapped_cases(n, count, seed, 8 * max(1, pairs * width)):
        moved = (swaps @ flat).reshape(-1, pairs, width)
        one, other = totals[:, 0] + moved, totals[:, 1] - moved
        for i, statistic in enumerate(statistics):
            apart = np.abs(statistic.of(one) - statistic.of(other))
            beyond[i] += (~(apart < data[i] - _TIE)).sum(0)
    return beyond


def swapped_cases(n: int, count: int, seed: int, bytes_beside: int = 0) -> Iterator[Values]:
    """Blocks [b, n] of 0 and 1, `count` rows in all: the cases in which two raters change places. Blocks change nothing."""
    generator = np.random.default_rng([seed, n])
    # whole words of 32 bits, as they are drawn
    row_bytes = 4 * max(1, -(-n // 32))
    step = max(1, _BYTES_PER_BLOCK // max(1, 8 * n + bytes_beside))
    for start in range(0, count, step):
        rows = min(step, count - start)
        drawn = np.frombuffer(generator.bytes(rows * row_bytes), np.uint8).reshape(rows, row_bytes)
        yield np.unpackbits(drawn, axis=1, count=n).astype(float)


def _normal_p(statistic: Statistic, totals: Values, covariance: Values, used: NDArray[np.intp]) -> float:
    """totals : [2, q]. covariance : [q, q], of the totals of one side over the permutations."""
    from scipy.special import erfc

    apart = float(np.abs(statistic.of(totals[0]) - statistic.of(totals[1])))
    middle = totals.mean(0)
    slope = np.zeros(len(middle))
    for column in used.tolist():
        step = 1e-5 * max(1.0, abs(middle[column]))
        up, down = middle.copy(), middle.copy()
        up[column] += step
        down[column] -= step
        slope[column] = (statistic.of(up) - statistic.of(down)) / (2 * step)
    # the difference is, to first order, twice the way of one side from the middle
    variance = 4 * slope @ covariance @ slope
    return float(erfc(apart / np.sqrt(2 * variance))) if variance > 0 else (np.nan if np.isnan(apart) else 1.0)
