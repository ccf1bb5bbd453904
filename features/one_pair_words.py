"""The alignment of two names from words that are kept: `alignment.alignment` for one pair, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .alignment import levels_of
from .kept import Kept
from .tokens import stemmer

WORDS_KEPT = 8192


class Word(NamedTuple):
    """levels : float64[d], whole numbers, so that a sum of products is exact in any order. length : theirs."""

    stem: str
    levels: NDArray[np.float64]
    length: float


class WordLevels:
    """The words of one encoder."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._known: Kept[str, Word] = Kept(WORDS_KEPT)

    def known(self, words: Sequence[str]) -> dict[str, Word]:
        """Those of `words` that are kept."""
        found = ((word, self._known.get(word)) for word in words)
        return {word: known for word, known in found if known is not None}

    def of(self, words: Sequence[str], vectors: NDArray[np.float32]) -> Mapping[str, Word]:
        """From the unit vector of each word; they are kept."""
        if not words:
            return {}
        stem = stemmer(self._language)
        levels, lengths = levels_of(vectors)
        rows = zip(words, levels.astype(np.float64), lengths.tolist(), strict=True)
        new = {word: Word(stem(word), levels, length) for word, levels, length in rows}
        for word, one in new.items():
            self._known.put(word, one)
        return new


def alignment_of_two(a: Sequence[Word], b: Sequence[Word]) -> tuple[float, float]:
    """The better and the worse side of two names, each of different words in their order."""
    products = (np.array([word.levels for word in a]) @ np.array([word.levels for word in b]).T).tolist()
    of_b = [0.0] * len(b)
    total = 0.0
    for one, row in zip(a, products, strict=True):
        best = 0.0
        for j, other in enumerate(b):
            alike = 1.0 if one.stem == other.stem else min(row[j] / (one.length * other.length), 1.0)
            if alike > best:
                best = alike
            if alike > of_b[j]:
                of_b[j] = alike
        total += best
    other_total = 0.0
    for best in of_b:
        other_total += best
    means = total / len(a), other_total / len(b)
    return max(means), min(means)
