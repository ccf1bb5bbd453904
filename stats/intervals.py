"""Percentile intervals of resampled values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SAME = 1e-12
_ROUNDING = 1e-9
NOT_ASKED = "no bootstrap was asked for"
ALIKE = "every resample gives the same value, as where all are right or all wrong"


@dataclass(frozen=True)
class Interval:
    """A percentile interval; `low` and `high` are None with a `reason`. `undefined`: resamples without a value."""

    low: float | None
    high: float | None
    undefined: int = 0
    reason: str = ""


def percentile_interval(values: NDArray[np.float64], level: float, n_cases: int) -> Interval:
    """Finds the middle `level` of the resamples that have a value.

    None with fewer than two cases, without resamples, where more than 1 - level of them are undefined, and where all are the
    same: cases that are all right or all wrong would give [1, 1] or [0, 0] however few they are.
    """
    undefined = int(np.isnan(values).sum())
    if len(values) == 0:
        return Interval(None, None, 0, NOT_ASKED)
    if n_cases < 2:
        return Interval(None, None, undefined, "one case cannot be resampled")
    if undefined > (1 - level) * len(values):
        return Interval(None, None, undefined, f"{undefined:,} of {len(values):,} bootstrap repeats are undefined")
    if np.nanmax(values) - np.nanmin(values) < _SAME:
        return Interval(None, None, undefined, ALIKE)
    return Interval(*_middle(values, level), undefined)


def measured(value: float, repeats: NDArray[np.float64], level: float, n_cases: int, reason: str) -> dict[str, Any]:
    """Makes value, low, high, undefined_repeats and reason of a row; None instead of NaN, with the reason why."""
    if np.isnan(value):
        undefined = int(np.isnan(repeats).sum())
        return {"value": None, "low": None, "high": None, "undefined_repeats": undefined, "reason": reason}
    found = percentile_interval(repeats, level, n_cases)
    # of alpha and kappa, which resamples of few cases take too low
    if (
        found.low is not None
        and found.high is not None
        and not found.low - _ROUNDING <= value <= found.high + _ROUNDING
    ):
        found = Interval(None, None, found.undefined, "that of the resamples does not hold the value")
    why = f"no interval: {found.reason}" if found.reason else ""
    return {"value": value, "low": found.low, "high": found.high, "undefined_repeats": found.undefined, "reason": why}


def percentiles(values: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    """Finds the middle `level` of resamples, alike or not; None where half of them or more are undefined."""
    if 2 * np.isnan(values).sum() >= len(values):
        return None, None
    return _middle(values, level)


def _middle(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
