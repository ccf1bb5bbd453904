"""Denials: what a name says is not so, by "non" or "not" before a word or phrase, or by the word itself ("unstable", "aseptic").

Such a word denies one other: "unstable" the word "stable", "non small cell" the phrase "small cell" and neither of its words.
A table holds the words that deny by their own beginning, for most words that begin with "in", "un" or "a" do not, and the
forms of one word ("seminomatous", "seminoma"); each word that it does not list stands for itself.
"""

from __future__ import annotations

import csv
from collections.abc import Hashable, Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


DENIES_ONE = frozenset(("non", "not"))
"""These deny the word or the phrase that follows."""
DENIED_BY = "negated"
"""The first part of the axis of a denial: `("negated", "stable")`."""
_HEADS = _set(
    "associated cell cells dependent elevation induced invasive linked mediated related requiring responsive specific wave"
)
"""With the word before them they are one thing, which is denied as a whole."""
_AGAINST_NOTHING = _set("applicable classified elsewhere further including normally otherwise specific specified")
"""No disease is the "specific" one that a "nonspecific" one is not."""
WEAKENS = _set("poorly partially partly inadequately incompletely suboptimally")
"""What is "poorly controlled" is neither controlled nor the contrary of uncontrolled."""


class Attribute(NamedTuple):
    """A value on an axis, and the words that say so."""

    axis: Hashable
    value: Hashable
    words: str


@lru_cache
def _table(language: str) -> dict[str, tuple[str, bool]]:
    file = resources.files(__package__ or "") / f"denials_{language}.csv"
    if not file.is_file():
        return {}
    rows = csv.DictReader(file.read_text("utf-8").splitlines())
    return {row["form"]: (row["word"], row["denies"] == "yes") for row in rows}


@lru_cache(maxsize=1 << 17)
def said(phrase: str, language: str) -> Attribute:
    """What a word or phrase says by itself: that a thing is so (False on the axis of its denial) or, "unstable", is not."""
    word, denies = _table(language).get(phrase, (phrase, False))
    return Attribute((DENIED_BY, word), denies, phrase)


def phrase_at(words: Sequence[str], here: int) -> tuple[str, int]:
    """What a "non" in front of `here` denies, and over how many words: ("small cell", 2), ("hodgkin", 1)."""
    after = here + 1
    if after < len(words) and words[after] == "segment" and "elevation" in words[after + 1 : after + 2]:
        after += 1  # "st segment elevation" is "st elevation"
    if after < len(words) and words[after] in _HEADS:
        return f"{words[here]} {words[after]}", after - here + 1
    return words[here], 1


def affirmed(words: Sequence[str], here: int, language: str) -> list[Attribute]:
    """What the word at `here`, and the phrase that it begins, say is so."""
    phrase, length = phrase_at(words, here)
    own = said(words[here], language)
    return [own] if length == 1 else [own, said(phrase, language)]


def denied(by: str, words: Sequence[str], here: int, language: str) -> tuple[list[Attribute], int]:
    """What `by` denies of the words from `here` on, and how many of them it takes."""
    phrase, length = phrase_at(words, here)
    if phrase in _AGAINST_NOTHING:
        return [], length
    own = said(phrase, language)
    return [Attribute(own.axis, not own.value, f"{by} {' '.join(words[here : here + length])}")], length


def is_denial(axis: Hashable) -> bool:
    """Whether a conflict on this axis is a denial: one name affirms what the other denies."""
    return isinstance(axis, tuple) and axis[0] == DENIED_BY
