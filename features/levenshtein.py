"""Normalised Levenshtein distance over unique strings, bit-parallel.

Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming" (J. ACM 1999), in the
form of Hyyrö (2003): 64 cells of the dynamic-programming column in one machine word, longer strings in blocks of 64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled

_ONE, _ZERO, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP = np.uint64(63)


@dataclass(frozen=True)
class Spelling:
    """u strings as one array of letters, each letter a dense number below `alphabet`."""

    letters: NDArray[np.int32]
    offsets: NDArray[np.int64]
    alphabet: int

    @classmethod
    def of(cls, names: Sequence[str]) -> Spelling:
        text = "".join(names)
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        used, letters = np.unique(points, return_inverse=True)
        offsets = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(name) for name in names], out=offsets[1:])
        return cls(letters.astype(np.int32), offsets, max(len(used), 1))


def normalized_levenshtein(
    spelling: Spelling, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = edits / length of the longer, in [0, 1]; 0 for two empty strings. Fastest when sorted by `first`."""
    longest = int(np.max(np.diff(spelling.offsets), initial=1))
    words = max((longest + 63) // 64, 1)
    _distances(spelling.letters, spelling.offsets, first, second, np.zeros((spelling.alphabet, words), np.uint64), out)


@compiled()
def _distances(letters, offsets, first, second, masks, out):
    words = masks.shape[1]
    positive, negative = np.empty(words, np.uint64), np.empty(words, np.uint64)
    pattern = -1
    for pair in range(first.size):
        i, j = first[pair], second[pair]
        if i != pattern:
            # The masks of a pattern serve all pairs that follow with the same first string.
            if pattern >= 0:
                for at in range(offsets[pattern], offsets[pattern + 1]):
                    masks[letters[at], (at - offsets[pattern]) >> 6] = _ZERO
            pattern = i
            for at in range(offsets[i], offsets[i + 1]):
                place = at - offsets[i]
                masks[letters[at], place >> 6] |= _ONE << np.uint64(place & 63)
        m, n = offsets[i + 1] - offsets[i], offsets[j + 1] - offsets[j]
        if m == 0 or n == 0:
            out[pair] = np.float32(0.0 if m == n else 1.0)
            continue
        if m <= 64:
            distance = _one_word(letters, offsets[j], offsets[j + 1], masks, m)
        else:
            distance = _blocks(letters, offsets[j], offsets[j + 1], masks, m, positive, negative)
        out[pair] = np.float32(distance / max(m, n))


@compiled(inline="always")
def _one_word(letters, start, stop, masks, m):
    vp, vn, distance = _ALL, _ZERO, m
    last = np.uint64(m - 1)
    for at in range(start, stop):
        x = masks[letters[at], 0]
        d0 = (((x & vp) + vp) ^ vp) | x | vn
        hp = vn | ~(d0 | vp)
        hn = d0 & vp
        distance += np.int64((hp >> last) & _ONE) - np.int64((hn >> last) & _ONE)
        hp = (hp << _ONE) | _ONE
        vp = (hn << _ONE) | ~(d0 | hp)
        vn = hp & d0
    return distance


@compiled()
def _blocks(letters, start, stop, masks, m, vp, vn):
    words = (m + 63) >> 6
    last = np.uint64((m - 1) & 63)
    distance = m
    for word in range(words):
        vp[word], vn[word] = _ALL, _ZERO
    for at in range(start, stop):
        hp_carry, hn_carry = _ONE, _ZERO
        for word in range(words):
            x = masks[letters[at], word] | hn_carry
            d0 = (((x & vp[word]) + vp[word]) ^ vp[word]) | x | vn[word]
            hp = vn[word] | ~(d0 | vp[word])
            hn = d0 & vp[word]
            if word == words - 1:
                distance += np.int64((hp >> last) & _ONE) - np.int64((hn >> last) & _ONE)
            hp_next, hn_next = hp >> _TOP, hn >> _TOP
            hp = (hp << _ONE) | hp_carry
            hn = (hn << _ONE) | hn_carry
            hp_carry, hn_carry = hp_next, hn_next
            vp[word] = hn | ~(d0 | hp)
            vn[word] = hp & d0
    return distance
