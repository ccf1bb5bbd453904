"""Cosines of pairs of unit vectors, added up in one fixed order: a pair alone and in a batch agree to the last bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..compiled import FEW, kernels_compiled


def cosine(
    vectors: NDArray[np.float32], first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = vectors[first[p]] . vectors[second[p]], cut to [-1, 1]; `vectors` is float32[u, d] with unit rows.

    Quickest where the pairs are sorted by first, then second: where many share their strings, rows then come from the
    processor's caches.
    """
    if len(first) <= FEW and not kernels_compiled():
        out[:] = few(vectors, first, second)
        return
    from .dot_kernels import dots

    dots(np.ascontiguousarray(vectors, np.float32), first, np.ascontiguousarray(second), out)


def few(vectors: NDArray[np.float32], first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.float32]:
    """The same without numba, which takes longer to import than a few pairs take: eight running sums, then the rest."""
    products = vectors[first] * vectors[second]
    width = products.shape[1]
    whole = width - width % 8
    s = np.zeros((len(first), 8), np.float32)
    for k in range(0, whole, 8):
        s += products[:, k : k + 8]
    total = ((s[:, 0] + s[:, 4]) + (s[:, 2] + s[:, 6])) + ((s[:, 1] + s[:, 5]) + (s[:, 3] + s[:, 7]))
    for k in range(whole, width):
        total += products[:, k]
    return np.clip(total, np.float32(-1.0), np.float32(1.0)).astype(np.float32, copy=False)


def cosine_of_two(x: NDArray[np.float32], y: NDArray[np.float32]) -> float:
    """The same of two vectors."""
    products = x * y
    whole = len(products) - len(products) % 8
    # `accumulate` adds row by row; that the sums begin with 0 tells where all products are -0.
    eight = np.add.accumulate(products[:whole].reshape(-1, 8))[-1] + np.float32(0) if whole else np.zeros(8, np.float32)
    four = eight[:4] + eight[4:]
    two = four[:2] + four[2:]
    total = two[0] + two[1]
    for product in products[whole:]:
        total += product
    return max(-1.0, min(float(total), 1.0))
