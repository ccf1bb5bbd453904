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


@compiled
def _steps_up(starts, above, steps, disease, other):
    """Steps from `disease` up to `other`, -1 where it is not above."""
    low, high = starts[disease], starts[disease + 1]
    while low < high:
        middle = (low + high) >> 1
        if above[middle] < other:
            low = middle + 1
        else:
            high = middle
    return np.int64(steps[low]) if low < starts[disease + 1] and above[low] == other else np.int64(-1)


@compiled
def diseases(
    nodes, certainty, starts, above, steps, information, too_broad, first, second, same, line, closeness, lin, certain
):
    """See `disease.compare_diseases`."""
    k = nodes.shape[1]
    for pair in range(first.size):
        a, b = first[pair], second[pair]
        x, y = nodes[a, 0], nodes[b, 0]
        if x < 0 or y < 0:
            same[pair] = line[pair] = closeness[pair] = lin[pair] = certain[pair] = np.nan
            continue
        if a == b:
            same[pair] = line[pair] = closeness[pair] = lin[pair] = certain[pair] = 1.0
            continue
        one = in_line = np.float32(0.0)
        near = np.float32(0.0)
        for i in range(k):
            p = nodes[a, i]
            if p < 0:
                break
            for j in range(k):
                q = nodes[b, j]
                if q < 0:
                    break
                sure = min(certainty[a, i], certainty[b, j])
                if sure < in_line or sure <= 0:
                    if p == q:
                        one = max(one, sure)
                    continue
                closeness_here = np.float32(0.0)
                if p == q:
                    one, closeness_here = max(one, sure), np.float32(1.0)
                elif sure > in_line or near < 1:
                    up, upper = _steps_up(starts, above, steps, p, q), q
                    if up < 0:
                        up, upper = _steps_up(starts, above, steps, q, p), p
                    if up >= 0 and not too_broad[upper]:
                        closeness_here = np.float32(1 / (1 + up))
                if closeness_here > 0:
                    # Of links that are equally sure the closest counts, whatever their order.
                    near = max(near, closeness_here) if sure == in_line else closeness_here
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
        same[pair], line[pair], closeness[pair] = one, in_line, near
        lin[pair] = 2 * most / total if total > 0 else np.float32(0.0)
        certain[pair] = min(certainty[a, 0], certainty[b, 0])


@compiled
def disease_direction(nodes, certainty, starts, above, steps, too_broad, first, second, out):
    """See `direction.COLUMNS`, line: the certainty of the surest links, with the sign that they agree on."""
    k = nodes.shape[1]
    for pair in range(first.size):
        a, b = first[pair], second[pair]
        best, sign = np.float32(0.0), np.float32(0.0)
        for i in range(k):
            p = nodes[a, i]
            if p < 0:
                break
            for j in range(k):
                q = nodes[b, j]
                if q < 0:
                    break
                sure = min(certainty[a, i], certainty[b, j])
                if sure < best or sure <= 0:
                    continue
                here, found = np.float32(0.0), p == q
                if p != q and _steps_up(starts, above, steps, p, q) >= 0:
                    here, found = np.float32(1.0), not too_broad[q]
                elif p != q and _steps_up(starts, above, steps, q, p) >= 0:
                    here, found = np.float32(-1.0), not too_broad[p]
                if found:
                    # Links that are equally sure and disagree say nothing, whatever their order.
                    sign = here if sure > best or here == sign else np.float32(0.0)
                    best = sure
        out[pair] = sign * best


@compiled
def covered(offsets, ids, stems, codes, lengths, first, second, out):
    """How well the words of the second are found in the first, less the reverse; the arrays are those of `Words`."""
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        out[pair] = _found(ids, stems, codes, lengths, b, b_end, a, a_end) - _found(
            ids, stems, codes, lengths, a, a_end, b, b_end
        )


@compiled
def _found(ids, stems, codes, lengths, a, a_end, b, b_end):
    """Mean over the words a to a_end of the similarity of the nearest of b to b_end."""
    total = 0.0
    for i in range(a, a_end):
        word, nearest = ids[i], 0.0
        for j in range(b, b_end):
            other = ids[j]
            if stems[word] == stems[other]:
                nearest = 1.0
                break
            nearest = max(nearest, min(_dot(codes[word], codes[other]) / (lengths[word] * lengths[other]), 1.0))
        total += nearest
    return total / (a_end - a)
