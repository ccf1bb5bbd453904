"""The compiled loops over candidates of the graph of diseases, and over pairs that clusters are made of. Imports numba, so imported late."""

from __future__ import annotations

import numpy as np

from ..compiled import compiled


@compiled
def kin(vectors, names, nodes, near_starts, near, starts, members, looked_at, k):
    """int32[n, k], the nearest members of the diseases that are near those of each of n names, -1 where there are fewer.

    The first `looked_at` members are looked at, by link, disease and place.
    """
    out = np.full((names.size, k), -1, np.int32)
    best = np.full((names.size, k), -np.inf, np.float32)
    seen = np.full(vectors.shape[0], -1, np.int64)
    for i in range(names.size):
        filled = looked = 0
        for link in range(nodes.shape[1]):
            disease = nodes[names[i], link]
            if disease < 0:
                continue
            for at in range(near_starts[disease], near_starts[disease + 1]):
                first = starts[near[at]]
                for m in range(first, min(first + looked_at - looked, starts[near[at] + 1])):
                    b = members[m]
                    if seen[b] == i:
                        continue
                    seen[b] = i
                    looked += 1
                    cosine = np.float32(0)
                    for d in range(vectors.shape[1]):
                        cosine += vectors[names[i], d] * vectors[b, d]
                    if filled == k and cosine <= best[i, k - 1]:
                        continue
                    place = filled if filled < k else k - 1
                    while place > 0 and best[i, place - 1] < cosine:
                        best[i, place], out[i, place] = best[i, place - 1], out[i, place - 1]
                        place -= 1
                    best[i, place], out[i, place] = cosine, b
                    filled = min(filled + 1, k)
    return out


@compiled
def merge(first, second, starts, matches, likeliest, most):
    """Joins clusters, from one name each: `likeliest`, the matching ones among m known pairs, one after the other, where all pairs across are known to match.

    first, second : int[m], the names of each pair, sorted. starts : int64[n + 1], where each first name begins. matches : bool[m].

    Returns int64[n], a cluster's number for each name, and the pairs (first << 32 | second) that are not known and decide a merge: of the
    likeliest merges first, until they are `most`.
    """
    n = starts.size - 1
    cluster, last, after = np.arange(n), np.arange(n), np.full(n, -1)
    head = np.arange(2 * n)  # of each cluster; a merged one has a new number
    new = n
    refused = {np.int64(-1)}
    wanted = [np.int64(-1)]
    for pair in likeliest:
        one, other = cluster[first[pair]], cluster[second[pair]]
        tried = np.int64(min(one, other)) << 32 | max(one, other)
        if one == other or tried in refused:
            continue
        before, fails = len(wanted), False
        a = head[one]
        while a >= 0 and not fails:
            b = head[other]
            while b >= 0:
                low, high = min(a, b), max(a, b)
                at = starts[low] + np.searchsorted(second[starts[low] : starts[low + 1]], high)
                if at == starts[low + 1] or second[at] != high:
                    wanted.append(np.int64(low << 32 | high))
                elif not matches[at]:
                    fails = True
                    break
                b = after[b]
            a = after[a]
        if fails or len(wanted) > before:
            refused.add(tried)
            if fails or before > most:
                del wanted[before:]
            continue
        head[new] = head[one]
        after[last[head[one]]] = head[other]
        last[head[one]] = last[head[other]]
        a = head[new]
        while a >= 0:
            cluster[a] = new
            a = after[a]
        new += 1
    return cluster, np.array(wanted[1:], np.int64)
