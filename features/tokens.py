"""What a string consists of: words, word pairs, stems, lemmas, tagged words; and how much of it two strings share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled
from ..terms.text.stemming import english_stem

VIEWS = ("unigram", "bigram", "stem", "lemma", "pos")
"""The five ways to cut a string into a set, in the order of the feature registry."""


_FEW_WORDS, _FEW_NAMES = 512, 8
_SCATTER = np.uint64(0x9E3779B97F4A7C15)
"""Golden-ratio hashing (Knuth, TAOCP 3, §6.4): the upper six bits of a number times this are spread over 0 to 63."""


@lru_cache
def stemmer(language: str) -> Callable[[str], str]:
    """Snowball's stem of a word of the language ("en" or "ru")."""
    if language == "en":
        return lru_cache(maxsize=1 << 18)(english_stem)
    from nltk.stem.snowball import RussianStemmer

    return lru_cache(maxsize=1 << 18)(RussianStemmer().stem)


@lru_cache
def lemmatizer(language: str) -> Callable[[str], str]:
    """simplemma's lemma of a word of the language, case folded."""
    import simplemma

    asked = count()

    def lemma(word: str) -> str:
        # Two readings of one dictionary: that of low memory is ready in half the time, and slower word by word.
        return simplemma.lemmatize(word, lang=language, low_memory=next(asked) < _FEW_WORDS).casefold()

    return lru_cache(maxsize=1 << 18)(lemma)


@lru_cache
def _tagger() -> Callable[[str], list[tuple[str, str]]]:
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    return lambda name: [(str(word), str(tag)) for word, tag in tagger.tag(name, tokenize=False)]


def view(name: str, kind: str, language: str) -> set[Hashable]:
    """The set behind one ratio, of one normalised string.

    unigram : its words. bigram : its pairs of neighbouring words. stem : Snowball stems. lemma : simplemma's lemmas.
    pos : words with their part of speech (textblob's PatternTagger, which looks at each word alone); empty for a language
        without a tagger.
    """
    words = name.split()
    if kind == "unigram":
        return set(words)
    if kind == "bigram":
        return set(pairwise(words))
    if kind == "stem":
        return set(map(stemmer(language), words))
    if kind == "lemma":
        return set(map(lemmatizer(language), words))
    if kind == "pos":
        return set(_tagger()(" ".join(words))) if words and language == "en" else set()
    raise KeyError(kind)


@dataclass(frozen=True)
class CutNames:
    """u names as rows of w different words.

    offsets : int64[u + 1]; the words of name i, in their order, are `ids[offsets[i] : offsets[i + 1]]` (int32).
    words : the w words.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    words: list[str]

    @classmethod
    def of(cls, names: Sequence[str]) -> CutNames:
        rows = [name.split() for name in names]
        number: dict[str, int] = {}
        ids = [number.setdefault(word, len(number)) for row in rows for word in row]
        return cls(offsets_of([len(row) for row in rows]), np.array(ids, np.int32), list(number))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """int64[words in all]: the name of each word."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.offsets[1:] - self.offsets[:-1])


def offsets_of(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[u + 1]: where each of u rows begins among all, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def numbered(values: Iterable[Hashable]) -> NDArray[np.int32]:
    """Equal values as equal numbers from 0."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values], np.int32)


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
    def of(cls, names: Sequence[str] | CutNames, kind: str, language: str) -> TokenSets:
        """The sets that `view` gives."""
        cut = names if isinstance(names, CutNames) else CutNames.of(names)
        if len(cut.offsets) <= _FEW_NAMES:
            return cls._of_few(cut, kind, language)
        rows, ids = cut.rows, cut.ids.astype(np.int64)
        if kind == "bigram":
            together = np.flatnonzero(rows[1:] == rows[:-1])
            pairs = ids[together] * max(len(cut.words), 1) + ids[together + 1]
            rows, ids = rows[together], np.unique(pairs, return_inverse=True)[1]
        elif kind == "pos" and language != "en":
            rows, ids = rows[:0], ids[:0]
        elif kind in ("stem", "lemma"):
            token = {"stem": stemmer, "lemma": lemmatizer}[kind](language)
            ids = numbered(map(token, cut.words))[ids]
        elif kind not in VIEWS:
            raise KeyError(kind)
        # Words stand for tagged words: the tagger looks at each alone, so two tagged words are equal just where the words are.
        names_in_all = len(cut.offsets) - 1
        most = int(ids.max(initial=0)) + 1
        rows, ids = np.divmod(np.unique(rows * most + ids), most)
        offsets, ids = offsets_of(np.bincount(rows, minlength=names_in_all)), ids.astype(np.int32)
        signatures = np.zeros(names_in_all, np.uint64)
        scattered = (ids.astype(np.uint64) * _SCATTER) >> np.uint64(58)
        np.bitwise_or.at(signatures, rows, np.uint64(1) << scattered)
        return cls(offsets, ids, signatures)

    @classmethod
    def _of_few(cls, cut: CutNames, kind: str, language: str) -> TokenSets:
        """A handful of sets is made sooner without numpy; here too, words stand for tagged words."""
        number: dict[Hashable, int] = {}
        seen = "unigram" if kind == "pos" and language == "en" else kind
        names = [
            " ".join([cut.words[word] for word in cut.ids[start:end].tolist()])
            for start, end in pairwise(cut.offsets.tolist())
        ]
        sets = [
            sorted([number.setdefault(token, len(number)) for token in view(name, seen, language)]) for name in names
        ]
        signatures = [_signature(ids) for ids in sets]
        ids = np.array([token for ids in sets for token in ids], np.int32)
        return cls(offsets_of([len(ids) for ids in sets]), ids, np.array(signatures, np.uint64))


def _signature(ids: Iterable[int]) -> int:
    """What `TokenSets.of` computes in numpy, for one set."""
    bits = 0
    for token in ids:
        bits |= 1 << ((token * int(_SCATTER) & 0xFFFFFFFFFFFFFFFF) >> 58)
    return bits


def overlap_ratio(
    sets: TokenSets, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[p] = |A & B| / min(|A|, |B|) of pair p, in [0, 1]; NaN where either set is empty."""
    _overlap(sets.offsets, sets.ids, sets.signatures, first, second, out)


@compiled(few="first")
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
