"""mu, the multiplicity of two lists, and chi, whether it is above 0 ("How to Evaluate Medical AI")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .case_matches import CaseMatches


def multiplicities(matches: CaseMatches) -> NDArray[np.unsignedinteger]:
    """mu of each pair of raters in each case, for every k at once.

    Returns uint8 (uint16 from K = 16 on) [K, n, m]; `[k - 1]` belongs to lists cut to k.
    """
    n, _, width = matches.entries.shape
    mu = np.empty((width, n, len(matches.first)), np.uint8 if width * width < 2**8 else np.uint16)
    diagonal = np.arange(width)
    for cases, matched in matches.compared():
        up_to = matched.cumsum(-1, dtype=mu.dtype).cumsum(-2, dtype=mu.dtype)
        mu[:, cases] = np.moveaxis(up_to[..., diagonal, diagonal], -1, 0)
    return mu


def sizes(lengths: NDArray[np.integer], first: NDArray[np.intp], second: NDArray[np.intp], k: int) -> NDArray[np.int64]:
    """[n, m]: the product of the two lists' own lengths, each cut to k. lengths : [n, raters]."""
    cut = np.minimum(lengths, k).astype(np.int64)
    return cut[:, first] * cut[:, second]


def expected_multiplicities(matches: CaseMatches) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """E[mu] and E[chi] of each pair of raters in each case, from the probabilities that `matches` kept.

    A diagnosis that stands twice in a list counts twice in mu, as ever, and once in chi, where it adds no new chance.
    Returns float32 [n, m] each; see `metrics.expected`.
    """
    entries, first, second = matches.entries, matches.first, matches.second
    n, _, width = entries.shape
    mu, chi = (np.empty((n, len(first)), np.float32) for _ in "12")
    earlier = np.tril(np.ones((width, width), bool), -1)
    new = ~((entries[:, :, :, None] == entries[:, :, None, :]) & earlier).any(-1)
    for cases, chance in matches.compared(matches.probabilities):
        mu[cases] = chance.sum((-2, -1))
        counted = new[cases][:, first, :, None] & new[cases][:, second, None, :]
        chi[cases] = 1 - np.prod(1 - chance, axis=(-2, -1), where=counted)
    return mu, chi
