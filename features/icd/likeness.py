"""How near two names lie in ICD-10: by the codes that they map to, and by all codes that stand near them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled
from .search import Nearest
from .tree import IcdTree

TEMPERATURE = 0.03
"""Of the softmax over a name's candidates: a code that is nearer by this cosine weighs e times as much."""


def paths(tree: IcdTree, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32[u, levels]: from the chapter down to the node itself, then -1; all -1 for the node -1."""
    above = [[node, *tree.ancestors(node)][::-1] if node >= 0 else [] for node in nodes.tolist()]
    out = np.full((len(nodes), max(map(len, above), default=0) + 1), -1, np.int32)
    for row, path in zip(out, above, strict=True):
        row[: len(path)] = path
    return out


def kinship(
    paths: NDArray[np.int32], first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = 2 n(a, b) / (n(a) + n(b)), in [0, 1]: n codes from the chapter down, and n(a, b) of them in common.

    1 for the same code, 0 for two chapters, NaN where one of the names has no code (Wu and Palmer 1994, §3).
    """
    _kinship(paths, first, second, out)


@compiled()
def _kinship(paths, first, second, out):
    for pair in range(first.size):
        a, b = paths[first[pair]], paths[second[pair]]
        shared = codes = 0
        for level in range(paths.shape[1]):
            shared += a[level] == b[level] and a[level] >= 0
            codes += (a[level] >= 0) + (b[level] >= 0)
        out[pair] = np.nan if a[0] < 0 or b[0] < 0 else np.float32(2 * shared / codes)


@dataclass(frozen=True)
class Shares:
    """How each of u names is shared out among ICD-10's categories.

    offsets : int64[u + 1]; name i lies in `categories[offsets[i] : offsets[i + 1]]` (int32, rising) with `shares`
    (float64, above 0, 1 in all).
    """

    offsets: NDArray[np.int64]
    categories: NDArray[np.int32]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, direct: NDArray[np.int32], nearest: Mapping[int, Nearest], categories: NDArray[np.int32]) -> Shares:
        """A name with a direct match lies in its category alone.

        direct : int32[u], the category of each direct match, or -1. nearest : the nearest codes of the other rows.
        categories : int32[n], the category of each entry of the index.
        """
        ids: list[NDArray[np.int32]] = []
        parts: list[NDArray[np.float64]] = []
        for row, category in enumerate(direct.tolist()):
            one = _shares(nearest[row], categories) if category < 0 else (np.array([category], np.int32), np.ones(1))
            ids.append(one[0])
            parts.append(one[1])
        offsets = np.zeros(len(direct) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls(offsets, np.concatenate(ids), np.concatenate(parts))


def _shares(nearest: Nearest, categories: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    if not len(nearest.entries):
        return np.zeros(0, np.int32), np.zeros(0)
    found, at = np.unique(categories[nearest.entries], return_inverse=True)
    cosines = nearest.cosines.astype(np.float64)
    weight = np.bincount(at, np.exp((cosines - cosines[0]) / TEMPERATURE))
    return found, weight / weight.sum()


def overlap(shares: Shares, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """out[p] = the sum over categories of the smaller of two shares, in [0, 1]; NaN where one of the names has none."""
    _overlap(shares.offsets, shares.categories, shares.shares, first, second, out)


@compiled()
def _overlap(offsets, categories, shares, first, second, out):
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        if a == a_end or b == b_end:
            out[pair] = np.nan
            continue
        common = 0.0
        while a < a_end and b < b_end:
            x, y = categories[a], categories[b]
            if x == y:
                common += min(shares[a], shares[b])
            a += x <= y
            b += y <= x
        out[pair] = np.float32(min(common, 1.0))
