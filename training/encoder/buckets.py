"""The buckets of the texts that the static encoder is trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...terms.encoders.hashing import all_buckets, code_points, max_buckets
from ...terms.encoders.static import Shape


@dataclass(frozen=True)
class BucketLists:
    """The buckets of each text, end to end: those of text i are `buckets[starts[i]:starts[i + 1]]`."""

    buckets: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], shape: Shape) -> BucketLists:
        points, offsets = code_points(texts)
        out = np.empty(sum(max_buckets(len(text), shape.shortest, shape.longest) for text in texts), np.int64)
        starts = np.zeros(len(texts) + 1, np.int64)
        grams = shape.buckets - shape.word_buckets
        count = all_buckets(
            points, offsets, shape.word_buckets, grams, shape.shortest, shape.longest, shape.pairs, out, starts[1:]
        )
        return cls(out[:count].copy(), starts)

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
