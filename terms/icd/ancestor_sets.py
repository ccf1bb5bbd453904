"""Sets of ICD-10 nodes with all that stands above them, and what two of them share.

`Augment(D)` adds every ancestor up to the chapter. The arrays are

- `predicted` : int32 [n, r, K], the nodes that each of r raters gives in each of n cases, -1 fills;
- `reference` : int32 [n, D], the nodes of each case's reference, -1 fills.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .sources import open_tree
from .tree import CATEGORY, IcdTree

LEVELS = ("chapter", "section", "category", "subcategory")
"""Of the nodes; an extension by a seventh character counts among the subcategories."""

_RANGE = re.compile(r"\(([A-Z][0-9A-Z]{2}-[A-Z][0-9A-Z]{2})\)$")
_NODES_PER_BLOCK = 2_000_000
Nodes = NDArray[np.int32]


def hierarchy(source: str) -> IcdTree:
    """The tree of `source`. Errors: `InputError` for a list of terms."""
    tree = open_tree(source)
    if (tree.parents < 0).all():
        raise InputError("a list of terms, and no tree", source=source, allowed="codes with a column 'parent'")
    return tree


def chapter_label(tree: IcdTree, chapter: int) -> str:
    """Names a chapter by the range of its codes where its name tells it, "J00-J99"; else "chapter X"."""
    found = _RANGE.search(tree.names[chapter])
    return found[1] if found else f"chapter {tree.codes[chapter]}"


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


def overlap(predicted: Nodes, reference: Nodes, tree: IcdTree) -> Overlap:
    """Of each rater's set with the reference's, in bounded blocks of cases."""
    n, raters, width = predicted.shape
    levels = np.minimum(tree.kinds, CATEGORY + 1)[:, None] == np.arange(len(LEVELS))
    counted = np.append(np.ones((len(tree), 1)), levels, 1).astype(np.uint16)
    out = np.empty((3, n, raters, 1 + len(LEVELS)), np.uint16)
    step = max(1, _NODES_PER_BLOCK // (raters * (width + reference.shape[1])))
    for start in range(0, n, step):
        cases = slice(start, start + step)
        said, true = _augmented(predicted[cases].reshape(-1, width), tree), _augmented(reference[cases], tree)
        true = true[np.arange(len(out[0, cases])).repeat(raters)]
        for counts, sets in zip(out[:, cases], (said.multiply(true).tocsr(), said, true), strict=True):
            counts[:] = (sets @ counted).reshape(counts.shape)
    return Overlap(*out)


def _augmented(sets: Nodes, tree: IcdTree) -> Any:
    """[m, nodes], 1 for each node of a row of [m, K] and each that stands above one."""
    from scipy.sparse import csr_array

    row, at = np.nonzero(sets >= 0)
    direct = csr_array((np.ones(len(row), np.uint16), (row, sets[row, at])), shape=(len(sets), len(tree)))
    found: Any = direct @ tree.upwards
    found.data = np.ones(found.nnz, np.uint16)
    return found


def _share(part: NDArray[np.uint16], whole: NDArray[np.uint16]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
