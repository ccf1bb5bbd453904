"""LightGBM's boosters as the arrays that a model folder keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...models.ensemble import Averaged, TreeEnsemble

_MISSING = {("None", True): 0, ("None", False): 0, ("NaN", True): 1, ("NaN", False): 2}
"""`TreeEnsemble.missing` by LightGBM's missing_type and default_left."""


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
    found: dict[str, list[Any]] = {
        name: [] for name in ("feature", "threshold", "missing", "left", "right", "leaf_value", "leaf_count")
    }
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
