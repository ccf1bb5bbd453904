"""How near two names lie in ICD-10: by the codes that they map to, and by all codes that stand near them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...compiled import compiled
from .search import Nearest
from .tree import IcdTree

CANDIDATES = 15
"""The nearest ICD-10 codes that are looked at, as many as in "How to Evaluate Medical AI"."""

TEMPERATURE = 0.03
"""Of the softmax over a name's candidates: a code that is nearer by this cosine weighs e times as much."""

_RUN = 8
"""Pairs of one first name, on average, from which its shares are spread out for all of them."""


def paths(tree: IcdTree, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32[u, levels]: from the chapter down to the node itself, then -1; all -1 for the node -1."""
    above = [nodes]
    while (above[-1] >= 0).any():
        above.append(np.where(above[-1] >= 0, tree.parents[above[-1]], -1))
    upwards = np.array(above, np.int32)
    depths = (upwards >= 0).sum(0)
    # Column j from the root is the ancestor depth - 1 - j from below; the last column is -1 for each.
    places = depths[:, None] - 1 - np.arange(len(upwards))
    return np.where(places >= 0, upwards[places, np.arange(len(nodes))[:, None]], -1)


def kinship(
    paths: NDArray[np.int32], first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = 2 n(a, b) / (n(a) + n(b)), in [0, 1]: n codes from the chapter down, and n(a, b) of them in common.

    1 for the same code, 0 for two chapters, NaN where one of the names has no code (Wu and Palmer 1994, §3).
    """
    _kinship(paths, first, second, out)


@compiled(few="first")
def _kinship(paths, first, second, out):
    for pair in range(first.size):
        a, b = paths[first[pair]], paths[second[pair]]
        shared = codes = 0
        for level in range(paths.shape[1]):
            shared += a[level] == b[level] and a[level] >= 0
            codes += int(a[level] >= 0) + int(b[level] >= 0)
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
        counts = np.ones(len(direct), np.int64)
        rows = np.flatnonzero(direct < 0).tolist()
        counts[rows] = [len(nearest[row].entries) for row in rows]
        ends = np.cumsum(counts)
        ids, cosines = np.empty(ends[-1] if len(ends) else 0, np.int32), np.ones(ends[-1] if len(ends) else 0)
        known = direct >= 0
        ids[ends[known] - 1] = direct[known]
        if rows:
            between = np.repeat(~known, counts)
            ids[between] = categories[np.concatenate([nearest[row].entries for row in rows])]
            cosines[between] = np.concatenate([nearest[row].cosines for row in rows])
        starts = ends - counts
        weights = np.exp((cosines - np.repeat(cosines[starts[counts > 0]], counts[counts > 0])) / TEMPERATURE)
        kept = np.empty(len(counts), np.int64)
        _share_out(starts, counts, ids, weights, kept)
        offsets = np.zeros(len(direct) + 1, np.int64)
        np.cumsum(kept, out=offsets[1:])
        at = np.repeat(starts - offsets[:-1], kept) + np.arange(offsets[-1])
        return cls(offsets, ids[at], weights[at])


@compiled(few="counts")
def _share_out(starts, counts, ids, weights, kept):
    """Per row, in place: the different ids, rising, and the sum of each one's weights over that of all; `kept` is how many."""
    eight = np.empty(8)
    for row in range(counts.size):
        start, there = starts[row], 0
        for i in range(start, start + counts[row]):
            category, weight = ids[i], weights[i]
            at = start + there
            while at > start and ids[at - 1] >= category:
                at -= 1
            if at < start + there and ids[at] == category:
                weights[at] += weight
                continue
            for j in range(start + there, at, -1):
                ids[j], weights[j] = ids[j - 1], weights[j - 1]
            ids[at], weights[at] = category, weight
            there += 1
        # Eight sums side by side, then the rest: the order of numpy's sum.
        whole = there - there % 8
        eight[:] = 0.0
        for i in range(whole):
            eight[i % 8] += weights[start + i]
        total = ((eight[0] + eight[1]) + (eight[2] + eight[3])) + ((eight[4] + eight[5]) + (eight[6] + eight[7]))
        for i in range(start + whole, start + there):
            total += weights[i]
        for i in range(start, start + there):
            weights[i] /= total
        kept[row] = there


def overlap(shares: Shares, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """out[p] = the sum over categories of the smaller of two shares, in [0, 1]; NaN where one of the names has none."""
    held = shares.offsets, shares.categories, shares.shares
    if len(first) >= _RUN * (1 + np.count_nonzero(first[1:] != first[:-1])):
        _overlap_of_runs(*held, first, second, np.zeros(shares.categories.max(initial=0) + 1), out)
    else:
        _overlap(*held, first, second, out)


@compiled(few="first")
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


@compiled()
def _overlap_of_runs(offsets, categories, shares, first, second, spread, out):
    """The same sums where one `first` has many pairs: its shares are spread out once, 0 in all other categories."""
    pair = 0
    while pair < first.size:
        one = first[pair]
        a, a_end = offsets[one], offsets[one + 1]
        for i in range(a, a_end):
            spread[categories[i]] = shares[i]
        while pair < first.size and first[pair] == one:
            b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
            common = 0.0
            for i in range(b, b_end):
                common += min(spread[categories[i]], shares[i])
            out[pair] = np.float32(min(common, 1.0)) if a < a_end and b < b_end else np.float32(np.nan)
            pair += 1
        for i in range(a, a_end):
            spread[categories[i]] = 0.0
