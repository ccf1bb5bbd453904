"""SHAP values of trees for every row: path-dependent TreeSHAP, looked up.

A tree is cut into parts: a subtree, with the conditions on the way to it, those of one feature taken together. A row meets or fails each
condition, which makes a pattern of at most 7 bits (14 for a part of one leaf), and a table holds for every pattern what the leaves of
the part give to each feature, the training rows that came through each split (`internal_count`, `leaf_count`) being the weights of the branches that
a row does not take. Small trees are one part each. The values are those of LightGBM's `pred_contrib`.

Lundberg et al. 2020 (TreeSHAP, algorithm 2; here as the sum over leaves: Yang 2021, Fast TreeSHAP; paths with merged features: Mitchell et al. 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...compiled import compiled
from ...errors import ModelError
from .arrays import TreeArrays
from .bins import LANES, Bins, block_of, fill_bins, fill_codes
from .parts import STEP, Parts, cut_tree, fill_tables


@dataclass(frozen=True, eq=False)
class TreeShap:
    """Members whose paths stay within the tables. Made by `of`, called with rows.

    bank_* : int64, of each bank its member, its first part and its first column; one entry more for the end.
    part_test, part_gain : int64[parts + 1], where its tests and its features begin. column, cut, left, right : of each test, and what of the
    pattern it leaves where a row goes left, or right. feature, place : of each gain, and where its values for all patterns stand in `table`.
    base : float64[members], the mean score of the training rows.
    """

    bins: Bins
    base: NDArray[np.float64]
    bank_member: NDArray[np.int64]
    bank_part: NDArray[np.int64]
    bank_column: NDArray[np.int64]
    part_test: NDArray[np.int64]
    part_gain: NDArray[np.int64]
    column: NDArray[np.int64]
    cut: NDArray[np.uint8]
    left: NDArray[np.uint16]
    right: NDArray[np.uint16]
    feature: NDArray[np.int64]
    place: NDArray[np.int64]
    table: NDArray[np.float64]

    @classmethod
    def of(cls, members: Sequence[TreeArrays], bins: Bins) -> TreeShap | None:
        """None where a path has too many features, or the tables would not stay small (256 MiB).

        Errors: `ModelError` where the trees do not say how many training rows came through their splits.
        """
        for trees in members:
            check_counts(trees)
        build, bank_part = Parts(), [0]
        for bank in bins.banks:
            trees = members[bank.member]
            for tree in range(*bank.trees):
                if not cut_tree(build, trees, tree, bins.node_column[bank.member], bins.node_cut[bank.member]):
                    return None
            bank_part.append(len(build.part_test) - 1)
        table = np.zeros(build.size)
        fill_tables(
            table, *(np.array(numbers, np.int64) for numbers in (build.part_bits, build.part_leaf, build.leaf_branch)),
            np.array(build.leaf_value), np.array(build.share), *(np.array(n, np.int64) for n in (build.all_set, build.none_set, build.at)),
        )  # fmt: skip
        return cls(
            bins,
            np.array([expected_value(trees) for trees in members]),
            np.array([bank.member for bank in bins.banks], np.int64),
            np.array(bank_part, np.int64),
            np.array([*(bank.columns[0] for bank in bins.banks), bins.banks[-1].columns[1]], np.int64),
            np.array(build.part_test, np.int64), np.array(build.part_gain, np.int64), np.array(build.column, np.int64),
            np.array(build.cut, np.uint8), np.array(build.left, np.uint16), np.array(build.right, np.uint16),
            np.array(build.feature, np.int64), np.array(build.place, np.int64), table,
        )  # fmt: skip

    def __call__(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[n, members, f + 1]: what each feature adds to each member's raw log-odds, then the base, for `table` float32[n, f]."""
        out = np.empty((len(table), len(self.base), table.shape[1] + 1))
        out[:, :, -1] = self.base
        _contribute(
            np.ascontiguousarray(table, np.float32), self.bins.cuts, self.bins.cut_start, self.bins.column_feature,
            self.bins.lookup, self.bins.lookup_start, self.bins.most_columns, self.bank_member, self.bank_part,
            self.bank_column, self.part_test, self.part_gain, self.column, self.cut, self.left, self.right,
            self.feature, self.place, self.table, out,
        )  # fmt: skip
        return out


