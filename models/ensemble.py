"""The members of M, and how their scores become one: features -> [n, members] raw log-odds -> [n]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .trees.checked import CheckedMembers
from .trees.codes import Codes
from .trees.refusal import refusal
from .trees.tables import TreeTables
from .trees.text import check

KINDS = ("mean_raw", "mean_probability")
MAX_WEIGHT = 1e6
_NODES = 64
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
        """One score float64[n] of `raw` float64[n, members]. A row gets the same bits in any batch.

        Raises
        ------
        ModelError
            Where the members are not as many as the weights.
        """
        weights = self._weights(raw.shape[1])
        if self.kind == "mean_probability":
            from .row_loops import mean_probability

            return mean_probability(np.ascontiguousarray(raw, np.float64), weights)
        total = np.zeros(len(raw))
        for member, weight in enumerate(weights):
            total += weight * raw[:, member]
        return total / sum(weights)

    def shares(self, base: NDArray[np.float64], raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much M's score moves for each unit by which a member's does, on the straight way from `base` to `raw`.

        With them the members' SHAP values become M's. Shapley values are linear, so for a mean of log-odds they are the weights; for a
        mean of probabilities, a member counts by what it moved the whole (Aumann & Shapley 1974; Chen, Lundberg & Lee 2022
        for series of models), integrated by Gauss and Legendre's rule.

        Parameters
        ----------
        base, raw : float64[n, members].

        Returns
        -------
        float64[n, members]
            `(shares * (raw - base)).sum(1)` is M's score of `raw` less that of `base`.
        """
        weights = self._weights(raw.shape[1])
        if self.kind == "mean_raw":
            return np.broadcast_to(weights / weights.sum(), raw.shape)
        from .row_loops import mean_probability_shares

        nodes, node_weights = np.polynomial.legendre.leggauss(_NODES)
        base, raw = (np.ascontiguousarray(values, np.float64) for values in (base, raw))
        return mean_probability_shares(base, raw, weights, (nodes + 1) / 2, node_weights / 2)

    def _weights(self, members: int) -> NDArray[np.float64]:
        if self.weights is not None and len(self.weights) != members:
            raise refusal("ensemble, weights", "not one a member", allowed=f"{members} numbers", got=len(self.weights))
        return np.ones(members) if self.weights is None else np.array(self.weights)

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
    """The members of M as scorers of rows: by tables (`trees.tables`), or by LightGBM where the tables would not stay small.

    Parameters
    ----------
    texts : LightGBM's, or what `folder.load` gives.

    Raises
    ------
    ModelError
        For a text that `trees.text.validate` refuses.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        if not isinstance(texts, CheckedMembers):
            texts = CheckedMembers([check(text, None, f"member {number}") for number, text in enumerate(texts)])
        self._texts = texts
        self.arrays = [member.arrays for member in texts.members]
        self.n_features = self.arrays[0].n_features

    def __len__(self) -> int:
        return len(self.arrays)

    def __call__(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Each member's raw log-odds, float64[n, members], bit-identical to LightGBM's `predict(raw_score=True)`.

        Parameters
        ----------
        table : float32[n, f]; NaN is a missing value.

        Raises
        ------
        ModelError
            For another number of columns.
        """
        self._check_columns(table)
        if self._scores is not None:
            return self._scores(table)[:, :, 0]
        raw = [self.booster(member).predict(table, raw_score=True, num_threads=1) for member in range(len(self))]
        return np.stack(raw, axis=1)

    def contributions(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """SHAP values of each feature in each member's raw log-odds, float64[n, members, f + 1], the base in the last column.

        Base and values add up to the score. Path-dependent TreeSHAP; the values are those of LightGBM's `pred_contrib`, which
        gives them where a path has too many features for tables.

        Raises
        ------
        ModelError
            For another number of columns, or trees without the counts of training rows.
        """
        self._check_columns(table)
        found = np.empty((len(table), len(self), self.n_features + 1))
        for member, (tables, base) in enumerate(self._shap):
            if tables is None:
                found[:, member] = self.booster(member).predict(table, pred_contrib=True, num_threads=1)
            else:
                found[:, member, :-1], found[:, member, -1] = tables(table)[:, 0], base
        return found

    def booster(self, member: int) -> Any:
        """LightGBM's own."""
        import lightgbm

        if member not in self._boosters:
            self._boosters[member] = lightgbm.Booster(model_str=self._texts[member])
        return self._boosters[member]

    def _check_columns(self, table: NDArray[np.float32]) -> None:
        if table.ndim != 2 or table.shape[1] != self.n_features:
            raise refusal("table", "other columns than the trees read", allowed=f"{self.n_features}", got=table.shape)

    @cached_property
    def _scores(self) -> TreeTables | None:
        codes = Codes.of(self.arrays)
        return None if codes is None else TreeTables.of_scores(self.arrays, codes)

    @cached_property
    def _shap(self) -> list[tuple[TreeTables | None, float]]:
        """Of each member its tables, and the mean score of the training rows."""
        for trees in self.arrays:
            trees.check_counts()
        codes = [Codes.of([trees]) for trees in self.arrays]
        return [
            (None if own is None else TreeTables.of_shap([trees], own), trees.expected_value())
            for trees, own in zip(self.arrays, codes, strict=True)
        ]

    @cached_property
    def _boosters(self) -> dict[int, Any]:
        return {}


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MAX_WEIGHT
