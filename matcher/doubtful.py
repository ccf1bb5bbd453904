"""Which results are doubtful."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

DOUBTFUL = 0.1, 0.9
"""A probability between these, neither included, is doubtful."""


def is_doubtful(probability: ArrayLike, between: tuple[float, float] = DOUBTFUL) -> Any:
    """bool, of the shape that came: the probability is doubtful. NaN, of what is not scored, is not."""
    low, high = between
    return (low < np.asarray(probability)) & (np.asarray(probability) < high)
