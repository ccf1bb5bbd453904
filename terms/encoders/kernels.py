"""The compiled loop of the static encoder: buckets to vectors. Imports numba, so imported late."""

from __future__ import annotations

import numpy as np

from ...compiled import compiled
from .hashing import text_buckets

_MIDDLE = np.float32(7.5)
_LOW, _FOUR = np.uint8(15), np.uint8(4)


@compiled
def encode(points, offsets, rows, scales, word_buckets, gram_buckets, shortest, longest, pairs, max_buckets, out):
    """Fills `out`; the first text whose sum has no length, or -1. No fastmath: every sum keeps its order."""
    found = np.empty(max_buckets, np.int64)
    half = rows.shape[1]
    low, high = np.empty(half, np.float32), np.empty(half, np.float32)
    for text in range(len(offsets) - 1):
        count = text_buckets(
            points, offsets[text], offsets[text + 1], word_buckets, gram_buckets, shortest, longest, pairs, found
        )
        low[:] = np.float32(0)
        high[:] = np.float32(0)
        weights = np.float32(0)
        whole = count - count % 4
        # Four buckets at a time: a quarter of the passes over the sums, still in one order.
        for i in range(0, whole, 4):
            r0, r1, r2, r3 = rows[found[i]], rows[found[i + 1]], rows[found[i + 2]], rows[found[i + 3]]
            s0, s1, s2, s3 = scales[found[i]], scales[found[i + 1]], scales[found[i + 2]], scales[found[i + 3]]
            weights += (s0 + s1) + (s2 + s3)
            for j in range(half):
                low[j] += (s0 * np.float32(r0[j] & _LOW) + s1 * np.float32(r1[j] & _LOW)) + (
                    s2 * np.float32(r2[j] & _LOW) + s3 * np.float32(r3[j] & _LOW)
                )
                high[j] += (s0 * np.float32(r0[j] >> _FOUR) + s1 * np.float32(r1[j] >> _FOUR)) + (
                    s2 * np.float32(r2[j] >> _FOUR) + s3 * np.float32(r3[j] >> _FOUR)
                )
        for i in range(whole, count):
            row, scale = rows[found[i]], scales[found[i]]
            weights += scale
            for j in range(half):
                low[j] += scale * np.float32(row[j] & _LOW)
                high[j] += scale * np.float32(row[j] >> _FOUR)
        # The 7.5 is taken off each level here, once for all buckets.
        middle = weights * _MIDDLE
        squares = 0.0
        for j in range(half):
            low[j] -= middle
            high[j] -= middle
            squares += np.float64(low[j]) * np.float64(low[j]) + np.float64(high[j]) * np.float64(high[j])
        if not (squares > 0.0 and squares < np.inf):
            return text
        length = np.sqrt(squares)
        for j in range(half):
            out[text, j] = np.float32(np.float64(low[j]) / length)
            out[text, half + j] = np.float32(np.float64(high[j]) / length)
    return -1
