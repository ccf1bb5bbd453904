"""Raw log-odds -> probability. Each row is computed alone, so a pair gives the same bits alone and in a batch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .trees.refusal import refusal

MAX_SLOPE = 1e3
MAX_INTERCEPT = 1e6


@dataclass(frozen=True)
class Sigmoid:
    """Platt's sigmoid (Platt 1999, eq. 1, with the sign turned): `p = 1 / (1 + exp(-(slope * raw + intercept)))`.

    Parameters
    ----------
    slope : in (0, 1000]; above zero, so that the order of the pairs stays.
    intercept : in [-1e6, 1e6].

    Errors: `ModelError` for a number outside its range.

    >>> Sigmoid(slope=1.0, intercept=0.0)(np.array([0.0, np.log(3.0)])).tolist()
    [0.5, 0.75]
    """

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        for name, low, high in (("slope", 0.0, MAX_SLOPE), ("intercept", -MAX_INTERCEPT, MAX_INTERCEPT)):
            value = getattr(self, name)
            right_type = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not right_type or not low <= value <= high or (name == "slope" and value == 0):
                bracket = "(" if name == "slope" else "["
                raise refusal(
                    f"calibration, {name}", "not usable", allowed=f"a number in {bracket}{low:g}, {high:g}]", got=value
                )
            object.__setattr__(self, name, float(value))

    def __call__(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities float64[n] in [0, 1] of raw log-odds float64[n]; NaN gives NaN.

        The exponential is only ever taken of a number <= 0, so it cannot overflow.
        """
        from .row_loops import exponentials

        z = self.slope * np.asarray(raw, dtype=np.float64) + self.intercept
        e = exponentials(-np.abs(z))
        return np.where(z < 0, e, 1.0) / (1.0 + e)

    def inverse(self, probability: float) -> float:
        """The raw log-odds that a probability in (0, 1) stands for."""
        return (math.log(probability / (1.0 - probability)) - self.intercept) / self.slope

    def to_json(self) -> dict[str, Any]:
        return {"kind": "sigmoid", "slope": self.slope, "intercept": self.intercept}

    @classmethod
    def from_json(cls, value: Any, place: str = "") -> Sigmoid:
        """Errors: `ModelError`, naming `place`, where `value` is not exactly what `to_json` gives."""
        before = f"{place}, " if place else ""
        keys = {"kind", "slope", "intercept"}
        if not isinstance(value, Mapping) or value.keys() != keys or value["kind"] != "sigmoid":
            allowed = '{"kind": "sigmoid", "slope": …, "intercept": …}'
            raise refusal(f"{before}calibration", "no known calibration", allowed=allowed, got=value)
        try:
            return cls(value["slope"], value["intercept"])
        except ModelError as error:
            raise ModelError(f"{before}{error}") from None
