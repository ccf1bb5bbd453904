"""Agreement beyond chance: kappa, Krippendorff's alpha, and how far two agree who say yes or no.

Categories are whole numbers [n, r], of n cases (items, pairs of texts) and r raters; `NONE` where a rater says nothing. Every value
is a function of weights [b, n], how often each case counts, and NaN where chance leaves nothing open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .resampling import CaseMeans, Statistic

NONE = -1

Values = NDArray[np.float64]
Numbers = NDArray[np.integer[Any]]


def cohen_kappas(
    categories: Numbers, first: Numbers, second: Numbers, absent: NDArray[np.bool_] | None = None
) -> Statistic:
    """Makes Cohen's kappa of m pairs of raters: weights [b, n] -> float64 [b, m].

    first, second : int [m], columns of `categories`. Saying nothing agrees with nothing, not even with itself. absent : bool [n, r], where a
    rater is not there: the pair is compared in the other cases.
    """
    if absent is not None and absent.any():
        pairs, both = np.stack([first, second], 1), (np.array([0]), np.array([1]))
        there = [np.flatnonzero(~absent[:, pair].any(1)) for pair in pairs]
        alone = [cohen_kappas(categories[at][:, pair], *both) for at, pair in zip(there, pairs, strict=True)]
        return lambda weights: np.concatenate([of(weights[:, at]) for of, at in zip(alone, there, strict=True)], 1)
    raters = categories.shape[1]
    agreement = CaseMeans((categories[:, first] == categories[:, second]) & (categories[:, first] != NONE))
    shared, count = _shared_categories(categories)
    rows, columns = np.nonzero(shared >= 0)
    flat = shared[rows, columns] + columns * count

    def kappas(weights: Values) -> Values:
        by_chance = np.empty((len(weights), len(first)))
        for repeat, one in enumerate(weights):
            held = np.bincount(flat, one[rows], minlength=count * raters).reshape(raters, count)
            by_chance[repeat] = (held @ held.T)[first, second]
        squared = weights.sum(1, keepdims=True) ** 2
        return divided(squared * agreement(weights) - by_chance, squared - by_chance)

    return kappas


def _shared_categories(categories: Numbers) -> tuple[Numbers, int]:
    """Renumbers categories so that those of a single rater, which no chance agreement needs, are `NONE`."""
    count = int(categories.max(initial=NONE)) + 1
    held = np.zeros((categories.shape[1], count), bool)
    rows, columns = np.nonzero(categories >= 0)
    held[columns, categories[rows, columns]] = True
    shared = held.sum(0) > 1
    number = np.append(np.where(shared, np.cumsum(shared) - 1, NONE), NONE)
    return number[categories], int(shared.sum())


class GroupAgreement:
    """Agreement of r raters as functions of weights [b, n]: float64 [b].

    Parameters
    ----------
    categories : int [n, r]
        `NONE` where a rater says nothing: to Fleiss' kappa that agrees with nothing, to alpha it is missing.
    """

    def __init__(self, categories: Numbers) -> None:
        self._categories, self._raters = categories, categories.shape[1]
        self.said = categories != NONE
        size = self.said.sum(1)
        self.paired = self.said & (size > 1)[:, None]
        """bool [n, r]: whether a diagnosis stands beside another in its case."""
        self.size = self.paired.sum(1)
        """int [n]: how many do."""
        self._agreeing = np.zeros(len(categories))
        for i, j in zip(*np.triu_indices(self._raters, 1), strict=True):
            self._agreeing += (categories[:, i] == categories[:, j]) & self.said[:, i]

    def fleiss(self, weights: Values) -> Values:
        """Computes Fleiss' kappa (Fleiss 1971, eqs. 1 to 7)."""
        n = np.where((n := weights.sum(1)) > 0, n, np.nan)
        observed = weights @ self._agreeing / n / (self._raters * (self._raters - 1) / 2)
        chance = self._squares(self._all, weights) / (n * self._raters) ** 2
        return divided(observed - chance, 1 - chance)

    def alpha(self, weights: Values) -> Values:
        """Computes Krippendorff's alpha for categories (Krippendorff 2011, C)."""
        total = weights @ self.size
        apart = self.size * (self.size - 1) - 2 * self._agreeing
        return self._alpha(apart, total * total - self._squares(self._paired, weights), weights)

    def alpha_by_distance(self, apart: NDArray[Any], unlike: Values, weights: Values) -> Values:
        """Computes Krippendorff's alpha for a distance.

        apart : [n, r, r], between each two raters in each case, 0 of one with itself. unlike : float64 [b], the sum of the distances
        of every two ordered diagnoses that stand beside another in their case, of any cases.
        """
        among = np.where(self.said[:, :, None] & self.said[:, None, :], apart, 0).sum((1, 2), dtype=float)
        return self._alpha(among, unlike, weights)

    def _alpha(self, apart: Values, unlike: Values, weights: Values) -> Values:
        """1 - D_o / D_e. apart : [n], the sum of the distances in each case. unlike : [b], N (N - 1) D_e."""
        disagreeing = weights @ np.divide(apart, self.size - 1, out=np.zeros(len(apart)), where=self.size > 1)
        return 1 - divided(disagreeing * (weights @ self.size - 1), unlike)

    @cached_property
    def _all(self) -> Any:
        return self._counts(self.said)

    @cached_property
    def _paired(self) -> Any:
        return self._all if (self.paired == self.said).all() else self._counts(self.paired)

    def _counts(self, kept: NDArray[np.bool_]) -> Any:
        """Counts each category in each case: sparse [categories, n]."""
        from scipy.sparse import coo_array

        shape = (int(self._categories.max(initial=0)) + 1, len(kept))
        return coo_array((np.ones(kept.sum()), (self._categories[kept], np.nonzero(kept)[0])), shape=shape).tocsr()

    @staticmethod
    def _squares(counts: Any, weights: Values) -> Values:
        return np.square(counts @ weights.T).sum(0)


def divided(above: ArrayLike, below: ArrayLike) -> Values:
    """Divides; NaN where `below` is 0 or NaN."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=np.asarray(below) > 0)


VERDICTS: Mapping[str, str] = {
    "accuracy": "no item",
    "precision": "it includes nothing",
    "recall": "the humans include nothing",
    "F1": "neither includes anything",
    "kappa": "both say the same of every item",
}
"""Measure of two who say yes or no -> why it has no value, where it has none."""
OF_CLASSES = ("accuracy", "kappa")
"""Those that have a meaning over more than two classes."""


def verdicts_agree(counts: Values, measure: str) -> Values:
    """Computes one of `VERDICTS`, or over more classes than yes and no one of `OF_CLASSES`: float64 [...].

    counts : [..., c * c], items by what the first says, then by what the second does, who is agreed with; yes stands before no.
    """
    c = math.isqrt(counts.shape[-1])
    square = counts.reshape(*counts.shape[:-1], c, c)
    first, second, same = square.sum(-1), square.sum(-2), np.trace(square, axis1=-2, axis2=-1)
    items = first.sum(-1)
    if measure == "accuracy":
        return divided(same, items)
    if measure == "kappa":
        chance = (first * second).sum(-1)
        return divided(same * items - chance, items**2 - chance)
    said, true = first[..., 0], second[..., 0]
    below = {"precision": said, "recall": true, "F1": (said + true) / 2}
    return divided(square[..., 0, 0], below[measure])
