"""The pairs in plain words: well formed, and in no table that teaches."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from dxmatch.recipe.plain_words import (
    EXPECTED,
    PlainWords,
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
