"""The hash of the static encoder and its buckets in plain Python, as `terms/encoders/hashing.py` describes them: an oracle."""

from __future__ import annotations

WORD, PAIR = 1, 2


def hashed(kind: int, text: str) -> int:
    h = 2166136261
    for c in (kind, *map(ord, text)):
        h = (h ^ c) * 16777619 % 2**32
    h = (h ^ h >> 16) * 0x85EBCA6B % 2**32
    h = (h ^ h >> 13) * 0xC2B2AE35 % 2**32
    return h ^ h >> 16


def buckets(text: str, word_buckets: int, gram_buckets: int, shortest: int, longest: int, pairs: bool) -> list[int]:
    out: list[int] = []
    before = ""
    for word in filter(None, text.split(" ")):
        out.append(hashed(WORD, word) * word_buckets >> 32)
        if pairs and before:
            out.append(hashed(PAIR, f"{before} {word}") * word_buckets >> 32)
        marked = f"<{word}>"
        for start in range(len(marked)):
            for length in range(shortest, min(longest, len(marked) - start) + 1):
                gram = hashed(length, marked[start : start + length])
                out.append(word_buckets + (gram * gram_buckets >> 32))
        before = word
    return out
