"""How alike two names are by a single feature, on one scale for all kinds of feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...features.feature_set import FeatureSpec
from ...features.registry import KINDS

UNKNOWN = 0.0


def likeness(feature: FeatureSpec, values: NDArray[np.floating]) -> NDArray[np.float64]:
    """float64[n] in [0.5, 1], 1 for what equal names have; `UNKNOWN` where the value is NaN, below all that is known."""
    kind = KINDS[feature.kind]
    low, high = kind.range
    share = (values.astype(np.float64) - low) / (high - low)
    if kind.alike == low:
        share = 1 - share
    return np.where(np.isfinite(share), 0.5 + 0.5 * np.clip(share, 0, 1), UNKNOWN)


def value_at(feature: FeatureSpec, score: float) -> float:
    """The feature's own value at a `likeness`."""
    kind = KINDS[feature.kind]
    low, high = kind.range
    share = float(np.clip(2 * score - 1, 0, 1))
    return low + (high - low) * (1 - share if kind.alike == low else share)
