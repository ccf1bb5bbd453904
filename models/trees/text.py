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
from collections.abc import Sequence
from itertools import accumulate
from typing import NoReturn

from .checked import FIXED_HEADER, CheckedTrees, Lines, Numbers, arrays_of
from .refusal import refusal

MAX_CHARACTERS = 128 * 2**20
MAX_TREES = 20_000
MAX_LEAVES = 4_096
MAX_DEPTH = 512
MAX_LEAF_VALUE = 1e6
FEATURE_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,100}")

_HEADER = {*FIXED_HEADER, "max_feature_idx", "feature_names", "feature_infos"}
_HEADER_OPTIONAL = {"tree_sizes", "monotone_constraints"}
# What each line of a tree holds: how many numbers (S per split, L per leaf, 1), and of which type.
_TREE: dict[str, tuple[str, type]] = {
    "num_leaves": ("1", int), "num_cat": ("1", int), "split_feature": ("S", int), "split_gain": ("S", float),
    "threshold": ("S", float), "decision_type": ("S", int), "left_child": ("S", int), "right_child": ("S", int),
    "leaf_value": ("L", float), "leaf_weight": ("L", float), "leaf_count": ("L", int), "internal_value": ("S", float),
    "internal_weight": ("S", float), "internal_count": ("S", int), "is_linear": ("1", int), "shrinkage": ("1", float),
}  # fmt: skip
_KEYS = set(_TREE)
_TREE_OPTIONAL = {"split_gain", "leaf_weight", "leaf_count", "internal_value", "internal_weight", "internal_count"}
# Bit 0 would be a categorical split; bit 1 sends missing values left; bits 2-3 say what is missing (none, zero, NaN).
_DECISION_TYPES = frozenset({0, 2, 4, 6, 8, 10})
_MAX_INT = 2**31 - 1
_HAS_VALUE = re.compile("[^=]*=").match
_CHARACTERS = {int: re.compile(r"[0-9\- ]*"), float: re.compile(r"[0-9eE+\-. ]*")}
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
    trees = [_read_lines(block, number, f"{name}, tree {number}") for number, block in enumerate(blocks)]
    leaves = _numbers(trees, "num_leaves", [1] * len(trees), name)
    _check_range("num_leaves", leaves, 1, MAX_LEAVES, name)
    counts = {"1": [1] * len(trees), "L": leaves.flat, "S": [count - 1 for count in leaves.flat]}
    values = {key: _numbers(trees, key, counts[per], name) for key, (per, _) in _TREE.items()}
    for key, low, high in (
        ("num_cat", 0, 0), ("is_linear", 0, 0), ("split_feature", 0, len(names) - 1), ("leaf_count", 0, _MAX_INT),
        ("internal_count", 0, _MAX_INT), ("leaf_value", -MAX_LEAF_VALUE, MAX_LEAF_VALUE),
    ):  # fmt: skip
        _check_range(key, values[key], low, high, name)
    _check_decisions(values["decision_type"], name)
    _check_shapes(values["left_child"], values["right_child"], name)
    return CheckedTrees(arrays_of(values, counts, len(names)), trees, values, names)


def _key_values(lines: Sequence[str], known: set[str], optional: set[str], place: str) -> dict[str, str]:
    if all(map(_HAS_VALUE, lines)):
        values = dict(line.split("=", 1) for line in lines)
        if len(values) == len(lines) and known - optional <= values.keys() <= known:
            return values
    seen = set()
    for line in lines:
        key, equals, _ = line.partition("=")
        if not equals or key not in known:
            raise refusal(place, "unknown line", allowed=f"key=value with one of {', '.join(sorted(known))}", got=line)
        if key in seen:
            raise refusal(place, f"two lines {key!r}")
        seen.add(key)
    raise refusal(place, f"no line {', '.join(map(repr, sorted(known - optional - seen)))}")


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


def _read_lines(block: str, number: int, place: str) -> Lines:
    first, *lines = block.split("\n")
    if first != f"Tree={number}":
        raise refusal(place, "no start of a tree where one must be", allowed=repr(f"Tree={number}"), got=first)
    values = _key_values(lines, _KEYS, _TREE_OPTIONAL, place)
    if values["num_leaves"] == "1":
        # LightGBM leaves a lone leaf's weight blank.
        return {key: value for key, value in values.items() if value or key not in _TREE_OPTIONAL}
    return values


def _numbers(trees: Sequence[Lines], key: str, counts: Sequence[int], name: str) -> Numbers:
    """The numbers of a line of each tree, none where it has no such line; converted all at once, since lines are many."""
    kind = _TREE[key][1]
    lines = [tree.get(key, "") for tree in trees]
    joined = " ".join([line for line in lines if line])
    parts = joined.split(" ") if joined else []
    # LightGBM writes inf where a split only parts what is there from what is missing.
    infinite = parts.count("inf") if key == "threshold" else 0
    plain = " ".join([part for part in parts if part != "inf"]) if infinite else joined
    there = [count if key in tree else 0 for tree, count in zip(trees, counts, strict=True)]
    try:
        if not _CHARACTERS[kind].fullmatch(plain) or [line.count(" ") + 1 if line else 0 for line in lines] != there:
            raise ValueError
        values = list(map(kind, parts))
        if kind is float and sum(map(math.isfinite, values)) + infinite != len(values):
            raise ValueError
    except ValueError:
        for number, (tree, count) in enumerate(zip(trees, counts, strict=True)):
            if key in tree:
                _check_line(tree[key], key, count, f"{name}, tree {number}, {key}")
        raise
    return Numbers(values, list(accumulate(there, initial=0)))


def _check_line(line: str, key: str, count: int, place: str) -> None:
    """Refuses a line that does not hold `count` numbers."""
    kind = _TREE[key][1]

    def refuse(problem: str) -> NoReturn:
        what = "whole" if kind is int else "finite"
        raise refusal(place, problem, allowed=f"{count:,} {what} numbers, one space between", got=line)

    parts = line.split(" ") if line else []
    if len(parts) != count:
        refuse(f"{len(parts):,} entries")
    parts = [part for part in parts if part != "inf" or key != "threshold"]
    if not _CHARACTERS[kind].fullmatch(" ".join(parts)):
        refuse("not a number")
    try:
        values = list(map(kind, parts))
    except ValueError:
        refuse("not a number")
    if kind is float and not all(map(math.isfinite, values)):
        refuse("a number that is not finite")


def _check_range(key: str, values: Numbers, low: float, high: float, name: str) -> None:
    if values.flat and not (low <= min(values.flat) and max(values.flat) <= high):
        number, value = values.first(lambda value: not low <= value <= high)
        raise refusal(f"{name}, tree {number}, {key}", "out of range", allowed=f"{low:,} to {high:,}", got=value)


def _check_decisions(values: Numbers, name: str) -> None:
    if not _DECISION_TYPES.issuperset(values.flat):
        number, value = values.first(lambda value: value not in _DECISION_TYPES)
        allowed = ", ".join(map(str, sorted(_DECISION_TYPES)))
        raise refusal(f"{name}, tree {number}, decision_type", "no numerical split", allowed=allowed, got=value)


def _check_shapes(left: Numbers, right: Numbers, name: str) -> None:
    """Each tree's; of the many that small trees have in common, one is looked at."""
    fine = set()
    for number in range(len(left.bounds) - 1):
        shape = left.of(number), right.of(number)
        if (common := (*shape[0], *shape[1])) not in fine:
            _check_shape(*shape, f"{name}, tree {number}")
            fine.add(common)


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
