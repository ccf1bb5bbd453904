"""Rows of a report for a rater that is judged against the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..metrics import REGISTRY
from ..relative.rows import Row, Setting, measured
from ..statistics.section import Context

Values = NDArray[np.float64]


def rater_row(
    rater: str,
    metric: str,
    value: float,
    repeats: Values,
    context: Context,
    *,
    of: str = "",
    k: int | None = None,
    n_cases: int,
    reason: str = "",
) -> Row:
    """One value of one rater. metric : its name in the registry. reason : why it is undefined, where it is."""
    declared = REGISTRY[metric]
    setting = Setting(context.k, 1.0, context.k, context.level, n_cases)
    return {
        "algorithm": rater,
        "metric": declared.symbol,
        "of": of,
        "k": k,
        "hardness": None,
        "name": declared.printed(k, of=of),
        **measured(value, repeats, setting, reason),
        "n_cases": n_cases,
        "n_pairs": 1,
    }


def by_name(cases: Sequence[str]) -> NDArray[np.intp]:
    """The order of the cases by name, in which they are resampled."""
    return np.argsort(np.array(cases, dtype=object), kind="stable")


def spread_over(values: Values, kept: NDArray[np.integer], n_cases: int) -> list[Any]:
    """[kept cases, r] as one value for each (case, rater) of all `n_cases`; None where undefined or left out."""
    every = np.full((n_cases, values.shape[1]), np.nan)
    every[kept] = values
    return [None if value != value else value for value in every.ravel().tolist()]
