"""Trees looked up: the scores of rows, and their SHAP values, from one table for each part of a tree.

A row meets or fails each condition of a part (`parts`), which makes a pattern of a few bits; a table holds what the part gives for every
pattern: the value of its leaf that the row reaches, or 0 (a score), or what its leaves give to each feature (SHAP values). That is
QuickScorer's idea (Lucchese et al. 2015: splits in any order, no branch on the data) with the leaf looked up at once.

A score is LightGBM's, bit-identical: leaf values are added in the order of the trees. SHAP values are those of its `pred_contrib`: path-dependent
TreeSHAP (Lundberg et al. 2020, algorithm 2; here as the sum over leaves: Yang 2021, Fast TreeSHAP; paths with merged
features: Mitchell et al. 2022), to 1e-12. A row gets the same bits alone and in any batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .arrays import TreeArrays
from .codes import Codes
from .parts import Branch, Condition, Part, Tree

MAX_TABLE = 32 * 2**20  # float64: 256 MiB


@dataclass(frozen=True, eq=False)
class TreeTables:
    """Members as tables. Made by `of_scores` or `of_shap`, called with rows.

    member_part : int64[members + 1], where the parts of each begin; part_condition, part_gain : int64[parts + 1], where the conditions of each
    and what it gives begin. full : uint16[parts], the pattern of all bits. column, cut, left, right : of each condition, what it
    compares, and the bits that it leaves where a row goes left, or right. output, place : of each gain, what it is added to, and where
    its values for all patterns begin in `table`.
    """

    codes: Codes
    n_outputs: int
    member_part: NDArray[np.int64]
    part_condition: NDArray[np.int64]
    full: NDArray[np.uint16]
    column: NDArray[np.int64]
    cut: NDArray[np.int16]
    left: NDArray[np.uint16]
    right: NDArray[np.uint16]
    part_gain: NDArray[np.int64]
    output: NDArray[np.int64]
    place: NDArray[np.int64]
    table: NDArray[np.float64]

    @classmethod
    def of_scores(cls, members: Sequence[TreeArrays], codes: Codes) -> TreeTables | None:
        """Called with `table` float32[n, f] they give float64[n, members, 1], raw log-odds. None where they would not stay small (256 MiB)."""
        return cls._of(members, codes, shap=False)

    @classmethod
    def of_shap(cls, members: Sequence[TreeArrays], codes: Codes) -> TreeTables | None:
        """Called with `table` float32[n, f] they give float64[n, members, f], SHAP values in raw log-odds; the members have passed `check_counts`.

        None where they would not stay small (256 MiB), or a path has too many features.
        """
        return cls._of(members, codes, shap=True)

    @classmethod
    def _of(cls, members: Sequence[TreeArrays], codes: Codes, *, shap: bool) -> TreeTables | None:
        member_part: list[int] = [0]
        full: list[int] = []
        conditions: list[list[tuple[int, int, int, int]]] = []
        outputs: list[list[int]] = []
        tables: list[NDArray[np.float64]] = []
        size = 0
        for trees, columns, cuts in zip(members, codes.node_column, codes.node_cut, strict=True):
            for tree, splits, values in _trees(trees, by_feature=shap):
                column, cut = columns[splits].tolist(), cuts[splits].tolist()
                for part in tree.parts():
                    if part is None or size > MAX_TABLE:
                        return None
                    own_outputs, table = _shap(part, values) if shap else _scores(part, values)
                    full.append((1 << part.n_bits) - 1)
                    conditions.append([(column[c.split], cut[c.split], *_left_right(c)) for c in part.conditions])
                    outputs.append(own_outputs)
                    tables.append(table)
                    size += table.size
            member_part.append(len(full))
        column, cut, left, right = np.array([c for own in conditions for c in own], np.int64).reshape(-1, 4).T
        place = np.repeat([table.shape[1] for table in tables], [len(table) for table in tables])
        return cls(
            codes, members[0].n_features if shap else 1, np.array(member_part), _starts(conditions), np.array(full, np.uint16),
            column, cut.astype(np.int16), left.astype(np.uint16), right.astype(np.uint16),
            _starts(outputs), np.array([o for own in outputs for o in own], np.int64), np.cumsum(place) - place,
            np.concatenate([table.ravel() for table in tables]),
        )  # fmt: skip

    def __call__(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        from .table_loops import look_up

        codes = self.codes
        out = np.empty((len(table), len(self.member_part) - 1, self.n_outputs))
        look_up(
            np.ascontiguousarray(table, np.float32), codes.cuts, codes.cut_start, codes.column_start, codes.zero, codes.nan,
            self.member_part, self.part_condition, self.full, self.column, self.cut, self.left, self.right,
            self.part_gain, self.output, self.place, self.table, out,
        )  # fmt: skip
        return out


def _trees(trees: TreeArrays, *, by_feature: bool) -> Iterator[tuple[Tree, slice, list[float]]]:
    """Each tree, its splits among the member's, and the values of its leaves."""
    for number, (begin, end) in enumerate(pairwise(trees.first_split.tolist())):
        splits, leaves = slice(begin, end), slice(begin + number, end + number + 1)
        count = [
            *trees.split_count[splits].tolist(),
            *reversed(trees.leaf_count[leaves].tolist()),
        ]  # by child, as ~leaf is negative
        left = trees.left[splits].tolist()
        group = trees.feature[splits].tolist() if by_feature else [0] * len(left)
        share = [count[child] / count[split] if by_feature else 1.0 for split, child in enumerate(left)]
        yield Tree(left, trees.right[splits].tolist(), group, share), splits, trees.leaf_value[leaves].tolist()


def _left_right(condition: Condition) -> tuple[int, int]:
    """The bits of a pattern that a condition leaves where a row goes left, and right."""
    return (~condition.bit, -1) if condition.clears_left else (-1, ~condition.bit)


def _scores(part: Part, values: Sequence[float]) -> tuple[list[int], NDArray[np.float64]]:
    from .table_loops import add_score

    table = np.zeros((1, 1 << part.n_bits))
    for leaf, branches in part.leaves:
        branch = branches.get(0, Branch())
        add_score(table[0], values[leaf], branch.all_set, branch.none_set)
    return [0], table


def _shap(part: Part, values: Sequence[float]) -> tuple[list[int], NDArray[np.float64]]:
    from .table_loops import add_shap

    features = list(dict.fromkeys(feature for _, branches in part.leaves for feature in branches))
    row = {feature: number for number, feature in enumerate(features)}
    table = np.zeros((len(features), 1 << part.n_bits))
    for leaf, branches in part.leaves:
        if not branches:
            continue  # a lone leaf says nothing of any feature
        own = [(row[feature], branch.all_set, branch.none_set) for feature, branch in branches.items()]
        rows, all_set, none_set = np.array(own, np.int64).T
        add_shap(table, values[leaf], rows, np.array([branch.share for branch in branches.values()]), all_set, none_set)
    return features, table


def _starts(lists: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)])
