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
    """The probabilities of pairs of names that M was asked for, each pair once with the smaller name first."""

    def __init__(self, keys: NDArray[np.int64], probability: NDArray[np.float64]) -> None:
        self.keys, at = np.unique(keys, return_index=True)
        self.probability = probability[at]

    def with_more(self, keys: NDArray[np.int64], score: Score) -> Known:
        return Known(np.concatenate([self.keys, keys]), np.concatenate([self.probability, score(*names_of(keys))]))


def keys_of(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int64]:
    """Pairs of names as one number each, the smaller name first."""
    return np.minimum(a, b).astype(np.int64) << 32 | np.maximum(a, b)


def names_of(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)


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
    from .link_kernels import merge

    first, second = names_of(known.keys)
    starts, matches = np.searchsorted(first, np.arange(names + 1)), known.probability >= least
    likeliest = np.flatnonzero(matches)
    likeliest = likeliest[np.argsort(-known.probability[likeliest], kind="stable")]
    cluster, wanted = merge(first, second, starts, matches, likeliest, _MOST_ASKED)
    _, smallest, of = np.unique(cluster, return_index=True, return_inverse=True)
    return smallest[of].astype(np.int32), np.unique(wanted)
