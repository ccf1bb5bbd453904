"""The compiled loops of the encoder's training: sums over buckets, and Adam on the buckets of a batch alone."""

from __future__ import annotations

import numpy as np

from ...compiled import compiled

BETA_1, BETA_2, EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
_ONE = np.float32(1)


@compiled()
def add_up(buckets, starts, vectors, log_weights, out):
    """out[t] = sum of exp(log_weights[b]) * vectors[b] over the buckets b of text t, `buckets[starts[t]:starts[t + 1]]`."""
    for text in range(len(starts) - 1):
        for k in range(starts[text], starts[text + 1]):
            bucket = buckets[k]
            weight = np.exp(log_weights[bucket])
            for j in range(vectors.shape[1]):
                out[text, j] += weight * vectors[bucket, j]


@compiled()
def gather(buckets, starts, gradients, place, used, out):
    """The reverse of `add_up`: out[p] = sum of `gradients` over the texts of bucket used[p]; returns how many there are.

    `place` maps each bucket to p or to -1; all of it is -1 before.
    """
    count = 0
    for text in range(len(starts) - 1):
        for k in range(starts[text], starts[text + 1]):
            at = place[buckets[k]]
            if at < 0:
                at = place[buckets[k]] = count
                used[count] = buckets[k]
                count += 1
                out[at] = gradients[text]
            else:
                for j in range(out.shape[1]):
                    out[at, j] += gradients[text, j]
    return count


@compiled()
def adam(used, gradients, vectors, log_weights, first, second, weight_first, weight_second, step, rate):
    """Adam (Kingma & Ba 2015, algorithm 1) on the vectors and log weights of the buckets `used`.

    gradients[p] is that of the weighted vector of bucket used[p]; `first` and `second` are the moments.
    """
    unbias_1 = np.float32(1 / (1 - BETA_1**step))
    unbias_2 = np.float32(1 / (1 - BETA_2**step))
    for p in range(len(used)):
        bucket = used[p]
        weight = np.exp(log_weights[bucket])
        of_weight = np.float32(0)
        for j in range(vectors.shape[1]):
            gradient = weight * gradients[p, j]
            of_weight += gradient * vectors[bucket, j]
            m = BETA_1 * first[bucket, j] + (_ONE - BETA_1) * gradient
            v = BETA_2 * second[bucket, j] + (_ONE - BETA_2) * gradient * gradient
            first[bucket, j], second[bucket, j] = m, v
            vectors[bucket, j] -= rate * (m * unbias_1) / (np.sqrt(v * unbias_2) + EPSILON)
        m = BETA_1 * weight_first[bucket] + (_ONE - BETA_1) * of_weight
        v = BETA_2 * weight_second[bucket] + (_ONE - BETA_2) * of_weight * of_weight
        weight_first[bucket], weight_second[bucket] = m, v
        log_weights[bucket] -= rate * (m * unbias_1) / (np.sqrt(v * unbias_2) + EPSILON)
