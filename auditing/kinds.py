"""What sort of pair two names make, by what can be seen in them: the criterion of a match, the likeness of a non-match.

The first kind that fits counts. The lists of words are English; in another language the kinds that need none still hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from ..features.contrast import contrasts, denials
from ..features.tokens import stems
from ..terms.text.assertion import assertion_of, excludes

_SAME_SPELLING = 0.8


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_JOINS = _set("of with due to and in by from on or for at as after the an")
_GENERAL = _JOINS | _set(
    "disease diseases disorder disorders syndrome condition acute chronic subacute primary secondary severe mild moderate "
    "recurrent type stage grade class congenital idiopathic infectious general other non not without"
)
_STAGE = _JOINS | _set(
    "stage grade class phase level early late advanced end terminal metastatic localized disseminated recurrent relapsing relapse "
    "remission mild moderate severe initial progressive active inactive uncomplicated complicated"
)
_LABORATORY = _set(
    "elevated increased high low decreased reduced diminished raised level levels count titer positive antibody antibodies antigen "
    "culture test enzyme enzymes serum"
)
_MECHANISM = _set(
    "cancer tumor neoplasm malignancy infarction infarct infection fracture abscess embolism hemorrhage bleeding ischemia failure "
    "insufficiency deficiency obstruction rupture perforation ulcer cyst hernia edema effusion stone stones calculus injury "
    "trauma toxicity poisoning dislocation aneurysm dissection pneumonia sepsis allergy atrophy"
)
_MECHANISM_ENDING = re.compile(
    r"\w{2,}(itis|oma|osis|iasis|emia|uria|pathy|algia|plegia|ectasis|rrhea|rrhage|cele|megaly|penia|lysis|trophy|plasia)s?"
)
_NUMBER = re.compile(r"\d+[a-c]?")
_DESIGNATOR = re.compile(r"\d+[a-c]?|[a-z]\d*")
_SIDES = _set("left right bilateral unilateral")


@dataclass(frozen=True)
class Names:
    """Cuts two normalised names into words.

    shared : words of either side whose stem stands in both, without those that only join. only_a, only_b : the other words.
    opposed : words of a and of b that exclude each other. denied : those of them of which one denies the other.
    asserted : what is said of the two excludes that they match: one is negated, past, the family's or no disease of the patient.
    """

    a: str
    b: str
    shared: frozenset[str]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    opposed: tuple[tuple[str, str], ...]
    denied: tuple[tuple[str, str], ...]
    asserted: bool

    @classmethod
    def of(cls, a: str, b: str, language: str = "en") -> Names:
        """Compares the words of two names."""
        stem_of = {word: stems([word], language)[0] for word in {*a.split(), *b.split()}}
        in_a, in_b = ({stem_of[word] for word in side.split()} for side in (a, b))
        only_a, only_b = (
            tuple(word for word in side.split() if stem_of[word] not in other and word not in _JOINS)
            for side, other in ((a, in_b), (b, in_a))
        )
        shared = frozenset(word for word, stem in stem_of.items() if stem in in_a and stem in in_b)
        first, second = (assertion_of(side, language) for side in (a, b))
        opposed, denied = (tuple(found(first.core, second.core, language)) for found in (contrasts, denials))
        return cls(a, b, shared - _JOINS, only_a, only_b, opposed, denied, excludes(first, second))

    @property
    def apart(self) -> tuple[str, ...]:
        """Gives the words of one side alone."""
        return self.only_a + self.only_b


class Kind(NamedTuple):
    """says : what pairs are of it. holds : whether a pair is, where none before it fits."""

    name: str
    says: str
    holds: Callable[[Names], bool]


def _contained(names: Names) -> bool:
    return bool(names.shared) and not (names.only_a and names.only_b)


def _spelt_alike(names: Names) -> bool:
    one, other = sorted(("".join(names.only_a), "".join(names.only_b)))  # difflib's ratio depends on the order
    if min(len(one), len(other)) < 4 or any(map(str.isdigit, one + other)):
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_SPELLING


def _abbreviated(names: Names) -> bool:
    """Whether a word of one is the initials of neighbouring words of the other, with or without those that only join."""
    for words, other in ((names.only_a, names.b.split()), (names.only_b, names.a.split())):
        initials = ["".join(word[0] for word in kept) for kept in (other, [one for one in other if one not in _JOINS])]
        if any(2 <= len(word) <= 6 and any(word in letters for letters in initials) for word in words):
            return True
    return False


def _opposed(names: Names) -> bool:
    """Words that exclude each other, in names that otherwise have something in common."""
    return bool(names.opposed) and bool(names.shared or _spelt_alike(names))


def _other_number(names: Names) -> bool:
    """`type 1` against `type 2`, `hepatitis b` against `hepatitis c`, `stage 3` against `stage 5`."""
    stages = names.only_a and names.only_b and all(map(_NUMBER.fullmatch, names.apart))
    numbers = (one.split()[-1:] + other.split()[-1:] for one, other in names.opposed)
    return bool(stages) or (_opposed(names) and any(all(map(_DESIGNATOR.fullmatch, words)) for words in numbers))


_OF_BOTH = (
    Kind("identical", "the two are equal after normalisation", lambda names: names.a == names.b),
    Kind("other assertion", "one is negated, past, the family's or no disease of the patient, and the other is not", lambda names: names.asserted),
)  # fmt: skip

MATCHES = (
    *_OF_BOTH,
    Kind("spelling", "the words that differ are spelt alike", _spelt_alike),
    Kind("abbreviation", "a word of one is the initials of words of the other", _abbreviated),
    Kind("stage", "they differ in words of stage, grade or severity alone", lambda names: bool(names.apart) and all(word in _STAGE or _NUMBER.fullmatch(word) for word in names.apart)),
    Kind("laboratory sign", "one tells of a level, a count or a test, the other does not", lambda names: _LABORATORY.isdisjoint(names.only_a) != _LABORATORY.isdisjoint(names.only_b)),
    Kind("specification", "the words of one are all in the other", _contained),
    Kind("synonym with a shared word", "other words, and at least one in common", lambda names: bool(names.shared)),
    Kind("synonym without a shared word", "no word in common", lambda names: True),
)  # fmt: skip
"""Kinds of matches: which criterion M would have had to see."""

NON_MATCHES = (
    *_OF_BOTH,
    Kind("denied word", "one denies a word of the other: small cell, non-small cell", lambda names: bool(names.denied)),
    Kind("other number", "another type, stage, number or letter", _other_number),
    Kind("other side", "left or right", lambda names: _opposed(names) and any(not _SIDES.isdisjoint(text.split()) for pair in names.opposed for text in pair)),
    Kind("opposed words", "a word of one excludes a word of the other: acute, chronic", _opposed),
    Kind("one contains the other", "the words of one are all in the other", _contained),
    Kind("spelt alike", "the words that differ are spelt alike", _spelt_alike),
    Kind("same mechanism, other site or cause", "what is wrong is shared, where or why is not", lambda names: any(word in _MECHANISM or _MECHANISM_ENDING.fullmatch(word) for word in names.shared)),
    Kind("same site, other mechanism", "a telling word is shared, but not what is wrong", lambda names: not names.shared <= _GENERAL),
    Kind("only a general word shared", "disease, syndrome, acute, chronic and the like", lambda names: bool(names.shared)),
    Kind("no word shared", "no word in common", lambda names: True),
)  # fmt: skip
"""Kinds of non-matches: what could mislead M."""


def kind_of(a: str, b: str, label: int, language: str = "en") -> str:
    """Names the first kind that fits two normalised names, among those of matches (`label` 1) or non-matches (0)."""
    names = Names.of(a, b, language)
    return next(kind.name for kind in (MATCHES if label == 1 else NON_MATCHES) if kind.holds(names))
