"""Columns as codes: a float becomes the number of thresholds below it, once for all trees that ask about it.

How LightGBM 4.7 decides (`NumericalDecision` in `tree.h`, `kZeroThreshold` in `meta.h`): left where the value is <= the threshold;
a value within 1e-35 of 0 is 0 (dropped on the way in); what is missing (NaN; or, by the split, 0 too) goes the split's default way;
NaN is 0 for a split that knows nothing missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import TreeArrays

ZERO = np.float32(1e-35)
MAX_CUTS = 32_000
_RIGHT, _LEFT = 32_767, 0
_NONE, _ZERO_RIGHT, _ZERO_LEFT, _NAN_RIGHT, _NAN_LEFT = 0, 2, 3, 4, 5


@dataclass(frozen=True, eq=False)
class Codes:
    """How the values of a row become codes, int16. A column is a feature and what is missing in it, and goes where.

    cuts : float32, the thresholds of all members, ascending feature by feature; those of feature f from `cut_start[f]` on.
    column_start : int64[f + 1], the first column of each feature.
    zero, nan : int16[columns], the codes of zero and of NaN; that of any other value is how many of its feature's cuts are below it.
    node_column, node_cut : one array a member: a split sends right what has a code > its cut.
    """

    cuts: NDArray[np.float32]
    cut_start: NDArray[np.int64]
    column_start: NDArray[np.int64]
    zero: NDArray[np.int16]
    nan: NDArray[np.int16]
    node_column: Sequence[NDArray[np.int64]]
    node_cut: Sequence[NDArray[np.int16]]

    @classmethod
    def of(cls, members: Sequence[TreeArrays]) -> Codes | None:
        """None where a feature has more than `MAX_CUTS` different thresholds."""
        n_features = members[0].n_features
        feature = np.concatenate([trees.feature for trees in members])
        threshold = rounded_down(np.concatenate([trees.threshold for trees in members]))
        missing = np.concatenate([trees.decision for trees in members]).astype(np.int64) >> 1
        missing[missing == _NONE + 1] = _NONE
        cuts, cut_start, node_cut = [], [0], np.zeros(len(feature), np.int64)
        for f in range(n_features):
            own = np.unique(threshold[feature == f])
            if len(own) > MAX_CUTS:
                return None
            node_cut[feature == f] = np.searchsorted(own, threshold[feature == f])
            cuts.append(own)
            cut_start.append(cut_start[-1] + len(own))
        columns, node_column = np.unique(feature * 8 + missing, return_inverse=True)
        zero, nan = [], []
        for f, kind in zip(columns // 8, columns % 8, strict=True):
            default = _RIGHT if kind in (_ZERO_RIGHT, _NAN_RIGHT) else _LEFT
            below_zero = int(np.searchsorted(cuts[f], np.float32(0.0)))
            zero.append(default if kind in (_ZERO_RIGHT, _ZERO_LEFT) else below_zero)
            nan.append(below_zero if kind == _NONE else default)
        ends = np.cumsum([len(trees.feature) for trees in members])[:-1]
        return cls(
            np.concatenate(cuts),
            np.array(cut_start),
            np.searchsorted(columns, np.arange(n_features + 1) * 8),
            np.array(zero, np.int16),
            np.array(nan, np.int16),
            np.split(node_column, ends),
            np.split(node_cut.astype(np.int16), ends),
        )


def rounded_down(threshold: NDArray[np.float64]) -> NDArray[np.float32]:
    """The greatest float32 <= each: for a float32 x, x <= threshold just where x <= this."""
    with np.errstate(over="ignore"):
        nearest = threshold.astype(np.float32)
    return np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest).astype(np.float32)
