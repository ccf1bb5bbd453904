"""Columns as bins: a float becomes the number of thresholds below it, one byte, once for all trees that ask about it.

A member's trees fall into banks of neighbouring trees, so that each column has at most 254 thresholds within a bank; what
LightGBM trains with its usual 255 bins is one bank a member. How LightGBM 4.7 decides (`NumericalDecision` in `tree.h`,
`kZeroThreshold` in `meta.h`): left where the value is <= the threshold; a value within 1e-35 of 0 is 0 (dropped on the way in); what
is missing (NaN; or, by the split, 0 too) goes the split's default way; NaN is 0 for a split that knows nothing missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...compiled import compiled
from .arrays import TreeArrays

ZERO = np.float32(1e-35)
MAX_CUTS = 254
BLOCK = 256
LANES = 32
MAX_LOOKUP = 64 * 2**20
_RIGHT = 255
_NONE, _ZERO_RIGHT, _ZERO_LEFT, _NAN_RIGHT, _NAN_LEFT = 0, 2, 3, 4, 5


@dataclass(frozen=True, eq=False)
class Bank:
    """Neighbouring trees of one member. columns : the numbers of its first column and past its last; trees likewise, in the member."""

    member: int
    trees: tuple[int, int]
    columns: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Bins:
    """How a row's values become bytes.

    cuts : float32, the thresholds of all members, ascending feature by feature; those of feature f from `cut_start[f]` on.
    A value's code is how many of its feature's cuts are below it; or, with n cuts, n + 1 for zero and n + 2 for NaN.
    column_feature : int64[C]. lookup : uint8, from code to bin; that of column c from `lookup_start[c]` on.
    node_column, node_cut : one array a member: a split sends right what is in a bin > its cut. The column counts from the bank's first.
    """

    banks: Sequence[Bank]
    cuts: NDArray[np.float32]
    cut_start: NDArray[np.int64]
    column_feature: NDArray[np.int64]
    lookup: NDArray[np.uint8]
    lookup_start: NDArray[np.int64]
    node_column: Sequence[NDArray[np.int64]]
    node_cut: Sequence[NDArray[np.uint8]]

    @property
    def most_columns(self) -> int:
        """Of any bank; at least one, which splits that only fill up read and do not heed."""
        return max(1, *(bank.columns[1] - bank.columns[0] for bank in self.banks))

    @classmethod
    def of(cls, members: Sequence[TreeArrays]) -> Bins | None:
        """None where the lookups would not stay small (64 MiB)."""
        thresholds = [rounded_down(trees.threshold) for trees in members]
        feature = np.concatenate([trees.feature for trees in members])
        cuts, cut_start = _cuts(feature, np.concatenate(thresholds), members[0].n_features)
        banks: list[Bank] = []
        tables: list[NDArray[np.uint8]] = []
        column_feature: list[int] = []
        node_column, node_cut = [], []
        size = 0
        for number, (trees, rounded) in enumerate(zip(members, thresholds, strict=True)):
            place = cut_start[trees.feature] + _ranks(cuts, cut_start, trees.feature, rounded)
            column, cut = np.zeros(len(rounded), np.int64), np.zeros(len(rounded), np.uint8)
            kind = trees.decision.astype(np.int64) >> 1
            kind[kind == _NONE + 1] = _NONE
            for begin, end in _runs(trees, place):
                nodes = slice(trees.first_split[begin], trees.first_split[end])
                keys, column[nodes] = np.unique(trees.feature[nodes] * 8 + kind[nodes], return_inverse=True)
                first = len(tables)
                for key in keys.tolist():
                    f = key // 8
                    own = np.unique(place[nodes][trees.feature[nodes] == f]) - cut_start[f]
                    of_feature = nodes.start + np.flatnonzero(trees.feature[nodes] == f)
                    cut[of_feature] = np.searchsorted(own, place[of_feature] - cut_start[f])
                    tables.append(_lookup(own, cuts[cut_start[f] : cut_start[f + 1]], key % 8))
                    column_feature.append(f)
                    size += len(tables[-1])
                    if size > MAX_LOOKUP:
                        return None
                banks.append(Bank(number, (begin, end), (first, len(tables))))
            node_column.append(column)
            node_cut.append(cut)
        lengths = np.array([len(table) for table in tables], np.int64)
        return cls(
            banks, cuts, cut_start, np.array(column_feature, np.int64), np.concatenate([*tables, np.zeros(1, np.uint8)]),
            np.cumsum(lengths) - lengths, node_column, node_cut,
        )  # fmt: skip


def rounded_down(threshold: NDArray[np.float64]) -> NDArray[np.float32]:
    """The greatest float32 <= each: for a float32 x, x <= threshold just where x <= this."""
    with np.errstate(over="ignore"):
        nearest = threshold.astype(np.float32)
    return np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest).astype(np.float32)


def _cuts(
    feature: NDArray[np.int64], threshold: NDArray[np.float32], n_features: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    order = np.lexsort((threshold, feature))
    feature, threshold = feature[order], threshold[order]
    new = np.ones(len(feature), bool)
    new[1:] = (feature[1:] != feature[:-1]) | (threshold[1:] != threshold[:-1])
    return threshold[new], np.searchsorted(feature[new], np.arange(n_features + 1)).astype(np.int64)


def _ranks(
    cuts: NDArray[np.float32], cut_start: NDArray[np.int64], feature: NDArray[np.int64], threshold: NDArray[np.float32]
) -> NDArray[np.int64]:
    ranks = np.zeros(len(feature), np.int64)
    for f in np.unique(feature).tolist():
        own = feature == f
        ranks[own] = np.searchsorted(cuts[cut_start[f] : cut_start[f + 1]], threshold[own])
    return ranks


def _runs(trees: TreeArrays, place: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Neighbouring trees, as many as have at most `MAX_CUTS` different cuts of each feature."""
    runs, begin = [], 0
    seen: dict[int, set[int]] = {}
    bounds = trees.first_split.tolist()
    features, places = trees.feature.tolist(), place.tolist()
    for tree in range(trees.n_trees):
        nodes = range(bounds[tree], bounds[tree + 1])
        for node in nodes:
            seen.setdefault(features[node], set()).add(places[node])
        if any(len(cuts) > MAX_CUTS for cuts in seen.values()):
            runs.append((begin, tree))
            begin, seen = tree, {}
            for node in nodes:
                seen.setdefault(features[node], set()).add(places[node])
    return [*runs, (begin, trees.n_trees)]


