"""Is a difference more than chance: p-values corrected for how many were looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down correction: all of these comparisons together err with at most the level asked (Holm 1979).

    The i-th smallest of m becomes `max_{j <= i} (m - j + 1) p_(j)`, at most 1. NaN stays NaN and is not counted in m.

    >>> holm([0.01, 0.04, 0.03]).tolist()  # 3 * 0.01, then 2 * 0.03, then 1 * 0.04, which stays at 0.06
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, float)
    order = np.argsort(values)[: int((~np.isnan(values)).sum())]
    corrected = np.full(values.shape, np.nan)
    corrected[order] = np.minimum(1, np.maximum.accumulate(np.arange(len(order), 0, -1) * values[order]))
    return corrected
