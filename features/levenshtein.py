"""Normalised Levenshtein distance over unique strings, bit-parallel.

Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming" (J. ACM 1999), in the
form of Hyyrö (2003): 64 cells of the dynamic-programming column in one machine word, longer strings in blocks of 64.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compiled import FEW, compiled, kernels_compiled

_ONE, _ZERO, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP = np.uint64(63)
_BY_TWO, _BY_FOUR = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_BY_EIGHT, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@dataclass(frozen=True)
class Spelling:
    """u strings as one array of letters, each letter a dense number below `alphabet`, in a byte where that is enough."""

    letters: NDArray[np.uint8 | np.int32]
    offsets: NDArray[np.int64]
    alphabet: int

    @classmethod
    def of(cls, names: Sequence[str]) -> Spelling:
        text = "".join(names)
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        used, letters = np.unique(points, return_inverse=True)
        offsets = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(name) for name in names], out=offsets[1:])
        return cls(letters.astype(np.uint8 if len(used) <= 256 else np.int32), offsets, max(len(used), 1))


def normalized_levenshtein(
    spelling: Spelling, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = edits / length of the longer, in [0, 1]; 0 for two empty strings. Fastest when sorted by `first`."""
    if not kernels_compiled() and len(first) <= FEW:
        _distances_few(spelling.letters, spelling.offsets, first, second, out)
        return
    longest = int(np.max(np.diff(spelling.offsets), initial=1))
    words = max((longest + 63) // 64, 1)
    _distances(spelling.letters, spelling.offsets, first, second, np.zeros((spelling.alphabet, words), np.uint64), out)


@compiled()
def _distances(letters, offsets, first, second, masks, out):
    words = masks.shape[1]
    positive, negative = np.empty(words, np.uint64), np.empty(words, np.uint64)
    pattern = -1
    pair = 0
    while pair < first.size:
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
        if m == 0:
            out[pair] = np.float32(0.0 if n == 0 else 1.0)
        elif m <= 128:
            # Each step waits for the one before, so two texts at a time take little longer than one.
            two = pair + 1 < first.size and first[pair + 1] == i
            other = second[pair + 1] if two else j
            if m <= 64:
                distance, distance_of_other = _one_word(letters, offsets, j, other, masks, m)
            else:
                distance, distance_of_other = _two_words(letters, offsets, j, other, masks, m)
            out[pair] = np.float32(distance / max(m, n))
            if two:
                pair += 1
                out[pair] = np.float32(distance_of_other / max(m, offsets[other + 1] - offsets[other]))
        else:
            distance = _blocks(letters, offsets[j], offsets[j + 1], masks, m, positive, negative)
            out[pair] = np.float32(distance / max(m, n))
        pair += 1


@compiled(inline="always")
def _one_word(letters, offsets, text, other, masks, m):
    """The distances of a pattern of m <= 64 letters to two texts."""
    at, stop, of_other, stop_of_other = offsets[text], offsets[text + 1], offsets[other], offsets[other + 1]
    n, n_of_other = stop - at, stop_of_other - of_other
    vp, vn, vp_of_other, vn_of_other = _ALL, _ZERO, _ALL, _ZERO
    for _ in range(min(n, n_of_other)):
        vp, vn = _step(masks[letters[at], 0], vp, vn)
        vp_of_other, vn_of_other = _step(masks[letters[of_other], 0], vp_of_other, vn_of_other)
        at += 1
        of_other += 1
    while at < stop:
        vp, vn = _step(masks[letters[at], 0], vp, vn)
        at += 1
    while of_other < stop_of_other:
        vp_of_other, vn_of_other = _step(masks[letters[of_other], 0], vp_of_other, vn_of_other)
        of_other += 1
    # Down the last column each bit is a step up or down from n, the distance of the text to an empty pattern.
    column = _ALL >> np.uint64(64 - m)
    return n + _bits(vp & column) - _bits(vn & column), n_of_other + _bits(vp_of_other & column) - _bits(
        vn_of_other & column
    )


@compiled(inline="always")
def _step(x, vp, vn):
    d0 = (((x & vp) + vp) ^ vp) | x | vn
    hp = ((vn | ~(d0 | vp)) << _ONE) | _ONE
    hn = (d0 & vp) << _ONE
    return hn | ~(d0 | hp), hp & d0


@compiled(inline="always")
def _two_words(letters, offsets, text, other, masks, m):
    """The distances of a pattern of 65 to 128 letters to two texts: `_blocks` without a memory between the steps."""
    at, stop, of_other, stop_of_other = offsets[text], offsets[text + 1], offsets[other], offsets[other + 1]
    n, n_of_other = stop - at, stop_of_other - of_other
    a = b = _ALL, _ZERO, _ALL, _ZERO
    for _ in range(min(n, n_of_other)):
        a = _step_of_two(masks[letters[at], 0], masks[letters[at], 1], a)
        b = _step_of_two(masks[letters[of_other], 0], masks[letters[of_other], 1], b)
        at += 1
        of_other += 1
    while at < stop:
        a = _step_of_two(masks[letters[at], 0], masks[letters[at], 1], a)
        at += 1
    while of_other < stop_of_other:
        b = _step_of_two(masks[letters[of_other], 0], masks[letters[of_other], 1], b)
        of_other += 1
    column = _ALL >> np.uint64(128 - m)
    rises = n + _bits(a[0]) - _bits(a[1]), n_of_other + _bits(b[0]) - _bits(b[1])
    return (
        rises[0] + _bits(a[2] & column) - _bits(a[3] & column),
        rises[1] + _bits(b[2] & column) - _bits(b[3] & column),
    )


@compiled(inline="always")
def _step_of_two(low, high, column):
    """`_step` of two words, the lower one first; what leaves it at the top enters the upper one."""
    vp, vn, upper_vp, upper_vn = column
    d0 = (((low & vp) + vp) ^ vp) | low | vn
    hp, hn = vn | ~(d0 | vp), d0 & vp
    up, down = hp >> _TOP, hn >> _TOP
    hp = (hp << _ONE) | _ONE
    vp, vn = (hn << _ONE) | ~(d0 | hp), hp & d0
    x = high | down
    d0 = (((x & upper_vp) + upper_vp) ^ upper_vp) | x | upper_vn
    hp, hn = ((upper_vn | ~(d0 | upper_vp)) << _ONE) | up, ((d0 & upper_vp) << _ONE) | down
    return vp, vn, hn | ~(d0 | hp), hp & d0


@compiled(inline="always")
def _bits(x):
    """How many bits of `x` are set, added up by two, four and eight (Warren, "Hacker's Delight", §5-1)."""
    x = x - ((x >> _ONE) & _BY_TWO)
    x = (x & _BY_FOUR) + ((x >> np.uint64(2)) & _BY_FOUR)
    x = (x + (x >> np.uint64(4))) & _BY_EIGHT
    return np.int64((x * _BYTES) >> np.uint64(56))


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


def _distances_few(letters, offsets, first, second, out) -> None:
    """`_distances` without numba, to the last bit; a Python number is as long as the pattern."""
    for pair, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        pattern, text = letters[offsets[i] : offsets[i + 1]].tolist(), letters[offsets[j] : offsets[j + 1]].tolist()
        out[pair] = np.float32(edits(pattern, text) / max(len(pattern), len(text), 1))


def edits(pattern: Sequence[Hashable], text: Sequence[Hashable]) -> int:
    """Insertions, deletions and replacements that make one of the other."""
    masks: dict[Hashable, int] = {}
    for place, letter in enumerate(pattern):
        masks[letter] = masks.get(letter, 0) | 1 << place
    column = (1 << len(pattern)) - 1
    vp, vn = column, 0
    for letter in text:
        x = masks.get(letter, 0)
        d0 = (((x & vp) + vp) ^ vp) | x | vn
        hp = (vn | ~(d0 | vp)) << 1 | 1
        hn = (d0 & vp) << 1
        vp, vn = (hn | ~(d0 | hp)) & column, hp & d0 & column
    return len(text) + vp.bit_count() - vn.bit_count()
