"""The percentile bootstrap over groups (Efron & Tibshirani 1993, §13.3): pairs of one reference are not independent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def group_draws(groups: int, repeats: int, seed: int) -> NDArray[np.int64]:
    """How often each of the groups is drawn in each resample, int64[repeats, groups]."""
    return np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), size=repeats)


def percentile_interval(resampled: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    """The percentile interval of a value's resamples float64[r]; None where more than half of them are undefined."""
    values = resampled[np.isfinite(resampled)]
    if len(values) * 2 <= len(resampled):
        return None, None
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
