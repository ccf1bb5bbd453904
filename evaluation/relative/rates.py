"""P@k, R@k and kappa of every pair of raters, in the data and in every resample of the cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..lists.lists import NO_CATEGORY
from ..metrics.agreement import kappa_from_counts
from ..statistics.bootstrap import case_weights

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
