"""What a batch of the static encoder's training holds: pairs of names, contrasts, which of them share a disease, their buckets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...terms.encoders.hashing import code_points, max_buckets, text_buckets
from ...terms.encoders.static import Shape
from .data import Names
from .variants import Variants

if TYPE_CHECKING:
    import torch

_ROWS = 4096
ALONE, REWORDED = 0.15, 0.3
"""Names that are drawn to themselves, and to themselves in other words, per epoch, as a share of all names."""
TOGETHER = 16
"""Pairs of a batch that are neighbours of each other."""
CONTRASTS = 0.25
"""Beside a batch, at most, as a share of its pairs."""


class Batch(NamedTuple):
    """n pairs and c contrasts.

    Attributes
    ----------
    texts : [2 n + c]: first names, second names, contrasts.
    alike : bool[n, n + c]: whether two pairs, or a pair and a contrast, share a disease, so that the one is no wrong answer
        to the other. False on the diagonal.
    """

    texts: NDArray[np.int64]
    alike: NDArray[np.bool_]


class Examples:
    """Names, names in other words and contrasts, numbered in this order, and what is drawn of them."""

    def __init__(self, names: Names, variants: Variants) -> None:
        self.texts = [*names.texts, *variants.reworded, *variants.contrasts]
        of_name = dict(zip(names.texts, names.disease.tolist(), strict=True))
        of_contrasts = np.array([of_name.get(text, -1) for text in variants.contrasts], np.int64)
        self._disease = np.concatenate([names.disease, names.disease[variants.reworded_of], of_contrasts])
        self._names, self._pairs = len(names.texts), names.pairs
        self.drawn = self._names + len(variants.reworded)
        self._reworded = np.stack([variants.reworded_of, np.arange(self._names, self.drawn)], axis=1)
        self._contrast_starts = self.drawn + variants.starts
        self._alone = round(ALONE * self._names)
        self._other_words = min(round(REWORDED * self._names), len(variants.reworded))
        self.per_epoch = len(self._pairs) + self._alone + self._other_words

    def batches(
        self, size: int, vectors: Callable[[NDArray[np.int64]], torch.Tensor], random: np.random.Generator
    ) -> Iterator[Batch]:
        """Whole batches of one epoch, neighbours together; what is left over waits for the next epoch.

        vectors : the unit vectors, float32[n, dimensions], of texts by number.
        """
        alone = random.choice(self._names, self._alone, replace=False)
        other_words = random.choice(len(self._reworded), self._other_words, replace=False)
        drawn = [self._pairs, np.stack([alone, alone], axis=1), self._reworded[other_words]]
        pairs = random.permuted(random.permutation(np.concatenate(drawn)), axis=1)
        pairs = pairs[neighbours_together(vectors(pairs[:, 0]), random)]
        for start in range(0, len(pairs) - size + 1, size):
            first, second = pairs[start : start + size].T
            contrasts = self._draw_contrasts(np.unique([first, second]), round(CONTRASTS * size), random)
            yield Batch(np.concatenate([first, second, contrasts]), self._alike(first, second, contrasts))

    def _alike(
        self, first: NDArray[np.int64], second: NDArray[np.int64], contrasts: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        a, b, c = self._disease[first], self._disease[second], self._disease[contrasts]
        pairs = (_equal(a, a) | _equal(b, b) | _equal(a, b) | _equal(b, a)) & ~np.eye(len(a), dtype=np.bool_)
        return np.concatenate([pairs, _equal(a, c) | _equal(b, c)], axis=1)

    def _draw_contrasts(self, texts: NDArray[np.int64], most: int, random: np.random.Generator) -> NDArray[np.int64]:
        """One contrast of each name that has any, of so many names at most."""
        names = texts[texts < self._names]
        first, counts = self._contrast_starts[names], self._contrast_starts[names + 1] - self._contrast_starts[names]
        chosen = random.permutation(np.flatnonzero(counts))[:most]
        return first[chosen] + random.integers(counts[chosen])


def neighbours_together(vectors: torch.Tensor, random: np.random.Generator) -> NDArray[np.int64]:
    """An order of the unit rows in which about `TOGETHER` that are close to each other follow one another.

    Rows drawn at random are centers; the rows nearest to one center follow one another, and the centers are in random
    order.
    """
    centers = vectors[random.choice(len(vectors), -(-len(vectors) // TOGETHER), replace=False)].T
    nearest = np.concatenate([(rows @ centers).argmax(dim=1).numpy() for rows in vectors.split(_ROWS)])
    return np.lexsort((random.random(len(vectors)), nearest))


def _equal(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    return one[:, None] == other[None, :]


@dataclass(frozen=True)
class BucketLists:
    """The buckets of each text, end to end: those of text i are `buckets[starts[i]:starts[i + 1]]`."""

    buckets: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], shape: Shape) -> BucketLists:
        points, offsets = code_points(texts)
        cut = (shape.word_buckets, shape.buckets - shape.word_buckets, shape.shortest, shape.longest, shape.pairs)
        out = np.empty(sum(max_buckets(len(text), shape.shortest, shape.longest) for text in texts), np.int64)
        starts = np.zeros(len(texts) + 1, np.int64)
        for text in range(len(texts)):
            found = text_buckets(points, offsets[text], offsets[text + 1], *cut, out[starts[text] :])
            starts[text + 1] = starts[text] + found
        return cls(out[: starts[-1]].copy(), starts)

    def frequencies(self, texts: int, buckets: int) -> NDArray[np.int64]:
        """[buckets]: how often each occurs in the first `texts`."""
        return np.bincount(self.buckets[: self.starts[texts]], minlength=buckets)

    def take(
        self, texts: NDArray[np.int64], dropped: float, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The buckets of `texts` without a random share, end to end, and where each text starts (one entry more)."""
        first = self.starts[texts]
        lengths = self.starts[texts + 1] - first
        ends = np.cumsum(lengths)
        at = np.arange(ends[-1]) + np.repeat(first - (ends - lengths), lengths)
        kept = random.random(len(at)) >= dropped
        kept[ends - lengths] = True  # the first word stays, so that no name is empty
        return self.buckets[at[kept]], np.concatenate([[0], np.cumsum(kept)[ends - 1]])
