"""Trees scored many rows at a time: a byte of bins, a mask of leaves, no branch on the data.

Each split that a row fails rules out the leaves on its left; the leftmost leaf that remains is the row's, in whatever order the splits
are looked at (QuickScorer: Lucchese et al. 2015; for many rows at once, RapidScorer: Ye et al. 2018). Rows pass in blocks that
stay in the nearest cache, with vector instructions over them (`tree_kernels`). A row's leaf values are added in the order of the
trees, as LightGBM adds them: the score has the same bits, alone and in any batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...compiled import compiled
from .arrays import TreeArrays
from .bins import Bank, Bins

MAX_LEAVES = 64
AT_ONCE = 4
"""Trees whose leaf values are added in one pass over the rows."""
_MASKS = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


@dataclass(frozen=True, eq=False)
class BitmaskTrees:
    """Members whose trees have at most 64 leaves. Made by `of`, called with rows.

    Trees stand in groups of `AT_ONCE`, filled up with trees of nothing. bank_*: int64, of each bank its member, its first
    group and (columns) its first column; one entry more for the end.
    tree_split : int64[T + 1] first split of each tree. tree_leaf : int64[T] first leaf.
    column, cut, mask : of each split; the mask has a 0 for each leaf on its left. lookup, cut : those of the bins less 128,
    since the processor compares bytes with a sign. value : float64, leaves from left to right.
    """

    bins: Bins
    lookup: NDArray[np.int8]
    n_members: int
    bank_member: NDArray[np.int64]
    bank_group: NDArray[np.int64]
    bank_column: NDArray[np.int64]
    tree_split: NDArray[np.int64]
    tree_leaf: NDArray[np.int64]
    column: NDArray[np.int64]
    cut: NDArray[np.int8]
    mask: NDArray[np.unsignedinteger]
    value: NDArray[np.float64]

    @classmethod
    def of(cls, members: Sequence[TreeArrays], bins: Bins) -> BitmaskTrees:
        widest = max(trees.most_leaves for trees in members)
        kind = next(kind for leaves, kind in _MASKS.items() if widest <= leaves)
        packed = [_packed(members[bank.member], bins, bank, kind) for bank in bins.banks]
        splits = np.concatenate([p.splits for p in packed])
        leaves = np.concatenate([p.leaves for p in packed])
        return cls(
            bins,
            _with_sign(bins.lookup),
            len(members),
            np.array([bank.member for bank in bins.banks], np.int64),
            _starts([len(p.splits) // AT_ONCE for p in packed]),
            np.array([*(bank.columns[0] for bank in bins.banks), bins.banks[-1].columns[1]], np.int64),
            _starts(splits),
            _starts(leaves)[:-1],
            *(np.concatenate([getattr(p, name) for p in packed]) for name in ("column", "cut", "mask", "value")),
        )

    def __call__(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[n, members]: each member's raw log-odds for the rows of `table` float32[n, f]."""
        from .kernels import score

        out = np.empty((len(table), self.n_members))
        score(
            np.ascontiguousarray(table, np.float32), self.bins.cuts, self.bins.cut_start, self.bins.column_feature,
            self.lookup, self.bins.lookup_start, self.bins.most_columns, self.bank_member, self.bank_group,
            self.bank_column, self.tree_split, self.tree_leaf, self.column, self.cut, self.mask, self.value, out,
        )  # fmt: skip
        return out


@dataclass(frozen=True, eq=False)
class _Packed:
    """The trees of a bank, with those of nothing. splits, leaves : how many each tree has."""

    splits: NDArray[np.int64]
    leaves: NDArray[np.int64]
    column: NDArray[np.int64]
    cut: NDArray[np.int8]
    mask: NDArray[np.unsignedinteger]
    value: NDArray[np.float64]


def _packed(trees: TreeArrays, bins: Bins, bank: Bank, kind: type) -> _Packed:
    begin, end = bank.trees
    bounds = trees.first_split[begin : end + 1]
    own = slice(bounds[0], bounds[-1])
    own_leaves = slice(bounds[0] + begin, bounds[-1] + end)
    first, count, position = leaf_order(bounds - bounds[0], trees.left[own], trees.right[own])
    n = np.diff(bounds)
    n = np.concatenate([n, np.zeros(-len(n) % AT_ONCE, np.int64)])
    one = np.uint64(1)
    left = ((one << count.astype(np.uint64)) - one) << first.astype(np.uint64)
    value = np.zeros((n + 1).sum())
    value[position] = trees.leaf_value[own_leaves]
    column, cut = bins.node_column[bank.member][own], _with_sign(bins.node_cut[bank.member][own])
    return _Packed(n, n + 1, column, cut, (~left).astype(kind), value)


def _with_sign(number: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Less 128: in the same order."""
    return (number ^ np.uint8(128)).view(np.int8)


def _starts(lengths) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


@compiled()
def leaf_order(first_split, left, right):
    """Of each split the first leaf on its left and how many leaves are there, counted from the tree's leftmost; of each leaf its place in the order from left to right."""
    n_trees = len(first_split) - 1
    first, count = np.zeros(len(left), np.int64), np.zeros(len(left), np.int64)
    position = np.zeros(len(left) + n_trees, np.int64)
    size = np.zeros(len(left), np.int64)
    for tree in range(n_trees):
        begin = first_split[tree]
        end = first_split[tree + 1]
        leaf = begin + tree
        if begin == end:
            position[leaf] = leaf
        for node in range(end - 1, begin - 1, -1):  # children come after their parents
            count[node] = size[begin + left[node]] if left[node] >= 0 else 1
            size[node] = count[node] + (size[begin + right[node]] if right[node] >= 0 else 1)
        for node in range(begin, end):
            if left[node] >= 0:
                first[begin + left[node]] = first[node]
            else:
                position[leaf + ~left[node]] = leaf + first[node]
            if right[node] >= 0:
                first[begin + right[node]] = first[node] + count[node]
            else:
                position[leaf + ~right[node]] = leaf + first[node] + count[node]
    return first, count, position
