"""Is a difference more than chance: p-values from the bootstrap, and their correction for how many were looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def two_sided_p(differences: ArrayLike) -> float:
    """The p-value of "no difference": one less the level of the widest percentile interval that leaves out 0.

    `p = 2 min(1 + #{d <= 0}, 1 + #{d >= 0}) / (B + 1)`, at most 1 (Davison and Hinkley 1997, §4.4); never 0, since B
    resamples cannot show less than 2 / (B + 1).

    differences : [B], one per resample; NaN where one is undefined, which does not count. NaN if none is left.
    """
    values = np.asarray(differences, float)
    values = values[~np.isnan(values)]
    if not len(values):
        return np.nan
    fewer = min((values <= 0).sum(), (values >= 0).sum())
    return min(1.0, 2 * (1 + int(fewer)) / (1 + len(values)))


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
