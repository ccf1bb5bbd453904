"""How far two agree who each say yes or no of the same items: accuracy, precision, recall, F1 and kappa, with intervals over cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...pages.rows import Row
from .bootstrap import case_weights
from .section import Context, measured

UNDEFINED = {
    "accuracy": "no item",
    "precision": "it includes nothing",
    "recall": "the humans include nothing",
    "F1": "neither includes anything",
    "kappa": "both say the same of every item",
}
"""Measure -> why it has no value, where it has none."""


@dataclass(frozen=True)
class Agreement:
    """counts : items to which both say yes, the first alone, the second alone, neither. n_cases : those that the items are of.
    measures : of each of `UNDEFINED`, value, low, high, undefined_repeats and reason, as of `measured`."""

    counts: list[int]
    n_cases: int
    measures: dict[str, Row]


def agreement_of(first: ArrayLike, second: ArrayLike, cases: Sequence[str], context: Context) -> Agreement:
    """first, second : bool [m], the second is who is agreed with. cases : [m], resampled with all their items."""
    names, place = np.unique(np.array(cases, dtype=object), return_inverse=True)
    counts = np.zeros((len(names), 4))
    np.add.at(counts, (place, 2 * ~np.asarray(first, bool) + ~np.asarray(second, bool)), 1)
    drawn = case_weights(len(names), context.repeats, context.seed) if len(names) else ()
    repeats = _measures(np.concatenate([np.empty((0, 4)), *(weights @ counts for weights in drawn)]))
    found = {
        name: measured(float(value[0]), repeats[name], context.level, len(names), UNDEFINED[name])
        for name, value in _measures(counts.sum(0)[None]).items()
    }
    return Agreement(counts.sum(0).astype(int).tolist(), len(names), found)


def _measures(counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """counts : [b, 4], as of `Agreement`. Kappa is Cohen's; NaN where chance leaves nothing open."""
    both, first, second, neither = counts.T
    n = counts.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (both + neither) / n
        by_chance = ((both + first) * (both + second) + (neither + first) * (neither + second)) / n**2
        return {
            "accuracy": observed,
            "precision": both / (both + first),
            "recall": both / (both + second),
            "F1": 2 * both / (2 * both + first + second),
            "kappa": np.where(by_chance < 1, (observed - by_chance) / (1 - by_chance), np.nan),
        }
