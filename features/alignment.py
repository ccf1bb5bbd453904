"""How well the words of one name are found in another, near words included: soft containment.

Each word is aligned with the most alike word of the other name, after the greedy matching of BERTScore (Zhang et al. 2020,
§3), over vectors of single words in place of words in context. Two words of one stem are alike by 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .compiled import FEW, compiled, kernels_compiled
from .linguistic import CutNames, numbered, offsets_of, stemmer

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
        vectors = np.asarray(encode(cut.words), np.float32)
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
        levels = np.rint(vectors / np.where(largest > 0, largest, 1) * _MOST_LEVEL).astype(np.int8)
        lengths = np.sqrt(np.square(levels, dtype=np.int64).sum(axis=1))
        return cls(
            offsets_of(lengths_of_rows),
            cut.ids[firsts],
            numbered(map(stemmer(language), cut.words)),
            levels,
            np.where(lengths > 0, lengths, 1.0),
        )


def alignment(
    words: Words, first: NDArray[np.int32], second: NDArray[np.int32], out: Mapping[str, NDArray[np.float32]]
) -> None:
    """out[side][p] = mean over the words of one name of pair p of the cosine to the nearest word of the other, in [0, 1].

    out : by side, "better" for the name of the higher mean, "worse" for the other one; one of them or both. A cosine below
        0 counts as 0. Fastest when the pairs are sorted by `first`.
    """
    better, worse = (out[side] if side in out else np.empty(len(first), np.float32) for side in SIDES)
    align = _align if kernels_compiled() or len(first) > FEW else _align_few
    align(words.offsets, words.ids, words.stems, words.levels, words.lengths, first, second, better, worse)


_KEPT = 8
"""Of a first name with so many words or fewer, the cosines to each word of the second names are kept: many share words."""


@compiled()
def _align(offsets, ids, stems, levels, lengths, first, second, better, worse):
    longest = 0
    for name in range(offsets.size - 1):
        longest = max(longest, offsets[name + 1] - offsets[name])
    best_of_a, alike_once = np.empty(longest, np.float64), np.empty(longest, np.float64)
    kept, kept_for = np.empty((levels.shape[0], _KEPT), np.float64), np.full(levels.shape[0], -1, np.int32)
    for pair in range(first.size):
        a, a_end = offsets[first[pair]], offsets[first[pair] + 1]
        b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
        of_a = of_b = 0.0
        for i in range(a_end - a):
            best_of_a[i] = 0.0
        for j in range(b, b_end):
            y = ids[j]
            keeps = a_end - a <= _KEPT
            alike = kept[y] if keeps else alike_once
            if not keeps or kept_for[y] != first[pair]:
                kept_for[y] = first[pair]
                _likenesses(ids[a:a_end], y, stems, levels, lengths, alike)
            best = 0.0
            for i in range(a_end - a):
                best = max(best, alike[i])
                best_of_a[i] = max(best_of_a[i], alike[i])
            of_b += best
        for i in range(a_end - a):
            of_a += best_of_a[i]
        of_a /= a_end - a
        of_b /= b_end - b
        better[pair] = np.float32(max(of_a, of_b))
        worse[pair] = np.float32(min(of_a, of_b))


@compiled(inline="always")
def _likenesses(words, y, stems, levels, lengths, out):
    """out[i] = the cosine of the words `words[i]` and `y`, at most 1."""
    # Two words at a time: each level of y is read once for both. Sums in int32 become one instruction for 16 products.
    for i in range(0, words.size, 2):
        one, other = words[i], words[min(i + 1, words.size - 1)]
        of_one, of_other, of_y = levels[one], levels[other], levels[y]
        sum_one = sum_other = np.int32(0)
        for k in range(levels.shape[1]):
            level = np.int32(of_y[k])
            sum_one = np.int32(sum_one + np.int32(np.int32(of_one[k]) * level))
            sum_other = np.int32(sum_other + np.int32(np.int32(of_other[k]) * level))
        out[i] = 1.0 if stems[one] == stems[y] else min(sum_one / (lengths[one] * lengths[y]), 1.0)
        if i + 1 < words.size:
            out[i + 1] = 1.0 if stems[other] == stems[y] else min(sum_other / (lengths[other] * lengths[y]), 1.0)


def _align_few(offsets, ids, stems, levels, lengths, first, second, better, worse) -> None:
    """`_align` without numba, to the last bit."""
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