def check_counts(trees: TreeArrays) -> None:
    """Errors: `ModelError` where counts of training rows are missing, or those of two children are not together their parent's."""
    bounds = trees.first_split
    tree = np.repeat(np.arange(trees.n_trees), np.diff(bounds))
    first = bounds[tree]
    counts = []
    for child in (trees.left, trees.right):
        split = trees.split_count[np.where(child >= 0, first + child, 0)]
        counts.append(np.where(child >= 0, split, trees.leaf_count[np.where(child < 0, first + tree + ~child, 0)]))
    if (
        (trees.split_count <= 0).any()
        or (counts[0] + counts[1] != trees.split_count).any()
        or min(map(_least, counts)) < 0
    ):
        raise ModelError(
            "SHAP values cannot be computed: the trees lack the counts of pairs (leaf_count, internal_count), or count "
            "otherwise than LightGBM."
        )


def _least(counts: NDArray[np.int64]) -> int:
    return int(counts.min(initial=0))


def expected_value(trees: TreeArrays) -> float:
    """The mean raw log-odds of the training rows, summed as LightGBM does."""
    total = 0.0
    for tree, (begin, end) in enumerate(pairwise(trees.first_split.tolist())):
        leaves = slice(begin + tree, end + tree + 1)
        values, counts = trees.leaf_value[leaves].tolist(), trees.leaf_count[leaves].tolist()
        if begin == end:
            total += values[0]
            continue
        every, mean = float(trees.split_count[begin]), 0.0
        for value, count in zip(values, counts, strict=True):
            mean += count / every * value
        total += mean
    return total


@compiled()
def _narrow_pattern(bins, block, column, cut, left, right, at, fresh, rows, pattern):
    """Takes from each row's pattern what the `STEP` tests from `at` on take."""
    u = np.uint64  # an index that cannot be negative spares a check of each
    block = u(block)
    o0, o1, o2, o3 = (
        u(column[at]) * block,
        u(column[at + 1]) * block,
        u(column[at + 2]) * block,
        u(column[at + 3]) * block,
    )
    c0, c1, c2, c3 = cut[at], cut[at + 1], cut[at + 2], cut[at + 3]
    l0, l1, l2, l3 = left[at], left[at + 1], left[at + 2], left[at + 3]
    r0, r1, r2, r3 = right[at], right[at + 1], right[at + 2], right[at + 3]
    for r in range(u(rows)):
        p = np.uint16(0xFFFF) if fresh else pattern[r]
        p &= r0 if bins[o0 + r] > c0 else l0
        p &= r1 if bins[o1 + r] > c1 else l1
        p &= r2 if bins[o2 + r] > c2 else l2
        p &= r3 if bins[o3 + r] > c3 else l3
        pattern[r] = p


@compiled()
def _contribute(
    table, cuts, cut_start, column_feature, lookup, lookup_start, most_columns, bank_member, bank_part, bank_column,
    part_test, part_gain, column, cut, left, right, feature, place, values, out,
):  # fmt: skip
    block = block_of(len(table))
    features = table.shape[1]
    codes = np.zeros((features, block), np.int32)
    bins = np.zeros(most_columns * block, np.uint8)
    pattern = np.zeros(block, np.uint16)
    total = np.zeros((features, block))
    for start in range(0, len(table), block):
        rows = min(block, len(table) - start)
        wide = -(-rows // LANES) * LANES  # what is past the rows is computed and not read
        fill_codes(table, start, rows, cuts, cut_start, codes)
        for bank in range(len(bank_member)):
            member = bank_member[bank]
            if bank == 0 or bank_member[bank - 1] != member:
                total[:] = 0.0
            fill_bins(
                codes, rows, bank_column[bank], bank_column[bank + 1], column_feature, lookup, lookup_start, bins, block
            )
            for part in range(bank_part[bank], bank_part[bank + 1]):
                begin = part_test[part]
                for at in range(begin, part_test[part + 1], STEP):
                    _narrow_pattern(bins, block, column, cut, left, right, at, at == begin, wide, pattern)
                for gain in range(part_gain[part], part_gain[part + 1]):
                    own = total[feature[gain]]
                    base = np.uint64(place[gain])
                    for r in range(rows):
                        own[r] += values[base + pattern[r]]
            for f in range(features):
                for r in range(rows):
                    out[start + r, member, f] = total[f, r]
