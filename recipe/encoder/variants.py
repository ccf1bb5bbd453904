"""Names made from names: with a word that says the same ("kidney" for "renal"), misspelt, or of another disease.

The table `word_synonyms_en.csv` has one row per meaning: its words or phrases, and a kind. Words of one row say the
same; rows of one kind exclude each other (acute and chronic, kidney and liver). Rows without a kind exclude nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..word_lists.misspelling import misspelt
from ..word_lists.reading import rows
from .data import Names

TABLE = "word_synonyms_en.csv"
MAX_PHRASE_WORDS = 4
MAX_CONTRASTS, MAX_REWORDED = 6, 2
"""Per name."""
MISSPELT = 0.5
"""The share of names that are misspelt."""
_PREFIXES = (
    ("hypo", "hyper"), ("tachy", "brady"), ("macro", "micro"), ("poly", "oligo"), ("endo", "exo"), ("intra", "extra"),
    ("unilateral", "bilateral"),
)  # fmt: skip
_COUNTED = frozenset(("stage", "grade", "degree", "level", "class", "week", "weeks", "month", "months", "day", "days"))
"""What is numbered after these words is no other disease."""
_GENE = re.compile(r"([a-z]*[a-z])(\d{1,3})([a-z]?)")
_MAX_TYPE = 60


@dataclass(frozen=True, eq=False)
class Meaning:
    """Words and phrases that say the same. A blank `kind` excludes nothing. Equal to itself alone."""

    kind: str
    phrases: tuple[str, ...]


class Change(NamedTuple):
    """Words `start` to `end` of a name become `other`."""

    start: int
    end: int
    other: str

    def of(self, words: Sequence[str]) -> str:
        return " ".join([*words[: self.start], self.other, *words[self.end :]])


class WordTable:
    """Finds the phrases of `meanings` in the words of a normalised name."""

    def __init__(self, meanings: Iterable[Meaning]) -> None:
        self._of_phrase: dict[str, list[Meaning]] = {}
        self._of_kind: dict[str, list[Meaning]] = {"": []}
        for meaning in meanings:
            if meaning.kind:
                self._of_kind.setdefault(meaning.kind, []).append(meaning)
            for phrase in meaning.phrases:
                self._of_phrase.setdefault(phrase, []).append(meaning)

    def rewordings(self, words: Sequence[str]) -> list[Change]:
        """All that put another phrase of the same meaning in the place of one."""
        return [
            Change(start, end, other)
            for start, end, phrase, meaning in self._found(words)
            for other in meaning.phrases
            if other != phrase
        ]

    def contrasts(self, words: Sequence[str]) -> list[Change]:
        """All that make another disease of the name: a phrase of an excluded meaning, another number, letter or prefix.

        A meaning that the name has already ("acute on chronic") is no contrast.
        """
        found = self._found(words)
        present = {meaning for *_, meaning in found}
        out = [
            Change(start, end, other)
            for start, end, _, meaning in found
            for excluded in self._of_kind[meaning.kind]
            if excluded not in present
            for other in excluded.phrases[:2]
        ]
        for at, word in enumerate(words):
            others = _other_numbers(word, words[at - 1] if at else "") + _other_prefixes(word)
            out += [Change(at, at + 1, other) for other in others]
        return out

    def _found(self, words: Sequence[str]) -> list[tuple[int, int, str, Meaning]]:
        """(start, end, phrase, meaning), from the left, the longest phrase at each place."""
        out: list[tuple[int, int, str, Meaning]] = []
        at = 0
        while at < len(words):
            for end in range(min(at + MAX_PHRASE_WORDS, len(words)), at, -1):
                phrase = " ".join(words[at:end])
                if phrase in self._of_phrase:
                    out += [(at, end, phrase, meaning) for meaning in self._of_phrase[phrase]]
                    at = end
                    break
            else:
                at += 1
        return out


@cache
def word_table() -> WordTable:
    """The table that comes with dxmatch."""
    listed = rows(TABLE)
    return WordTable(Meaning(row["kind"], tuple(row["words"].split("; "))) for row in listed)


@dataclass(frozen=True)
class Variants:
    """What a word table makes of names.

    Attributes
    ----------
    reworded : names in other words and misspelt names, and `reworded_of`, [n], the index of the name that each says.
    contrasts : names of other diseases; those made from name i are `contrasts[starts[i]:starts[i + 1]]`.
    """

    reworded: list[str]
    reworded_of: NDArray[np.int64]
    contrasts: list[str]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, names: Names, table: WordTable, random: np.random.Generator) -> Variants:
        """A contrast that is itself a name of the same disease is none."""
        known = {word for name in names.texts for word in name.split()}
        errors = Random(int(random.integers(1 << 32)))
        disease_of = dict(zip(names.texts, names.disease.tolist(), strict=True))
        reworded: list[str] = []
        reworded_of: list[int] = []
        contrasts: list[str] = []
        starts = [0]
        for i, name in enumerate(names.texts):
            words = name.split()
            others = _some(table.rewordings(words), MAX_REWORDED, words, random)
            if errors.random() < MISSPELT:
                at = errors.randrange(len(words))
                wrong = misspelt(words[at], errors)
                others += [Change(at, at + 1, wrong).of(words)] if wrong and wrong not in known else []
            reworded += others
            reworded_of += [i] * len(others)
            some = _some(table.contrasts(words), MAX_CONTRASTS, words, random)
            contrasts += [other for other in some if disease_of.get(other) != names.disease[i]]
            starts.append(len(contrasts))
        return cls(reworded, np.array(reworded_of, np.int64), contrasts, np.array(starts, np.int64))


def _some(changes: Sequence[Change], most: int, words: Sequence[str], random: np.random.Generator) -> list[str]:
    """The names that up to `most` of the changes make, drawn at random, each once."""
    chosen = changes if len(changes) <= most else [changes[k] for k in random.choice(len(changes), most, replace=False)]
    return list(dict.fromkeys(change.of(words) for change in chosen))


def _other_numbers(word: str, before: str) -> list[str]:
    """Neighbouring types ("2" of "type 2"), letters ("b" of "hepatitis b") and genes ("brca1")."""
    if word.isascii() and word.isdigit() and int(word) < _MAX_TYPE and before not in _COUNTED:
        return [str(int(word) + more) for more in (-1, 1, 2) if int(word) + more > 0]
    if len(word) == 1 and "a" <= word <= "h" and before not in ("", "and", "or"):
        return [chr(ord(word) + more) for more in (-1, 1) if ord(word) + more >= ord("a")]
    if gene := _GENE.fullmatch(word):
        return [f"{gene[1]}{int(gene[2]) + 1}{gene[3]}"]
    return []


def _other_prefixes(word: str) -> list[str]:
    both_ways = (*_PREFIXES, *((b, a) for a, b in _PREFIXES))
    return [other + word[len(prefix) :] for prefix, other in both_ways if word.startswith(prefix)]
