"""From the features of pairs to scores: the trees of M and of its relation model, their calibration, and what excludes a match."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, OptionError
from ..features.feature_set import FeatureSet
from ..models.calibration import Sigmoid
from ..models.folder import ModelFolder
from ..models.relation import RelationModel
from .policy import SPECIFICATION

_LOWEST = -1e9
"""Log-odds below those of any trees, and finite, so that differences of them are numbers."""


class Decider:
    """What a model folder makes of float32[m, f], the features of m pairs."""

    def __init__(self, parts: ModelFolder, features: FeatureSet) -> None:
        self.parts, self.features = parts, features

    def decided(
        self, table: NDArray[np.float32], equal: NDArray[np.bool_], *, threads: int | None = None
    ) -> NDArray[np.float64]:
        """The probabilities float64[m]: 1 where `equal`, bool[m], 0 where what they say excludes."""
        probability = self.calibration(self.raw(table, threads=threads))
        probability[equal] = 1.0
        probability[self.excluded(table) & ~equal] = 0.0
        return probability

    def excluded(self, table: NDArray[np.float32]) -> NDArray[np.bool_]:
        """bool[m]: what is said of the two excludes a match."""
        return excluded(table, self.features)

    def raw(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """`TreeEnsemble.raw`: log-odds float64[m] before calibration."""
        return self.parts.trees.raw(table, threads=threads)

    def ranked(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """What ranks pairs that are not equal: log-odds float64[m], below all others where what they say excludes."""
        return np.where(self.excluded(table), _LOWEST, self.raw(table))

    def contributions(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """`TreeEnsemble.contributions`: SHAP values float64[m, f + 1], the base in the last column."""
        return self.parts.trees.contributions(table, threads=threads)

    @property
    def calibration(self) -> Sigmoid:
        """Raw log-odds -> probability."""
        return self.parts.manifest.decision.calibration

    @property
    def relation(self) -> RelationModel:
        """Raises `ModelError` for a model without one."""
        if self.parts.relation is None:
            raise ModelError(
                f"Model {self.parts.manifest.name} has no relation model, so it knows no relation and no policy but {SPECIFICATION}. "
                "Train it with the features 'offline' and the shipped encoder, or take the shipped model."
            )
        return self.parts.relation

    def threshold_of(self, policy: str) -> float:
        """M's threshold under a policy. Raises `ModelError` for a model that knows none."""
        if policy == SPECIFICATION:
            return self.parts.manifest.decision.threshold
        thresholds = self.relation.facts.thresholds
        if policy not in thresholds:
            known = ", ".join((SPECIFICATION, *thresholds))
            raise ModelError(
                f"Model {self.parts.manifest.name} has no threshold for the policy {policy}, only for {known}."
            )
        return thresholds[policy]


def excluded(table: NDArray[np.float32], features: FeatureSet) -> NDArray[np.bool_]:
    """bool[m]: the rows of float32[m, f] that are no match by what they say."""
    column = features.exclusion
    return np.zeros(len(table), bool) if column is None else table[:, column] == 1


def checked_threshold(value: float) -> float:
    """Raises `OptionError` for what is no probability."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1:
        raise OptionError("threshold", "a probability, 0 to 1", value)
    return float(value)
