"""The compiled loops over pairs, of which each fills float32[m] `out`, or rows of it. Imports numba, so imported late.

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
    """Inner products of rows of unit vectors, float32[u, d], cut to [-1, 1] and added up in one fixed order."""
    width = vectors.shape[1]
    sums = np.empty(_LANES, np.float32)
    for pair in range(first.size):
        a, b = vectors[first[pair]], vectors[second[pair]]
        sums[:] = 0.0
        for k in range(0, width, _LANES):
            for i in range(min(_LANES, width - k)):
                sums[i] += a[k + i] * b[k + i]
        half = _LANES // 2
        while half:
            for i in range(half):
                sums[i] += sums[half + i]
            half //= 2
        # Written so that NaN stays NaN.
        total = sums[0]
        out[pair] = np.float32(1.0) if total > 1.0 else np.float32(-1.0) if total < -1.0 else total


@compiled
def found(offsets, ids, alike, stems, codes, lengths, first, second, out):
    """See `Pairs.found`, both directions in one pass: no two words are compared twice. The arrays are those of `Words`; out : float64[2, m]."""
    best = np.empty(offsets[-1])
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        best[: b_end - b] = 0.0
        total = 0.0
        for i in range(a, a_end):
            word, nearest = ids[i], 0.0
            for j in range(b, b_end):
                other, near = ids[j], 1.0
                if word < len(alike) and other < len(alike):
                    near = alike[word, other]
                elif stems[word] != stems[other]:
                    dot = np.int32(0)
                    for k in range(codes.shape[1]):
                        # numba's own sum of two numbers of 32 bits has 64, which takes twice as long
                        dot = np.int32(dot + np.int32(np.int32(codes[word, k]) * np.int32(codes[other, k])))
                    near = min(dot / (lengths[word] * lengths[other]), 1.0)
                nearest, best[j - b] = max(nearest, near), max(best[j - b], near)
            total += nearest
        out[0, pair] = total / (a_end - a)
        total = 0.0
        for j in range(b_end - b):
            total += best[j]
        out[1, pair] = total / (b_end - b)


@compiled
def overlap(offsets, ids, first, second, out):
    """|A & B| / min(|A|, |B|) of pairs of sets, those of `Sets`; NaN where either is empty."""
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
def conflicts(offsets, ids, axes, denies, most, first, second, out):
    """See `Pairs.conflicts`; the arrays are those of `Attributes`."""
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        count, denied = 0, False
        while a < a_end and b < b_end:
            axis = min(axes[ids[a]], axes[ids[b]])
            of_a, of_b, shared = a, b, False
            while a < a_end and axes[ids[a]] == axis:
                a += 1
            while b < b_end and axes[ids[b]] == axis:
                for i in range(of_a, a):
                    shared |= ids[i] == ids[b]
                b += 1
            if a > of_a and b > of_b and not shared:
                count += 1
                denied |= denies[axis]
        out[0, pair] = min(count, most)
        out[1, pair] = denied


@compiled
def _steps_up(starts, above, steps, disease, other):
    """Steps from `disease` up to `other`, -1 where it is not above. Measured: a search by halves takes twice as long, for few stand above one."""
    for at in range(starts[disease], starts[disease + 1]):
        if above[at] == other:
            return np.int64(steps[at])
    return np.int64(-1)


@compiled
def diseases(nodes, certainty, starts, above, steps, information, too_broad, first, second, out):
    """See `Pairs.diseases`; the arrays are those of `Links`."""
    k = nodes.shape[1]
    for pair in range(first.size):
        a, b = first[pair], second[pair]
        x, y = nodes[a, 0], nodes[b, 0]
        if x < 0 or y < 0 or a == b:
            out[:5, pair], out[5, pair] = 1.0 if x >= 0 and y >= 0 else np.nan, 0.0
            continue
        one = in_line = near = sign = np.float32(0.0)
        for i in range(k):
            p = nodes[a, i]
            for j in range(k):
                q = nodes[b, j]
                if p < 0 or q < 0:
                    break
                sure = min(certainty[a, i], certainty[b, j])
                if p == q:
                    one = max(one, sure)
                if sure < in_line or sure <= 0:
                    continue
                up, upper, side = _steps_up(starts, above, steps, p, q), q, np.float32(p != q)
                if up < 0:
                    up, upper, side = _steps_up(starts, above, steps, q, p), p, np.float32(-1.0)
                if up >= 0 and (p == q or not too_broad[upper]):
                    # Of links that are equally sure the closest counts, and those that disagree have no side, whatever their order.
                    closeness = np.float32(1 / (1 + up))
                    near = max(near, closeness) if sure == in_line else closeness
                    sign = side if sure > in_line or side == sign else np.float32(0.0)
                    in_line = sure
        i, i_end, j, j_end = starts[x], starts[x + 1], starts[y], starts[y + 1]
        most = np.float32(0.0)
        while i < i_end and j < j_end:
            p, q = above[i], above[j]
            if p == q:
                most = max(most, information[p])
            i += p <= q
            j += q <= p
        total = information[x] + information[y]
        out[0, pair], out[1, pair], out[2, pair], out[5, pair] = one, in_line, near, sign * in_line
        out[3, pair] = 2 * most / total if total > 0 else np.float32(0.0)
        out[4, pair] = min(certainty[a, 0], certainty[b, 0])
