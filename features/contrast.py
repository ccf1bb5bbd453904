"""Contrasts: conflicting attributes of two names, "acute" against "chronic", "type 1" against "type 2".

A name has attributes. An attribute is a value on an axis: "chronic" on the axis "course". A table holds the axes whose values
exclude each other, as words, phrases, beginnings ("hyper-") and endings ("-penia"); for a beginning or an ending the axis
holds for one remainder ("-kalemia") alone. Three more kinds of axis need no table: a number or a letter behind a word
("type 1", "hepatitis b"), and what follows it ("type 2a"), each for itself; a word or phrase that is denied ("non", "un-")
against itself; and all that follows "without" or "no", up to "with".
What the name as a whole asserts ("no evidence of", "history of") is no attribute: those of its core are compared.
Two names conflict on an axis on which both have attributes and share none, so "acute on chronic" and "chronic" do not.
Numbers that say how far one disease has come ("stage 3") are no conflict.

A denial is by "non" or "not" before a word or phrase, or by the word itself ("unstable", "aseptic"). Such a word denies one other: "unstable" the
word "stable", "non small cell" the phrase "small cell" and neither of its words. A table holds the words that deny by their own beginning, for most
words that begin with "in", "un" or "a" do not, and the forms of one word ("seminomatous", "seminoma"); each word that it does not list stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..terms.text.vocabulary import rows_in, words_in
from .tokens import Sets, numbered

MAX_CONFLICTS = 3
"""More conflicts than this count as this many."""

_DESIGNATOR = re.compile(r"(\d+)([a-z]?)|([a-z])(\d*)")
_DESIGNATED = re.compile(r"[^\W\d]{3,}")
_NUMERALS = {"i": "1", "v": "5"}
_LEVEL = re.compile(r"[bcglst]\d{1,2}[a-c]?")
"""Of the spine (L4, S1), a vitamin (B12), a complement (C3), a tumour's size (T1), a filtration rate (G3a)."""
_SIDES = {"l": "left", "r": "right"}
"""But of a type, group, … that has a letter: "L hip fracture", "renal stone (R)"."""
_NOT_DESIGNATED = words_in("stage stages class nyha killip figo gold and due for from the with")
_NOT_ALONE = words_in("cell cells linked ray wave")
"""After these a letter belongs to what follows: "B cell", "X-linked"."""
_STEERS = words_in("with without no")
_SAYS_NOTHING = words_in("of or and to in by due the")
_OF_THE_WHOLE = words_in("type syndrome")
"""These end the name of a disease, and what it is "without" stands before them."""
_MIN_REMAINDER = 4
_LONGEST = 3
"""Words of a phrase of the table."""
_DENIES_ONE = words_in("non not")
"""These deny the word or the phrase that follows."""
_NUMBERED = _NUMBER, _LETTER = "number of", "letter of"
_NEGATED = "negated"
"""The first part of the axis of a denial: `("negated", "stable")`."""
_HEADS = words_in(
    "associated cell cells dependent elevation induced invasive linked mediated related requiring responsive specific wave"
)
"""With the word before them they are one thing, which is denied as a whole."""
_AGAINST_NOTHING = words_in("applicable classified elsewhere further including normally otherwise specific specified")
"""No disease is the "specific" one that a "nonspecific" one is not."""
_WEAKENS = words_in("poorly partially partly inadequately incompletely suboptimally")
"""What is "poorly controlled" is neither controlled nor the contrary of uncontrolled."""


class Attribute(NamedTuple):
    """A value on an axis, and the words that say so."""

    axis: Hashable
    value: Hashable
    words: str


