"""What a name consists of: words, word pairs, stems, lemmas, part-of-speech tags; and how much of it two names share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import Stemmer
from numpy.typing import NDArray

from ..errors import MissingExtra

T = TypeVar("T", bound=Hashable)

_SNOWBALL = {"en": "english", "ru": "russian"}


def stems(words: Sequence[str], language: str) -> list[str]:
    """The Snowball stem of each word ("en": Porter 2002, "ru"), by PyStemmer.

    >>> stems(["failures", "myocardial", "bleeding"], "en")
    ['failur', 'myocardi', 'bleed']
    """
    return Stemmer.Stemmer(_SNOWBALL[language]).stemWords(words)


def lemmas(words: Sequence[str], language: str) -> list[str]:
    """simplemma's lemma of each word, case folded."""
    import simplemma

    return [simplemma.lemmatize(word, lang=language).casefold() for word in words]


def tags(words: Sequence[str], language: str) -> list[str]:
    """The part-of-speech tag of each word, looked at alone.

    English: Penn Treebank tags, by textblob's PatternTagger. Russian: OpenCorpora's, of pymorphy3's likeliest reading; what is no
    Russian word has the tag that says so (LATN, NUMB, UNKN).

    Raises
    ------
    MissingExtra
        Without the extra `pos`.

    >>> tags(["acute", "pain"], "en"), tags(["острая", "боль"], "ru")
    (['JJ', 'NN'], ['ADJF', 'NOUN'])
    """
    try:
        return [*map(_tagger(language), words)]
    except ImportError as error:
        raise MissingExtra("The view 'tags'", "pos") from error


@cache
def _tagger(language: str) -> Callable[[str], str]:
    """One for all: that of Russian reads its dictionaries, a tenth of a second."""
    if language == "en":
        from textblob.en.taggers import PatternTagger

        english = PatternTagger()
        return lambda word: str(english.tag(word, tokenize=False)[0][1])
    from pymorphy3 import MorphAnalyzer

    russian = MorphAnalyzer(lang="ru")

    def tag(word: str) -> str:
        try:
            found = russian.parse(word)[0].tag
        except ValueError:  # it asks Unicode for the name of each letter, and some have none
            return "UNKN"
        return str(found.POS or sorted(found.grammemes)[0])

    return tag


_OF_WORDS = {"stem": stems, "lemma": lemmas, "tags": tags}
_MAX_CODE = np.float32(127)
_COMMON = 1024
"""Words whose similarities are kept, 8 MB. Of the words of 50,000 names they are 93 of 100."""
VIEWS = ("unigram", "bigram", *_OF_WORDS)
"""The five ways to make a set of a name: its words, its pairs of neighbouring words, and of each word the stem, the lemma or the
part of speech."""


def numbered(values: Sequence[T]) -> tuple[list[T], NDArray[np.int32]]:
    """The different values in order of first appearance, and int32[n], where each of `values` is among them."""
    index: dict[T, int] = {}
    places = np.fromiter((index.setdefault(value, len(index)) for value in values), np.int32, len(values))
    return list(index), places


def offsets_of(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[u + 1]: where each of u rows begins among all, and where the last one ends."""
    return np.cumsum(np.concatenate(([0], lengths)), dtype=np.int64)


class Sets(NamedTuple):
    """The set of each of u names.

    Attributes
    ----------
    offsets : int64[u + 1]; the set of name i is `ids[offsets[i] : offsets[i + 1]]` (int32), sorted.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]

    @classmethod
    def of(cls, rows: NDArray[np.int64], ids: NDArray[np.integer], count: int) -> Sets:
        """Of `count` names, each id with the name that has it."""
        most = int(ids.max(initial=0)) + 1
        rows, ids = np.divmod(np.unique(rows * most + ids), most)
        return cls(offsets_of(np.bincount(rows, minlength=count)), ids.astype(np.int32))


def token_sets(names: Sequence[str], view: str, language: str) -> Sets:
    """The sets of the names under one of the `VIEWS`."""
    rows = [name.split() for name in names]
    if view == "bigram":
        rows = [[" ".join(two) for two in pairwise(row)] for row in rows]
    tokens, ids = numbered(list(chain.from_iterable(rows)))
    if view in _OF_WORDS:
        ids = numbered(_OF_WORDS[view](tokens, language))[1][ids]
    return Sets.of(np.repeat(np.arange(len(rows)), [len(row) for row in rows]), ids, len(rows))


class Words(NamedTuple):
    """u names as w different words, with their vectors.

    Attributes
    ----------
    offsets : int64[u + 1]; the words of name i are `ids[offsets[i] : offsets[i + 1]]` (int32), each once, in their order.
    alike : float64[v, v], the similarity of the v commonest words, which are the first of all: most pairs of words are of these.
    stems : int32[w], equal for words of one stem.
    codes : int8[w, d], the words' vectors, quantised so that the largest number of each is 127. Whole numbers add up to the
        same in any order, and a quarter of the memory is read.
    lengths : float64[w], the Euclidean norms of the rows of `codes`.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    alike: NDArray[np.float64]
    stems: NDArray[np.int32]
    codes: NDArray[np.int8]
    lengths: NDArray[np.float64]

    @classmethod
    def of(cls, names: Sequence[str], language: str, encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> Words:
        """`encode` gives the unit vectors of words, float32[w, d]."""
        rows = [dict.fromkeys(name.split()) for name in names]
        tokens = [*chain.from_iterable(rows)]
        words, ids = numbered([*(word for word, _ in Counter(tokens).most_common()), *tokens])
        vectors = np.asarray(encode(words), np.float32)
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
        codes = np.rint(vectors / np.where(largest > 0, largest, 1) * _MAX_CODE).astype(np.int8)
        lengths = np.sqrt(np.square(codes, dtype=np.int64).sum(axis=1))
        lengths, of_words = np.where(lengths > 0, lengths, 1.0), numbered(stems(words, language))[1]
        common, stem, length = codes[:_COMMON].astype(np.float64), of_words[:_COMMON], lengths[:_COMMON]
        near = np.minimum(common @ common.T / np.outer(length, length), 1.0)  # the sums are of whole numbers, so exact
        alike, offsets = np.where(np.equal.outer(stem, stem), 1.0, near), offsets_of([len(row) for row in rows])
        return cls(offsets, ids[len(words) :], alike, of_words, codes, lengths)
