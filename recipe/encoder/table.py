"""What is learnt: a vector and the logarithm of a weight per bucket, as a PyTorch module with sparse gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy, embedding_bag, normalize
from torch.utils import deterministic

from ...terms.encoders.static import Shape


class BucketTable(torch.nn.Module):
    """Vectors at random, weights by rarity: a bucket in every text starts at 0.05, one in a single text near 1.

    Parameters
    ----------
    frequencies : int64[buckets]
        How many of the `texts` have each bucket.
    texts : int
    random : numpy.random.Generator
        Draws the vectors.
    """

    def __init__(self, shape: Shape, frequencies: NDArray[np.int64], texts: int, random: np.random.Generator) -> None:
        super().__init__()
        vectors = random.standard_normal((shape.buckets, shape.dimensions), np.float32)
        vectors /= np.float32(shape.dimensions**0.5)
        rarity = np.log((texts + 1) / (frequencies + 1)) / np.log(texts + 1)
        log_weights = np.log(np.maximum(rarity, 0.05)).astype(np.float32)
        self.vectors, self.log_weights = (
            torch.nn.Embedding.from_pretrained(torch.from_numpy(start), freeze=False, sparse=True)
            for start in (vectors, log_weights[:, None])
        )

    def forward(self, buckets: NDArray[np.int64], starts: NDArray[np.int64]) -> torch.Tensor:
        """The weighted sum over the buckets of each text, `buckets[starts[i]:starts[i + 1]]`.

        Each bucket of the batch is looked up once, so that its gradient has one row for the optimiser.

        Returns
        -------
        float32[len(starts) - 1, dimensions]
        """
        used, place = np.unique(buckets, return_inverse=True)
        rows = torch.from_numpy(used)
        weighted = self.vectors(rows) * self.log_weights(rows).exp()
        return embedding_bag(torch.from_numpy(place), weighted, torch.from_numpy(starts[:-1]), mode="sum")

    def weighted(self) -> NDArray[np.float32]:
        """float32[buckets, dimensions]: what a bucket adds to a text."""
        with torch.no_grad():
            return (self.vectors.weight * self.log_weights.weight.exp()).numpy()


def in_batch_loss(sums: torch.Tensor, alike: torch.Tensor, temperature: float) -> torch.Tensor:
    """The softmax of cosines in both directions (van den Oord et al. 2018, eq. 4), for n pairs and c contrasts.

    Parameters
    ----------
    sums : float32[2 n + c, dimensions]
        First names, second names, contrasts.
    alike : bool[n, n + c]
        Where a wrong answer is none, since it shares the disease.
    temperature : float
    """
    n = len(alike)
    first, second, contrasts = normalize(sums).split([n, n, len(sums) - 2 * n])
    right = torch.arange(n)
    of_first, of_second = (
        cross_entropy((names @ torch.cat([others, contrasts]).T / temperature).masked_fill(alike, -torch.inf), right)
        for names, others in ((first, second), (second, first))
    )
    return (of_first + of_second) / 2


@contextmanager
def reproducible(seed: int, threads: int) -> Iterator[None]:
    """Within it PyTorch gives the same bits again on the same machine: a fixed seed, fixed threads, fixed algorithms."""
    before = (
        torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(),
        deterministic.fill_uninitialized_memory,  # type: ignore[attr-defined]
    )
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    # Every tensor is written before it is read; to fill it first takes a tenth longer.
    deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])
        deterministic.fill_uninitialized_memory = before[2]  # type: ignore[attr-defined]
