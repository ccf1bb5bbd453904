"""Rows of a report for a rater that is judged against the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..lists.lists import Lists
from ..matches.reference_matches import ReferenceMatches, match_references
from ..metrics import REGISTRY
from ..statistics.section import Context, measured

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
    return {
        "algorithm": rater,
        "metric": declared.symbol,
        "of": of,
        "k": k,
        "hardness": None,
        "name": declared.printed(k, of=of),
        **measured(value, repeats, context.level, n_cases, reason),
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


def shared_matches(lists: Lists, context: Context) -> ReferenceMatches:
    """`match_references` of the context's M and k, computed by the first family that needs it."""
    if "reference_matches" not in context.made:
        context.made["reference_matches"] = match_references(lists, context.matcher, context.k, context.progress)
    return context.made["reference_matches"]
