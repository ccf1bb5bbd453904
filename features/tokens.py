"""What a name consists of: words, word pairs, stems, lemmas, part-of-speech tags; and how much of it two names share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import Stemmer
from numpy.typing import NDArray

from ..errors import MissingExtra

if TYPE_CHECKING:
    from pymorphy3 import MorphAnalyzer

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
        return _TAGGERS[language](words)
    except ImportError as error:
        raise MissingExtra("The view 'tags'", "pos") from error


def _english_tags(words: Sequence[str]) -> list[str]:
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    return [str(tagger.tag(word, tokenize=False)[0][1]) for word in words]


@cache
def _russian_tagger(kind: type[MorphAnalyzer]) -> MorphAnalyzer:
    """One for all: it reads its dictionaries, a tenth of a second."""
    return kind(lang="ru")


def _russian_tags(words: Sequence[str]) -> list[str]:
    from pymorphy3 import MorphAnalyzer

    tagger = _russian_tagger(MorphAnalyzer)

    def tag(word: str) -> str:
        try:
            found = tagger.parse(word)[0].tag
        except ValueError:  # it asks Unicode for the name of each letter, and some have none
            return "UNKN"
        return str(found.POS or sorted(found.grammemes)[0])

    return [tag(word) for word in words]


_TAGGERS: Mapping[str, Callable[[Sequence[str]], list[str]]] = {"en": _english_tags, "ru": _russian_tags}
"""By language."""

_OF_WORDS: Mapping[str, Callable[[Sequence[str], str], list[str]]] = {
    "unigram": lambda words, language: list(words),
    "stem": stems,
    "lemma": lemmas,
    "tags": tags,
}
VIEWS = ("unigram", "bigram", "stem", "lemma", "tags")
"""The five ways to make a set of a name: its words, its pairs of neighbouring words, and of each word the stem, the lemma or the
part of speech."""


@dataclass(frozen=True)
class TokenizedNames:
    """u names as rows of w different words.

    Attributes
    ----------
    offsets : int64[u + 1]; the words of name i, in their order, are `ids[offsets[i] : offsets[i + 1]]` (int32).
    words : the w words.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    words: list[str]

    @classmethod
    def of(cls, names: Sequence[str]) -> TokenizedNames:
        rows = [name.split() for name in names]
        words, ids = numbered([word for row in rows for word in row])
        return cls(offsets_of([len(row) for row in rows]), ids, words)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """int64[words in all]: the name of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


def numbered(values: Sequence[T]) -> tuple[list[T], NDArray[np.int32]]:
    """The different values in order of first appearance, and int32[n], where each of `values` is among them."""
    index: dict[T, int] = {}
    places = np.fromiter((index.setdefault(value, len(index)) for value in values), np.int32, len(values))
    return list(index), places


def offsets_of(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[u + 1]: where each of u rows begins among all, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


@dataclass(frozen=True)
class TokenSets:
    """u names under one view.

    Attributes
    ----------
    offsets : int64[u + 1]; the set of name i is `ids[offsets[i] : offsets[i + 1]]` (int32), sorted.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]

    @classmethod
    def of(cls, names: TokenizedNames, kind: str, language: str) -> TokenSets:
        """The sets of the names under the view `kind`."""
        rows, ids = names.rows, names.ids.astype(np.int64)
        if kind == "bigram":
            together = np.flatnonzero(rows[1:] == rows[:-1])
            pairs = ids[together] * max(len(names.words), 1) + ids[together + 1]
            rows, ids = rows[together], np.unique(pairs, return_inverse=True)[1]
        else:
            ids = numbered(_OF_WORDS[kind](names.words, language))[1][ids]
        most = int(ids.max(initial=0)) + 1
        rows, ids = np.divmod(np.unique(rows * most + ids), most)
        return cls(offsets_of(np.bincount(rows, minlength=len(names))), ids.astype(np.int32))


def overlap_ratio(
    sets: TokenSets, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """|A & B| / min(|A|, |B|) of m pairs of sets.

    Parameters
    ----------
    first, second : int32[m], indices of names.
    out : float32[m], filled with values in [0, 1]; NaN where either set is empty.
    """
    from . import kernels

    kernels.overlap(sets.offsets, sets.ids, first, second, out)
