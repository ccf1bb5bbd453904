"""The trees of one member as arrays: what the scorer and the SHAP values are made from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError

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

    def check_counts(self) -> None:
        """Raises `ModelError` where counts of training rows are missing, or those of two children are not together their parent's."""
        tree = np.repeat(np.arange(self.n_trees), np.diff(self.first_split))
        first = self.first_split[tree]
        sides = []
        for child in (self.left, self.right):
            split = self.split_count[np.where(child >= 0, first + child, 0)]
            leaf = self.leaf_count[np.where(child < 0, first + tree + ~child, 0)]
            sides.append(np.where(child >= 0, split, leaf))
        if (
            (self.split_count <= 0).any()
            or (np.array(sides) < 0).any()
            or (sides[0] + sides[1] != self.split_count).any()
        ):
            raise ModelError(
                "SHAP values cannot be computed: the trees lack the counts of pairs (leaf_count, internal_count), or count "
                "otherwise than LightGBM."
            )

    def expected_value(self) -> float:
        """The mean raw log-odds of the training rows, summed as LightGBM does."""
        total = 0.0
        for tree, (begin, end) in enumerate(pairwise(self.first_split.tolist())):
            leaves = slice(begin + tree, end + tree + 1)
            counts = self.leaf_count[leaves] / self.split_count[begin] if begin < end else [1.0]
            mean = 0.0
            for value, share in zip(self.leaf_value[leaves].tolist(), counts, strict=True):
                mean += share * value
            total += mean
        return total
