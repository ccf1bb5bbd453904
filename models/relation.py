"""The trained part of the relation of two diagnoses: what a match, or no match, is more exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .calibration import Sigmoid
from .scorer import Scorer
from .trees.refusal import refusal

HEADS = ("same", "kin", "close")
"""same : of a match, whether it is one disease, no kind and class. kin : of two diseases that do not match, whether one group holds both.
close : of these, whether it is a narrow one."""


@dataclass(frozen=True)
class RelationModel:
    """Three ensembles over the columns of M's features, and weights that tell a kind from its class.

    Attributes
    ----------
    trees : by head, LightGBM's texts.
    calibration : by head.
    direction : the weights of the columns of `features.direction`, in log-odds.
    thresholds : by policy, of its probability.
    """

    trees: Mapping[str, Sequence[str]]
    calibration: Mapping[str, Sigmoid]
    direction: Mapping[str, float]
    thresholds: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """What the manifest keeps; the trees are files."""
        return {
            "calibration": {head: self.calibration[head].to_json() for head in HEADS},
            "direction": dict(self.direction),
            "thresholds": dict(self.thresholds),
        }

    @classmethod
    def from_json(cls, value: Any, trees: Mapping[str, Sequence[str]], place: str) -> RelationModel:
        """Raises `ModelError` where `value` is not what `to_json` gives, or a head has no trees."""
        keys = {"calibration", "direction", "thresholds"}
        if not isinstance(value, Mapping) or value.keys() != keys or not isinstance(value["calibration"], Mapping):
            raise refusal(f"{place}, relation", "not usable", allowed=f"an object of {', '.join(sorted(keys))}", got=value)
        if value["calibration"].keys() != set(HEADS) or trees.keys() != set(HEADS):
            raise refusal(f"{place}, relation", "not complete", allowed=", ".join(HEADS), got=sorted(value["calibration"]))
        for name in ("direction", "thresholds"):
            numbers = value[name]
            if not isinstance(numbers, Mapping) or not all(type(number) is float for number in numbers.values()):
                raise refusal(f"{place}, relation, {name}", "not usable", allowed="numbers by name", got=numbers)
        calibration = {head: Sigmoid.from_json(value["calibration"][head], f"{place}, relation") for head in HEADS}
        return cls(trees, calibration, dict(value["direction"]), dict(value["thresholds"]))

    @cached_property
    def scorers(self) -> dict[str, Scorer]:
        return {head: Scorer(self.trees[head], self.calibration[head]) for head in HEADS}

    def of_head(self, head: str, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """float64[n]: the probability that a head gives, from the features float32[n, f]."""
        scorer = self.scorers[head]
        return scorer.calibration(scorer.raw(table, threads=threads))

    def first_is_narrower(self, directions: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[n]: of a kind and its class, the probability that the first is the kind. The reverse has one less this."""
        weights = np.array(list(self.direction.values()))
        total = np.zeros(len(directions))
        for column, weight in enumerate(weights):  # in one order: the same bits in any batch
            total += weight * directions[:, column].astype(np.float64)
        return 1 / (1 + np.exp(-total))
