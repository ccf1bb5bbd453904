"""From a normalised string to the buckets of its words, word pairs and character n-grams.

The hash is FNV-1a in 32 bits, one step per Unicode code point `c` (not per byte), with the finisher of
MurmurHash3, all arithmetic modulo 2^32:

    h = 2166136261
    h = ((h xor kind) * 16777619), then for each code point h = ((h xor c) * 16777619)
    h = h xor (h >> 16); h = h * 0x85EBCA6B; h = h xor (h >> 13); h = h * 0xC2B2AE35; h = h xor (h >> 16)

`kind` is 1 for a word, 2 for a pair of neighbouring words, and n for an n-gram of n characters (n >= 3). A word is
a run of characters other than U+0020. An n-gram is taken from "<word>", with the two markers. A pair is hashed as
"first second". The bucket of a hash in a region of `size` buckets is `(h * size) >> 32` in 64 bits: words and pairs
lie in the first `word_buckets` buckets, n-grams in the rest.

`buckets` does this in plain Python, `kernels.text_buckets` compiled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

WORD, PAIR = 1, 2
OFFSET, PRIME = 2166136261, 16777619
MIX_1, MIX_2 = 0x85EBCA6B, 0xC2B2AE35
_ALL = 0xFFFFFFFF


def hashed(kind: int, text: str) -> int:
    """The hash of a word, a pair ("first second") or an n-gram, from 0 to 2^32 - 1.

    >>> hashed(WORD, "fever")
    1312851005
    """
    h = OFFSET
    for c in (kind, *map(ord, text)):
        h = (h ^ c) * PRIME & _ALL
    h = (h ^ h >> 16) * MIX_1 & _ALL
    h = (h ^ h >> 13) * MIX_2 & _ALL
    return h ^ h >> 16


def buckets(text: str, word_buckets: int, gram_buckets: int, shortest: int, longest: int, pairs: bool) -> list[int]:
    """Word by word: the word, its pair with the word before it, its n-grams by their start, short ones first."""
    out: list[int] = []
    before = ""
    for word in filter(None, text.split(" ")):
        alone, grams = _of_word(word, word_buckets, gram_buckets, shortest, longest)
        out.append(alone)
        if pairs and before:
            out += _spread((hashed(PAIR, f"{before} {word}"),), word_buckets)
        out += grams
        before = word
    return out


@lru_cache(maxsize=1 << 12)
def _of_word(
    word: str, word_buckets: int, gram_buckets: int, shortest: int, longest: int
) -> tuple[int, tuple[int, ...]]:
    """The bucket of a word, and those of its n-grams."""
    (alone,) = _spread((hashed(WORD, word),), word_buckets)
    marked = f"<{word}>"
    spans = [
        (start, length)
        for start in range(len(marked))
        for length in range(shortest, min(longest, len(marked) - start) + 1)
    ]
    grams = _spread((hashed(length, marked[start : start + length]) for start, length in spans), gram_buckets)
    return alone, tuple(word_buckets + gram for gram in grams)


def _spread(hashes: Iterable[int], size: int) -> list[int]:
    return [h * size >> 32 for h in hashes]


def code_points(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """All code points of `texts` in one array, and where each text starts (one entry more than texts)."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(joined, np.dtype("<u4")).astype(np.uint32, copy=False), offsets


def most_buckets(characters: int, shortest: int, longest: int) -> int:
    """At least the number of a text's buckets: no more n-grams of a length than characters, nor words and pairs."""
    return characters * (longest - shortest + 2) + 2
