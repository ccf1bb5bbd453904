"""The trained part of the relation of two diagnoses: what a match, or no match, is more exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..errors import ModelError
from .ensemble import Sigmoid, TreeEnsemble

HEADS = ("same", "kin", "close")
"""same : of a match, whether it is one disease, no kind and class. kin : of two diseases that do not match, whether one group holds both.
close : of these, whether it is a narrow one."""
LEARNT_POLICIES = ("narrower-counts",)
"""Policies with trees of their own, over M's columns and those of the direction: the experts' labels say what they let pass."""
DIRECTIONS = ("line", "information", "covered", "length", "icd")
"""The columns of `features.registry.Pairs.directions`, in order."""


def relation_columns(head: str, features: Sequence[str]) -> tuple[str, ...]:
    """The columns that the trees of a head read."""
    return (*features, *(f"direction_{name}" for name in DIRECTIONS)) if head in LEARNT_POLICIES else tuple(features)


class RelationFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What the manifest keeps of a relation model.

    Attributes
    ----------
    calibration : by head.
    direction : the weights of `DIRECTIONS`, in log-odds.
    thresholds : by policy, of its probability.
    """

    calibration: dict[str, Sigmoid]
    direction: dict[str, float]
    thresholds: dict[str, Annotated[float, Meta(gt=0, lt=1)]]


@dataclass(frozen=True)
class RelationModel:
    """Ensembles over the columns of M's features, and weights that tell a kind from its class.

    Attributes
    ----------
    trees : by head; those of `LEARNT_POLICIES` may be absent.
    facts : what else was learnt.

    Raises
    ------
    ModelError
        For a head without trees or calibration, or directions that are not all there.
    """

    trees: Mapping[str, TreeEnsemble]
    facts: RelationFacts

    def __post_init__(self) -> None:
        facts = self.facts
        given = {*facts.calibration}, {*facts.direction}
        if given != ({*self.trees}, {*DIRECTIONS}) or not {*HEADS} <= {*self.trees}:
            allowed = f"trees and calibrations of {', '.join(HEADS)}, directions {', '.join(DIRECTIONS)}"
            got = f"{sorted(self.trees)}, {sorted(facts.calibration)}, {sorted(facts.direction)}"
            raise ModelError(f"The relation model is not complete. Allowed: {allowed}. Got: {got}.")

    def of_head(self, head: str, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """float64[n]: the probability that a head gives, from its columns float32[n, c]."""
        return self.facts.calibration[head](self.trees[head].raw(table, threads=threads))

    def first_is_narrower(self, directions: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[n]: of a kind and its class, the probability that the first is the kind. The reverse has one less this."""
        total = np.zeros(len(directions))
        for column, name in enumerate(DIRECTIONS):  # in one order: the same bits in any batch
            total += self.facts.direction[name] * directions[:, column].astype(np.float64)
        return 1 / (1 + np.exp(-total))
