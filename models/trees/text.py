"""LightGBM's text format, checked whole before LightGBM sees it.

LightGBM 4.7 trusts its own files: a child that points back hangs it, a missing number kills the process, a threshold
of nan loads with other scores. So the text is parsed here, every number is checked, and what LightGBM is given is
written anew from the parsed numbers and the checked names of the features.

The format (LightGBM's `gbdt_model_text.cpp` and `tree.cpp`): a header of `key=value` lines, a blank line, then for each
tree `Tree=<i>` and its `key=value` lines up to a blank line, then `end of trees`, then importances and parameters.
A child >= 0 is an internal node, a child < 0 is the leaf ~child.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from typing import Any

from .checked import FIXED_HEADER, CheckedTrees, Tree
from .refusal import refusal

MAX_CHARACTERS = 128 * 2**20
MAX_TREES = 20_000
MAX_LEAVES = 4_096
MAX_DEPTH = 512
MAX_LEAF_VALUE = 1e6
FEATURE_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,100}")

_HEADER = {*FIXED_HEADER, "max_feature_idx", "feature_names", "feature_infos"}
_HEADER_OPTIONAL = {"tree_sizes", "monotone_constraints"}
_MAX_INT = 2**31 - 1
_ANY = (-math.inf, math.inf)
# What each line of a tree holds: how many numbers (S per split, L per leaf, 1), of which type, in which range.
_TREE: dict[str, tuple[str, type, tuple[float, float]]] = {
    "num_leaves": ("1", int, (1, MAX_LEAVES)), "num_cat": ("1", int, (0, 0)), "split_feature": ("S", int, (0, _MAX_INT)),
    "split_gain": ("S", float, _ANY), "threshold": ("S", float, _ANY), "decision_type": ("S", int, _ANY),
    "left_child": ("S", int, _ANY), "right_child": ("S", int, _ANY), "leaf_value": ("L", float, (-MAX_LEAF_VALUE, MAX_LEAF_VALUE)),
    "leaf_weight": ("L", float, _ANY), "leaf_count": ("L", int, (0, _MAX_INT)), "internal_value": ("S", float, _ANY),
    "internal_weight": ("S", float, _ANY), "internal_count": ("S", int, (0, _MAX_INT)), "is_linear": ("1", int, (0, 0)),
    "shrinkage": ("1", float, _ANY),
}  # fmt: skip
_OPTIONAL = {"split_gain", "leaf_weight", "leaf_count", "internal_value", "internal_weight", "internal_count"}
# Bit 0 would be a categorical split; bit 1 sends missing values left; bits 2-3 say what is missing (none, zero, NaN).
_DECISION_TYPES = frozenset({0, 2, 4, 6, 8, 10})
_CHARACTERS = {int: re.compile(r"[0-9\- ]*").fullmatch, float: re.compile(r"[0-9eE+\-. ]*").fullmatch}
_AFTER_THE_TREES = re.compile(
    r"\n*(?:feature_importances:\n(?:[^\n=]+=[0-9]+\n)*\n*)?"
    r"(?:parameters:\n(?:\[[^\n]*\]\n)*\n*end of parameters\n*)?"
    r"(?:pandas_categorical:(?:null|\[\])\n*)?"
)


def validate(text: str, n_features: int, name: str, features: Sequence[str] | None = None) -> str:
    """The same trees, written anew from checked numbers: the only form that is handed to LightGBM.

    Parameters
    ----------
    text : what `Booster.model_to_string()` gives for `objective=binary`; or the result of an earlier `validate`.
    n_features : how many columns the trees read.
    name : the file, for errors.
    features : the columns' names; the text must have these, or LightGBM's `Column_0 …`, and the result has these.

    The result predicts the same scores bit for bit. It leaves out importances, parameters, and `tree_sizes` (without
    it, LightGBM reads tree by tree and a cut file is an error, not a crash).

    Errors: `ModelError` for anything that LightGBM would not itself have written for a binary objective over
    numerical features: another objective, categorical splits, linear trees, a number that is not finite or out of
    range, children that do not make one tree, lines that are missing, doubled, unknown or left over.
    """
    return check(text, n_features, name, features).text


def check(text: str, n_features: int | None, name: str, features: Sequence[str] | None = None) -> CheckedTrees:
    """As `validate`, before anything is written. n_features : None where the text alone says it."""
    if len(text) > MAX_CHARACTERS:
        raise refusal(name, "too long", allowed=f"at most {MAX_CHARACTERS:,} characters", got=len(text))
    if not text.isascii() or not text.replace("\n", "").isprintable():
        raise refusal(name, "characters that are in no LightGBM model", allowed="printable ASCII and line feeds")
    head, found, tail = text.partition("\nend of trees\n")
    if not found:
        raise refusal(name, "cut off", allowed="a LightGBM model text up to its line 'end of trees'", got=text[-40:])
    if not _AFTER_THE_TREES.fullmatch(tail):
        raise refusal(name, "unexpected text after 'end of trees'", got=tail[:60])
    header, *blocks = [block for block in re.split(r"\n\n+", head.rstrip("\n")) if block]
    names = _check_header(header, n_features, name, features)
    if not 1 <= len(blocks) <= MAX_TREES:
        raise refusal(name, "wrong number of trees", allowed=f"1 to {MAX_TREES:,}", got=len(blocks))
    sound: set[tuple[int, ...]] = set()  # shapes that small trees have in common
    trees = [
        _read_tree(block, number, len(names), f"{name}, tree {number}", sound) for number, block in enumerate(blocks)
    ]
    return CheckedTrees(trees, names)


def _key_values(lines: Sequence[str], known: Set[str], optional: Set[str], place: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in lines:
        key, equals, value = line.partition("=")
        if not equals or key not in known:
            raise refusal(place, "unknown line", allowed=f"key=value with one of {', '.join(sorted(known))}", got=line)
        if key in values:
            raise refusal(place, f"two lines {key!r}")
        values[key] = value
    if missing := known - optional - values.keys():
        raise refusal(place, f"no line {', '.join(map(repr, sorted(missing)))}")
    return values


def _check_header(block: str, n_features: int | None, name: str, features: Sequence[str] | None) -> list[str]:
    """The feature names that the new text gets."""
    first, *lines = block.split("\n")
    if first != "tree":
        raise refusal(name, "no LightGBM model text", allowed="'tree' as its first line", got=first)
    header = _key_values(lines, _HEADER | _HEADER_OPTIONAL, _HEADER_OPTIONAL, name)
    if n_features is None:
        n_features = header["feature_names"].count(" ") + 1
    expected = {**FIXED_HEADER, "max_feature_idx": str(n_features - 1)}
    for key, value in expected.items():
        if header[key] != value:
            raise refusal(
                f"{name}, {key}", "not a model that dxmatch scores with", allowed=repr(value), got=header[key]
            )
    names = header["feature_names"].split(" ")
    for key in ("feature_names", "feature_infos", "monotone_constraints"):
        if key in header and len(header[key].split(" ")) != n_features:
            raise refusal(f"{name}, {key}", "wrong number of entries", allowed=str(n_features), got=header[key])
    if len(set(names)) != len(names) or not all(map(FEATURE_NAME.fullmatch, names)):
        raise refusal(
            f"{name}, feature_names",
            "not usable",
            allowed="different names of letters, digits, _ . -",
            got=header["feature_names"],
        )
    if features is None or names == list(features):
        return names
    if names == [f"Column_{i}" for i in range(n_features)]:
        return list(features)
    raise refusal(
        f"{name}, feature_names", "other features than the model's", allowed=" ".join(features), got=" ".join(names)
    )


def _read_tree(block: str, number: int, n_features: int, place: str, sound: set[tuple[int, ...]]) -> Tree:
    first, *lines = block.split("\n")
    if first != f"Tree={number}":
        raise refusal(place, "no start of a tree where one must be", allowed=repr(f"Tree={number}"), got=first)
    found = _key_values(lines, _TREE.keys(), _OPTIONAL, place)
    leaves = _numbers(found["num_leaves"], "num_leaves", 1, place)[0]
    count = {"1": 1, "L": leaves, "S": leaves - 1}
    tree: Tree = {}
    for key, (per, *_) in _TREE.items():
        # LightGBM leaves a lone leaf's weight blank.
        if key in found and (found[key] or leaves > 1 or key not in _OPTIONAL):
            tree[key] = _numbers(found[key], key, count[per], place)
    if max(tree["split_feature"], default=0) >= n_features:
        got = next(feature for feature in tree["split_feature"] if feature >= n_features)
        raise refusal(f"{place}, split_feature", "out of range", allowed=f"0 to {n_features - 1:,}", got=got)
    if not _DECISION_TYPES.issuperset(tree["decision_type"]):
        got = next(value for value in tree["decision_type"] if value not in _DECISION_TYPES)
        allowed = ", ".join(map(str, sorted(_DECISION_TYPES)))
        raise refusal(f"{place}, decision_type", "no numerical split", allowed=allowed, got=got)
    shape = (*tree["left_child"], *tree["right_child"])
    if shape not in sound:
        _check_shape(tree["left_child"], tree["right_child"], place)
        sound.add(shape)
    return tree


def _numbers(line: str, key: str, count: int, place: str) -> list[Any]:
    """The `count` numbers of a line, each checked."""
    _, kind, (low, high) = _TREE[key]
    parts = line.split(" ") if line else []
    # LightGBM writes inf where a split only parts what is there from what is missing.
    infinite = parts.count("inf") if key == "threshold" else 0
    plain = " ".join([part for part in parts if part != "inf"]) if infinite else line
    problem, values = "", []
    try:
        if len(parts) != count:
            problem = f"{len(parts):,} entries"
        elif not _CHARACTERS[kind](plain):
            problem = "not a number"
        else:
            values = list(map(kind, parts))
            if kind is float and sum(map(math.isfinite, values)) + infinite < count:
                problem = "a number that is not finite"
    except ValueError:
        problem = "not a number"
    if problem:
        what = "whole" if kind is int else "finite"
        raise refusal(f"{place}, {key}", problem, allowed=f"{count:,} {what} numbers, one space between", got=line)
    if values and not (low <= min(values) and max(values) <= high):
        got = next(value for value in values if not low <= value <= high)
        raise refusal(f"{place}, {key}", "out of range", allowed=f"{low:,} to {high:,}", got=got)
    return values


def _check_shape(left: Sequence[int], right: Sequence[int], place: str) -> None:
    """One tree from node 0: every other node and every leaf is a child once, and children come after their parents.

    LightGBM numbers nodes in the order of their making, so the second rule holds for all that it writes; with the
    first it leaves no room for a cycle.
    """
    leaves = len(left) + 1
    if leaves == 1:
        return
    if sorted([*left, *right]) != [*range(-leaves, 0), *range(1, leaves - 1)]:
        allowed = f"each leaf -1 to {-leaves} and each node 1 to {leaves - 2} once, in left_child or right_child"
        raise refusal(place, "the children do not make a tree", allowed=allowed, got=f"{list(left)}, {list(right)}")
    depth = [1] * (leaves - 1)
    for node, children in enumerate(zip(left, right, strict=True)):
        for child in children:
            if 0 <= child <= node:
                raise refusal(place, "a child before its parent", allowed=f"a number above {node}", got=child)
            if child > 0:
                depth[child] = depth[node] + 1
    if max(depth) > MAX_DEPTH:
        raise refusal(place, "too deep", allowed=f"at most {MAX_DEPTH} splits from the root to a leaf", got=max(depth))
