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
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from .refusal import refusal

MAX_CHARACTERS = 128 * 2**20
MAX_TREES = 20_000
MAX_LEAVES = 4_096
MAX_DEPTH = 512
MAX_LEAF_VALUE = 1e6
FEATURE_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,100}")

_FIXED_HEADER = {
    "version": "v4",
    "num_class": "1",
    "num_tree_per_iteration": "1",
    "label_index": "0",
    "objective": "binary sigmoid:1",
}
_HEADER = {*_FIXED_HEADER, "max_feature_idx", "feature_names", "feature_infos"}
_HEADER_OPTIONAL = {"tree_sizes", "monotone_constraints"}
# What each line of a tree holds: how many numbers (S per split, L per leaf, 1), and of which type.
_TREE: dict[str, tuple[str, type]] = {
    "num_leaves": ("1", int), "num_cat": ("1", int), "split_feature": ("S", int), "split_gain": ("S", float),
    "threshold": ("S", float), "decision_type": ("S", int), "left_child": ("S", int), "right_child": ("S", int),
    "leaf_value": ("L", float), "leaf_weight": ("L", float), "leaf_count": ("L", int), "internal_value": ("S", float),
    "internal_weight": ("S", float), "internal_count": ("S", int), "is_linear": ("1", int), "shrinkage": ("1", float),
}  # fmt: skip
_TREE_OPTIONAL = {"split_gain", "leaf_weight", "leaf_count", "internal_value", "internal_weight", "internal_count"}
# Left out of the text that LightGBM gets: neither predictions, nor SHAP values, nor importances need them.
_NOT_CARRIED = {"leaf_weight", "internal_weight"}
# Bit 0 would be a categorical split; bit 1 sends missing values left; bits 2-3 say what is missing (none, zero, NaN).
_DECISION_TYPES = frozenset({0, 2, 4, 6, 8, 10})
_MAX_INT = 2**31 - 1
_CHARACTERS = {int: re.compile(r"[0-9\- ]*"), float: re.compile(r"[0-9eE+\-. ]*")}
_AFTER_THE_TREES = re.compile(
    r"\n*(?:feature_importances:\n(?:[^\n=]+=[0-9]+\n)*\n*)?"
    r"(?:parameters:\n(?:\[[^\n]*\]\n)*\n*end of parameters\n*)?"
    r"(?:pandas_categorical:(?:null|\[\])\n*)?"
)

Tree = dict[str, list[Any]]


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
    trees = [_read_tree(block, number, n_features, f"{name}, tree {number}") for number, block in enumerate(blocks)]
    return _write(trees, names)


def _key_values(lines: Sequence[str], known: set[str], optional: set[str], place: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in lines:
        key, equals, value = line.partition("=")
        if not equals or key not in known:
            raise refusal(place, "unknown line", allowed=f"key=value with one of {', '.join(sorted(known))}", got=line)
        if key in values:
            raise refusal(place, f"two lines {key!r}")
        values[key] = value
    if missing := sorted(known - optional - values.keys()):
        raise refusal(place, f"no line {', '.join(map(repr, missing))}")
    return values


def _check_header(block: str, n_features: int, name: str, features: Sequence[str] | None) -> list[str]:
    """The feature names that the new text gets."""
    first, *lines = block.split("\n")
    if first != "tree":
        raise refusal(name, "no LightGBM model text", allowed="'tree' as its first line", got=first)
    header = _key_values(lines, _HEADER | _HEADER_OPTIONAL, _HEADER_OPTIONAL, name)
    expected = {**_FIXED_HEADER, "max_feature_idx": str(n_features - 1)}
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


def _read_tree(block: str, number: int, n_features: int, place: str) -> Tree:
    first, *lines = block.split("\n")
    if first != f"Tree={number}":
        raise refusal(place, "no start of a tree where one must be", allowed=repr(f"Tree={number}"), got=first)
    text = _key_values(lines, set(_TREE), _TREE_OPTIONAL, place)
    (leaves,) = _numbers(text, "num_leaves", 1, place)
    if not 1 <= leaves <= MAX_LEAVES:
        raise refusal(f"{place}, num_leaves", "out of range", allowed=f"1 to {MAX_LEAVES:,}", got=leaves)
    counts = {"S": leaves - 1, "L": leaves, "1": 1}
    tree: Tree = {}
    for key, (per, _) in _TREE.items():
        # LightGBM leaves a lone leaf's weight blank.
        if key in text and not (leaves == 1 and key in _TREE_OPTIONAL and not text[key]):
            tree[key] = _numbers(text, key, counts[per], place)
    for key, low, high in (
        ("num_cat", 0, 0), ("is_linear", 0, 0), ("split_feature", 0, n_features - 1), ("leaf_count", 0, _MAX_INT),
        ("internal_count", 0, _MAX_INT), ("leaf_value", -MAX_LEAF_VALUE, MAX_LEAF_VALUE),
    ):  # fmt: skip
        for value in tree.get(key, ()):
            if not low <= value <= high:
                raise refusal(f"{place}, {key}", "out of range", allowed=f"{low:,} to {high:,}", got=value)
    for value in tree["decision_type"]:
        if value not in _DECISION_TYPES:
            allowed = ", ".join(map(str, sorted(_DECISION_TYPES)))
            raise refusal(f"{place}, decision_type", "no numerical split", allowed=allowed, got=value)
    _check_shape(tree["left_child"], tree["right_child"], leaves, place)
    return tree


def _numbers(text: Mapping[str, str], key: str, count: int, place: str) -> list[Any]:
    kind, line = _TREE[key][1], text[key]

    def refuse(problem: str, got: object) -> NoReturn:
        what = "whole" if kind is int else "finite"
        raise refusal(f"{place}, {key}", problem, allowed=f"{count:,} {what} numbers, one space between", got=got)

    parts = line.split(" ") if line else []
    if len(parts) != count:
        refuse(f"{len(parts):,} entries", line)
    # LightGBM writes inf where a split only parts what is there from what is missing.
    infinite = parts.count("inf") if key == "threshold" else 0
    plain = " ".join([part for part in parts if part != "inf"]) if infinite else line
    if not _CHARACTERS[kind].fullmatch(plain):
        refuse("not a number", line)
    try:
        values = list(map(kind, parts))
    except ValueError:
        refuse("not a number", line)
    if kind is float and sum(map(math.isfinite, values)) != count - infinite:
        refuse("a number that is not finite", line)
    return values


def _check_shape(left: Sequence[int], right: Sequence[int], leaves: int, place: str) -> None:
    """One tree from node 0: every other node and every leaf is a child once, and children come after their parents.

    LightGBM numbers nodes in the order of their making, so the second rule holds for all that it writes; with the
    first it leaves no room for a cycle.
    """
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


def _write(trees: Sequence[Tree], names: Sequence[str]) -> str:
    lines = ["tree"]
    header = {
        **_FIXED_HEADER,
        "max_feature_idx": str(len(names) - 1),
        "feature_names": " ".join(names),
        "feature_infos": " ".join(["none"] * len(names)),
    }
    lines += [f"{key}={value}" for key, value in header.items()]
    for number, tree in enumerate(trees):
        lines += ["", f"Tree={number}"]
        for key in _TREE:
            if key in tree and key not in _NOT_CARRIED:
                # repr: the shortest decimal that reads back as the same float64
                lines.append(f"{key}=" + " ".join(map(repr, tree[key])))
    return "\n".join([*lines, "", "", "end of trees", ""])
