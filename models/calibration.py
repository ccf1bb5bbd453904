"""Raw log-odds -> probability. Each row is computed alone, so a pair gives the same bits alone and in a batch."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray


class Sigmoid(Struct, frozen=True, forbid_unknown_fields=True):
    """Platt's sigmoid (Platt 1999, eq. 1, with the sign turned): `p = 1 / (1 + exp(-(slope * raw + intercept)))`.

    Parameters
    ----------
    slope : in (0, 1000]; above zero, so that the order of the pairs stays.
    intercept : in [-1e6, 1e6].

    >>> Sigmoid(slope=1.0, intercept=0.0)(np.array([0.0, np.log(3.0)])).tolist()
    [0.5, 0.75]
    """

    slope: Annotated[float, Meta(gt=0, le=1e3)]
    intercept: Annotated[float, Meta(ge=-1e6, le=1e6)]

    def __call__(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities float64[n] in [0, 1] of raw log-odds float64[n]; NaN gives NaN."""
        from .tree_loops import sigmoid

        return sigmoid(np.asarray(raw, np.float64), float(self.slope), float(self.intercept))

    def inverse(self, probability: float) -> float:
        """The raw log-odds that a probability in (0, 1) stands for."""
        return (math.log(probability / (1.0 - probability)) - self.intercept) / self.slope
