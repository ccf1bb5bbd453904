"""The compiled loop over candidates of the graph of diseases. Imports numba, so imported late."""

from __future__ import annotations

import numpy as np

from ...compiled import compiled


@compiled
def kin(vectors, names, nodes, near_starts, near, starts, members, looked_at, out, best):
    """Fills out, int32[n, k], with the nearest members of the diseases that are near those of each of n names; best, float32[n, k], with their cosines.

    The first `looked_at` members are looked at, by link, disease and place. Places that are not filled stay -1.
    """
    k = out.shape[1]
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
