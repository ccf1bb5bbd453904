"""The features of one pair, from parts of its two names that are kept: a name that comes again costs next to nothing.

The values are those of `compute.feature_table`, to the last bit. Tables are made for many names and pay for each array that
they make; here, parts are sets, numbers and a few vectors, compared in plain Python.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .alignment import SIDES
from .contrast import MOST, claims, has_contrasts
from .cosine import cosine_of_two
from .feature_set import FeatureSet
from .kept import Kept
from .levenshtein import edits
from .one_pair_words import Word, WordLevels, alignment_of_two
from .passes import Pass, passes
from .providers import Providers
from .tokens import view

NAMES_KEPT = 8192
"""Diagnoses whose parts are kept, of about 8 kB each; in a longer list the oldest give way."""


class Aspect(NamedTuple):
    """A kind of part of names. key : equal for equal parts. make : (names, their encodings) the part of each."""

    key: Hashable
    make: Callable[[Sequence[str], _Encodings], Sequence[Any]]


class _Compared(NamedTuple):
    """place : of the aspect, among the parts of a name. compare : two parts -> the value, or one a column where there are several."""

    place: int
    compare: Callable[[Any, Any], Any]
    columns: Mapping[Any, int]


class OnePair:
    """Two raw diagnoses -> their row of the feature table. Safe to share between threads.

    Made by `of`, with providers that stay; nothing is opened before the first pair needs it.
    """

    def __init__(self, features: FeatureSet, providers: Providers) -> None:
        self._providers = providers
        self._known: Kept[str, tuple[str, tuple[Any, ...]]] = Kept(NAMES_KEPT)
        self._encodings = _Encodings(features, providers)
        self._width = len(features.features)
        aspects: dict[Hashable, Aspect] = {}
        compared = []
        for one in passes(features):
            aspect, compare = _ASPECTS[one.kind.name](one, providers)
            aspects.setdefault(aspect.key, aspect)
            compared.append((aspect.key, compare, one.columns))
        places = list(aspects)
        self._aspects = list(aspects.values())
        self._compared = [_Compared(places.index(key), compare, columns) for key, compare, columns in compared]

    @classmethod
    def of(cls, features: FeatureSet, providers: Providers) -> OnePair | None:
        """None where a feature rests on more than the two names: a vote or a pick."""
        return cls(features, providers) if all(f.kind in _ASPECTS for f in features.features) else None

    def __call__(self, a: str, b: str) -> NDArray[np.float32] | None:
        """float32[1, f]; None where both are one name. Errors: as `Naming` and the encoders."""
        found = [self._known.get(text) for text in (a, b)]
        if None in found:
            found = self._made((a, b), found)
        (name, parts), (other_name, other_parts) = found  # pyright: ignore[reportGeneralTypeIssues]
        if name == other_name:
            return None
        row = np.empty((1, self._width), np.float32, order="F")
        for place, compare, columns in self._compared:
            value = compare(parts[place], other_parts[place])
            for key, column in columns.items():
                row[0, column] = value if key is None else value[key]
        return row

    def _made(self, texts: Sequence[str], found: list[Any]) -> list[Any]:
        names = self._providers.naming(texts)
        fresh = list(dict.fromkeys(name for name, known in zip(names, found, strict=True) if known is None))
        self._encodings.make(fresh)
        parts = zip(*[aspect.make(fresh, self._encodings) for aspect in self._aspects], strict=True)
        made = dict(zip(fresh, parts, strict=True))
        for i, (text, name) in enumerate(zip(texts, names, strict=True)):
            if found[i] is None:
                found[i] = name, made[name]
                self._known.put(text, found[i])
        return found


class _Encodings:
    """The vectors of names and words, by encoder: made in one call for all that is new, since each call has its price."""

    def __init__(self, features: FeatureSet, providers: Providers) -> None:
        self._providers = providers
        self._names = {
            str(f.options["encoder"]) for f in features.features if "encoder" in f.options and f.kind != "alignment"
        }
        self._words = {
            str(f.options["encoder"]): WordLevels(providers.normalizer.language)
            for f in features.features
            if f.kind == "alignment"
        }
        self._here = threading.local()

    def make(self, names: Sequence[str]) -> None:
        """Encodes what the parts of `names` need in this thread."""
        self._here.vectors = vectors = {}
        self._here.words = {}
        for encoder in {*self._names, *self._words}:
            of_names = names if encoder in self._names else []
            levels = self._words.get(encoder)
            words = [] if levels is None else list(dict.fromkeys(word for name in names for word in name.split()))
            known = {} if levels is None else levels.known(words)
            new = [word for word in words if word not in known]
            rows = self._providers.encoder(encoder).encode([*of_names, *new])
            vectors[encoder] = rows[: len(of_names)]
            if levels is not None:
                self._here.words[encoder] = {**known, **levels.of(new, rows[len(of_names) :])}

    def names(self, encoder: str) -> NDArray[np.float32]:
        """float32[n, d] of the names."""
        return self._here.vectors[encoder]

    def words(self, encoder: str) -> Mapping[str, Word]:
        return self._here.words[encoder]


def _levenshtein(one: Pass, providers: Providers) -> tuple[Aspect, Callable[[str, str], float]]:
    def compare(a: str, b: str) -> float:
        shorter, longer = (a, b) if len(a) < len(b) else (b, a)
        return edits(longer, shorter) / len(longer)

    return Aspect("name", lambda names, _: names), compare


def _ratio(one: Pass, providers: Providers) -> tuple[Aspect, Callable[[set[Any], set[Any]], float]]:
    language, kind = providers.normalizer.language, one.options["view"]
    # Words stand for tagged words, as in `TokenSets`.
    seen = "unigram" if kind == "pos" and language == "en" else kind

    def compare(a: set[Any], b: set[Any]) -> float:
        return len(a & b) / min(len(a), len(b)) if a and b else math.nan

    return Aspect(("view", seen), lambda names, _: [view(name, seen, language) for name in names]), compare


def _contrast(one: Pass, providers: Providers) -> tuple[Aspect, Callable[[Any, Any], float]]:
    language = providers.normalizer.language

    def make(names: Sequence[str], _: _Encodings) -> list[Any]:
        if not has_contrasts(language):
            return [None] * len(names)
        made = [{claim[:2] for claim in claims(name, language)} for name in names]
        return [({axis for axis, _ in said}, said) for said in made]

    def compare(a: Any, b: Any) -> float:
        if a is None:
            return math.nan
        agreed = {axis for axis, _ in a[1] & b[1]}
        return min(len(a[0] & b[0]) - len(agreed), MOST)

    return Aspect("claims", make), compare


def _cosine(one: Pass, providers: Providers) -> tuple[Aspect, Callable[[Any, Any], float]]:
    encoder = one.options["encoder"]
    return Aspect(("vector", encoder), lambda _, encodings: list(encodings.names(encoder))), cosine_of_two


def _alignment(one: Pass, providers: Providers) -> tuple[Aspect, Callable[[Any, Any], Mapping[str, float]]]:
    encoder = one.options["encoder"]

    def make(names: Sequence[str], encodings: _Encodings) -> list[list[Word]]:
        known = encodings.words(encoder)
        return [[known[word] for word in dict.fromkeys(name.split())] for name in names]

    def compare(a: Sequence[Word], b: Sequence[Word]) -> Mapping[str, float]:
        return dict(zip(SIDES, alignment_of_two(a, b), strict=True))

    return Aspect(("words", encoder), make), compare


def _icd(one: Pass, providers: Providers) -> tuple[Aspect, Callable[[Any, Any], float]]:
    from ..terms.icd import one_name

    source, encoder = one.options["source"], one.options["encoder"]

    def make(names: Sequence[str], encodings: _Encodings) -> list[one_name.Place]:
        return one_name.places(providers.icd_index(source, encoder), names, encodings.names(encoder))

    return Aspect(("icd", source, encoder), make), one_name.COMPARED[one.kind.name]


_ASPECTS: Mapping[str, Callable[[Pass, Providers], tuple[Aspect, Callable[[Any, Any], Any]]]] = {
    "levenshtein": _levenshtein,
    "ratio": _ratio,
    "contrast": _contrast,
    "cosine": _cosine,
    "alignment": _alignment,
    "icd_nearest": _icd,
    "icd_kinship": _icd,
    "icd_overlap": _icd,
}
