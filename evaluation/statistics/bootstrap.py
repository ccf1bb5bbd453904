"""Resampling of cases: the same resamples for every algorithm, so that differences are paired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ..metrics.agreement import NO_CATEGORY, kappa_from_counts

_BYTES_PER_BLOCK = 64_000_000
_EXACT_IN_FLOAT32 = 2**24


@dataclass(frozen=True)
class Rates:
    """P@k, R@k and kappa of m pairs of raters, with any leading axes (none for the data, repeats for the bootstrap).

    precision, recall : float64 [..., K, m]. kappa : float64 [..., m], NaN where undefined.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    kappa: NDArray[np.float64]


@dataclass(frozen=True)
class CaseCounts:
    """What the rates are sums of, case by case.

    mu : unsigned [K, n, m]. sizes : int64 [K, n, m], or None for n k^2. categories : int [n, raters], the first
    diagnoses; -1 is none. first, second : [m], the raters of each pair.
    """

    mu: NDArray[np.unsignedinteger]
    sizes: NDArray[np.int64] | None
    categories: NDArray[np.integer]
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    @property
    def n_cases(self) -> int:
        return self.mu.shape[1]

    def rates(self, weights: NDArray[np.float64] | None = None) -> Rates:
        """The rates of the cases taken `weights` times: [n] once, or [repeats, n]; each case once by default."""
        widest, n, pairs = self.mu.shape
        once = weights is None
        weight = np.ones((1, n)) if weights is None else np.atleast_2d(weights)
        # whole numbers that stay below 2^24 are exact in float32, at twice the speed
        kind = np.float32 if n * widest * widest < _EXACT_IN_FLOAT32 else np.float64
        weight = weight.astype(kind, copy=False)
        precision = np.empty((len(weight), widest, pairs))
        recall = np.empty((len(weight), widest, pairs))
        for level in range(widest):
            shared = (weight @ self.mu[level].astype(kind)).astype(float)
            below = (
                n * (level + 1) ** 2 if self.sizes is None else (weight @ self.sizes[level].astype(kind)).astype(float)
            )
            precision[:, level] = shared / below
            recall[:, level] = (weight @ (self.mu[level] > 0).astype(kind)).astype(float) / n
        kappa = self._kappa(weight)
        if once or np.ndim(weights) == 1:
            return Rates(precision[0], recall[0], kappa[0])
        return Rates(precision, recall, kappa)

    def _kappa(self, weight: NDArray[Any]) -> NDArray[np.float64]:
        n, raters = self.categories.shape
        known = self.categories[:, self.first] != NO_CATEGORY
        agree = (self.categories[:, self.first] == self.categories[:, self.second]) & known
        agreements = (weight @ agree.astype(weight.dtype)).astype(float)
        slots, count = _shared_categories(self.categories)
        by_chance = np.empty((len(weight), len(self.first)))
        rows, columns = np.nonzero(slots >= 0)
        flat = slots[rows, columns] + columns * count
        for repeat, one in enumerate(weight):
            held = np.bincount(flat, one[rows], minlength=count * raters).reshape(raters, count)
            by_chance[repeat] = (held @ held.T)[self.first, self.second]
        return kappa_from_counts(agreements, by_chance, n)


def _shared_categories(categories: NDArray[np.integer]) -> tuple[NDArray[np.int64], int]:
    """Categories renumbered so that those of a single rater, which no chance agreement needs, become -1."""
    count = int(categories.max(initial=NO_CATEGORY)) + 1
    held = np.zeros((categories.shape[1], count), bool)
    rows, columns = np.nonzero(categories >= 0)
    held[columns, categories[rows, columns]] = True
    shared = held.sum(0) > 1
    number = np.append(np.where(shared, np.cumsum(shared) - 1, NO_CATEGORY), NO_CATEGORY)
    return number[categories], int(shared.sum())


def resampled(counts: CaseCounts, repeats: int, seed: int) -> Rates:
    """The rates in `repeats` resamples of the cases, drawn with replacement. The block size changes nothing."""
    blocks = [counts.rates(weights) for weights in case_weights(counts.n_cases, repeats, seed)]
    return Rates(*(np.concatenate([getattr(b, name) for b in blocks]) for name in ("precision", "recall", "kappa")))


def resampled_means(
    values: ArrayLike, repeats: int, seed: int, order: NDArray[np.integer] | None = None
) -> NDArray[np.float64]:
    """Means of per-case values in the resamples that `resampled` draws: float64 [repeats, m].

    values : float [n, m], one row per case; NaN where a case has no value. The mean is over the others, each as often
        as the resample holds it; NaN where it holds none of them.
    order : [n], the rows by the name of their case, so that the order of the input changes no interval.
    """
    cases = np.asarray(values, float)
    if cases.ndim != 2 or len(cases) == 0 or np.isinf(cases).any():
        raise OptionError("values", "finite numbers or NaN, [cases, columns], with at least one case", values)
    if order is not None:
        cases = cases[order]
    missing = np.isnan(cases)
    gaps = np.flatnonzero(missing.any(0))
    patterns, pattern = np.unique(missing[:, gaps], axis=1, return_inverse=True)
    there = (~patterns).astype(float)
    filled = np.where(missing, 0, cases)
    means = np.empty((repeats, cases.shape[1]))
    start = 0
    for weights in case_weights(len(cases), repeats, seed):
        sums = weights @ filled
        held = np.full(sums.shape, float(len(cases)))
        held[:, gaps] = (weights @ there)[:, pattern]
        means[start : start + len(weights)] = np.divide(sums, held, out=np.full(sums.shape, np.nan), where=held > 0)
        start += len(weights)
    return means


def case_weights(n: int, repeats: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Multinomial counts in blocks [b, n]: how often each case stands in each resample."""
    generator = np.random.default_rng(seed)
    step = max(1, _BYTES_PER_BLOCK // (8 * n))
    for start in range(0, max(repeats, 1), step):
        block = np.empty((min(step, repeats - start), n))
        for row in block:
            row[:] = np.bincount(generator.integers(0, n, n), minlength=n)
        yield block


@dataclass(frozen=True)
class Interval:
    """A percentile interval; `low` and `high` are None with a `reason`. `undefined`: repeats without a value."""

    low: float | None
    high: float | None
    undefined: int = 0
    reason: str = ""


def percentile_interval(values: NDArray[np.float64], level: float, n_cases: int) -> Interval:
    """The middle `level` of the repeats that have a value.

    None with one case only, without repeats, or where more than 1 - level of the repeats are undefined.
    """
    undefined = int(np.isnan(values).sum())
    if len(values) == 0:
        return Interval(None, None, 0, "no bootstrap was asked for")
    if n_cases < 2:
        return Interval(None, None, undefined, "one case cannot be resampled")
    if undefined > (1 - level) * len(values):
        return Interval(None, None, undefined, f"{undefined:,} of {len(values):,} bootstrap repeats are undefined")
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), undefined)


def check_bootstrap(repeats: Any, seed: Any, level: Any) -> None:
    """Errors: `OptionError`."""
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 0 <= repeats <= 1_000_000:
        raise OptionError("bootstrap", "a whole number from 0 (none) to 1,000,000", repeats)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise OptionError("seed", "a whole number, 0 or more", seed)
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise OptionError("level", "a number between 0 and 1, such as 0.95", level)