def _lookup(own: NDArray[np.int64], cuts: NDArray[np.float32], kind: int) -> NDArray[np.uint8]:
    """From code to bin. own : which of the feature's `cuts` the bank has."""
    bins = np.searchsorted(own, np.arange(len(cuts) + 1))
    zero = bins[np.searchsorted(cuts, np.float32(0.0))]
    default = _RIGHT if kind in (_ZERO_RIGHT, _NAN_RIGHT) else 0
    nan = zero if kind == _NONE else default
    zero = default if kind in (_ZERO_RIGHT, _ZERO_LEFT) else zero
    return np.concatenate([bins, [zero, nan]]).astype(np.uint8)


@compiled()
def fill_codes(table, start, rows, cuts, cut_start, codes):
    """codes[f, r] of row `start + r`, for each feature that has cuts.

    All rows take a step of the search together: a row that took all of its own alone would have each guessed, half of them wrongly.
    """
    u = np.uint64  # an index that cannot be negative spares a check of each
    one = u(1)
    x = np.empty(rows, np.float32)
    for f in range(u(table.shape[1])):
        own = cuts[cut_start[f] : cut_start[f + one]]
        if len(own) == 0:
            continue
        below = codes[f]
        for r in range(u(rows)):
            x[r] = table[u(start) + r, f]
            below[r] = 0
        size = u(len(own))
        while size > one:
            half = size >> one
            for r in range(u(rows)):
                below[r] += half if own[u(below[r]) + half - one] < x[r] else u(0)
            size -= half
        for r in range(u(rows)):
            code = u(below[r]) + u(own[u(below[r])] < x[r])
            if abs(x[r]) <= ZERO:
                code = u(len(own)) + one
            if x[r] != x[r]:
                code = u(len(own)) + u(2)
            below[r] = code


@compiled()
def fill_bins(codes, rows, first, last, column_feature, lookup, lookup_start, bins, block):
    """bins[(c - first) * block + r] of the columns c from `first` to before `last`."""
    u = np.uint64
    for c in range(u(first), u(last)):
        f = u(column_feature[c])
        base = u(lookup_start[c])
        to = (c - u(first)) * u(block)
        for r in range(u(rows)):
            bins[to + r] = lookup[base + u(codes[f, r])]


@compiled()
def block_of(rows):
    """How many rows go through the trees together: so many that what is known of them stays in the nearest cache."""
    return min(BLOCK, -(-max(rows, 1) // LANES) * LANES)
