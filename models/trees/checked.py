"""A member of M whose every number was checked: its arrays, and its text written anew."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, overload

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

Lines = dict[str, str]


@dataclass(frozen=True)
class Numbers:
    """Those of one line of every tree, one tree after the other; of tree t from `bounds[t]` to `bounds[t + 1]`."""

    flat: list[Any]
    bounds: list[int]

    def of(self, tree: int) -> list[Any]:
        return self.flat[self.bounds[tree] : self.bounds[tree + 1]]

    def first(self, refused: Callable[[Any], bool]) -> tuple[int, Any]:
        """The first tree with a number that is refused, and that number."""
        place = next(place for place, value in enumerate(self.flat) if refused(value))
        return bisect_right(self.bounds, place) - 1, self.flat[place]


@dataclass(frozen=True, eq=False)
class CheckedTrees:
    """One member, every number of it checked.

    arrays : what scores are computed from. text : the same trees in LightGBM's format, written when first asked for.
    """

    arrays: TreeArrays
    _lines: Sequence[Lines]
    _numbers: Mapping[str, Numbers]
    _names: Sequence[str]

    @cached_property
    def text(self) -> str:
        return _write(self._lines, self._numbers, self._names)


class CheckedMembers(Sequence[str]):
    """The texts of checked members, and the members."""

    def __init__(self, members: Sequence[CheckedTrees]) -> None:
        self.members = tuple(members)

    def __len__(self) -> int:
        return len(self.members)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self.members[index].text if isinstance(index, int) else CheckedMembers(self.members[index])


def arrays_of(values: Mapping[str, Numbers], counts: Mapping[str, Sequence[int]], n_features: int) -> TreeArrays:
    def flat(key: str, kind: type) -> Any:
        return np.array(values[key].flat, kind)

    def training_rows(key: str, expected: Sequence[int]) -> Any:
        if len(values[key].flat) == sum(expected):
            return flat(key, np.int64)
        found = (values[key].of(tree) or [UNKNOWN] * count for tree, count in enumerate(expected))
        return np.fromiter(chain.from_iterable(found), np.int64)

    return TreeArrays(
        n_features, np.array([0, *accumulate(counts["S"])], np.int64),
        flat("split_feature", np.int64), flat("threshold", np.float64), flat("decision_type", np.uint8),
        flat("left_child", np.int64), flat("right_child", np.int64), flat("leaf_value", np.float64),
        training_rows("leaf_count", counts["L"]), training_rows("internal_count", counts["S"]),
    )  # fmt: skip


def _write(trees: Sequence[Lines], values: Mapping[str, Numbers], names: Sequence[str]) -> str:
    lines = ["tree"]
    header = {
        **FIXED_HEADER,
        "max_feature_idx": str(len(names) - 1),
        "feature_names": " ".join(names),
        "feature_infos": " ".join(["none"] * len(names)),
    }
    lines += [f"{key}={value}" for key, value in header.items()]
    # repr: the shortest decimal that reads back as the same float64
    texts = {key: list(map(repr, values[key].flat)) for key in values if key not in _NOT_CARRIED}
    for number, tree in enumerate(trees):
        lines += ["", f"Tree={number}"]
        for key, numbers in texts.items():
            if key in tree:
                bounds = values[key].bounds
                lines.append(f"{key}=" + " ".join(numbers[bounds[number] : bounds[number + 1]]))
    return "\n".join([*lines, "", "", "end of trees", ""])
