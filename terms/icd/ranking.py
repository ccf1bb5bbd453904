"""Which of the nearest names is meant: the cosine, less what a name says that the diagnosis does not.

ICD-10 has a code for a disease as such and others for the same disease in pregnancy, in the newborn, after an injury, as a family's
history. The encoder cannot tell which is meant; the words can. A name's *score* is

    cosine
    - for each kind of thing in `SAYINGS` that the name (or the chapter of its code) says and the diagnosis does not: its cost
    - `MISSING` x the weight of the diagnosis' words that the name lacks (a rare word weighs 1, one in each name 0)
    - the cost of a name from outside ICD-10 (`MoreNames.costs`)
    + `AGREEMENT` x ln(the share of the code's category among all names of the shortlist, each e^(score / `WIDTH`))

which is at most 1 and may be below 0. A diagnosis whose best name scores under `FLOOR` + `UNKNOWN` x the share of its letters in words
that no name has is *unmapped*: chosen by what real names and nonsense score (random letters, words of other languages, English words).

The costs come from a logistic regression on names of the graph of diseases with ICD-10-CM codes, each looked up without the other
names of its disease, in folds by disease. They are rounded by hand, mostly below the regression's, because
Orphadata's names lose by more; what no diagnosis means by itself (pregnancy, newborns, poisoning, chapters XX and XXI) costs something
whatever the regression says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..text.vocabulary import rows_in
from .cache import text_array, texts_of
from .search import Rescore
from .tree import IcdTree

VERSION = 1
"""Raised with any change of `SAYINGS` or of a word's weight: part of the key of the cache."""

MISSING = 0.05
AGREEMENT = 0.05
WIDTH = 0.08
FLOOR, UNKNOWN = 0.22, 0.20
"""Chosen for the scores of the shipped static encoder; see `IcdIndex`."""


class Saying(NamedTuple):
    """A kind of thing that a name may say.

    words : stems (Porter 2) of the words that say it. cost : taken off where a name says it and the diagnosis does not.
    categories : the codes that mean it whatever their names say: a pattern for the three characters.
    """

    words: str
    cost: float
    categories: str = "$"


SAYINGS = {
    row["kind"]: Saying(row["words"], float(row["cost"]), row["categories"] or "$") for row in rows_in("sayings", "en")
}

_SAYS_NOTHING = "type of the in to a an and or not by for on at as disord diseas syndrom unspecifi site other specifi"
_WEIGHTLESS = frozenset(_SAYS_NOTHING.split())


class MoreNames(NamedTuple):
    """Names of codes from elsewhere than ICD-10 itself.

    Attributes
    ----------
    names : normalised.
    codes : as ICD-10-CM writes them; a name whose code the tree lacks is left out.
    costs : float32[n], taken off the score of each name: how far its source is trusted less than ICD-10's own; infinite for a
        name that is known where a text equals it and takes no part in the search.
    """

    names: Sequence[str] = ()
    codes: Sequence[str] = ()
    costs: NDArray[np.float32] = np.empty(0, np.float32)

    @property
    def identity(self) -> str:
        """What distinguishes one such list from another: part of the key of the cache."""
        texts = "\n".join([*self.names, *self.codes, ""])
        return hashlib.sha256(self.costs.tobytes() + texts.encode()).hexdigest()[:16]


NO_MORE_NAMES = MoreNames()


