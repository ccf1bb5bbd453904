"""Is the difference of two raters more than chance: their values change places within cases at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

LEAST_SWAPS, SWAPS_PER_PAIR, FEWEST_SWAPS = 9_999, 2_000, 999
"""So many that a p below 0.001 can be seen after Holm's correction for the pairs; fewer of more than some 20 raters, or 100,000 cases."""
_MOST_VALUES, _MOST_BITS = 3e8, 1e9
_BYTES_PER_BLOCK = 64_000_000
_TIE = 1e-12
_MOST_OUTCOMES, _MOST_WAYS, _SAMPLE = 50_000, 15, 300
"""Of an exact p: outcomes, and ways in which cases differ, seen early in a sample."""


@dataclass(frozen=True)
class Contrast:
    """A metric of two raters as a function of sums over n cases.

    change : float64 [n, q], what the second adds to each sum less what the first adds; totals : [2, q], their sums.
    of : sums [..., q] -> the metric [...].
    """

    change: Values
    totals: Values
    of: Callable[[Values], Values]

    def as_far(self, moved: Values) -> NDArray[np.bool_]:
        """Tells where the two lie at least as far apart as in the data: bool [...]. moved : [..., q], from the second's sums to the first's."""
        plain, apart = (np.abs(self.of(self.totals[0] + by) - self.of(self.totals[1] - by)) for by in (0, moved))
        return ~(apart < plain - _TIE)


def permutation_test(contrasts: Sequence[Contrast], pairs: int, seed: int) -> Values:
    """Finds the two-sided p of contrasts over the same cases: `p = (1 + #{|d*| >= |d|}) / (B + 1)` (Phipson and Smyth 2010).

    In each of B permutations the two raters change places in each case with a chance of one half, in the same cases for all
    contrasts. Where cases differ in few ways (top-k accuracy: by 1, and it is McNemar's exact test) p is of all permutations.

    contrasts : of m metrics in `pairs` pairs of raters, m * pairs in all.
    """
    wanted = max(LEAST_SWAPS, min(SWAPS_PER_PAIR * pairs, int(_MOST_VALUES / max(1, len(contrasts)))))
    n = len(contrasts[0].change) if contrasts else 0
    swaps = max(FEWEST_SWAPS, min(wanted, int(_MOST_BITS / max(1, n))))
    p = np.array([_exact_p(one) for one in contrasts], float)
    drawn = np.flatnonzero(np.isnan(p)).tolist()
    if drawn:
        p[drawn] = _drawn_p([contrasts[i] for i in drawn], swaps, seed)
    return p


def _exact_p(one: Contrast) -> float:
    """The share of all permutations with a difference as large as in the data; NaN where there are too many to go through.

    Cases that change alike, up to the sign, are one group: how many of its g cases add the change is binomial, of g and one half.
    """
    rows = one.change[one.change.any(1)]
    if not rows.size:
        return 1.0
    if len(np.unique(np.abs(rows[:_SAMPLE]), axis=0)) > _MOST_WAYS:
        return np.nan
    signs = np.sign(rows[np.arange(len(rows)), (rows != 0).argmax(1)])
    ways, group = np.unique(rows * signs[:, None], axis=0, return_inverse=True)
    sizes = np.bincount(group.ravel(), minlength=len(ways))
    if np.prod(sizes + 1.0) > _MOST_OUTCOMES:
        return np.nan
    from scipy.stats import binom

    against = np.bincount(group.ravel(), signs < 0, minlength=len(ways))
    moved, chance = np.zeros((1, rows.shape[1])), np.ones(1)
    for way, size, negative in zip(ways, sizes.tolist(), against, strict=True):
        added = np.arange(size + 1)
        moved = (moved[:, None] + ((added - negative)[:, None] * way)[None]).reshape(-1, rows.shape[1])
        chance = (chance[:, None] * binom.pmf(added, size, 0.5)).ravel()
    return min(1.0, float(chance[one.as_far(moved)].sum()))


def _drawn_p(contrasts: Sequence[Contrast], swaps: int, seed: int) -> Values:
    """p of `swaps` permutations; one in which the difference is undefined counts as large."""
    flat = np.concatenate([one.change for one in contrasts], 1)
    ends = np.cumsum([one.change.shape[1] for one in contrasts])[:-1]
    beyond = np.zeros(len(contrasts), np.int64)
    for swapped in _swapped_cases(len(flat), swaps, seed, 8 * flat.shape[1]):
        for i, moved in enumerate(np.split(swapped @ flat, ends, 1)):
            beyond[i] += int(contrasts[i].as_far(moved).sum())
    return (1 + beyond) / (1 + swaps)


def _swapped_cases(n: int, count: int, seed: int, bytes_beside: int) -> Iterator[Values]:
    """Blocks [b, n] of 0 and 1, `count` rows in all: the cases in which two raters change places. Blocks change nothing."""
    generator = np.random.default_rng([seed, n])
    # whole words of 32 bits, as they are drawn
    row_bytes = 4 * max(1, -(-n // 32))
    step = max(1, _BYTES_PER_BLOCK // max(1, 8 * n + bytes_beside))
    for start in range(0, count, step):
        rows = min(step, count - start)
        drawn = np.frombuffer(generator.bytes(rows * row_bytes), np.uint8).reshape(rows, row_bytes)
        yield np.unpackbits(drawn, axis=1, count=n).astype(float)


def holm(p: ArrayLike) -> Values:
    """Corrects p-values step down: all of these comparisons together err with at most the level asked (Holm 1979).

    The i-th smallest of m becomes `max_{j <= i} (m - j + 1) p_(j)`, at most 1. NaN stays NaN and is not counted in m.

    >>> holm([0.01, 0.04, 0.03]).tolist()  # 3 * 0.01, then 2 * 0.03, then 1 * 0.04, which stays at 0.06
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, float)
    order = np.argsort(values)[: int((~np.isnan(values)).sum())]
    corrected = np.full(values.shape, np.nan)
    corrected[order] = np.minimum(1, np.maximum.accumulate(np.arange(len(order), 0, -1) * values[order]))
    return corrected
