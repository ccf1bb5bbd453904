"""A metric of several raters as a function of means over cases; from it follow values, intervals, differences and subgroups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def the_mean(means: Values) -> Values:
    """Of a metric that is the mean of one value of each case."""
    return means[..., 0]


def ratio(means: Values) -> Values:
    """The first of two means over the second; NaN for 0 of 0."""
    above, below = means[..., 0], means[..., 1]
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below != 0)


@dataclass(frozen=True)
class Measure:
    """A metric of r raters in n cases.

    metric : its name in the registry.
    columns : c arrays float64 [n, r], one value for each case and rater; NaN where there is none: means are over the others.
        Measures that hold the same array have its means computed once.
    cases : int [n], which cases of the lists these are, each once.
    combine : means [..., c] -> the metric [...].
    reason : why a value is undefined, where it is: of all raters, or one for each.
    of, k, hardness, n_pairs : as in `Report.table`.
    """

    metric: str
    raters: Sequence[str]
    columns: tuple[Values, ...]
    cases: NDArray[np.integer]
    combine: Callable[[Values], Values] = the_mean
    of: str = ""
    k: int | None = None
    hardness: float | None = None
    reason: str | Sequence[str] = ""
    n_pairs: int = 1

    def why(self, rater: int) -> str:
        return self.reason if isinstance(self.reason, str) else self.reason[rater]


@dataclass(frozen=True)
class Estimate:
    """A measure's values. value : [r]. repeats : [repeats, r], in the resamples. n_cases : int [r], cases with a value."""

    measure: Measure
    value: Values
    repeats: Values
    n_cases: NDArray[np.integer]


def without_absent(values: Values, absent: NDArray[np.bool_]) -> Values:
    """NaN for the lists that were not given. values : float64 [n, r, ...]. absent : bool [n, r]."""
    if not absent.any():
        return values
    out = values.copy()
    out[absent] = np.nan
    return out
