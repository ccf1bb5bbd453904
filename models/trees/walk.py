"""A few rows through all trees at once, level by level, in plain numpy: for where no compiled kernel is at hand yet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .arrays import TreeArrays
from .bins import ZERO


class TreeWalk:
    """The same scores as LightGBM's, to the last bit; about 0.2 ms a row for 1,700 small trees."""

    def __init__(self, members: Sequence[TreeArrays]) -> None:
        firsts = np.cumsum([0, *(len(trees.feature) for trees in members)])
        self._trees = np.cumsum([0, *(trees.n_trees for trees in members)])
        splits = np.concatenate([np.diff(trees.first_split) for trees in members])
        self._feature = np.concatenate([trees.feature for trees in members])
        self._threshold = np.concatenate([trees.threshold for trees in members])
        decision = np.concatenate([trees.decision for trees in members])
        self._default_left, self._missing = (decision & 2) > 0, decision >> 2
        self._zero_missing = bool((self._missing == 1).any())
        self._value = np.concatenate([trees.leaf_value for trees in members])
        # Children in one numbering: splits first, then leaves.
        first = np.repeat(np.cumsum(splits) - splits, splits)
        tree = np.repeat(np.arange(len(splits)), splits)
        left, right = (np.concatenate([getattr(trees, side) for trees in members]) for side in ("left", "right"))
        self._children = np.stack(
            [np.where(child >= 0, first + child, int(firsts[-1]) + first + tree + ~child) for child in (right, left)]
        )
        start = np.cumsum(splits) - splits
        self._root = np.where(splits > 0, start, int(firsts[-1]) + start + np.arange(len(splits)))

    def __call__(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[n, members]: each member's raw log-odds for the rows of `table` float32[n, f]."""
        out = np.empty((len(table), len(self._trees) - 1))
        for row, values in zip(out, np.where(np.abs(table) <= ZERO, np.float32(0), table), strict=True):
            row[:] = self._row(values)
        return out

    def _row(self, values: NDArray[np.float32]) -> list[float]:
        value = values[self._feature]
        left = np.nan_to_num(value, copy=True, nan=0.0, posinf=np.inf, neginf=-np.inf) <= self._threshold
        nan = np.isnan(value)
        if nan.any():
            left = np.where(nan & (self._missing > 0), self._default_left, left)
        if self._zero_missing:
            left = np.where((value == 0) & (self._missing == 1), self._default_left, left)
        splits = len(self._feature)
        at = self._root
        while (inside := at < splits).any():
            node = np.where(inside, at, 0)
            at = np.where(inside, self._children[left[node].astype(np.int8), node], at)
        leaves = self._value[at - splits]
        # accumulate adds from the first tree to the last, as LightGBM does; sum would not.
        starts = zip(self._trees[:-1], self._trees[1:], strict=True)
        return [0.0 + float(np.add.accumulate(leaves[begin:end])[-1]) for begin, end in starts]
