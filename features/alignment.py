"""How well the words of one name are found in another, near words included: soft containment.

Each word is aligned with the most alike word of the other name, after the greedy matching of BERTScore (Zhang et al. 2020,
§3), over vectors of single words in place of words in context. Two words of one stem are alike by 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiled import FEW, kernels_compiled
from .tokens import CutNames, numbered, offsets_of, stemmer

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
    def of(
        cls, names: Sequence[str] | CutNames, language: str, encode: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> Words:
        """`encode` gives the unit vector of each word."""
        cut = names if isinstance(names, CutNames) else CutNames.of(names)
        firsts = np.sort(np.unique(cut.rows * max(len(cut.words), 1) + cut.ids, return_index=True)[1])
        lengths_of_rows = np.bincount(cut.rows[firsts], minlength=len(cut.offsets) - 1)
        stems = numbered(map(stemmer(language), cut.words))
        return cls(offsets_of(lengths_of_rows), cut.ids[firsts], stems, *levels_of(encode(cut.words)))


def levels_of(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """`Words.levels` and `Words.lengths` of the vectors of words, float32[w, d]."""
    vectors = np.asarray(vectors, np.float32)
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    levels = np.rint(vectors / np.where(largest > 0, largest, 1) * _MOST_LEVEL).astype(np.int8)
    lengths = np.sqrt(np.square(levels, dtype=np.int64).sum(axis=1))
    return levels, np.where(lengths > 0, lengths, 1.0)


def alignment(
    words: Words, first: NDArray[np.int32], second: NDArray[np.int32], out: Mapping[str, NDArray[np.float32]]
) -> None:
    """out[side][p] = mean over the words of one name of pair p of the cosine to the nearest word of the other, in [0, 1].

    out : by side, "better" for the name of the higher mean, "worse" for the other one; one of them or both. A cosine below
        0 counts as 0. Fastest when the pairs are sorted by `first`.
    """
    better, worse = (out[side] if side in out else np.empty(len(first), np.float32) for side in SIDES)
    if kernels_compiled() or len(first) > FEW:
        from .alignment_kernels import align
    else:
        align = _align_few
    align(words.offsets, words.ids, words.stems, words.levels, words.lengths, first, second, better, worse)


def _align_few(offsets, ids, stems, levels, lengths, first, second, better, worse) -> None:
    """`alignment_kernels.align` without numba, to the last bit."""
    for pair, (x, y) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        a, b = ids[offsets[x] : offsets[x + 1]], ids[offsets[y] : offsets[y + 1]]
        alike = (levels[a].astype(np.int64) @ levels[b].T.astype(np.int64)) / np.multiply.outer(lengths[a], lengths[b])
        alike[stems[a][:, None] == stems[b]] = 1.0
        alike = np.clip(alike, 0.0, 1.0)
        means = [_mean_in_order(alike.max(axis=axis).tolist()) for axis in (0, 1)]
        better[pair], worse[pair] = max(means), min(means)


def _mean_in_order(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
