"""The members of M, and how their scores become one: features -> [n, members] raw log-odds -> [n]."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.compiled import compiled
from ..features.errors import ModelError
from .refusal import refusal

KINDS = ("mean_raw", "mean_probability")
MAX_WEIGHT = 1e6
_ALLOWED = 'one of "mean_raw", "mean_probability", or {"kind": one of them, "weights": one number above 0 a member}'


@dataclass(frozen=True)
class Combination:
    """How the members' raw log-odds of a row become M's.

    kind : "mean_raw", their mean; "mean_probability", the log-odds of the mean of their probabilities
        1 / (1 + exp(-raw)), as AutoGluon averages the members of a bag.
    weights : of the mean, one a member, in (0, 1e6], of any sum; None where all count alike.

    Errors: `ModelError` for another kind, or weights out of range.

    >>> raw = np.log([[1 / 9, 1.0]])  # probabilities of 0.1 and 0.5
    >>> Combination("mean_probability", (3, 1))(raw) == np.log(0.2 / 0.8)
    array([ True])
    """

    kind: str
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise refusal("ensemble", "unknown", allowed=_ALLOWED, got=self.kind)
        if self.weights is not None:
            if not self.weights or not all(map(_is_weight, self.weights)):
                raise refusal("ensemble, weights", "not usable", allowed=f"numbers in (0, {MAX_WEIGHT:g}]", got=self.weights)  # fmt: skip
            object.__setattr__(self, "weights", tuple(map(float, self.weights)))

    def __call__(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[n] of `raw` float64[n, members]. A row is computed alone: it gives the same bits in any batch.

        Errors: `ModelError` where the members are not as many as the weights.
        """
        members = raw.shape[1]
        if self.weights is not None and len(self.weights) != members:
            raise refusal("ensemble, weights", "not one a member", allowed=f"{members} numbers", got=len(self.weights))
        weights = np.ones(members) if self.weights is None else np.array(self.weights)
        combine = _mean_raw if self.kind == "mean_raw" else _mean_probability
        return combine(np.ascontiguousarray(raw, np.float64), weights)

    def to_json(self) -> Any:
        return self.kind if self.weights is None else {"kind": self.kind, "weights": list(self.weights)}

    @classmethod
    def from_json(cls, value: Any, place: str = "") -> Combination:
        """Errors: `ModelError`, naming `place`, where `value` is not exactly what `to_json` gives."""
        before = f"{place}, " if place else ""
        kind, weights = value, None
        if isinstance(value, Mapping) and value.keys() == {"kind", "weights"} and isinstance(value["weights"], list):
            kind, weights = value["kind"], tuple(value["weights"])
        if not isinstance(kind, str):
            raise refusal(f"{before}ensemble", "unknown", allowed=_ALLOWED, got=value)
        try:
            return cls(kind, weights)
        except ModelError as error:
            raise ModelError(f"{before}{error}") from None


MEAN_RAW = Combination("mean_raw")


class Members:
    """LightGBM boosters, from texts that `trees.validate` gave."""

    def __init__(self, texts: Sequence[str]) -> None:
        import lightgbm

        self._boosters = [lightgbm.Booster(model_str=text) for text in texts]

    def __call__(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[n, members]: each member's raw log-odds for `table` float32[n, f]."""
        raw = np.empty((len(table), len(self._boosters)))
        for member, booster in enumerate(self._boosters):
            raw[:, member] = np.asarray(booster.predict(table, raw_score=True, num_threads=1))
        return raw


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MAX_WEIGHT


@compiled()
def _mean_raw(raw: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.empty(len(raw))
    for row in range(len(raw)):
        total = 0.0
        weight = 0.0
        for member in range(len(weights)):
            total += weights[member] * raw[row, member]
            weight += weights[member]
        out[row] = total / weight
    return out


@compiled()
def _mean_probability(raw: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(sum w p / sum w (1 - p)), with p and 1 - p each taken from an exponential of a number from -700 to 0: neither is ever 0."""
    out = np.empty(len(raw))
    for row in range(len(raw)):
        match = 0.0
        other = 0.0
        for member in range(len(weights)):
            score = raw[row, member]
            e = math.exp(max(-abs(score), -700.0))
            likelier, other_side = weights[member] / (1.0 + e), weights[member] * e / (1.0 + e)
            match += likelier if score >= 0 else other_side
            other += other_side if score >= 0 else likelier
        out[row] = math.log(match) - math.log(other)
    return out
