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
            if entry < 0:
                continue
            name, query = vectors[entry], queries[rows[at]]
            for i in range(room.size):
                apart = name[i] - query[i]
                room[i] = apart * apart if euclidean else name[i] * query[i]
            total = _added(room)
            out[at, j] = -np.float32(math.sqrt(total)) if euclidean else total
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
def _added(room):
    """The sum of `room`, by halves and in it: the same bits on every machine."""
    d = room.size
    while d > 1:
        half = (d + 1) // 2
        for i in range(d - half):
            room[i] += room[half + i]
        d = half
    return room[0]


@compiled
def overlap(categories, shares, first, second, out):
    """The sum over categories of the smaller of two shares.

    Parameters
    ----------
    categories, shares : of `Shares`.
    first, second : int32[p], rows of these.
    out : float32[p], written to: from 0 to 1; NaN where one of the names has no category.
    """
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
