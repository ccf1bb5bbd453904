"""Trees scored many rows at a time: a byte of bins, a mask of leaves, no branch on the data.

Each split that a row fails rules out the leaves on its left; the leftmost leaf that remains is the row's, in whatever order the splits
are looked at (QuickScorer: Lucchese et al. 2015; for many rows at once, RapidScorer: Ye et al. 2018). Rows pass in blocks that
stay in the nearest cache, and LLVM makes vector instructions of the loops over them. A row's leaf values are added in the order of the
trees, as LightGBM adds them: the score has the same bits, alone and in any batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..features.compiled import compiled
from .tree_arrays import TreeArrays
from .tree_bins import LANES, Bank, Bins, block_of, fill_bins, fill_codes

MAX_LEAVES = 64
STEP = 6
AT_ONCE = 4
_MASKS = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


@dataclass(frozen=True, eq=False)
class BitmaskTrees:
    """Members whose trees have at most 64 leaves. Made by `of`, called with rows.

    Trees stand in groups of `AT_ONCE`, filled up with trees of nothing; their splits in steps of `STEP`, filled up with splits that every row
    passes. bank_*: int64, of each bank its member, its first group and (columns) its first column; one entry more for the end.
    tree_split : int64[T + 1] first split of each tree. tree_leaf : int64[T] first leaf.
    column, cut, mask : of each split; the mask has a 0 for each leaf on its left. value : float64, leaves from left to right.
    """

    bins: Bins
    n_members: int
    bank_member: NDArray[np.int64]
    bank_group: NDArray[np.int64]
    bank_column: NDArray[np.int64]
    tree_split: NDArray[np.int64]
    tree_leaf: NDArray[np.int64]
    column: NDArray[np.int64]
    cut: NDArray[np.uint8]
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
        out = np.empty((len(table), self.n_members))
        _score(
            np.ascontiguousarray(table, np.float32), self.bins.cuts, self.bins.cut_start, self.bins.column_feature,
            self.bins.lookup, self.bins.lookup_start, self.bins.most_columns, self.bank_member, self.bank_group,
            self.bank_column, self.tree_split, self.tree_leaf, self.column, self.cut, self.mask, self.value, out,
        )  # fmt: skip
        return out


@dataclass(frozen=True, eq=False)
class _Packed:
    """The trees of a bank, filled up. splits, leaves : how many each tree has."""

    splits: NDArray[np.int64]
    leaves: NDArray[np.int64]
    column: NDArray[np.int64]
    cut: NDArray[np.uint8]
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
    steps = np.maximum(-(-n // STEP), 1) * STEP
    # Where each split goes: the filling comes after the splits of its tree.
    place = np.arange(n.sum()) + np.repeat(_starts(steps)[:-1] - _starts(n)[:-1], n)
    column, cut = np.zeros(steps.sum(), np.int64), np.full(steps.sum(), 255, np.uint8)
    mask = np.full(steps.sum(), np.iinfo(kind).max, kind)
    column[place], cut[place] = bins.node_column[bank.member][own], bins.node_cut[bank.member][own]
    one = np.uint64(1)
    left = ((one << count.astype(np.uint64)) - one) << first.astype(np.uint64)
    mask[place] = (~left).astype(kind)
    value = np.zeros((n + 1).sum())
    value[position] = trees.leaf_value[own_leaves]
    return _Packed(steps, n + 1, column, cut, mask, value)


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


@compiled()
def narrow(bins, block, column, cut, mask, at, fresh, rows, leaves, base):
    """Rules out, of the leaves of each row (`leaves[base + r]`), what `STEP` splits from `at` on rule out. bins : those of column c from c * block on."""
    u = np.uint64  # an index that cannot be negative spares a check of each
    block, base = u(block), u(base)
    o0, o1, o2 = u(column[at]) * block, u(column[at + 1]) * block, u(column[at + 2]) * block
    o3, o4, o5 = u(column[at + 3]) * block, u(column[at + 4]) * block, u(column[at + 5]) * block
    c0, c1, c2, c3, c4, c5 = cut[at], cut[at + 1], cut[at + 2], cut[at + 3], cut[at + 4], cut[at + 5]
    m0, m1, m2, m3, m4, m5 = mask[at], mask[at + 1], mask[at + 2], mask[at + 3], mask[at + 4], mask[at + 5]
    every = ~mask.dtype.type(0)
    for r in range(u(rows)):
        m = every if fresh else leaves[base + r]
        if bins[o0 + r] > c0:
            m &= m0
        if bins[o1 + r] > c1:
            m &= m1
        if bins[o2 + r] > c2:
            m &= m2
        if bins[o3 + r] > c3:
            m &= m3
        if bins[o4 + r] > c4:
            m &= m4
        if bins[o5 + r] > c5:
            m &= m5
        leaves[base + r] = m


@compiled()
def _leftmost(leaves, base, rows, index):
    """The number of the lowest bit, in which each bit of the number is a test of its own: so it becomes vector instructions."""
    kind = leaves.dtype.type
    base = np.uint64(base)
    for r in range(np.uint64(rows)):
        m = leaves[base + r]
        m = m & kind(kind(0) - m)
        i = np.uint8(0)
        if m & kind(0xAAAAAAAAAAAAAAAA):
            i |= np.uint8(1)
        if m & kind(0xCCCCCCCCCCCCCCCC):
            i |= np.uint8(2)
        if m & kind(0xF0F0F0F0F0F0F0F0):
            i |= np.uint8(4)
        if leaves.itemsize > 1 and m & kind(0xFF00FF00FF00FF00):
            i |= np.uint8(8)
        if leaves.itemsize > 2 and m & kind(0xFFFF0000FFFF0000):
            i |= np.uint8(16)
        if leaves.itemsize > 4 and m & kind(0xFFFFFFFF00000000):
            i |= np.uint8(32)
        index[base + r] = i


@compiled()
def _score(
    table, cuts, cut_start, column_feature, lookup, lookup_start, most_columns, bank_member, bank_group, bank_column,
    tree_split, tree_leaf, column, cut, mask, value, out,
):  # fmt: skip
    block = block_of(len(table))
    codes = np.zeros((table.shape[1], block), np.int32)
    bins = np.zeros(most_columns * block, np.uint8)
    leaves = np.zeros(AT_ONCE * block, mask.dtype)
    index = np.zeros(AT_ONCE * block, np.uint8)
    total = np.zeros(block)
    for start in range(0, len(table), block):
        rows = min(block, len(table) - start)
        wide = -(-rows // LANES) * LANES  # what is past the rows is computed and not read
        fill_codes(table, start, rows, cuts, cut_start, codes)
        for bank in range(len(bank_member)):
            member = bank_member[bank]
            if bank == 0 or bank_member[bank - 1] != member:
                total[:] = 0.0
            first, last = bank_column[bank], bank_column[bank + 1]
            fill_bins(codes, rows, first, last, column_feature, lookup, lookup_start, bins, block)
            for tree in range(bank_group[bank] * AT_ONCE, bank_group[bank + 1] * AT_ONCE, AT_ONCE):
                for i in range(AT_ONCE):
                    begin = tree_split[tree + i]
                    for at in range(begin, tree_split[tree + i + 1], STEP):
                        narrow(bins, block, column, cut, mask, at, at == begin, wide, leaves, i * block)
                    _leftmost(leaves, i * block, wide, index)
                v0, v1, v2, v3 = tree_leaf[tree], tree_leaf[tree + 1], tree_leaf[tree + 2], tree_leaf[tree + 3]
                for r in range(rows):
                    s = total[r] + value[v0 + index[r]]
                    s = s + value[v1 + index[block + r]]
                    s = s + value[v2 + index[2 * block + r]]
                    total[r] = s + value[v3 + index[3 * block + r]]
            for r in range(rows):
                out[start + r, member] = total[r]