@lru_cache
def _table(language: str) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Axes and values of each form: a word, a phrase, a beginning ("hyper-") or an ending ("-penia"). Empty for a language without a table."""
    forms: dict[str, list[tuple[str, str]]] = {}
    for row in rows_in("contrasts", language):
        forms.setdefault(row["form"], []).append((row["axis"], row["value"]))
    return forms


@lru_cache
def _denials(language: str) -> Mapping[str, tuple[str, bool]]:
    """Of a form the word that it says, and whether it denies it."""
    return {row["form"]: (row["word"], row["denies"] == "yes") for row in rows_in("denials", language)}


@lru_cache(maxsize=1 << 17)
def _affixed(word: str, language: str) -> tuple[Attribute, ...]:
    """What a word says by its beginnings and by its longest ending."""
    table, cuts = _table(language), range(_MIN_REMAINDER, len(word))
    beginnings = [((axis, word[-n:]), value) for n in cuts for axis, value in table.get(f"{word[:-n]}-", ())]
    endings = (((axis, word[:n]), value) for n in cuts for axis, value in table.get(f"-{word[n:]}", ()))
    return tuple(Attribute(axis, value, word) for axis, value in (*beginnings, *islice(endings, 1)))


def attributes(name: str, language: str = "en") -> list[Attribute]:
    """The attributes of a normalised name's core; that a word is not denied is one, too."""
    table, words = _table(language), name.split()
    made: list[Attribute] = []
    here, negated_by, before = 0, "", ""
    while here < len(words):
        word, more = words[here], 0
        if word in _STEERS:
            either = before == "or" or (before == "with" and word == "without")  # "with or without", "with/without"
            negated_by = "" if word == "with" or either else word
        elif word in _SAYS_NOTHING:
            pass
        elif negated_by and (word in _OF_THE_WHOLE or _DESIGNATOR.fullmatch(word)):
            pass  # "muscular dystrophy without intellectual disability type b4"
        elif negated_by or before in _DENIES_ONE:
            denials, length = _denied(negated_by or before, words, here, language)
            made += denials
            more = length - 1
        elif word not in _DENIES_ONE:
            if word == "negative":  # "rheumatoid factor negative" does not say that a rheumatoid factor is there
                marker = words[max(here - 2, 0) : here]
                made = [one for one in made if not (_is_denial(one.axis) and one.words in marker)]
            if before not in _WEAKENS:
                made += _affirmed(words, here, language)
            phrase = _phrase(words, here, table)
            if phrase in table:
                made += [Attribute(axis, value, phrase) for axis, value in table[phrase]]
            else:
                made += _affixed(word, language)
                if _NOT_ALONE.isdisjoint(words[here + 1 : here + 2]):
                    for named in (before, *(words[here - 2 : here - 1] if before == "type" else ())):
                        made += _designated(named, word)
                if word in _SIDES and before not in ("type", "group", "class", "factor", "hepatitis"):
                    made.append(Attribute("side", _SIDES[word], word))
            more = phrase.count(" ")
            for after in range(here + 1, here + 1 + more):
                made += _affirmed(words, after, language)
        before = words[here + more]
        here += 1 + more
    return made


_attributes = lru_cache(maxsize=1 << 12)(attributes)
"""For names that are compared with several others in turn; those of a long list are each asked for once."""


def _phrase(words: Sequence[str], here: int, table: Collection[str]) -> str:
    """The longest phrase of the table that begins at `here`, or the word alone."""
    longer = (" ".join(words[here : here + length]) for length in range(_LONGEST, 1, -1))
    return next((phrase for phrase in longer if phrase in table), words[here])


def _designated(before: str, word: str) -> tuple[Attribute, ...]:
    """What `word` says of the word before it, or by itself: "type 2a" is a type 2, and of these the type a; "L4" is a level, "L4 L5" two in a row."""
    found = _DESIGNATOR.fullmatch(word)
    if found is None or before in _NOT_DESIGNATED or not _DESIGNATED.fullmatch(before):
        levels = (word, f"{before} {word}") if _LEVEL.fullmatch(before) else (word,)
        return tuple(Attribute(("level", at), each, each) for at, each in enumerate(levels) if _LEVEL.fullmatch(word))
    words = f"{before} {word}"
    if found[1] or word in _NUMERALS:
        number, letter = found[1] or _NUMERALS[word], found[2]
        axes = [((_NUMBER, before), number), ((_LETTER, before, number), letter)]
    else:
        axes = [((_LETTER, before), found[3]), ((_NUMBER, before, found[3]), found[4])]
    return tuple(Attribute(axis, value, words) for axis, value in axes if value)


