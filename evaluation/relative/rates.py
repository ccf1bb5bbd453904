"""P@k, R@k and kappa of every pair of raters, in the data and in every resample of the cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..metrics.agreement import kappa_of_pairs
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

    def of(self, letter: str, k: int | None) -> NDArray[np.float64]:
        """[..., m]: "P" or "R" at k, or "kappa"."""
        if letter == "kappa":
            return self.kappa
        return (self.precision if letter == "P" else self.recall)[..., (k or 1) - 1, :]


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
        kappa = kappa_of_pairs(self.categories, self.first, self.second, weight)
        if once or np.ndim(weights) == 1:
            return Rates(precision[0], recall[0], kappa[0])
        return Rates(precision, recall, kappa)


def resampled(counts: CaseCounts, repeats: int, seed: int) -> Rates:
    """The rates in `repeats` resamples of the cases, drawn with replacement. The block size changes nothing."""
    blocks = [counts.rates(weights) for weights in case_weights(counts.n_cases, repeats, seed)]
    return Rates(*(np.concatenate([getattr(b, name) for b in blocks]) for name in ("precision", "recall", "kappa")))
