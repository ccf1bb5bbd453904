"""Sets of ICD-10 nodes with all that stands above them, and what two of them share.

`Augment(D)` adds every ancestor up to the chapter. The arrays are

- `predicted` : int32 [n, r, K], the nodes that each of r raters gives in each of n cases, -1 fills;
- `reference` : int32 [n, D], the nodes of each case's reference, -1 fills.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .sources import open_tree, source_identity
from .tree import CATEGORY, IcdTree

LEVELS = ("chapter", "section", "category", "subcategory")
"""Of the nodes; an extension by a seventh character counts among the subcategories."""

_RANGE = re.compile(r"\(([A-Z][0-9A-Z]{2}-[A-Z][0-9A-Z]{2})\)$")
_BITS = 16
_ELEMENTS_PER_BLOCK = 2_000_000
Nodes = NDArray[np.int32]


@dataclass(frozen=True)
class Paths:
    """The way from the root to each of N nodes.

    Attributes
    ----------
    nodes : int32 [depth, N + 1], the ancestor at each depth, the node itself at its own, -1 below; the last column,
        which -1 finds, is -1 throughout.
    unit : uint64 [N + 1], 1 in the 16 bits of the node's level, so that a sum counts all levels at once; the last is 0.
    """

    nodes: Nodes
    unit: NDArray[np.uint64]

    @classmethod
    def of(cls, tree: IcdTree) -> Paths:
        nodes = np.ascontiguousarray(tree.paths(np.append(np.arange(len(tree), dtype=np.int32), np.int32(-1))).T)
        level = np.minimum(tree.kinds, CATEGORY + 1).astype(np.uint64)
        return cls(nodes, np.append(np.uint64(1) << level * np.uint64(_BITS), np.uint64(0)))

    def sizes(self, sets: Nodes) -> NDArray[np.uint64]:
        """[m], the sizes of Augment of each row of [m, K], packed by level.

        Nodes are numbered in tree order, so in a sorted row the descendants of a node stand side by side: at each depth,
        an ancestor that differs from the one before it is a new one.
        """
        ordered = np.sort(sets, axis=1)
        total = np.zeros(len(sets), np.uint64)
        for at_depth in self.nodes:
            ancestors = at_depth[ordered]
            new = self.unit[ancestors]
            new[:, 1:][ancestors[:, 1:] == ancestors[:, :-1]] = 0
            total += new.sum(1)
        return total


@lru_cache(maxsize=4)
def _opened(source: str, identity: str) -> tuple[IcdTree, Paths]:
    tree = open_tree(source)
    if (tree.parents < 0).all():
        raise InputError("a list of terms, and no tree", source=source, allowed="codes with a column 'parent'")
    return tree, Paths.of(tree)


def opened(source: str) -> tuple[IcdTree, Paths]:
    """Opens the tree of `source` with its paths, kept as long as it is the same. Errors: `InputError` for a list of terms."""
    return _opened(source, source_identity(source))


def chapter_label(tree: IcdTree, chapter: int) -> str:
    """Names a chapter by the range of its codes where its name tells it, "J00-J99"; else "chapter X"."""
    found = _RANGE.search(tree.name(chapter))
    return found[1] if found else f"chapter {tree.code(chapter)}"


@dataclass(frozen=True)
class Overlap:
    """How many nodes two augmented sets share and hold: uint16 [n, r, 5], all levels together, then `LEVELS`."""

    shared: NDArray[np.uint16]
    predicted: NDArray[np.uint16]
    reference: NDArray[np.uint16]

    @property
    def precision(self) -> NDArray[np.float64]:
        """|C & C^| / |C^|, NaN where nothing is predicted."""
        return _share(self.shared, self.predicted)

    @property
    def recall(self) -> NDArray[np.float64]:
        """|C & C^| / |C|, NaN where the reference has nothing."""
        return _share(self.shared, self.reference)


def overlap(predicted: Nodes, reference: Nodes, paths: Paths) -> Overlap:
    """Of each rater's set with the reference's, in bounded blocks of cases."""
    n, raters, width = predicted.shape
    both = width + reference.shape[1]
    out = [np.empty((n, raters, 1 + len(LEVELS)), np.uint16) for _ in range(3)]
    step = max(1, _ELEMENTS_PER_BLOCK // (raters * both))
    for start in range(0, n, step):
        cases = slice(start, start + step)
        said, true = predicted[cases], reference[cases]
        again = np.broadcast_to(true[:, None], (len(true), raters, true.shape[1]))
        of_said = paths.sizes(said.reshape(-1, width)).reshape(-1, raters)
        of_true = np.broadcast_to(paths.sizes(true)[:, None], of_said.shape)
        of_both = paths.sizes(np.concatenate([said, again], -1).reshape(-1, both)).reshape(-1, raters)
        for part, packed in zip(out, (of_said + of_true - of_both, of_said, of_true), strict=True):
            part[cases] = _by_level(packed)
    return Overlap(*out)


def _by_level(packed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    shifts = np.arange(len(LEVELS), dtype=np.uint64) * np.uint64(_BITS)
    levels = packed[..., None] >> shifts & np.uint64(2**_BITS - 1)
    return np.concatenate([levels.sum(-1, keepdims=True), levels], -1)


def _share(part: NDArray[np.uint16], whole: NDArray[np.uint16]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
