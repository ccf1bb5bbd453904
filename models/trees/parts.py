"""A tree cut into parts of few conditions, and what the leaves of a part give to each feature for every pattern of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...compiled import compiled
from .arrays import TreeArrays

PART_BITS = 7
LEAF_BITS = 14
MAX_TABLE = 32 * 2**20  # float64: 256 MiB
STEP = 4


@dataclass
class Parts:
    """The lists that `TreeShap`'s arrays are made of, and what its tables are computed from.

    Of each part its bits and where its leaves begin; of each leaf its value and where its features begin; of each feature of a leaf the share of
    training rows that its splits let pass, the bits of the pattern that must (not) be set for a row to pass them, and where its values stand.
    """

    part_test: list[int] = field(default_factory=lambda: [0])
    part_gain: list[int] = field(default_factory=lambda: [0])
    column: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    part_bits: list[int] = field(default_factory=list)
    part_leaf: list[int] = field(default_factory=lambda: [0])
    leaf_branch: list[int] = field(default_factory=lambda: [0])
    leaf_value: list[float] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    all_set: list[int] = field(default_factory=list)
    none_set: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    size: int = 0


def cut_tree(build: Parts, trees: TreeArrays, tree: int, node_column, node_cut) -> bool:
    """Adds the parts of a tree; False where that cannot be."""
    begin, end = int(trees.first_split[tree]), int(trees.first_split[tree + 1])
    splits, leaves = slice(begin, end), slice(begin + tree, end + tree + 1)
    left, right = trees.left[splits].tolist(), trees.right[splits].tolist()
    feature, column, cut = trees.feature[splits].tolist(), node_column[splits].tolist(), node_cut[splits].tolist()
    split_count, leaf_count = trees.split_count[splits].tolist(), trees.leaf_count[leaves].tolist()
    value = trees.leaf_value[leaves].tolist()
    inside = [1] * len(left)
    for node in range(len(left) - 1, -1, -1):
        inside[node] += sum(inside[child] for child in (left[node], right[node]) if child >= 0)

    def child_share(node: int, child: int) -> float:
        return (split_count[child] if child >= 0 else leaf_count[~child]) / split_count[node]

    # What is still to be cut: a node or ~leaf, and the way to it: (split, whether it went left, share of the training rows).
    todo: list[tuple[int, list[tuple[int, bool, float]]]] = [(0, [])] if left else []
    while todo:
        top, way = todo.pop()
        bit_of = {f: bit for bit, f in enumerate(dict.fromkeys(feature[node] for node, _, _ in way))}
        bits = len(bit_of) + (inside[top] if top >= 0 else 0)
        if bits > PART_BITS and top >= 0:
            for child, went_left in ((right[top], False), (left[top], True)):
                todo.append((child, [*way, (top, went_left, child_share(top, child))]))
            continue
        if bits > LEAF_BITS or build.size > MAX_TABLE:
            return False
        tests = []
        for node, went_left, _ in way:
            without = 0xFFFF & ~(1 << bit_of[feature[node]])
            tests.append((node, 0xFFFF, without) if went_left else (node, without, 0xFFFF))
        # Every leaf of the part: (leaf, the way to it, the bits of the splits inside on it).
        below: list[tuple[int, list[tuple[int, bool, float]], dict[int, int]]] = [(top, way, {})]
        found, next_bit = [], len(bit_of)
        while below:
            at, here, inner = below.pop()
            if at < 0:
                found.append((~at, here, inner))
                continue
            tests.append((at, 0xFFFF, 0xFFFF & ~(1 << next_bit)))
            bit_here = {**inner, at: next_bit}
            next_bit += 1
            for child, went_left in ((right[at], False), (left[at], True)):
                below.append((child, [*here, (at, went_left, child_share(at, child))], bit_here))
        places: dict[int, int] = {}
        for leaf, here, inner in found:
            branches: dict[int, list] = {}
            for node, went_left, share in here:
                f = feature[node]
                if f not in places:
                    places[f] = build.size
                    build.size += 1 << bits
                branch = branches.setdefault(f, [1.0, 0, 0])
                branch[0] *= share
                if node in inner:
                    branch[1 if went_left else 2] |= 1 << inner[node]
                else:
                    branch[1] |= 1 << bit_of[f]
            build.leaf_value.append(value[leaf])
            for f, (share, all_set, none_set) in branches.items():
                build.share.append(share)
                build.all_set.append(all_set)
                build.none_set.append(none_set)
                build.at.append(places[f])
            build.leaf_branch.append(len(build.share))
        node, if_left, if_right = tests[0]
        tests[0] = node, if_left & ((1 << bits) - 1), if_right & ((1 << bits) - 1)
        tests += [(None, 0xFFFF, 0xFFFF)] * (-len(tests) % STEP)
        for node, if_left, if_right in tests:
            build.column.append(0 if node is None else column[node])
            build.cut.append(255 if node is None else cut[node])
            build.left.append(if_left)
            build.right.append(if_right)
        build.feature += places.keys()
        build.place += places.values()
        build.part_test.append(len(build.cut))
        build.part_gain.append(len(build.feature))
        build.part_bits.append(bits)
        build.part_leaf.append(len(build.leaf_value))
    return True


@compiled()
def _weight(share, passes, count, without, poly):
    """Sum over the sets S of passed features but `without`: |S|! (count - 1 - |S|)! / count! x the shares of the passed ones not in S."""
    poly[0] = 1.0
    degree = 0
    for i in range(count):
        if passes[i] and i != without:
            poly[degree + 1] = poly[degree]
            for s in range(degree, 0, -1):
                poly[s] = poly[s] * share[i] + poly[s - 1]
            poly[0] *= share[i]
            degree += 1
    weight = 1.0 / count
    total = 0.0
    for s in range(degree + 1):
        total += poly[s] * weight
        weight *= (s + 1) / max(count - 1 - s, 1)
    return total


@compiled()
def fill_tables(table, part_bits, part_leaf, leaf_branch, leaf_value, share, all_set, none_set, at):
    passes = np.zeros(64, np.bool_)
    poly = np.zeros(65)
    for part in range(len(part_bits)):
        for leaf in range(part_leaf[part], part_leaf[part + 1]):
            begin, end = leaf_branch[leaf], leaf_branch[leaf + 1]
            count = end - begin
            own = share[begin:end]
            for pattern in range(1 << part_bits[part]):
                failed = leaf_value[leaf]
                for i in range(count):
                    j = begin + i
                    passes[i] = (pattern & all_set[j]) == all_set[j] and (pattern & none_set[j]) == 0
                for i in range(count):
                    if not passes[i]:
                        failed *= own[i]
                of_failed = _weight(own, passes, count, -1, poly)
                for i in range(count):
                    if passes[i]:
                        gain = (1.0 - own[i]) * failed * _weight(own, passes, count, i, poly)
                    else:
                        gain = -failed * of_failed
                    table[at[begin + i] + pattern] += gain