@lru_cache(maxsize=1 << 17)
def _said(phrase: str, language: str) -> Attribute:
    """What a word or phrase says by itself: that a thing is so (False on the axis of its denial) or, "unstable", is not."""
    word, denies = _denials(language).get(phrase, (phrase, False))
    return Attribute((_NEGATED, word), denies, phrase)


def _phrase_at(words: Sequence[str], here: int) -> tuple[str, int]:
    """What a "non" in front of `here` denies, and over how many words: ("small cell", 2), ("hodgkin", 1)."""
    after = here + 1
    if after < len(words) and words[after] == "segment" and "elevation" in words[after + 1 : after + 2]:
        after += 1  # "st segment elevation" is "st elevation"
    if after < len(words) and words[after] in _HEADS:
        return f"{words[here]} {words[after]}", after - here + 1
    return words[here], 1


def _affirmed(words: Sequence[str], here: int, language: str) -> list[Attribute]:
    """What the word at `here`, and the phrase that it begins, say is so."""
    phrase, length = _phrase_at(words, here)
    own = _said(words[here], language)
    return [own] if length == 1 else [own, _said(phrase, language)]


def _denied(by: str, words: Sequence[str], here: int, language: str) -> tuple[list[Attribute], int]:
    """What `by` denies of the words from `here` on, and how many of them it takes."""
    phrase, length = _phrase_at(words, here)
    if phrase in _AGAINST_NOTHING:
        return [], length
    own = _said(phrase, language)
    return [Attribute(own.axis, not own.value, f"{by} {' '.join(words[here : here + length])}")], length


def _is_denial(axis: Hashable) -> bool:
    """Whether a conflict on this axis is a denial: one name affirms what the other denies."""
    return isinstance(axis, tuple) and axis[0] == _NEGATED


def contrasts(
    a: str, b: str, language: str = "en", *, of: Literal["all", "denials", "words"] = "all"
) -> list[tuple[str, str]]:
    """The conflicting words of two normalised names, those of `a` first, in the order of `a`.

    of : "denials", only where one name affirms what the other denies; "words", without the numbers and letters of types.

    >>> contrasts("chronic hepatitis b", "acute hepatitis c")
    [('chronic', 'acute'), ('hepatitis b', 'hepatitis c')]
    >>> contrasts("acute stable angina", "chronic unstable angina", of="denials")
    [('stable', 'unstable')]
    """
    of_a: dict[Hashable, dict[Hashable, str]] = {}
    of_b: dict[Hashable, dict[Hashable, str]] = {}
    for name, of_name in ((a, of_a), (b, of_b)):
        for axis, value, words in _attributes(name, language):
            kind = axis[0] if isinstance(axis, tuple) else "words"
            if of == "all" or (kind == _NEGATED if of == "denials" else kind not in _NUMBERED):
                of_name.setdefault(axis, {}).setdefault(value, words)
    return [
        (next(iter(values.values())), next(iter(of_b[axis].values())))
        for axis, values in of_a.items()
        if axis in of_b and values.keys().isdisjoint(of_b[axis])
    ]


class Attributes(NamedTuple):
    """The attributes of u names, as numbers.

    Attributes
    ----------
    offsets, ids : as of `Sets`; those of one axis follow each other.
    axes : int32[attributes], the axis of each. denies : bool[axes], whether a conflict on it is a denial.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    axes: NDArray[np.int32]
    denies: NDArray[np.bool_]

    @classmethod
    def of(cls, names: Sequence[str], language: str) -> Attributes | None:
        """None for a language without a table."""
        if not _table(language):
            return None
        found = [attributes(name, language) for name in names]
        different, ids = numbered([(one.axis, one.value) for of_name in found for one in of_name])
        of_axes, axes = numbered([axis for axis, _ in different])
        order, rows = np.argsort(axes, kind="stable"), np.repeat(np.arange(len(names)), [len(one) for one in found])
        # No axis but one on which two values stand can tell names apart, and most words are never negated.
        kept = (np.bincount(axes, minlength=1) > 1)[axes[ids]]
        sets = Sets.of(rows[kept], np.argsort(order)[ids[kept]], len(names))
        return cls(*sets, axes[order], np.array([_is_denial(axis) for axis in of_axes], np.bool_))
