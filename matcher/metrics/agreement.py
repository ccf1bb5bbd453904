"""Agreement beyond chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...features.errors import OptionError
from .declaration import HOW_TO_EVALUATE, declare

NO_CATEGORY = -1
"""Says "no diagnosis": agrees with nothing, not even with itself."""


@declare(
    symbol="kappa",
    says="Agreement of two raters' first diagnoses beyond what chance would give.",
    formula="kappa = (p_o - p_e) / (1 - p_e), p_e = sum_c p_a(c) p_b(c)",
    source=f"Cohen 1960; used at top 1 in {HOW_TO_EVALUATE}",
    inputs="a, b [n]: the category of each rater's first diagnosis in each case, whole numbers; -1 is no diagnosis",
    range="[-1, 1]",
    denominator="1 - p_e, the agreement that chance leaves open",
    degenerate=(
        ("both raters give one and the same category in every case", "NaN: p_e is 1, chance leaves nothing open"),
        ("no diagnosis (-1)", "agrees with nothing, as if it were a category of its own each time"),
        ("no case", "refused"),
    ),
)
def cohen_kappa(a: ArrayLike, b: ArrayLike) -> float:
    """Cohen's kappa, unweighted; equal to `sklearn.metrics.cohen_kappa_score`.

    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])  # p_o 3/4, p_e 3/8 + 1/8
    0.5
    """
    left, right = np.asarray(a), np.asarray(b)
    for name, array in (("a", left), ("b", right)):
        if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iu" or array.min() < NO_CATEGORY:
            raise OptionError(name, "a list of at least one whole number, -1 or more", array)
    if len(left) != len(right):
        raise OptionError("b", f"as long as a ({len(left)})", right)
    return float(kappa_of_pairs(np.stack([left, right], 1), np.array([0]), np.array([1]))[0])


def kappa_of_pairs(
    categories: NDArray[np.integer],
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    weights: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Cohen's kappa of several pairs of raters at once.

    categories : int [n, r], -1 where a rater gives no diagnosis. first, second : [m], columns of `categories`.
    weights : [n], how often each case counts (once by default). Returns float64 [m]; NaN where p_e is 1.
    """
    n, raters = categories.shape
    weight = np.ones(n) if weights is None else np.asarray(weights, float)
    count = int(categories.max(initial=NO_CATEGORY)) + 1
    known = categories >= 0
    slots = np.where(known, categories + np.arange(raters) * count, count * raters)
    held = np.bincount(slots.ravel(), np.repeat(weight, raters), minlength=count * raters + 1)[:-1].reshape(
        raters, count
    )
    total = weight.sum()
    agree = (categories[:, first] == categories[:, second]) & known[:, first]
    return kappa_from_counts(weight @ agree, (held @ held.T)[first, second].astype(float), total)


def kappa_from_counts(agreements: NDArray[np.float64], by_chance: NDArray[np.float64], n: float) -> NDArray[np.float64]:
    """`agreements` of n cases, `by_chance` = sum_c n_a(c) n_b(c), which is n^2 p_e; NaN where p_e is 1."""
    open_ = n * n - by_chance
    return np.divide(n * agreements - by_chance, open_, out=np.full(np.shape(agreements), np.nan), where=open_ > 0)
