"""What every engine takes, and what it gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.ensemble import TreeEnsemble
from ..statistics.measure import average_precision

TIME_LIMIT = 3600.0
"""Seconds that a search may take."""


class ExtraRows(NamedTuple):
    """m training-only rows.

    Attributes
    ----------
    features : float32[m, f]
    label : int8[m]
    weight : float64[m]
        Above 0.
    fold : int64[m]
        A row of fold k is left out when fold k is held back, one of fold -1 never is.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    fold: NDArray[np.int64]

    @classmethod
    def join(cls, parts: Iterable[ExtraRows]) -> ExtraRows | None:
        """The parts end to end; None without one."""
        columns = list(zip(*parts, strict=True))
        return cls(*map(np.concatenate, columns)) if columns else None


@dataclass(frozen=True)
class Rows:
    """n labelled rows.

    Attributes
    ----------
    features : float32[n, f]
        NaN where unknown.
    label : int8[n]
    weight : float64[n] or None
    fold : int64[n]
        From 0 without a gap; every engine holds back whole folds, so that no group is on both sides.
    directions : sequence of int
        f of 1, -1, 0: whether M may only rise, only fall, or do either as the feature grows.
    extra : ExtraRows, optional
        Neither the out-of-fold predictions nor what is chosen rest on them.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64] | None
    fold: NDArray[np.int64]
    directions: Sequence[int]
    extra: ExtraRows | None = None

    @property
    def folds(self) -> int:
        return int(self.fold.max()) + 1

    def without(self, fold: int) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float64] | None]:
        """Features, label and weight of all rows but those of this fold, then of the extra ones."""
        kept = self.fold != fold
        features, label, weight = self.features[kept], self.label[kept], self.weight
        weight = None if weight is None else weight[kept]
        if self.extra is None:
            return features, label, weight
        shown = self.extra.fold != fold
        return (
            np.concatenate([features, self.extra.features[shown]]),
            np.concatenate([label, self.extra.label[shown]]),
            np.concatenate([np.ones(len(label)) if weight is None else weight, self.extra.weight[shown]]),
        )

    def average_precision(self, score: NDArray[np.float64]) -> float:
        return float(average_precision(score, self.label, None if self.weight is None else self.weight[None])[0])


@dataclass(frozen=True)
class Ensemble:
    """Fitted members, and what was chosen.

    Attributes
    ----------
    trees : TreeEnsemble
        The members, and how their raw log-odds become one.
    out_of_fold : float64[n]
        The raw log-odds of each row from members that did not see its group.
    chosen : dict
        Plain JSON: the settings, and "out_of_fold_average_precision".
    leaderboard : tuple of dict
        Every model that was tried, best first: "model", "stack_level", "out_of_fold_average_precision", "fit_seconds",
        "exported".
    search : dict
        Of an engine that tries families of models: "families", "not_trained" (those without a model), "won" and "exported", each with
        "model" and "average_precision" out of fold.
    """

    trees: TreeEnsemble
    out_of_fold: NDArray[np.float64]
    chosen: dict[str, Any]
    leaderboard: tuple[dict[str, Any], ...] = ()
    search: dict[str, Any] = field(default_factory=dict)

    def raw(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[m]: the log-odds of other rows, float32[m, f], before calibration."""
        return self.trees.raw(table)
