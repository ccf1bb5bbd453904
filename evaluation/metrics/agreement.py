"""Agreement beyond chance: the kappas."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ..lists.lists import NO_CATEGORY
from .declaration import HOW_TO_EVALUATE, declare


def _two_raters(generator: np.random.Generator) -> dict[str, NDArray[np.integer]]:
    n, count = generator.integers(1, 7), generator.integers(1, 4)
    return {name: generator.integers(-(n % 2), count, n) for name in "ab"}


@declare(
    symbol="kappa",
    description="Agreement of two raters' first diagnoses beyond what chance would give.",
    meaning="How much two raters' first diagnoses agree beyond what chance would give.",
    good="1 is perfect, 0 chance; 0.61 to 0.80 is often called substantial (Landis and Koch 1977). Experts beside experts are the better measure.",
    use="two raters, one diagnosis each",
    avoid="one diagnosis is far commoner than the others: chance then explains nearly all",
    formula="kappa = (p_o - p_e) / (1 - p_e), p_e = sum_c p_a(c) p_b(c)",
    source=f"Cohen 1960; used at top 1 in {HOW_TO_EVALUATE}",
    inputs="a, b [n]: the category of each rater's first diagnosis in each case, whole numbers; -1 is no diagnosis",
    range="[-1, 1]",
    denominator="1 - p_e, the agreement that chance leaves open",
    example=_two_raters,
    axes={"a": "case", "b": "case"},
    order_free=("case",),
    repeat_free=("case",),
    symmetric=("a", "b"),
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
    return float(kappa_of_pairs(np.stack([left, right], 1), np.array([0]), np.array([1])).item())


def _panel_example(generator: np.random.Generator) -> dict[str, NDArray[np.integer]]:
    n, raters, count = (generator.integers(low, high) for low, high in ((1, 7), (2, 5), (1, 4)))
    return {"categories": generator.integers(-(n % 2), count, (n, raters))}


@declare(
    symbol="kappa_F",
    description="Agreement of any number of raters' first diagnoses beyond what chance would give.",
    meaning="How much the first diagnoses of a group agree beyond what chance would give.",
    good="As kappa: 1 is perfect, 0 chance; 0.61 to 0.80 is often called substantial.",
    use="more than two raters, all of whom answered every case",
    avoid="answers are missing: then alpha",
    formula="kappa_F = (P - P_e) / (1 - P_e), P = mean_i sum_c n_ic (n_ic - 1) / (r (r - 1)), P_e = sum_c p_c^2",
    source="Fleiss 1971, eqs. 1 to 7",
    inputs="categories [n, r]: the category of the first diagnosis of each of r raters, whole numbers; -1 is no diagnosis",
    range="[-1, 1]",
    denominator="1 - P_e, the agreement that chance leaves open",
    example=_panel_example,
    axes={"categories": "case, rater"},
    order_free=("case", "rater"),
    repeat_free=("case",),
    degenerate=(
        ("all raters give one and the same category in every case", "NaN: P_e is 1, chance leaves nothing open"),
        ("no diagnosis (-1)", "agrees with nothing, and adds nothing to chance"),
        ("no case, or one rater", "refused"),
    ),
)
def fleiss_kappa(categories: ArrayLike) -> float:
    """Fleiss' kappa; equal to `statsmodels.stats.inter_rater.fleiss_kappa` where everybody says something.

    >>> round(fleiss_kappa([[0, 0, 0], [0, 1, 1]]), 4)  # P = (1 + 1/3) / 2, P_e = (4/6)^2 + (2/6)^2; (2/3 - 5/9) / (4/9)
    0.25
    """
    array = check_categories(categories, "categories")
    n, raters = array.shape
    held = np.bincount(array[array >= 0])
    return float(fleiss_from_counts(agreeing_pairs(array).mean(), held @ held, n * raters, raters))


def check_categories(categories: ArrayLike, name: str) -> NDArray[np.integer]:
    """Errors: `OptionError` unless it is [cases, raters] of whole numbers from -1, at least one case and two raters."""
    array = np.asarray(categories)
    if array.ndim != 2 or len(array) == 0 or array.shape[1] < 2 or array.dtype.kind not in "iu":
        raise OptionError(name, "whole numbers, [cases, raters], at least one case and two raters", categories)
    if array.min() < NO_CATEGORY:
        raise OptionError(name, "whole numbers of -1 or more", categories)
    return array


def agreeing_pairs(categories: NDArray[np.integer]) -> NDArray[np.int64]:
    """int64 [n]: how many pairs of raters agree in each case. categories : [n, r], -1 agrees with nothing."""
    first, second = np.triu_indices(categories.shape[1], 1)
    agree = np.zeros(len(categories), np.int64)
    for i, j in zip(first, second, strict=True):
        agree += (categories[:, i] == categories[:, j]) & (categories[:, i] != NO_CATEGORY)
    return agree


def fleiss_from_counts(agreeing: ArrayLike, squares: ArrayLike, values: int, raters: int) -> NDArray[np.float64]:
    """`agreeing` pairs of raters per case, `squares` = sum_c n_c^2 over all `values` = n r; NaN where P_e is 1."""
    observed, chance = np.asarray(agreeing) / (raters * (raters - 1) / 2), np.asarray(squares) / values**2
    return np.divide(observed - chance, 1 - chance, out=np.full(np.shape(chance), np.nan), where=chance < 1)


def kappa_of_pairs(
    categories: NDArray[np.integer],
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    weights: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Cohen's kappa of several pairs of raters at once.

    categories : int [n, r], -1 where a rater gives no diagnosis. first, second : [m], columns of `categories`.
    weights : [b, n], how often each case counts, once by default. Returns float64 [b, m]; NaN where p_e is 1.
    """
    raters = categories.shape[1]
    weight = np.atleast_2d(np.ones(len(categories)) if weights is None else np.asarray(weights))
    agree = (categories[:, first] == categories[:, second]) & (categories[:, first] != NO_CATEGORY)
    agreements = (weight @ agree.astype(weight.dtype)).astype(float)
    slots, count = _shared_categories(categories)
    by_chance = np.empty((len(weight), len(first)))
    rows, columns = np.nonzero(slots >= 0)
    flat = slots[rows, columns] + columns * count
    for repeat, one in enumerate(weight):
        held = np.bincount(flat, one[rows], minlength=count * raters).reshape(raters, count)
        by_chance[repeat] = (held @ held.T)[first, second]
    n = weight.sum(1, keepdims=True, dtype=float)
    open_ = n * n - by_chance
    return np.divide(n * agreements - by_chance, open_, out=np.full(open_.shape, np.nan), where=open_ > 0)


def _shared_categories(categories: NDArray[np.integer]) -> tuple[NDArray[np.int64], int]:
    """Categories renumbered so that those of a single rater, which no chance agreement needs, become -1."""
    count = int(categories.max(initial=NO_CATEGORY)) + 1
    held = np.zeros((categories.shape[1], count), bool)
    rows, columns = np.nonzero(categories >= 0)
    held[columns, categories[rows, columns]] = True
    shared = held.sum(0) > 1
    number = np.append(np.where(shared, np.cumsum(shared) - 1, NO_CATEGORY), NO_CATEGORY)
    return number[categories], int(shared.sum())
