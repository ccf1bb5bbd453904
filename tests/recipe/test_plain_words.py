"""The pairs in plain words: well formed, and in no table that teaches."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dxmatch.recipe.plain_words import EXPECTED, read_plain_words
from dxmatch.recipe.word_lists.reading import files_like, rows
from dxmatch.terms.text.normalizer import Normalizer

TABLES = {"common_synonyms_en": ("name", "synonym"), "specifications_en": ("a", "b"), "laboratory_signs_en": ("sign", "disease")}  # fmt: skip
"""The tables of word lists that hold pairs of diagnoses, and their columns."""


def test_each_kind_has_thirty_pairs_and_nothing_is_trained_on_them() -> None:
    words, normal = read_plain_words(Path(__file__).parents[1] / "data" / "plain_words.csv"), Normalizer()
    kinds, both = Counter(words.kind), [*zip(words.a, words.b, strict=True)]
    assert len(kinds) >= 18 and min(kinds.values()) >= 30 and {*words.expected} == {*EXPECTED}
    assert max(Counter(frozenset((a.casefold(), b.casefold())) for a, b in both).values()) == 1
    taught = {
        frozenset((normal(row[one]), normal(row[other])))
        for start, (one, other) in TABLES.items()
        for file in files_like(start)
        for row in rows(file.name)
    }
    assert len(taught) > 5_000 and not [pair for pair in both if frozenset(map(normal, pair)) in taught]
