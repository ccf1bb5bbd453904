"""Percentile intervals of resampled values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SAME = 1e-12
_ROUNDING = 1e-9
NOT_ASKED = "no bootstrap was asked for"
ALIKE = "every resample gives the same value, as where all are right or all wrong"


def measured(value: float, repeats: NDArray[np.float64], level: float, n_cases: int, reason: str) -> dict[str, Any]:
    """Makes value, low, high, undefined_repeats and reason of a row; None instead of NaN, with the reason why.

    low and high hold the middle `level` of the resamples that have a value. None with fewer than two cases, without resamples, where
    more than 1 - level of them are undefined, and where all are the same: cases that are all right or all wrong would give [1, 1] or
    [0, 0] however few they are.
    """
    undefined = int(np.isnan(repeats).sum())
    found = {"value": None, "low": None, "high": None, "undefined_repeats": undefined, "reason": reason}
    if np.isnan(value):
        return found
    if len(repeats) == 0:
        why = NOT_ASKED
    elif n_cases < 2:
        why = "one case cannot be resampled"
    elif undefined > (1 - level) * len(repeats):
        why = f"{undefined:,} of {len(repeats):,} bootstrap repeats are undefined"
    elif np.nanmax(repeats) - np.nanmin(repeats) < _SAME:
        why = ALIKE
    else:
        low, high = _middle(repeats, level)
        if low - _ROUNDING <= value <= high + _ROUNDING:
            return {**found, "value": value, "low": low, "high": high, "reason": ""}
        # of alpha and kappa, which resamples of few cases take too low
        why = "that of the resamples does not hold the value"
    return {**found, "value": value, "reason": f"no interval: {why}"}


def percentiles(values: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    """Finds the middle `level` of resamples, alike or not; None where half of them or more are undefined."""
    if 2 * np.isnan(values).sum() >= len(values):
        return None, None
    return _middle(values, level)


def _middle(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
