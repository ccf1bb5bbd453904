"""Clusters in which every two members match: M is not transitive, so that what merely hangs together by a chain is not one thing.

Agglomerative clustering with complete linkage (Sørensen 1948), greedy by falling probability: two clusters become one where M says of every
pair across them that it matches. Pairs that were no candidates are asked of M before that is said.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 20
_MOST_ASKED = 1 << 22
"""Pairs beyond the candidates in one round; those of the likeliest merges go first."""

Score = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.float64]]


class Known:
    """The probabilities of pairs of n names that M was asked for, each pair once with the smaller name first."""

    def __init__(self, first: NDArray[np.int32], second: NDArray[np.int32], probability: NDArray[np.float64]) -> None:
        keys = np.minimum(first, second).astype(np.int64) << 32 | np.maximum(first, second)
        self.keys, at = np.unique(keys, return_index=True)
        self.probability = probability[at]

    def missing(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of `keys` that are not known."""
        return keys[~np.isin(keys, self.keys)]

    def fails(self, keys: NDArray[np.int64], least: float) -> bool:
        """Whether one of `keys` is known and does not match."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return bool(((self.keys[at] == keys) & (self.probability[at] < least)).any())

    def with_more(self, keys: NDArray[np.int64], score: Score) -> Known:
        first, second = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        mine = (self.keys >> 32).astype(np.int32), (self.keys & 0xFFFFFFFF).astype(np.int32)
        probability = np.concatenate([self.probability, score(first, second)])
        return Known(np.concatenate([mine[0], first]), np.concatenate([mine[1], second]), probability)


def clustered(names: int, known: Known, least: float, score: Score) -> tuple[NDArray[np.int32], Known]:
    """int32[names], the cluster of each name, numbered by its smallest member; and what is known now, every pair within a cluster included.

    Parameters
    ----------
    known : what the candidates gave.
    least : a pair matches from here on.
    score : asks M for further pairs.
    """
    cluster, wanted = _greedy(names, known, least)
    for _ in range(_ROUNDS):
        if not len(wanted):
            break
        known = known.with_more(wanted, score)
        cluster, wanted = _greedy(names, known, least)
    return cluster, known


def _greedy(names: int, known: Known, least: float) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The clusters by what is known, and pairs that merges wait for."""
    matching = np.flatnonzero(known.probability >= least)
    keys = known.keys[matching[np.argsort(-known.probability[matching], kind="stable")]]
    pairs = list(zip((keys >> 32).tolist(), (keys & 0xFFFFFFFF).tolist(), strict=True))
    members = {name: [name] for name in np.unique(np.concatenate([keys >> 32, keys & 0xFFFFFFFF])).tolist()}
    matches: dict[int, dict[int, int]] = {name: {} for name in members}
    """Of each cluster, how many pairs across match, by the other cluster."""
    for a, b in pairs:
        matches[a][b] = matches[b][a] = 1
    cluster_of = {name: name for name in members}
    refused: set[tuple[int, int]] = set()
    wanted: list[NDArray[np.int64]] = []
    room, new = _MOST_ASKED, names
    for a, b in pairs:
        one, other = cluster_of[a], cluster_of[b]
        if one == other or (one, other) in refused or (other, one) in refused:
            continue
        if matches[one][other] < len(members[one]) * len(members[other]):
            refused.add((one, other))
            across = _keys(members[one], members[other])
            if room > 0 and not known.fails(across, least):
                wanted.append(known.missing(across))
                room -= len(wanted[-1])
            continue
        members[new] = members.pop(one) + members.pop(other)
        cluster_of.update(dict.fromkeys(members[new], new))
        matches[new] = _joined(matches.pop(one), matches.pop(other), one, other)
        for third, count in matches[new].items():
            for before in (one, other):
                matches[third].pop(before, None)
            matches[third][new] = count
        new += 1
    cluster = np.arange(names, dtype=np.int32)
    for some in members.values():
        cluster[some] = min(some)
    return cluster, np.unique(np.concatenate(wanted)) if wanted else np.zeros(0, np.int64)


def _joined(one: dict[int, int], other: dict[int, int], first: int, second: int) -> dict[int, int]:
    """The counts of two clusters that become one."""
    both = {third: one.get(third, 0) + other.get(third, 0) for third in one | other}
    return {third: count for third, count in both.items() if third not in (first, second)}


def _keys(one: list[int], other: list[int]) -> NDArray[np.int64]:
    a, b = np.repeat(np.array(one, np.int64), len(other)), np.tile(np.array(other, np.int64), len(one))
    return np.minimum(a, b) << 32 | np.maximum(a, b)
