"""Resampling of cases: the same resamples for every algorithm, so that differences are paired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError

_BYTES_PER_BLOCK = 64_000_000
_SAME = 1e-12
NOT_ASKED = "no bootstrap was asked for"
ALIKE = "every resample of the cases gives the same value, as where all are right or all wrong"


def resampled_means(
    values: ArrayLike, repeats: int, seed: int, order: NDArray[np.integer] | None = None
) -> NDArray[np.float64]:
    """Means of per-case values in the resamples of `case_weights`: float64 [repeats, m].

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


def by_name(cases: Sequence[str]) -> NDArray[np.intp]:
    """The order of the cases by name, in which they are resampled: the order of the rows then changes no interval."""
    return np.argsort(np.array(cases, dtype=object), kind="stable")


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

    None with one case only, without repeats, where more than 1 - level of the repeats are undefined, and where all are the same: cases
    that are all right or all wrong give [1, 1] or [0, 0] however few they are.
    """
    undefined = int(np.isnan(values).sum())
    if len(values) == 0:
        return Interval(None, None, 0, NOT_ASKED)
    if n_cases < 2:
        return Interval(None, None, undefined, "one case cannot be resampled")
    if undefined > (1 - level) * len(values):
        return Interval(None, None, undefined, f"{undefined:,} of {len(values):,} bootstrap repeats are undefined")
    if np.nanmax(values) - np.nanmin(values) < _SAME:
        return Interval(None, None, undefined, ALIKE)
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
