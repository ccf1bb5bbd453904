"""Cosines of pairs of unit vectors, added up in one fixed order: a pair alone and in a batch agree to the last bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled


def cosine(
    vectors: NDArray[np.float32], first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = vectors[first[p]] . vectors[second[p]], cut to [-1, 1]; `vectors` is float32[u, d] with unit rows."""
    _dots(vectors, first, second, out)


@compiled()
def _dots(vectors, first, second, out):
    width = vectors.shape[1]
    whole = width - width % 8
    for pair in range(first.size):
        a, b = vectors[first[pair]], vectors[second[pair]]
        # Eight running sums: the compiler may keep them in one register without changing the order of any sum.
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0.0)
        for k in range(0, whole, 8):
            s0 += a[k] * b[k]
            s1 += a[k + 1] * b[k + 1]
            s2 += a[k + 2] * b[k + 2]
            s3 += a[k + 3] * b[k + 3]
            s4 += a[k + 4] * b[k + 4]
            s5 += a[k + 5] * b[k + 5]
            s6 += a[k + 6] * b[k + 6]
            s7 += a[k + 7] * b[k + 7]
        total = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
        for k in range(whole, width):
            total += a[k] * b[k]
        out[pair] = min(max(total, np.float32(-1.0)), np.float32(1.0))
