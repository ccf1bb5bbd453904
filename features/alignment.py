"""How well the words of one name are found in another, near words included: soft containment.

Each word is aligned with the most alike word of the other name, after the greedy matching of BERTScore (Zhang et al. 2020,
§3), over vectors of single words in place of words in context. Two words of one stem are alike by 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled
from .linguistic import stemmer

SIDES = ("better", "worse")
"""Of two names, the one whose words are found better in the other, and the one whose words are found worse."""

_MOST_LEVEL = np.float32(127)


@dataclass(frozen=True)
class Words:
    """u names as w different words.

    offsets : int64[u + 1]; the words of name i are `ids[offsets[i] : offsets[i + 1]]`, each once, in their order.
    stems : int32[w], equal for words of one stem.
    levels : int8[w, d], the words' vectors, each with its largest number at 127; a whole sum has no order, and is quick.
    lengths : float64[w], of the rows of `levels`.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    stems: NDArray[np.int32]
    levels: NDArray[np.int8]
    lengths: NDArray[np.float64]

    @classmethod
    def of(cls, names: Sequence[str], language: str, encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> Words:
        """`encode` gives the unit vector of each word."""
        number: dict[str, int] = {}
        rows = [[number.setdefault(word, len(number)) for word in dict.fromkeys(name.split())] for name in names]
        offsets = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        words, stem = list(number), stemmer(language)
        _, stems = np.unique([stem(word) for word in words], return_inverse=True)
        ids = np.fromiter((word for row in rows for word in row), np.int32, int(offsets[-1]))
        vectors = np.asarray(encode(words), np.float32)
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
        levels = np.rint(vectors / np.where(largest > 0, largest, 1) * _MOST_LEVEL).astype(np.int8)
        lengths = np.sqrt(np.square(levels, dtype=np.int64).sum(axis=1))
        return cls(offsets, ids, stems.astype(np.int32), levels, np.where(lengths > 0, lengths, 1.0))


def alignment(
    words: Words, side: str, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = mean over the words of one name of pair p of the cosine to the nearest word of the other, in [0, 1].

    side : "better" for the name of the higher mean, "worse" for the other one. A cosine below 0 counts as 0.
    """
    better = side == "better"
    _align(words.offsets, words.ids, words.stems, words.levels, words.lengths, first, second, better, out)


@compiled()
def _align(offsets, ids, stems, levels, lengths, first, second, better, out):
    longest = 0
    for name in range(offsets.size - 1):
        longest = max(longest, offsets[name + 1] - offsets[name])
    best_of_b = np.empty(longest, np.float64)
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        best_of_b[: b_end - b] = 0.0
        of_a = 0.0
        for i in range(a, a_end):
            best = 0.0
            for j in range(b, b_end):
                alike = _alike(ids[i], ids[j], stems, levels, lengths)
                best = max(best, alike)
                best_of_b[j - b] = max(best_of_b[j - b], alike)
            of_a += best
        of_b = 0.0
        for j in range(b_end - b):
            of_b += best_of_b[j]
        of_a /= a_end - a
        of_b /= b_end - b
        out[pair] = np.float32(max(of_a, of_b) if better else min(of_a, of_b))


@compiled(inline="always")
def _alike(x, y, stems, levels, lengths):
    if stems[x] == stems[y]:
        return 1.0
    total = np.int32(0)
    for k in range(levels.shape[1]):
        total += np.int32(levels[x, k]) * np.int32(levels[y, k])
    return min(total / (lengths[x] * lengths[y]), 1.0)
