"""What is learnt: a vector and the logarithm of a weight per bucket. A step touches the buckets of a batch alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...terms.encoders.static import Shape
from .kernels import adam, add_up, gather


class BucketTable:
    """Vectors at random, weights by rarity: a bucket in every text starts at 0.05, one in a single text near 1.

    Parameters
    ----------
    frequencies : [buckets] how many of the `texts` have each bucket.
    """

    def __init__(self, shape: Shape, frequencies: NDArray[np.int64], texts: int, random: np.random.Generator) -> None:
        size = (shape.buckets, shape.dimensions)
        self._vectors = random.standard_normal(size, np.float32) / np.float32(shape.dimensions**0.5)
        rarity = np.log((texts + 1) / (frequencies + 1)) / np.log(texts + 1)
        self._log_weights = np.log(np.maximum(rarity, 0.05)).astype(np.float32)
        self._moments = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self._weight_moments = np.zeros(shape.buckets, np.float32), np.zeros(shape.buckets, np.float32)
        self._place = np.full(shape.buckets, -1, np.int64)

    def sums(self, buckets: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """[texts, dimensions]: the weighted sum over the buckets of each text."""
        out = np.zeros((len(starts) - 1, self._vectors.shape[1]), np.float32)
        add_up(buckets, starts, self._vectors, self._log_weights, out)
        return out

    def step(
        self,
        buckets: NDArray[np.int64],
        starts: NDArray[np.int64],
        gradients: NDArray[np.float32],
        step: int,
        rate: float,
    ) -> None:
        """One step of Adam, the `step`-th, against the gradients of the sums."""
        most = min(len(buckets), len(self._place))
        used, of_bucket = np.empty(most, np.int64), np.empty((most, gradients.shape[1]), np.float32)
        used = used[: gather(buckets, starts, gradients, self._place, used, of_bucket)]
        adam(
            used, of_bucket, self._vectors, self._log_weights, *self._moments, *self._weight_moments, step, np.float32(rate)
        )  # fmt: skip
        self._place[used] = -1

    def weighted(self) -> NDArray[np.float32]:
        return self._vectors * np.exp(self._log_weights)[:, None]
