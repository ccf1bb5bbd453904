"""Bootstrap intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def percentile_interval(resampled: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    """The percentile interval of a value's resamples float64[r]; None where more than half of them are undefined."""
    values = resampled[np.isfinite(resampled)]
    if len(values) * 2 <= len(resampled):
        return None, None
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
