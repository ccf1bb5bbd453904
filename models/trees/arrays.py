"""The trees of one member as arrays: what the scorer and the SHAP values are made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """T trees with S splits and S + T leaves in all, one tree after the other; every number checked by `trees.validate`.

    n_features : how many columns the trees read.
    first_split : int64[T + 1], where the splits of each tree begin; its leaves begin at `first_split[t] + t`.
    feature, threshold, decision : int64, float64, uint8 [S]. A row goes left where its value is <= the threshold;
        decision is LightGBM's: bit 1 sends missing values left, bits 2-3 say what is missing (none, zero, NaN).
    left, right : int64[S], numbers within the tree: a child >= 0 is a split, a child < 0 is the leaf ~child.
    leaf_value : float64[S + T], in log-odds.
    leaf_count, split_count : int64[S + T], int64[S], how many training rows came through; `UNKNOWN` where not written.
    """

    n_features: int
    first_split: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    decision: NDArray[np.uint8]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    leaf_value: NDArray[np.float64]
    leaf_count: NDArray[np.int64]
    split_count: NDArray[np.int64]

    @property
    def n_trees(self) -> int:
        return len(self.first_split) - 1

    @property
    def most_leaves(self) -> int:
        """Of any tree."""
        return int(np.diff(self.first_split).max()) + 1
