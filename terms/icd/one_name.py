"""Where one name lies in ICD-10, and how near two of them are: `likeness` for one pair, to the last bit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .index import IcdIndex
from .search import CANDIDATES
from .similarity import TEMPERATURE


class Place(NamedTuple):
    """category : its node, or -1. path : from the chapter down to the code. shares : of each category, rising, as `Shares`."""

    category: int
    path: Sequence[int]
    shares: Mapping[int, float]


def places(index: IcdIndex, names: Sequence[str], vectors: NDArray[np.float32]) -> list[Place]:
    """vectors : float32[n, d], those of the names."""
    found = index.find(names, CANDIDATES, vectors)
    return [_place(index, nodes[nodes >= 0], cosines[nodes >= 0]) for nodes, cosines in zip(*found, strict=True)]


def _place(index: IcdIndex, nodes: NDArray[np.int32], cosines: NDArray[np.float32]) -> Place:
    tree = index.tree
    if not len(nodes):
        return Place(-1, (), {})
    shares = _shares(index.category_of(nodes).tolist(), cosines)
    node = int(nodes[0])
    category = int(tree.categories[node])
    category = node if category < 0 else category
    path = [node, *tree.ancestors(node)]
    return Place(category, path[::-1], shares)


def _shares(categories: Sequence[int], cosines: NDArray[np.float32]) -> Mapping[int, float]:
    exact = cosines.astype(np.float64)
    weights: dict[int, float] = {}
    for category, weight in zip(categories, np.exp((exact - exact[0]) / TEMPERATURE).tolist(), strict=True):
        weights[category] = weights[category] + weight if category in weights else weight
    rising = sorted(weights.items())
    whole = len(rising) - len(rising) % 8
    eight = [0.0] * 8
    for i, (_, weight) in enumerate(rising[:whole]):
        eight[i % 8] += weight
    total = ((eight[0] + eight[1]) + (eight[2] + eight[3])) + ((eight[4] + eight[5]) + (eight[6] + eight[7]))
    for _, weight in rising[whole:]:
        total += weight
    return {category: weight / total for category, weight in rising}


def _same_category(a: Place, b: Place) -> float:
    return math.nan if a.category < 0 or b.category < 0 else float(a.category == b.category)


def _kinship(a: Place, b: Place) -> float:
    if not a.path or not b.path:
        return math.nan
    shared = sum(x == y for x, y in zip(a.path, b.path, strict=False))
    return 2 * shared / (len(a.path) + len(b.path))


def _overlap(a: Place, b: Place) -> float:
    if not a.shares or not b.shares:
        return math.nan
    common = 0.0
    for category, share in a.shares.items():
        if category in b.shares:
            common += min(share, b.shares[category])
    return min(common, 1.0)


COMPARED: Mapping[str, Callable[[Place, Place], float]] = {
    "icd_nearest": _same_category,
    "icd_kinship": _kinship,
    "icd_overlap": _overlap,
}
