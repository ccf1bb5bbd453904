"""The compiled loops over the graph of diseases. Imports numba, so imported late."""

from __future__ import annotations

import numpy as np

from ...compiled import compiled


@compiled
def classes_above(parent_starts, parents):
    """Every class above each disease, itself included, by breadth-first walks: starts int64[d + 1], diseases int32, steps uint8.

    A loop gives a class once, as any other.
    """
    d = parent_starts.size - 1
    starts = np.zeros(d + 1, np.int64)
    room = 16 * d + 16
    diseases, steps = np.empty(room, np.int32), np.empty(room, np.uint8)
    seen, queue, far = np.full(d, -1, np.int64), np.empty(d, np.int32), np.empty(d, np.uint8)
    count = 0
    for start in range(d):
        queue[0], far[0], seen[start] = start, 0, start
        length, at = 1, 0
        while at < length:
            here = queue[at]
            for i in range(parent_starts[here], parent_starts[here + 1]):
                parent = parents[i]
                if seen[parent] != start:
                    seen[parent] = start
                    queue[length], far[length] = parent, min(far[at] + 1, 255)
                    length += 1
            at += 1
        if count + length > room:
            room = 2 * (count + length)
            more, more_steps = np.empty(room, np.int32), np.empty(room, np.uint8)
            more[:count], more_steps[:count] = diseases[:count], steps[:count]
            diseases, steps = more, more_steps
        order = np.argsort(queue[:length])
        diseases[count : count + length] = queue[:length][order]
        steps[count : count + length] = far[:length][order]
        count += length
        starts[start + 1] = count
    return starts, diseases[:count].copy(), steps[:count].copy()
