"""Cosines of pairs of unit vectors, added up in one fixed order: a pair alone and in a batch agree to the bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def cosine(
    vectors: NDArray[np.float32], first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """Inner products of m pairs of rows.

    Parameters
    ----------
    vectors : float32[u, d], unit rows.
    first, second : int32[m], indices of rows; quickest where sorted, since rows then come from the processor's caches.
    out : float32[m], filled with values cut to [-1, 1].
    """
    from . import kernels

    kernels.cosine(np.ascontiguousarray(vectors, np.float32), first, second, out)
