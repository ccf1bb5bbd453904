"""What every engine takes, and what it gives: LightGBM's boosters as the arrays that a model folder keeps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.ensemble import Averaged, TreeEnsemble
from ..statistics.measure import average_precision

_MISSING = {("None", True): 0, ("None", False): 0, ("NaN", True): 1, ("NaN", False): 2}
"""`TreeEnsemble.missing` by LightGBM's missing_type and default_left."""


class ExtraRows(NamedTuple):
    """m training-only rows.

    Attributes
    ----------
    features : float32[m, f]
    label : int8[m]
    weight : float64[m]
        Above 0.
    fold : int64[m]
        A row of fold k is left out when fold k is held back, one of fold -1 never is.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    fold: NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """n labelled rows.

    Attributes
    ----------
    features : float32[n, f]
        NaN where unknown.
    label : int8[n]
    weight : float64[n]
        Above 0.
    fold : int64[n]
        From 0 without a gap; every engine holds back whole folds, so that no group is on both sides.
    directions : sequence of int
        f of 1, -1, 0: whether M may only rise, only fall, or do either as the feature grows.
    extra : sequence of ExtraRows
        Neither the out-of-fold predictions nor what is chosen rest on them.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    fold: NDArray[np.int64]
    directions: Sequence[int]
    extra: Sequence[ExtraRows] = ()

    @property
    def folds(self) -> int:
        return int(self.fold.max()) + 1

    @property
    def constraints(self) -> dict[str, Any]:
        """The directions as LightGBM's parameters."""
        return {"monotone_constraints": list(self.directions), "monotone_constraints_method": "advanced"}

    def without(self, fold: int) -> ExtraRows:
        """All rows but those of this fold, then the extra ones."""
        parts = [ExtraRows(self.features, self.label, self.weight, self.fold), *self.extra]
        kept = [[column[part.fold != fold] for column in part] for part in parts]
        return ExtraRows(*map(np.concatenate, zip(*kept, strict=True)))

    def average_precision(self, score: NDArray[np.float64]) -> float:
        return float(average_precision(score, self.label, self.weight[None])[0])


@dataclass(frozen=True)
class Ensemble:
    """Fitted members, and what was chosen.

    Attributes
    ----------
    trees : TreeEnsemble
        The members, and how their raw log-odds become one.
    out_of_fold : float64[n]
        The raw log-odds of each row from members that did not see its group.
    facts : dict
        Plain JSON, for the manifest. "chosen": the settings, and "out_of_fold_average_precision". Of an engine that searches besides
        "leaderboard", every model that was tried, best first: "model", "stack_level", "out_of_fold_average_precision",
        "fit_seconds", "exported"; and "search": "families", and "not_trained", those without a model.
    """

    trees: TreeEnsemble
    out_of_fold: NDArray[np.float64]
    facts: dict[str, Any]


def trees_of(
    boosters: Sequence[Any],
    *,
    rounds: int | None = None,
    weights: Sequence[float] | None = None,
    averaged: Averaged = "log-odds",
) -> TreeEnsemble:
    """The boosters, of a binary objective over numerical features, as members.

    Parameters
    ----------
    rounds : of each booster; None takes all, or those up to where it was stopped.
    weights : of each member in the mean; None where all count alike.

    Raises
    ------
    ModelError
        For trees that no model folder could hold.
    """  # fmt: skip
    found = defaultdict[str, list[Any]](list)
    first_tree, first_split = [0], [0]
    for booster in boosters:
        dump = booster.dump_model(num_iteration=rounds)
        for tree in dump["tree_info"]:
            for name, values in _tree(tree["tree_structure"], tree["num_leaves"]).items():
                found[name] += values
            first_split.append(len(found["feature"]))
        first_tree.append(len(first_split) - 1)
    kinds = {"feature": np.uint16, "missing": np.uint8, "threshold": np.float64, "leaf_value": np.float64}
    arrays = {name: np.array(values, kinds.get(name, np.int32)) for name, values in found.items()}
    arrays |= {"first_tree": np.array(first_tree, np.int32), "first_split": np.array(first_split, np.int32)}
    arrays["weights"] = np.ones(len(boosters)) if weights is None else np.array(weights, np.float64)
    return TreeEnsemble.from_arrays(arrays, boosters[0].num_feature(), averaged)


def _tree(root: dict[str, Any], leaves: int) -> dict[str, list[Any]]:
    """The numbers of one tree, in LightGBM's order of splits and leaves."""
    splits = leaves - 1
    found: dict[str, list[Any]] = {name: [0] * splits for name in ("feature", "threshold", "missing", "left", "right")}
    found |= {"leaf_value": [0.0] * leaves, "leaf_count": [1] * leaves}
    todo = [root]
    while todo:
        node = todo.pop()
        if "split_index" not in node:
            at = node.get("leaf_index", 0)
            # a tree of a lone leaf counts nothing
            found["leaf_value"][at], found["leaf_count"][at] = node["leaf_value"], max(node.get("leaf_count", 1), 1)
            continue
        at = node["split_index"]
        assert node["decision_type"] == "<=", "a categorical split, which no feature of M can bring"
        found["feature"][at], found["threshold"][at] = node["split_feature"], node["threshold"]
        found["missing"][at] = _MISSING[node["missing_type"], node["default_left"]]
        for side in ("left", "right"):
            child = node[f"{side}_child"]
            found[side][at] = child["split_index"] if "split_index" in child else ~child["leaf_index"]
            todo.append(child)
    return found
