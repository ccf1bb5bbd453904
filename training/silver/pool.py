"""The names that generators draw from, as they are written."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from random import Random

from ..word_lists.reading import rows
from .titles import MAX_WORDS, is_enumerated, is_vague
from .vocabulary import COMMON, ICD, MONDO, ORPHADATA, Vocabulary

OWN = "own table"
_LETTERS = re.compile(r"[A-Za-z]{4}")
_SHORT_FORM = re.compile(
    r"[A-Z0-9][A-Za-z0-9/-]{0,3}[A-Z0-9]([ -](syndrome|disease|\d+))?|.*\b[A-Z]{2}[A-Z0-9]*[-/ ]?\d*$"
)


@dataclass(frozen=True)
class Name:
    """A name as it is written, normalised, and where it stands."""

    text: str
    normal: str
    source: str

    @property
    def words(self) -> list[str]:
        return self.normal.split()


@dataclass(frozen=True)
class Everyday:
    """A disease that is met every day, where it is and what it is."""

    disease: str
    site: str
    mechanism: str


class Pool:
    """Names of the vocabulary's fold that can be a diagnosis: no abbreviations, no vague classes, at most nine words."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.names: dict[str, Name] = {}
        self._others: dict[str, set[str]] = defaultdict(set)
        for source in (COMMON, ORPHADATA, MONDO, ICD):
            for pair in vocabulary.pairs[source]:
                first, second = (self._enter(text, source) for text in pair)
                # An inclusion term may be narrower than its title.
                if source != ICD and first and second and first is not second:
                    self._others[first.normal].add(second.normal)
                    self._others[second.normal].add(first.normal)

    def _enter(self, text: str, source: str) -> Name | None:
        if not is_name(text) or not self.vocabulary.in_fold((text,)):
            return None
        normal = self.vocabulary.normalizer(text)
        return self.names.setdefault(normal, Name(text, normal, source))

    @cached_property
    def every(self) -> list[Name]:
        return [self.names[key] for key in sorted(self.names)]

    @cached_property
    def all(self) -> list[Name]:
        """Without the rows that ICD-10-CM makes of sides and joints, which nobody writes and which outnumber all else."""
        return [name for name in self.every if not is_enumerated(name.text)]

    @cached_property
    def everyday(self) -> list[Everyday]:
        """Common diseases by site and mechanism, from a table of our own."""
        return [Everyday(**row) for row in rows("sites_en.csv") if self.vocabulary.in_fold((row["disease"],))]

    @cached_property
    def common(self) -> list[Name]:
        """Names of common diseases: our own table's and the list of common synonyms."""
        own = [Name(row.disease, self.vocabulary.normalizer(row.disease), OWN) for row in self.everyday]
        return own + [name for name in self.all if name.source == COMMON]

    def written(self, normal: str) -> str:
        return self.names[normal].text

    def other_name(self, text: str, random: Random) -> str:
        """Another name of the same disease, where a source has one; else the name itself."""
        others = sorted(self._others.get(self.vocabulary.normalizer(text), ()))
        return self.written(random.choice(others)) if others else text


def is_name(text: str) -> bool:
    return (
        _LETTERS.search(text) is not None
        and len(text.split()) <= MAX_WORDS
        and _SHORT_FORM.fullmatch(text) is None
        and not is_vague(text)
    )
