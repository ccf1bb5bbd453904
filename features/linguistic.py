"""What a string consists of: words, word pairs, stems, lemmas, tagged words; and how much of it two strings share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled

VIEWS = ("unigram", "bigram", "stem", "lemma", "pos")
"""The five ways to cut a string into a set, in the order of the feature registry."""

_SNOWBALL = {"en": "english", "ru": "russian"}


@lru_cache
def stemmer(language: str) -> Callable[[str], str]:
    """Snowball's stem of a word of the language ("en" or "ru")."""
    from nltk.stem.snowball import SnowballStemmer

    return lru_cache(maxsize=1 << 18)(SnowballStemmer(_SNOWBALL[language]).stem)


@lru_cache
def _lemmatizer(language: str) -> Callable[[str], str]:
    import simplemma

    return lru_cache(maxsize=1 << 18)(lambda word: simplemma.lemmatize(word, lang=language).casefold())


@lru_cache
def _tagger() -> Callable[[str], list[tuple[str, str]]]:
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    return lambda name: [(str(word), str(tag)) for word, tag in tagger.tag(name, tokenize=False)]


def view(name: str, kind: str, language: str) -> set[Hashable]:
    """The set behind one ratio, of one normalised string.

    unigram : its words. bigram : its pairs of neighbouring words. stem : Snowball stems. lemma : simplemma's lemmas.
    pos : words with their part of speech (textblob's PatternTagger); empty for a language without a tagger.
    """
    words = name.split()
    if kind == "unigram":
        return set(words)
    if kind == "bigram":
        return set(pairwise(words))
    if kind == "stem":
        return set(map(stemmer(language), words))
    if kind == "lemma":
        return set(map(_lemmatizer(language), words))
    if kind == "pos":
        return set(_tagger()(name)) if language == "en" else set()
    raise KeyError(kind)


@dataclass(frozen=True)
class TokenSets:
    """u strings under one view, as sorted token numbers.

    offsets : int64[u + 1]; the set of string i is `ids[offsets[i] : offsets[i + 1]]`, sorted.
    signatures : uint64[u]; two sets whose signatures share no bit have nothing in common.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    signatures: NDArray[np.uint64]

    @classmethod
    def of(cls, names: Sequence[str], kind: str, language: str) -> TokenSets:
        number: dict[Hashable, int] = {}
        sets = [sorted([number.setdefault(t, len(number)) for t in view(name, kind, language)]) for name in names]
        offsets = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(ids) for ids in sets], out=offsets[1:])
        ids = np.fromiter(chain.from_iterable(sets), np.int32, int(offsets[-1]))
        signatures = np.zeros(len(names), np.uint64)
        _sign(offsets, ids, signatures)
        return cls(offsets, ids, signatures)


def overlap_ratio(
    sets: TokenSets, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = |A & B| / min(|A|, |B|) of pair p, in [0, 1]; NaN where either set is empty."""
    _overlap(sets.offsets, sets.ids, sets.signatures, first, second, out)


@compiled()
def _sign(offsets, ids, signatures):
    for row in range(signatures.size):
        bits = np.uint64(0)
        for at in range(offsets[row], offsets[row + 1]):
            scattered = np.uint64(ids[at]) * np.uint64(0x9E3779B97F4A7C15)
            bits |= np.uint64(1) << (scattered >> np.uint64(58))
        signatures[row] = bits


@compiled()
def _overlap(offsets, ids, signatures, first, second, out):
    for pair in range(first.size):
        i, j = first[pair], second[pair]
        a, a_end = offsets[i], offsets[i + 1]
        b, b_end = offsets[j], offsets[j + 1]
        smaller = min(a_end - a, b_end - b)
        if smaller == 0:
            out[pair] = np.nan
            continue
        shared = 0
        if signatures[i] & signatures[j]:
            while a < a_end and b < b_end:
                x, y = ids[a], ids[b]
                shared += x == y
                a += x <= y
                b += y <= x
        out[pair] = np.float32(shared / smaller)


def tokens(names: Iterable[str], language: str = "en") -> dict[str, dict[str, set[Hashable]]]:
    """The five sets of each string, to look at."""
    return {name: {kind: view(name, kind, language) for kind in VIEWS} for name in names}
