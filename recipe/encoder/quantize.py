"""Learnt vectors as the four bits a number that the static encoder holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...terms.encoders.static import Shape, StaticEncoder


def quantized(shape: Shape, vectors: NDArray[np.float32], **about: Any) -> StaticEncoder:
    """The encoder of learnt vectors, float32[buckets, dimensions]; each row gets the scale of the least squared error.

    Sixteen levels, half a step off zero, so that both signs have eight. The step of a row is the best of twelve, from a cut at
    45 % of its largest number to none.
    """
    rows = np.empty(vectors.shape, np.uint8)
    scales = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), 4096):
        part = vectors[start : start + 4096]
        largest = np.abs(part).max(axis=1)
        best = np.full(len(part), np.inf)
        for cut in np.linspace(0.45, 1.0, 12):
            step = (largest * cut / 7.5).astype(np.float32)
            safe = np.where(step > 0, step, 1)[:, None]
            levels = np.clip(np.floor(part / safe) + 8, 0, 15)
            error = np.square(part - (levels - 7.5) * step[:, None]).sum(axis=1)
            better = error < best
            best = np.where(better, error, best)
            rows[start : start + len(part)][better] = levels[better]
            scales[start : start + len(part)][better] = step[better]
    half = shape.dimensions // 2
    packed = np.bitwise_or(rows[:, :half], rows[:, half:] << 4, dtype=np.uint8)
    return StaticEncoder(shape, packed, scales, **about)
