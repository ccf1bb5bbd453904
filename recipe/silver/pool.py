"""The names that generators draw from, as they are written, how they draw, and what they give."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TypeVar

from ..encoder.data import COMMON, ICD, MONDO, ORPHADATA
from ..word_lists.reading import rows
from .titles import MAX_WORDS, is_enumerated, is_vague
from .vocabulary import Vocabulary

T = TypeVar("T")
_LETTERS = re.compile(r"[A-Za-z]{4}")
_SHORT_FORM = re.compile(
    r"[A-Z0-9][A-Za-z0-9/-]{0,3}[A-Z0-9]([ -](syndrome|disease|\d+))?|.*\b[A-Z]{2}[A-Z0-9]*[-/ ]?\d*$"
)


@dataclass(frozen=True)
class Candidate:
    """Two names that a generator holds to be one disease, or two.

    from_a, from_b : the names of a source that `a` and `b` were made from, where they are none themselves.
    """

    a: str
    b: str
    from_a: tuple[str, ...] = ()
    from_b: tuple[str, ...] = ()

    @property
    def first(self) -> tuple[str, ...]:
        return (self.a, *self.from_a)

    @property
    def second(self) -> tuple[str, ...]:
        return (self.b, *self.from_b)


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
    def of_diseases(self) -> list[list[str]]:
        """The usable names, of the fold, of each disease of the graph."""
        graph = self.vocabulary.graph
        found: list[list[str]] = [[] for _ in range(len(graph))]
        for name, disease in zip(graph.names, graph.name_disease.tolist(), strict=True):
            if is_name(name) and self.vocabulary.in_fold((name,)):
                found[disease].append(name)
        return found

    @cached_property
    def everyday(self) -> list[Everyday]:
        """Common diseases by site and mechanism, from a table of our own."""
        return [Everyday(**row) for row in rows("sites_en.csv") if self.vocabulary.in_fold((row["disease"],))]

    @cached_property
    def common(self) -> list[Name]:
        """Names of common diseases: our own table's and the list of common synonyms."""
        own = [Name(row.disease, self.vocabulary.normalizer(row.disease), COMMON) for row in self.everyday]
        return own + [name for name in self.all if name.source == COMMON]

    def other_name(self, text: str, random: Random) -> str:
        """Another name of the same disease, where a source has one; else the name itself."""
        others = sorted(self._others.get(self.vocabulary.normalizer(text), ()))
        return self.names[random.choice(others)].text if others else text

    def drawn_name(self, text: str, random: Random, own: float = 0.6) -> str:
        """The name itself with the probability `own`, else another name of the same disease."""
        return text if random.random() < own else self.other_name(text, random)


def is_name(text: str) -> bool:
    return (
        _LETTERS.search(text) is not None
        and len(text.split()) <= MAX_WORDS
        and _SHORT_FORM.fullmatch(text) is None
        and not is_vague(text)
    )


def shuffled(items: Sequence[T], random: Random) -> list[T]:
    out = list(items)
    random.shuffle(out)
    return out


def in_turn(parts: Sequence[tuple[float, Iterator[T]]], random: Random) -> Iterator[T]:
    """Draws from each iterator with its weight until all are at their end."""
    left = list(parts)
    while left:
        (part,) = random.choices(left, [weight for weight, _ in left])
        try:
            yield next(part[1])
        except StopIteration:
            left.remove(part)


def mixed(share: float, first: Sequence[T], second: Sequence[T], random: Random) -> Iterator[T]:
    """Both in random order; the next is of the first with the probability `share`."""
    return in_turn([(share, iter(shuffled(first, random))), (1 - share, iter(shuffled(second, random)))], random)
