"""The compiled loops of the static encoder: texts to buckets, buckets to vectors. Imports numba, so imported late."""

from __future__ import annotations

import numpy as np

from ...compiled import compiled
from .hashing import MIX_1, MIX_2, OFFSET, PAIR, PRIME, WORD

_START, _END, _BLANK = np.uint32(ord("<")), np.uint32(ord(">")), np.uint32(ord(" "))
_OFFSET, _PRIME, _MIX_1, _MIX_2 = np.uint32(OFFSET), np.uint32(PRIME), np.uint32(MIX_1), np.uint32(MIX_2)
_MIDDLE = np.float32(7.5)
_LOW, _FOUR = np.uint8(15), np.uint8(4)


@compiled(inline="always")
def _step(h, c):
    return np.uint32(np.uint32(h ^ c) * _PRIME)


@compiled(inline="always")
def _bucket(h, first, size):
    h = np.uint32(h ^ (h >> np.uint32(16)))
    h = np.uint32(h * _MIX_1)
    h = np.uint32(h ^ (h >> np.uint32(13)))
    h = np.uint32(h * _MIX_2)
    h = np.uint32(h ^ (h >> np.uint32(16)))
    return first + np.int64((np.uint64(h) * np.uint64(size)) >> np.uint64(32))


@compiled()
def text_buckets(points, start, end, word_buckets, gram_buckets, shortest, longest, pairs, out):
    """Writes the buckets of `points[start:end]` (uint32 code points) to `out` and returns how many they are.

    Their order is that of `hashing.buckets`.
    """
    count = 0
    before_start = before_end = -1
    at = start
    while at < end:
        if points[at] == _BLANK:
            at += 1
            continue
        stop = at
        h = _step(_OFFSET, np.uint32(WORD))
        while stop < end and points[stop] != _BLANK:
            h = _step(h, points[stop])
            stop += 1
        out[count] = _bucket(h, 0, word_buckets)
        count += 1
        if pairs and before_start >= 0:
            h = _step(_OFFSET, np.uint32(PAIR))
            for i in range(before_start, before_end):
                h = _step(h, points[i])
            h = _step(h, _BLANK)
            for i in range(at, stop):
                h = _step(h, points[i])
            out[count] = _bucket(h, 0, word_buckets)
            count += 1
        for first in range(at - 1, stop):
            for length in range(shortest, longest + 1):
                if first + length > stop + 1:
                    break
                h = _step(_OFFSET, np.uint32(length))
                for i in range(first, first + length):
                    h = _step(h, _START if i == at - 1 else _END if i == stop else points[i])
                out[count] = _bucket(h, word_buckets, gram_buckets)
                count += 1
        before_start, before_end = at, stop
        at = stop
    return count


@compiled()
def all_buckets(points, offsets, word_buckets, gram_buckets, shortest, longest, pairs, out, ends):
    """`text_buckets` of every text, one after the other; `ends[i]` is where text i ends in `out`."""
    total = 0
    for text in range(len(offsets) - 1):
        total += text_buckets(
            points, offsets[text], offsets[text + 1], word_buckets, gram_buckets, shortest, longest, pairs, out[total:]
        )
        ends[text] = total
    return total


@compiled()
def encode(points, offsets, rows, scales, word_buckets, gram_buckets, shortest, longest, pairs, most, out):
    """Fills `out`; the first text whose sum has no length, or -1. No fastmath: every sum keeps its order."""
    found = np.empty(most, np.int64)
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
