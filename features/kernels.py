"""The compiled loops over pairs. Importing this file imports numba, so it is imported where a table of pairs is computed.

Each loop takes pair p as the strings `first[p]` and `second[p]` (int32[m] both) and depends on nothing else, so a pair alone
gets the value that it gets in a batch. No sum is reordered by the compiler: every processor gives the same bits.
"""

from __future__ import annotations

import numpy as np

from ..compiled import compiled

_LANES = 64
"""Sums that run side by side: those of a group of dimensions do not wait for one another. A power of two."""


@compiled
def cosine(vectors, first, second, out):
    """See `cosine.cosine`."""
    width = vectors.shape[1]
    whole = width - width % _LANES
    sums = np.empty(_LANES, np.float32)
    for pair in range(first.size):
        a, b = vectors[first[pair]], vectors[second[pair]]
        sums[:] = 0.0
        for k in range(0, whole, _LANES):
            for i in range(_LANES):
                sums[i] += a[k + i] * b[k + i]
        for i in range(width - whole):
            sums[i] += a[whole + i] * b[whole + i]
        half = _LANES // 2
        while half:
            for i in range(half):
                sums[i] += sums[half + i]
            half //= 2
        # Written so that NaN stays NaN.
        total = sums[0]
        out[pair] = np.float32(1.0) if total > 1.0 else np.float32(-1.0) if total < -1.0 else total


@compiled
def align(offsets, ids, stems, codes, lengths, first, second, better, worse):
    """See `alignment.alignment`; the arrays are those of `Words`."""
    most_words = 0
    for name in range(offsets.size - 1):
        most_words = max(most_words, offsets[name + 1] - offsets[name])
    best = np.empty(most_words, np.float64)
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        best[: b_end - b] = 0.0
        of_first = 0.0
        for i in range(a, a_end):
            word, nearest = ids[i], 0.0
            for j in range(b, b_end):
                other = ids[j]
                similarity = 1.0
                if stems[word] != stems[other]:
                    product = _dot(codes[word], codes[other])
                    similarity = min(product / (lengths[word] * lengths[other]), 1.0)
                nearest = max(nearest, similarity)
                best[j - b] = max(best[j - b], similarity)
            of_first += nearest
        of_first /= a_end - a
        of_second = best[: b_end - b].sum() / (b_end - b)
        better[pair] = max(of_first, of_second)
        worse[pair] = min(of_first, of_second)


@compiled
def _dot(a, b):
    total = np.int32(0)
    for k in range(a.size):
        total += np.int32(a[k]) * np.int32(b[k])
    return total


@compiled
def overlap(offsets, ids, first, second, out):
    """See `tokens.overlap_ratio`."""
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        smaller = min(a_end - a, b_end - b)
        shared = 0
        while a < a_end and b < b_end:
            x, y = ids[a], ids[b]
            shared += x == y
            a += x <= y
            b += y <= x
        out[pair] = shared / smaller if smaller else np.nan


@compiled
def conflicts(offsets, axes, values, denies, most, first, second, out, denied):
    """See `contrast.count_conflicts`."""
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        found, denials = 0, 0
        while a < a_end and b < b_end:
            if axes[a] < axes[b]:
                a += 1
            elif axes[b] < axes[a]:
                b += 1
            else:
                axis = axes[a]
                shared = False
                while a < a_end and b < b_end and axes[a] == axis and axes[b] == axis and not shared:
                    x, y = values[a], values[b]
                    shared = x == y
                    a += x <= y
                    b += y <= x
                while a < a_end and axes[a] == axis:
                    a += 1
                while b < b_end and axes[b] == axis:
                    b += 1
                if not shared:
                    found += 1
                    denials |= denies[axis]
        out[pair] = min(found, most)
        denied[pair] = denials
