"""Krippendorff's alpha: agreement of any number of raters, some of whom may say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ..lists.lists import NO_CATEGORY
from .agreement import check_categories
from .declaration import declare

_DEGENERATE = (
    ("no case has two diagnoses", "NaN: nothing can be compared"),
    ("no diagnosis (-1)", "missing: the case is judged by the others, and left out where one or none is left"),
    ("no case, or one rater", "refused"),
)


def _nominal_example(generator: np.random.Generator) -> dict[str, Any]:
    n, raters, count = (int(generator.integers(low, high)) for low, high in ((1, 7), (2, 5), (1, 5)))
    return {"categories": generator.integers(-1, count, (n, raters))}


def _distance_example(generator: np.random.Generator) -> dict[str, Any]:
    count = int(generator.integers(1, 5))
    upper = np.triu(generator.integers(0, 2, (count, count)), 1)
    n, raters = int(generator.integers(1, 7)), int(generator.integers(2, 5))
    return {"values": generator.integers(-1, count, (n, raters)), "distance": upper + upper.T}


@declare(
    symbol="alpha",
    description="Agreement of any number of raters' first diagnoses: 1 is perfect, 0 what chance gives.",
    meaning="How much the first diagnoses of a group agree; with the algorithm as one more expert, whether it fits in.",
    good="From 0.80 up an agreement is called reliable, from 0.667 fit for tentative conclusions (Krippendorff). Here, compare with the experts alone.",
    use="a group of raters, some answers missing",
    avoid="the order within lists matters",
    formula="alpha = 1 - D_o / D_e, D_o = 1/N sum_u sum_{i != j} [c_ui != c_uj] / (m_u - 1), "
    "D_e = sum_{c != k} n_c n_k / (N (N - 1))",
    source="Krippendorff 2011, Computing Krippendorff's Alpha-Reliability (nominal)",
    inputs="categories [n, r]: the category of the first diagnosis of each of r raters, whole numbers; -1 is missing",
    range="[-1, 1]",
    denominator="D_e, the disagreement of any two of the N diagnoses that stand beside another in their case",
    example=_nominal_example,
    axes={"categories": "case, rater"},
    order_free=("case", "rater"),
    degenerate=(("one category in all cases", "NaN: D_e is 0, nothing varies"), *_DEGENERATE),
)
def krippendorff_alpha(categories: ArrayLike) -> float:
    """Krippendorff's alpha for categories.

    >>> round(krippendorff_alpha([[0, 1], [1, 1], [0, 1], *[[0, 0]] * 2, [0, 1], *[[0, 0]] * 2, [1, 0], [0, 0]]), 4)
    0.0952
    """
    array = check_categories(categories, "categories")
    disagreeing, size = disagreement(array, None)
    held = np.bincount(array[(array != NO_CATEGORY) & (size > 0)[:, None]])
    total = int(size.sum())
    return float(alpha_from_sums(disagreeing.sum(), total, total * total - held @ held))


@declare(
    symbol="alpha_M",
    description="Krippendorff's alpha with 1 - M between two diagnoses as their distance, without forming categories.",
    meaning="As alpha, but a near miss counts for less than a miss, by the match function's probability.",
    good="1 is perfect, 0 what chance gives; compare with the experts alone.",
    use="diagnoses fall into no clean categories",
    avoid="the match function rests on votes: it is asked about pairs of different cases",
    formula="alpha_M = 1 - D_o / D_e, with 1 - M(d, d') in place of [c != k]",
    source="Krippendorff 2011, with a distance of one's own; 1 - M: dxmatch",
    inputs="values [n, r]: the number of each rater's first diagnosis, -1 is missing; "
    "distance [s, s]: between diagnoses, symmetric, from 0 to 1, 0 to itself",
    range="(-inf, 1]",
    denominator="D_e, the mean distance of any two of the diagnoses that stand beside another in their case",
    example=_distance_example,
    axes={"values": "case, rater"},
    order_free=("case", "rater"),
    degenerate=(("every two diagnoses match", "NaN: D_e is 0, nothing varies"), *_DEGENERATE),
)
def krippendorff_alpha_by_distance(values: ArrayLike, distance: ArrayLike) -> float:
    """Krippendorff's alpha for any distance; with 1 for all that differ it is `krippendorff_alpha`."""
    array, apart = check_categories(values, "values"), np.asarray(distance, float)
    if apart.ndim != 2 or apart.shape[0] != apart.shape[1] or len(apart) <= array.max():
        raise OptionError("distance", f"[s, s], s above {array.max()}", apart.shape)
    if not ((apart >= 0) & (apart <= 1) & (apart == apart.T)).all() or apart.diagonal().any():
        raise OptionError("distance", "symmetric, from 0 to 1, with 0 on the diagonal", distance)
    disagreeing, size = disagreement(array, lambda i, j: apart[array[:, i], array[:, j]])
    held = np.bincount(array[(array != NO_CATEGORY) & (size > 0)[:, None]], minlength=len(apart))
    return float(alpha_from_sums(disagreeing.sum(), size.sum(), held @ apart @ held))


def disagreement(categories: NDArray[np.integer], distance: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each case `sum_{i != j} distance / (m - 1)`, float64 [n], and m, its diagnoses, int64 [n]; 0 where m < 2.

    categories : [n, r], -1 is missing. distance : of two columns, a function (i, j) -> [n]; None is 1 for all that differ.
    """
    known = categories != NO_CATEGORY
    size = known.sum(1)
    total = np.zeros(len(categories))
    for i, j in zip(*np.triu_indices(categories.shape[1], 1), strict=True):
        apart = categories[:, i] != categories[:, j] if distance is None else distance(i, j)
        total += 2 * np.where(known[:, i] & known[:, j], apart, 0)
    return np.divide(total, size - 1, out=np.zeros(len(total)), where=size > 1), np.where(size > 1, size, 0)


def alpha_from_sums(disagreeing: ArrayLike, total: ArrayLike, apart: ArrayLike) -> NDArray[np.float64]:
    """`disagreeing` = N D_o, `total` = N, `apart` = N (N - 1) D_e; NaN where D_e is 0 or nothing can be compared."""
    below = np.asarray(apart, float)
    above = np.asarray(disagreeing) * (np.asarray(total) - 1)
    return 1 - np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0)
