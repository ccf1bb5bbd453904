"""An ensemble of boosted trees as arrays: features in, log-odds and SHAP values out; and the sigmoid that makes probabilities of log-odds.

A score is what LightGBM's own trees give, to the bit: leaf values are added in the order of the trees. Which leaf a row reaches is told by
bits, one a leaf: every split of a tree, in any order, takes away the leaves on its other side (Lucchese et al. 2015, QuickScorer). SHAP
values are those of its `pred_contrib`, path-dependent TreeSHAP (Lundberg et al. 2020), to 1e-12. A row gets the same bits alone and in any batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..errors import ModelError, quoted
from ..progress import Progress
from ..settings import cores

Arrays = Mapping[str, NDArray[Any]]
Averaged = Literal["log-odds", "probabilities"]
MAX_MEMBERS = 100
_CHUNK, _SHAP_CHUNK = 65_536, 8_192
_ARRAYS = {
    "first_tree": "int32", "first_split": "int32", "feature": "uint16", "threshold": "float64", "missing": "uint8",
    "left": "int32", "right": "int32", "leaf_value": "float64", "leaf_count": "int32", "weights": "float64",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class TreeEnsemble:
    """m members of T trees with S splits and S + T leaves in all, one tree after the other.

    Attributes
    ----------
    n_features : how many columns the trees read.
    first_tree, first_split : int32[m + 1], int32[T + 1], where the trees of each member begin, and the splits of each tree; the leaves of tree t
        begin at `first_split[t] + t`.
    feature, threshold : uint16[S], float64[S]; a row goes left where its value is <= the threshold.
    missing : uint8[S], whether NaN counts as 0 (0), goes left (1) or right (2).
    left, right : int32[S], within the tree: a child >= 0 is a split, a child < 0 the leaf ~child. A split comes after its parent.
    leaf_value, leaf_count : float64[S + T], in log-odds, and int32[S + T], how many training rows came there.
    weights : float64[m], of the members in the mean, above 0.
    averaged : the members' log-odds; or their probabilities, as AutoGluon averages the members of a bag.
    """

    n_features: int
    first_tree: NDArray[np.int32]
    first_split: NDArray[np.int32]
    feature: NDArray[np.uint16]
    threshold: NDArray[np.float64]
    missing: NDArray[np.uint8]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    leaf_value: NDArray[np.float64]
    leaf_count: NDArray[np.int32]
    weights: NDArray[np.float64]
    averaged: Averaged = "log-odds"

    @classmethod
    def from_arrays(
        cls, arrays: Arrays, n_features: int, averaged: Averaged = "log-odds", place: str = "trees"
    ) -> Self:
        """Of arrays as `arrays` gives them, every number checked.

        Raises
        ------
        ModelError
            For arrays that are not those of trees over `n_features` columns: an index out of range, children that make no tree, a number that
            is not finite.
        """
        kinds = {name: str(array.dtype) for name, array in arrays.items() if array.ndim == 1}
        if kinds != _ARRAYS:
            raise ModelError(f"{place}: other arrays than those of trees. Allowed: {_ARRAYS}. Got: {quoted(kinds)}.")
        self = cls(n_features, **arrays, averaged=averaged)  # pyright: ignore[reportArgumentType]
        if problem := self._problem():
            raise ModelError(f"{place}: damaged trees ({problem}). Take the model from where it came from.")
        return self

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model folder keeps."""
        return {name: getattr(self, name) for name in _ARRAYS}

    def _problem(self) -> str | None:
        for starts, end in ((self.first_tree, len(self.first_split) - 1), (self.first_split, len(self.feature))):
            if len(starts) < 2 or starts[0] != 0 or starts[-1] != end or (np.diff(starts) < 0).any():
                return "members or trees that begin elsewhere"
        splits, leaves = len(self.feature), len(self.feature) + len(self.first_split) - 1
        lengths = {len(each) for each in (self.threshold, self.missing, self.left, self.right)}
        if lengths != {splits} or {len(self.leaf_value), len(self.leaf_count)} != {leaves}:
            return "arrays of different lengths"
        if len(self.weights) != len(self) or not 1 <= len(self) <= MAX_MEMBERS or (np.diff(self.first_tree) < 1).any():
            return f"weights or trees that are not those of 1 to {MAX_MEMBERS} members"
        if (self.feature >= self.n_features).any() or (self.missing > 2).any() or (self.leaf_count < 1).any():
            return f"a feature above {self.n_features - 1}, a way for NaN above 2, or a leaf without training rows"
        finite = all(np.isfinite(each).all() for each in (self.threshold, self.leaf_value, self.weights))
        if not finite or (self.weights <= 0).any():
            return "a number that is not finite, or a weight that is not above 0"
        size = np.diff(self.first_split)[self._tree_of_split]
        node = np.arange(splits) - self.first_split[self._tree_of_split]
        for child in (self.left, self.right):
            if ((child >= size) | (~child > size) | ((child >= 0) & (child <= node))).any():
                return "a child that is not there or comes before its parent"
        return "a node with two parents" if (np.bincount(self._children.ravel()) > 1).any() else None

    def __len__(self) -> int:
        return len(self.first_tree) - 1

    def raw(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """The members' log-odds made one.

        Parameters
        ----------
        table : float32[n, f], finite, or NaN where a feature is unknown.
        threads : None takes as many as there are cores.

        Returns
        -------
        float64[n]

        Raises
        ------
        ModelError
            For another number of columns.
        """
        from .tree_loops import score

        table, words, raw = self._checked(table), self._words, np.empty(len(table))

        def compute(rows: slice) -> None:
            each = np.empty((len(table[rows]), len(self)))
            score(table[rows], words, each)
            raw[rows] = self._mean(each)

        in_threads(compute, len(table), _CHUNK, threads)
        return raw

    def contributions(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """What each feature adds to `raw`: SHAP values, in log-odds. Parameters and errors as of `raw`.

        Returns
        -------
        float64[n, f + 1]
            In the last column the base, the same for all rows; each row adds up to its `raw`.
        """
        from .tree_loops import shap

        table, paths = self._checked(table), self._paths
        most = int(np.diff(paths[1]).max(initial=0))
        nodes, weights = np.polynomial.legendre.leggauss(most // 2 + 1)
        found, tree = np.zeros((len(table), self.n_features + 1)), self._tree_of_leaf
        share = self.leaf_count / np.bincount(tree, self.leaf_count)[tree]
        base = np.add.reduceat(self.leaf_value * share, self._first_leaf[:-1])
        found[:, -1] = self._mean(base[None])

        def compute(rows: slice) -> None:
            values = np.empty((len(table[rows]), len(self), self.n_features))
            shap(table[rows], paths, (nodes + 1) / 2, weights / 2, values)
            shares = self._shares(base, values)
            for member in range(len(self)):  # in this order for every row: the same bits in any batch
                found[rows, :-1] += shares[:, member, None] * values[:, member]

        in_threads(compute, len(table), _SHAP_CHUNK, threads)
        return found

    def _shares(self, base: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much the mean moves for each unit by which a member's log-odds do, float64[n, m].

        Shapley values are linear, so of a mean of log-odds they are the weights. Of a mean of probabilities, by the rescale rule (Shrikumar,
        Greenside & Kundaje 2017; for series of models Chen, Lundberg & Lee 2022): what a member moved the mean probability over what it moved
        itself, times what the mean moved its log-odds over what it moved itself. So all add up.

        base : float64[m]. values : float64[n, m, f], SHAP values of the members.
        """
        weights, moved = self.weights / self.weights.sum(), values.sum(axis=2)
        if self.averaged == "log-odds":
            return np.broadcast_to(weights, moved.shape)
        p, before = _probabilities(base + moved), _probabilities(base)
        slopes = weights * _slope(p - before, moved, p * (1 - p))
        mean = self._mean(base + moved)
        at = _probabilities(mean)
        tangent = 1 / np.maximum(at * (1 - at), 1e-300)
        return slopes * _slope(mean - self._mean(base[None]), (slopes * moved).sum(axis=1), tangent)[:, None]

    def _checked(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        if table.ndim != 2 or table.shape[1] != self.n_features:
            raise ModelError(f"The trees read {self.n_features} columns. Got: a table of the shape {table.shape}.")
        return np.ascontiguousarray(table, np.float32)

    def _mean(self, each: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[n] of the members' log-odds float64[n, m]."""

        def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return sum((w * column for w, column in zip(self.weights, values.T, strict=True)), np.zeros(len(values)))

        if self.averaged == "log-odds":
            return total(each) / sum(self.weights)
        from .tree_loops import log_ratio

        # each side of the odds in its own sum: 1 - p would lose what is left of p near 1; beyond 700 p would be 0 or 1
        sure = np.clip(each, -700.0, 700.0)
        return log_ratio(total(_probabilities(sure)), total(_probabilities(-sure)))

    @cached_property
    def _tree_of_split(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.first_split) - 1), np.diff(self.first_split))

    @cached_property
    def _tree_of_leaf(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.first_split) - 1), np.diff(self.first_split) + 1)

    @cached_property
    def _first_leaf(self) -> NDArray[np.int64]:
        """Of each member, then how many there are."""
        return (self.first_split[self.first_tree] + self.first_tree).astype(np.int64)

    @cached_property
    def _children(self) -> NDArray[np.int64]:
        """int64[S, 2]: left and right child of each split, its number among all splits, or S and its number among all leaves."""
        children = np.stack([self.left, self.right], axis=1).astype(np.int64)
        first = self.first_split[self._tree_of_split][:, None].astype(np.int64)
        leaf = len(self.feature) + first + self._tree_of_split[:, None] + ~children
        return np.where(children >= 0, first + children, leaf)

    @cached_property
    def _ways(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Leaf, split above it, and whether it lies to its right (1) or left (0); of every leaf and every split above it."""
        splits, leaves = len(self.feature), len(self.leaf_value)
        parent, side = np.full(splits + leaves, -1), np.zeros(splits + leaves, np.int64)
        parent[self._children] = np.arange(splits)[:, None]
        side[self._children] = [0, 1]
        leaf = np.arange(leaves)
        node, steps = splits + leaf, []
        while len(leaf):
            below = parent[node] >= 0
            leaf, node = leaf[below], node[below]
            steps.append((leaf, parent[node], side[node]))
            node = parent[node]
        leaf, split, right = (np.concatenate(each) for each in zip(*steps, strict=True))
        return leaf, split, right

    @cached_property
    def _compared(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Of each split the column (`tree_loops`), and the greatest float32 <= its threshold: for a float32 x, x <= that just where x <= the threshold."""
        with np.errstate(over="ignore"):
            cut = self.threshold.astype(np.float32)
        cut = np.where(cut > self.threshold, np.nextafter(cut, np.float32(-np.inf)), cut)
        return 3 * self.feature.astype(np.int64) + self.missing, cut

    @cached_property
    def _words(self) -> tuple[NDArray[Any], ...]:
        """The leaves of each tree as words of bits, and the conditions that take bits away, as `tree_loops.score` takes them.

        first : int64[m + 1], of each member's words. first_condition : int64[w + 1], of each word's conditions.
        leaves : uint16[w], the bits that stand for a leaf. value : float64[w, 16], of the leaves, each in the slot of its bit.
        column, cut : of a condition, what it compares; if_left, if_right : uint16, the bits that it leaves where a row goes there.
        """
        from .tree_loops import DE_BRUIJN, LEAVES, TO_SLOT

        (leaf, split, right), (column, cut) = self._ways, self._compared
        tree, size = self._tree_of_leaf, np.diff(self.first_split) + 1
        first = np.cumsum([0, *-(-size // LEAVES)])
        number = np.arange(len(tree)) - (self.first_split[tree] + tree)
        word, bit = first[tree] + number // LEAVES, np.left_shift(2, number % LEAVES).astype(np.uint16)
        leaves, value = np.zeros(first[-1], np.uint16), np.zeros((first[-1], 16))
        np.bitwise_or.at(leaves, word, bit)
        value[word, (bit * DE_BRUIJN) >> TO_SLOT] = self.leaf_value
        splits = max(len(self.feature), 1)
        key = word[leaf] * splits + split
        order = np.argsort(key, kind="stable")
        first_of, key, right, bit = _firsts(key[order]), key[order], right[order], bit[leaf][order]
        at_right, at_left = (np.bitwise_or.reduceat(np.where(right == side, bit, 0), first_of) for side in (1, 0))
        split = key[first_of] % splits
        conditions = np.searchsorted(key[first_of] // splits, np.arange(len(leaves) + 1))
        return (first[self.first_tree], conditions, leaves, value, column[split], cut[split], ~at_right, ~at_left)

    @cached_property
    def _paths(self) -> tuple[NDArray[Any], ...]:
        """What the path to each leaf asks about each feature, as `tree_loops.shap` takes it.

        first_leaf : int64[m + 1], of each member. first_feature : of each leaf. first_condition : of each of its features.
        value : of a leaf. feature, share : of a leaf's feature, which it is and what share of the training rows pass.
        column, cut, right : of a condition, what it compares, and whether a row passes that goes right.
        """
        (leaf, split, right), (column, cut) = self._ways, self._compared
        rows = np.bincount(2 * split + right, self.leaf_count[leaf], 2 * len(self.feature)).reshape(-1, 2)
        share = (rows / rows.sum(axis=1, keepdims=True))[split, right]
        key = leaf * self.n_features + self.feature[split]
        order = np.argsort(key, kind="stable")
        key, split = key[order], split[order]
        first = _firsts(key)
        return (
            self._first_leaf,
            np.searchsorted(key[first] // self.n_features, np.arange(len(self.leaf_value) + 1)),
            np.append(first, len(key)),
            self.leaf_value,
            key[first] % self.n_features,
            np.multiply.reduceat(share[order], first),
            column[split],
            cut[split],
            right[order] == 1,
        )


class Sigmoid(Struct, frozen=True, forbid_unknown_fields=True):
    """Platt's sigmoid (Platt 1999, eq. 1, with the sign turned): `p = 1 / (1 + exp(-(slope * raw + intercept)))`.

    Parameters
    ----------
    slope : in (0, 1000]; above zero, so that the order of the pairs stays.
    intercept : in [-1e6, 1e6].

    >>> Sigmoid(slope=1.0, intercept=0.0)(np.array([0.0, np.log(3.0)])).tolist()
    [0.5, 0.75]
    """

    slope: Annotated[float, Meta(gt=0, le=1e3)]
    intercept: Annotated[float, Meta(ge=-1e6, le=1e6)]

    def __call__(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities float64 in [0, 1] of raw log-odds, of the same shape; NaN gives NaN."""
        from .tree_loops import sigmoid

        flat = np.ravel(np.asarray(raw, np.float64))
        return sigmoid(flat, float(self.slope), float(self.intercept)).reshape(np.shape(raw))

    def inverse(self, probability: float) -> float:
        """The raw log-odds that a probability in (0, 1) stands for."""
        return (math.log(probability / (1.0 - probability)) - self.intercept) / self.slope


def _firsts(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each run of equal keys begins."""
    return np.flatnonzero(np.diff(key, prepend=-1))


_probabilities = Sigmoid(slope=1.0, intercept=0.0)


def _slope(rise: NDArray[np.float64], run: NDArray[np.float64], tangent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of a chord; of the tangent where it is a point."""
    still = np.abs(run) < 1e-9
    return np.where(still, tangent, rise / np.where(still, 1.0, run))


def in_threads(
    compute: Callable[[slice], None],
    rows: int,
    chunk: int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Calls `compute` with every `chunk` of the rows, each once. What is lazy has been made before, so no thread makes it twice.

    Parameters
    ----------
    threads : None takes as many as there are cores; a single chunk needs none.
    progress : called with the rows done and the rows in all.
    """
    chunks = [slice(start, min(start + chunk, rows)) for start in range(0, rows, chunk)]
    with ThreadPoolExecutor(threads or cores()) as pool:
        work = (pool.map if len(chunks) > 1 else map)(compute, chunks)
        for part, _ in zip(chunks, work, strict=True):
            if progress is not None:
                progress(part.stop, rows)
