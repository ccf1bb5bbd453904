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
LEARNT_POLICIES = ("narrower-counts",)
"""Policies with trees of their own, over M's columns and those of the direction: the experts' labels say what they let pass."""
DIRECTIONS = ("line", "information", "covered", "length", "icd")
"""The columns of `features.direction`, in order."""


def relation_columns(head: str, features: Sequence[str]) -> tuple[str, ...]:
    """The columns that the trees of a head read."""
    return (*features, *(f"direction_{name}" for name in DIRECTIONS)) if head in LEARNT_POLICIES else tuple(features)


@dataclass(frozen=True)
class RelationModel:
    """Ensembles over the columns of M's features, and weights that tell a kind from its class.

    Attributes
    ----------
    trees : by head, LightGBM's texts; those of `LEARNT_POLICIES` may be absent.
    calibration : by head.
    direction : the weights of `DIRECTIONS`, in log-odds.
    thresholds : by policy, of its probability.
    """

    trees: Mapping[str, Sequence[str]]
    calibration: Mapping[str, Sigmoid]
    direction: Mapping[str, float]
    thresholds: Mapping[str, float]

    @staticmethod
    def columns(head: str, features: Sequence[str]) -> tuple[str, ...]:
        return relation_columns(head, features)

    def to_json(self) -> dict[str, Any]:
        """What the manifest keeps; the trees are files."""
        return {
            "calibration": {head: calibration.to_json() for head, calibration in self.calibration.items()},
            "direction": dict(self.direction),
            "thresholds": dict(self.thresholds),
        }

    @classmethod
    def from_json(cls, value: Any, trees: Mapping[str, Sequence[str]], place: str) -> RelationModel:
        """Raises `ModelError` where `value` is not what `to_json` gives, or a head has no trees."""
        keys = {"calibration", "direction", "thresholds"}
        if not isinstance(value, Mapping) or value.keys() != keys or not isinstance(value["calibration"], Mapping):
            raise refusal(
                f"{place}, relation", "not usable", allowed=f"an object of {', '.join(sorted(keys))}", got=value
            )
        heads = set(value["calibration"])
        if heads != set(trees) or not set(HEADS) <= heads <= {*HEADS, *LEARNT_POLICIES}:
            raise refusal(f"{place}, relation", "not complete", allowed=", ".join(HEADS), got=sorted(heads))
        for name, known in (("direction", set(DIRECTIONS)), ("thresholds", None)):
            numbers = value[name]
            right = isinstance(numbers, Mapping) and all(type(number) is float for number in numbers.values())
            if not right or (known is not None and set(numbers) != known):
                raise refusal(f"{place}, relation, {name}", "not usable", allowed="numbers by name", got=numbers)
        if not all(0 < number < 1 for number in value["thresholds"].values()):
            raise refusal(
                f"{place}, relation, thresholds",
                "not usable",
                allowed="numbers above 0 and below 1",
                got=value["thresholds"],
            )
        calibration = {head: Sigmoid.from_json(value["calibration"][head], f"{place}, relation") for head in trees}
        direction = {name: value["direction"][name] for name in DIRECTIONS}
        return cls(trees, calibration, direction, dict(value["thresholds"]))

    @cached_property
    def _scorers(self) -> dict[str, Scorer]:
        return {head: Scorer(self.trees[head], self.calibration[head]) for head in self.trees}

    def of_head(self, head: str, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """float64[n]: the probability that a head gives, from its columns float32[n, c]."""
        scorer = self._scorers[head]
        return scorer.calibration(scorer.raw(table, threads=threads))

    def first_is_narrower(self, directions: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[n]: of a kind and its class, the probability that the first is the kind. The reverse has one less this."""
        total = np.zeros(len(directions))
        for column, name in enumerate(DIRECTIONS):  # in one order: the same bits in any batch
            total += self.direction[name] * directions[:, column].astype(np.float64)
        return 1 / (1 + np.exp(-total))
