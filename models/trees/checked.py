"""A member of M whose every number was checked: its arrays, and its text written anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import numpy as np

from .arrays import UNKNOWN, TreeArrays

FIXED_HEADER = {
    "version": "v4",
    "num_class": "1",
    "num_tree_per_iteration": "1",
    "label_index": "0",
    "objective": "binary sigmoid:1",
}
# Left out of the text that LightGBM gets: neither predictions, nor SHAP values, nor importances need them.
_NOT_CARRIED = {"leaf_weight", "internal_weight"}

Tree = Mapping[str, list[Any]]
"""The numbers of one tree by the key of their line, in LightGBM's order."""


@dataclass(frozen=True, eq=False)
class CheckedTrees:
    """One member, every number of it checked. names : of the features."""

    trees: Sequence[Tree]
    names: Sequence[str]

    @cached_property
    def arrays(self) -> TreeArrays:
        """What scores are computed from."""

        def flat(key: str, kind: type, per: str = "left_child") -> Any:
            lines = (tree.get(key) or [UNKNOWN] * len(tree[per]) for tree in self.trees)
            return np.array(list(chain.from_iterable(lines)), kind)

        return TreeArrays(
            n_features=len(self.names),
            first_split=np.array([0, *accumulate(len(tree["left_child"]) for tree in self.trees)], np.int64),
            feature=flat("split_feature", np.int64),
            threshold=flat("threshold", np.float64),
            decision=flat("decision_type", np.uint8),
            left=flat("left_child", np.int64),
            right=flat("right_child", np.int64),
            leaf_value=flat("leaf_value", np.float64),
            leaf_count=flat("leaf_count", np.int64, "leaf_value"),
            split_count=flat("internal_count", np.int64),
        )

    @cached_property
    def text(self) -> str:
        """The same trees in LightGBM's format, written when first asked for."""
        header = {
            **FIXED_HEADER,
            "max_feature_idx": str(len(self.names) - 1),
            "feature_names": " ".join(self.names),
            "feature_infos": " ".join(["none"] * len(self.names)),
        }
        lines = ["tree", *(f"{key}={value}" for key, value in header.items())]
        for number, tree in enumerate(self.trees):
            lines += ["", f"Tree={number}"]
            # repr: the shortest decimal that reads back as the same float64
            lines += [f"{key}={' '.join(map(repr, tree[key]))}" for key in tree if key not in _NOT_CARRIED]
        return "\n".join([*lines, "", "", "end of trees", ""])


class CheckedMembers(Sequence[str]):
    """The texts of checked members, and the members."""

    def __init__(self, members: Sequence[CheckedTrees]) -> None:
        self.members = tuple(members)

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, index: Any) -> Any:
        return self.members[index].text
