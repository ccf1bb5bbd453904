"""The compiled loops over ICD-10 candidates. Imports numba, so imported late."""

from __future__ import annotations

import math

import numpy as np

from ...compiled import compiled


@compiled
def nearness(queries, rows, shortlists, vectors, euclidean):
    """float32[r, w]: the cosine of each vector of a shortlist with its query, or the distance with a minus sign; NaN for -1.

    Parameters
    ----------
    queries : float32[m, d].
    rows : int64[r], which of the queries.
    shortlists : int64[r, w], positions in `vectors`, rising; -1 for none.
    vectors : float32[n, d].
    """
    out, room = np.full(shortlists.shape, np.nan, np.float32), np.empty(vectors.shape[1], np.float32)
    for at in range(len(rows)):
        for j in range(shortlists.shape[1]):
            entry = shortlists[at, j]
            if entry >= 0 and euclidean:
                out[at, j] = -_distance(vectors[entry], queries[rows[at]], room)
            elif entry >= 0:
                out[at, j] = _dot(vectors[entry], queries[rows[at]], room)
    return out


@compiled
def reworded(rows, shortlists, cosines, names, texts, weights, bit_costs, costs, categories, settings):
    """Makes `cosines` of shortlists the scores of `ranking`, in place.

    Parameters
    ----------
    rows, shortlists : see `nearness`, which made `cosines`.
    names, texts : `Said` of all names, and of all queries.
    weights : float32[w], of the words. bit_costs : float32, of each set of bits.
    costs : float32[n], of each name's source. categories : int32[n], of each name's code, from 0.
    settings : float64[3], `MISSING`, `AGREEMENT` and `WIDTH`.
    """
    width = shortlists.shape[1]
    missing, agreement, spread = settings
    score_of, mass = np.empty(width, np.float64), np.zeros(categories.max() + 1, np.float64)
    for at in range(len(rows)):
        row = rows[at]
        first, last = texts.offsets[row], texts.offsets[row + 1]
        in_all = 0.0
        for i in range(first, last):
            in_all += weights[texts.ids[i]]
        best = -np.inf
        for j in range(width):
            entry = shortlists[at, j]
            if entry < 0:
                continue
            shared, a, b = 0.0, names.offsets[entry], first
            while a < names.offsets[entry + 1] and b < last:
                if names.ids[a] == texts.ids[b]:
                    shared += weights[names.ids[a]]
                    a += 1
                    b += 1
                elif names.ids[a] < texts.ids[b]:
                    a += 1
                else:
                    b += 1
            unsaid = bit_costs[names.bits[entry] & ~texts.bits[row]]
            score_of[j] = cosines[at, j] - unsaid - costs[entry] - missing * (in_all - shared)
            best = max(best, score_of[j])
        total = 0.0
        for j in range(width):
            if shortlists[at, j] >= 0:
                weight = math.exp((score_of[j] - best) / spread)
                mass[categories[shortlists[at, j]]] += weight
                total += weight
        for j in range(width):
            entry = shortlists[at, j]
            if entry >= 0:
                cosines[at, j] = np.float32(score_of[j] + agreement * math.log(mass[categories[entry]] / total))
        for j in range(width):
            if shortlists[at, j] >= 0:
                mass[categories[shortlists[at, j]]] = 0.0


@compiled
def rank(rows, shortlists, near, codes, nodes, scores, entries):
    """Fills `nodes`, `scores` and `entries` of `rows` with the best codes of their shortlists; returns how many each has.

    Parameters
    ----------
    rows, shortlists : see `nearness`. near : float32[r, w], the score of each name of a shortlist.
    codes : int32[n], of each vector.
    nodes, scores, entries : int32[m, k], float32[m, k] and int32[m, k], written to: the codes, and the vector that each was found by.
    """
    counts = np.zeros(len(rows), np.int64)
    k = nodes.shape[1]
    for at in range(len(rows)):
        row, count = rows[at], 0
        for j in range(shortlists.shape[1]):
            entry = shortlists[at, j]
            if entry >= 0:
                count = _placed(nodes[row], scores[row], entries[row], count, k, codes[entry], near[at, j], entry)
        counts[at] = count
    return counts


@compiled
def _placed(best, scores, found, count, k, code, score, entry):
    """Puts a code, and the entry that it was found by, among the best; returns how many there are."""
    if count == k and score <= scores[k - 1]:
        return count
    place = count
    while place > 0 and score > scores[place - 1]:
        place -= 1
    # The place that falls free: that of the same code further down, or the last one.
    free = 0
    while free < count and best[free] != code:
        free += 1
    if free < place:
        return count
    if free == count:
        count = min(count + 1, k)
        free = count - 1
    for i in range(free, place, -1):
        best[i], scores[i], found[i] = best[i - 1], scores[i - 1], found[i - 1]
    best[place], scores[place], found[place] = code, score, entry
    return count


@compiled
def _dot(a, b, room):
    """The inner product, added by halves: the same bits on every machine. `room` is float32[d] to work in."""
    for i in range(a.size):
        room[i] = a[i] * b[i]
    d = a.size
    while d > 1:
        half = (d + 1) // 2
        for i in range(d - half):
            room[i] += room[half + i]
        d = half
    return room[0]


@compiled
def _distance(a, b, room):
    """The Euclidean distance, in the order of `_dot`."""
    for i in range(a.size):
        room[i] = a[i] - b[i]
    return np.float32(math.sqrt(_dot(room, room, np.empty(a.size, np.float32))))


@compiled
def wu_palmer(paths, first, second, out):
    """See `similarity.wu_palmer`."""
    for pair in range(first.size):
        a, b = paths[first[pair]], paths[second[pair]]
        shared = codes = 0
        for level in range(paths.shape[1]):
            shared += a[level] == b[level] and a[level] >= 0
            codes += int(a[level] >= 0) + int(b[level] >= 0)
        out[pair] = np.nan if a[0] < 0 or b[0] < 0 else np.float32(2 * shared / codes)


@compiled
def merge_categories(categories, weights):
    """In place, per row: the different categories, rising, and each one's share of the weights; then -1 and 0.

    Parameters
    ----------
    categories : int32[u, k], the known ones first, then -1.
    weights : float64[u, k], above 0.
    """
    for row in range(len(categories)):
        ids, shares, there = categories[row], weights[row], 0
        for i in range(len(ids)):
            category, weight = ids[i], shares[i]
            if category < 0:
                break
            at = there
            while at > 0 and ids[at - 1] >= category:
                at -= 1
            if at < there and ids[at] == category:
                shares[at] += weight
                continue
            for j in range(there, at, -1):
                ids[j], shares[j] = ids[j - 1], shares[j - 1]
            ids[at], shares[at] = category, weight
            there += 1
        ids[there:], shares[there:] = -1, 0.0
        total = shares.sum()
        for i in range(there):
            shares[i] /= total


@compiled
def overlap(categories, shares, first, second, out):
    """See `similarity.overlap`."""
    width = categories.shape[1]
    for pair in range(first.size):
        a, b = first[pair], second[pair]
        i = j = 0
        common = 0.0
        while i < width and j < width and categories[a, i] >= 0 and categories[b, j] >= 0:
            x, y = categories[a, i], categories[b, j]
            if x == y:
                common += min(shares[a, i], shares[b, j])
            i += x <= y
            j += y <= x
        known = categories[a, 0] >= 0 and categories[b, 0] >= 0
        out[pair] = np.float32(min(common, 1.0)) if known else np.float32(np.nan)
