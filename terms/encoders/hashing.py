"""From a normalised string to the buckets of its words, word pairs and character n-grams, and to its vector. Imports numba, so imported late.

The hash is FNV-1a in 32 bits, one step per Unicode code point `c` (not per byte), with the finisher of
MurmurHash3, all arithmetic modulo 2^32:

    h = 2166136261
    h = ((h xor kind) * 16777619), then for each code point h = ((h xor c) * 16777619)
    h = h xor (h >> 16); h = h * 0x85EBCA6B; h = h xor (h >> 13); h = h * 0xC2B2AE35; h = h xor (h >> 16)

`kind` is 1 for a word, 2 for a pair of neighbouring words, and n for an n-gram of n characters (n >= 3). A word is
a run of characters other than U+0020. An n-gram is taken from "<word>", with the two markers. A pair is hashed as
"first second". The bucket of a hash in a region of `size` buckets is `(h * size) >> 32` in 64 bits: words and pairs
lie in the first `word_buckets` buckets, n-grams in the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...compiled import compiled

_WORD, _PAIR = np.uint32(1), np.uint32(2)
_START, _END, _BLANK = np.uint32(ord("<")), np.uint32(ord(">")), np.uint32(ord(" "))
_OFFSET, _PRIME = np.uint32(2166136261), np.uint32(16777619)
_MIDDLE = np.float32(7.5)
_LOW, _FOUR = np.uint8(15), np.uint8(4)
_MIX_1, _MIX_2 = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)


def code_points(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """All code points of `texts` in one array, and where each text starts (one entry more than texts)."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(joined, np.dtype("<u4")).astype(np.uint32, copy=False), offsets


def max_buckets(characters: int, shortest: int, longest: int) -> int:
    """At least the number of a text's buckets: no more n-grams of a length than characters, nor words and pairs."""
    return characters * (longest - shortest + 2) + 2


@compiled
def _step(h, c):
    return np.uint32(np.uint32(h ^ c) * _PRIME)


@compiled
def _bucket(h, first, size):
    h = np.uint32(h ^ (h >> np.uint32(16)))
    h = np.uint32(h * _MIX_1)
    h = np.uint32(h ^ (h >> np.uint32(13)))
    h = np.uint32(h * _MIX_2)
    h = np.uint32(h ^ (h >> np.uint32(16)))
    return first + np.int64((np.uint64(h) * np.uint64(size)) >> np.uint64(32))


@compiled
def text_buckets(points, start, end, word_buckets, gram_buckets, shortest, longest, pairs, out):
    """Writes the buckets of `points[start:end]` (uint32 code points) to `out` and returns how many they are.

    Word by word: the word, its pair with the word before it, its n-grams by their start, short ones first.
    """
    count = 0
    before_start = before_end = -1
    at = start
    while at < end:
        if points[at] == _BLANK:
            at += 1
            continue
        stop = at
        h = _step(_OFFSET, _WORD)
        while stop < end and points[stop] != _BLANK:
            h = _step(h, points[stop])
            stop += 1
        out[count] = _bucket(h, 0, word_buckets)
        count += 1
        if pairs and before_start >= 0:
            h = _step(_OFFSET, _PAIR)
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