class Said(NamedTuple):
    """What n texts say.

    Attributes
    ----------
    offsets, ids : int64[n + 1] and int32: the words, as rows of rising numbers.
    bits : int32[n], the kinds in `SAYINGS`.
    unknown : float32[n], the share of the letters that stand in words which no name of the index has; 1 where no word has
        two letters.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    bits: NDArray[np.int32]
    unknown: NDArray[np.float32]


@cache
def _bits_of_stems() -> dict[str, int]:
    out: dict[str, int] = {}
    for bit, saying in enumerate(SAYINGS.values()):
        for stem in saying.words.split():
            out[stem] = out.get(stem, 0) | 1 << bit
    return out


@cache
def costs_of_bits() -> NDArray[np.float32]:
    """float32[2 ** kinds]: what each set of kinds costs in all."""
    out = np.zeros(1, np.float32)
    for saying in SAYINGS.values():
        out = np.concatenate([out, out + np.float32(saying.cost)])
    return out


@dataclass(frozen=True)
class Wording:
    """The words of an index' names.

    Attributes
    ----------
    words : the stems that some name has, sorted.
    weights : float32[w], of each in a diagnosis: ln(n / names that have it) / ln(n), 0 for numbers and for what says nothing.
    entries : what the n names say; their bits hold those of their codes' chapters, too.
    """

    words: Sequence[str]
    weights: NDArray[np.float32]
    entries: Said

    @classmethod
    def of(cls, names: Sequence[str], nodes: NDArray[np.int32], tree: IcdTree) -> Wording:
        words = sorted(set(_stem_of([name.split() for name in names]).values()))
        said = _said(names, {word: i for i, word in enumerate(words)})
        n = max(len(names), 2)
        counts = np.bincount(said.ids, minlength=len(words))
        weights = (np.log(n / np.maximum(counts, 1)) / np.log(n)).astype(np.float32)
        weights[[word in _WEIGHTLESS or len(word) < 2 or any(map(str.isdigit, word)) for word in words]] = 0
        categories = tree.categories[nodes].tolist()
        of_codes = bits_of_codes([tree.codes[category] if category >= 0 else "" for category in categories])
        return cls(words, weights, said._replace(bits=said.bits | of_codes))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def said(self, texts: Sequence[str]) -> Said:
        """What normalised texts say; words that no name has are left out."""
        return _said(texts, self._numbers)

    def with_names(self, names: Sequence[str], categories: Sequence[str]) -> Wording:
        """The same of more names. categories : the code by which what a name's chapter says is told, "" for none."""
        old, new = self.entries, self.said(names)
        offsets = np.append(old.offsets, new.offsets[1:] + old.offsets[-1])
        bits = np.append(old.bits, new.bits | bits_of_codes(categories))
        return replace(
            self, entries=Said(offsets, np.append(old.ids, new.ids), bits, np.append(old.unknown, new.unknown))
        )

    def rescored(self, texts: Said, costs: NDArray[np.float32], categories: NDArray[np.int32]) -> Rescore:
        """Makes cosines of shortlists the scores of texts that say `texts`, as `Search` calls it.

        costs, categories : float32[n] and int32[n], of each name's source and code.
        """
        from .kernels import reworded

        fixed = self.entries, texts, self.weights, costs_of_bits(), costs, categories
        settings = np.array([MISSING, AGREEMENT, WIDTH])
        return lambda rows, shortlists, near: reworded(rows, shortlists, near, *fixed, settings)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """For the cache; `from_arrays` reads them."""
        held = {"words": text_array(self.words), "weights": self.weights}
        return held | {f"said_{name}": array for name, array in self.entries._asdict().items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Wording:
        said = Said(*(arrays[f"said_{name}"] for name in Said._fields))
        return cls(texts_of(arrays["words"]), arrays["weights"], said)


def _stem_of(rows: Sequence[Sequence[str]]) -> dict[str, str]:
    import Stemmer

    words = list(dict.fromkeys(word for row in rows for word in row))
    return dict(zip(words, Stemmer.Stemmer("english").stemWords(words), strict=True))


def _said(texts: Sequence[str], number: Mapping[str, int]) -> Said:
    """What normalised texts say, with the known stems by their number."""
    rows = [text.split() for text in texts]
    stem_of, of_stem = _stem_of(rows), _bits_of_stems()
    known = {word: number[stem] for word, stem in stem_of.items() if stem in number}
    says = {word: of_stem[stem] for word, stem in stem_of.items() if stem in of_stem}
    letters = {word: 0 if word.isdigit() or len(word) < 2 else len(word) for word in stem_of}
    offsets, ids, bits, unknown = [0], [], [], []
    for row in rows:
        ids += sorted({known[word] for word in row if word in known})
        offsets.append(len(ids))
        said = in_all = in_unknown = 0
        for word in row:
            said |= says.get(word, 0)
            in_all += letters[word]
            in_unknown += 0 if word in known else letters[word]
        bits.append(said)
        unknown.append(in_unknown / in_all if in_all else 1.0)
    numbers = np.array(offsets, np.int64), np.array(ids, np.int32), np.array(bits, np.int32)
    return Said(*numbers, np.array(unknown, np.float32))


_CODE = re.compile(r"[A-Z]\d")


def bits_of_codes(codes: Sequence[str]) -> NDArray[np.int32]:
    """int32[n]: the kinds in `SAYINGS` that each code means, whatever its names say; 0 for "", and for what is no code of ICD-10."""
    patterns = [re.compile(saying.categories) for saying in SAYINGS.values()]
    bits = {
        code: sum(1 << bit for bit, pattern in enumerate(patterns) if _CODE.match(code) and pattern.match(code))
        for code in dict.fromkeys(codes)
    }
    return np.array([bits[code] for code in codes], np.int32)
