"""Soft containment: how well the words of one name are found in another, near words included.

Each word is aligned with the most similar word of the other name, after the greedy matching of BERTScore (Zhang et al. 2020,
§3), over vectors of single words in place of words in context. The similarity of two words of one stem is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tokens import TokenizedNames, numbered, offsets_of, stems

SIDES = ("better", "worse")
"""Of both directions, the higher mean and the lower."""

_MAX_CODE = np.float32(127)


@dataclass(frozen=True)
class Words:
    """u names as w different words.

    Attributes
    ----------
    offsets : int64[u + 1]; the words of name i are `ids[offsets[i] : offsets[i + 1]]` (int32), each once, in their order.
    stems : int32[w], equal for words of one stem.
    codes : int8[w, d], the words' vectors, quantised so that the largest number of each is 127. Whole numbers add up to the
        same in any order, and a quarter of the memory is read.
    lengths : float64[w], the Euclidean norms of the rows of `codes`.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    stems: NDArray[np.int32]
    codes: NDArray[np.int8]
    lengths: NDArray[np.float64]

    @classmethod
    def of(cls, names: TokenizedNames, language: str, encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> Words:
        """`encode` gives the unit vectors of words, float32[w, d]."""
        firsts = np.sort(np.unique(names.rows * max(len(names.words), 1) + names.ids, return_index=True)[1])
        offsets = offsets_of(np.bincount(names.rows[firsts], minlength=len(names)))
        vectors = np.asarray(encode(names.words), np.float32)
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
        codes = np.rint(vectors / np.where(largest > 0, largest, 1) * _MAX_CODE).astype(np.int8)
        lengths = np.sqrt(np.square(codes, dtype=np.int64).sum(axis=1))
        of_words = numbered(stems(names.words, language))[1]
        return cls(offsets, names.ids[firsts], of_words, codes, np.where(lengths > 0, lengths, 1.0))


def alignment(
    words: Words, first: NDArray[np.int32], second: NDArray[np.int32], out: Mapping[str, NDArray[np.float32]]
) -> None:
    """Mean over the words of one name of the cosine to the nearest word of the other, for m pairs.

    Parameters
    ----------
    first, second : int32[m], indices of names.
    out : float32[m] by side, "better" for the direction of the higher mean, "worse" for the other; one of them or both.
        Filled with values in [0, 1]: a cosine below 0 counts as 0.
    """
    from . import kernels

    better, worse = (out[side] if side in out else np.empty(len(first), np.float32) for side in SIDES)
    kernels.align(words.offsets, words.ids, words.stems, words.codes, words.lengths, first, second, better, worse)
