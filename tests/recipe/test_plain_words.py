"""The pairs in plain words: well formed, in no table that teaches, and measured by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dxmatch.recipe.plain_words import (
    EXPECTED,
    NOT_UNDERSTOOD,
    PlainWords,
    measure_plain_words,
    read_plain_words,
)
from dxmatch.recipe.word_lists.reading import files_like, rows
from dxmatch.terms.text.normalizer import Normalizer

FILE = Path(__file__).parents[1] / "data" / "plain_words.csv"
TABLES = {
    "common_synonyms_en": ("name", "synonym"),
    "specifications_en": ("a", "b"),
    "laboratory_signs_en": ("sign", "disease"),
}
"""The tables of word lists that hold pairs of diagnoses, and their columns."""


@pytest.fixture(scope="module")
def words() -> PlainWords:
    return read_plain_words(FILE)


def test_each_kind_has_thirty_pairs_and_none_stands_twice(words: PlainWords) -> None:
    assert len(Counter(words.kind)) >= 18
    assert min(Counter(words.kind).values()) >= 30
    pairs = Counter(frozenset((a.casefold(), b.casefold())) for a, b in zip(words.a, words.b, strict=True))
    assert [pair for pair, times in pairs.items() if times > 1] == []
    assert set(words.expected) == set(EXPECTED)


def test_nothing_is_trained_on_them(words: PlainWords) -> None:
    normal = Normalizer()
    taught = {
        frozenset((normal(row[one]), normal(row[other])))
        for start, (one, other) in TABLES.items()
        for file in files_like(start)
        for row in rows(file.name)
    }
    assert len(taught) > 5_000
    both = [(a, b) for a, b in zip(words.a, words.b, strict=True) if frozenset((normal(a), normal(b))) in taught]
    assert both == []


@dataclass
class Told:
    """An M that gives the probabilities and relations it was made with."""

    given: Sequence[float]
    kinds: Sequence[str]
    policy: str = "specification"
    threshold: float = 0.5

    def probabilities(self, a: Sequence[str], b: Sequence[str], /) -> np.ndarray:
        assert len(a) == len(b) == len(self.given)
        return np.array(self.given)

    def relations(self, a: Sequence[str], b: Sequence[str], /) -> SimpleNamespace:
        return SimpleNamespace(kinds=self.kinds)


FIVE = PlainWords(
    ["x", "x", "x", "y", "y"], list("abcde"), list("vwxyz"), ["same", "broader", "related", "excluded", NOT_UNDERSTOOD]
)
KINDS = ["same", "narrower", "related", "excluded", "unrelated"]


def measured(given: Sequence[float], policy: str = "specification") -> Any:
    return measure_plain_words(cast("Any", Told(given, KINDS, policy)), FIVE)


def test_right_is_what_is_expected_of_a_match_and_of_no_score() -> None:
    for given, right in (([0.9, 0.4, 0.5, 0.1, np.nan], (1, 2)), ([np.nan] * 5, (0, 1)), ([0.0] * 5, (1, 1))):
        found = measured(given)
        assert (found["kinds"]["x"]["right"], found["kinds"]["y"]["right"]) == right
        assert found["all"]["right"] == sum(right)
