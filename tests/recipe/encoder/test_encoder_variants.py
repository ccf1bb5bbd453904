"""Names in other words and names of other diseases, and the batches that they go into."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dxmatch.recipe.encoder.data import Names
from dxmatch.recipe.encoder.variants import MAX_PHRASE_WORDS, Meaning, Variants, WordTable, word_table
from dxmatch.terms.text.normalizer import Normalizer

KIDNEY, LIVER = Meaning("site", ("kidney", "renal")), Meaning("site", ("liver", "hepatic", "hepar"))
STONE = Meaning("", ("stone", "calculus"))
TABLE = WordTable(
    [KIDNEY, LIVER, STONE, Meaning("course", ("acute",)), Meaning("course", ("long standing", "chronic"))]
)


def reworded(name: str, table: WordTable = TABLE) -> list[str]:
    return [change.of(name.split()) for change in table.rewordings(name.split())]


def contrasts_of(name: str, table: WordTable = TABLE) -> list[str]:
    return [change.of(name.split()) for change in table.contrasts(name.split())]


def test_one_phrase_in_other_words() -> None:
    assert reworded("left kidney stone") == ["left renal stone", "left kidney calculus"]
    assert reworded("long standing fever") == ["chronic fever"]
    assert reworded("acute fever") == []


def test_contrasts_come_from_the_same_kind_alone() -> None:
    kidney = ["chronic liver stone", "chronic hepatic stone"]  # two words of each meaning, not "hepar"
    assert contrasts_of("chronic kidney stone") == ["acute kidney stone", *kidney]
    assert contrasts_of("acute chronic fever") == []  # the other course stands there already


@pytest.mark.parametrize(
    ("name", "contrasts"),
    [
        ("diabetes type 1", ["diabetes type 2", "diabetes type 3"]),
        ("diabetes type 2", ["diabetes type 1", "diabetes type 3", "diabetes type 4"]),
        ("cancer stage 2", []),
        ("hepatitis b", ["hepatitis a", "hepatitis c"]),
        ("hepatitis a", ["hepatitis b"]),
        ("a fever", []),
        ("brca1 cancer", ["brca2 cancer"]),
        ("hypothyroidism", ["hyperthyroidism"]),
        ("unilateral pain", ["bilateral pain"]),
        ("fever", []),
    ],
)
def test_contrasts_by_number_letter_and_prefix(name: str, contrasts: list[str]) -> None:
    assert sorted(contrasts_of(name)) == sorted(contrasts)


def test_the_table_is_sound() -> None:
    """Each phrase is as the normaliser writes it, stands once in a kind, and the table keeps apart what it must."""
    normalizer, table = Normalizer(), word_table()
    meanings = {meaning for found in table._of_phrase.values() for meaning in found}
    assert len(meanings) > 400
    for meaning in meanings:
        assert [normalizer(phrase) for phrase in meaning.phrases] == list(meaning.phrases)
        assert all(len(phrase.split()) <= MAX_PHRASE_WORDS for phrase in meaning.phrases), meaning
        assert len(meaning.phrases) > 1 or meaning.kind, meaning
    in_kind = Counter((meaning.kind, phrase) for meaning in meanings if meaning.kind for phrase in meaning.phrases)
    assert max(in_kind.values()) == 1, in_kind.most_common(3)
    assert "non hodgkin lymphoma" in contrasts_of("hodgkin lymphoma", table)
    assert "hodgkin lymphoma" in contrasts_of("non hodgkin lymphoma", table)
    assert not set(contrasts_of("kidney cyst", table)) & {"renal cyst", "nephric cyst"}


def test_a_name_of_the_same_disease_is_no_contrast() -> None:
    names = Names(["acute fever", "long standing fever", "other"], np.array([[0, 1]]), np.array([0, 0, 1]))
    variants = Variants.of(names, TABLE, np.random.default_rng(0))
    # "acute fever" and "long standing fever" are one disease here, so that only "chronic fever" is left
    assert variants.contrasts == ["chronic fever"] and variants.starts.tolist() == [0, 1, 1, 1]


def test_names_in_other_words_and_misspelt_names() -> None:
    texts = [f"{word} fibrosis" for word in ("kidney", "acute", "hepar")] * 50
    names = Names(texts, np.array([[0, 1]]), np.arange(150))
    variants = Variants.of(names, TABLE, np.random.default_rng(0))
    known = {"kidney", "acute", "hepar", "fibrosis", "renal", "liver", "hepatic"}
    misspelt = []
    for other, of in zip(variants.reworded, variants.reworded_of.tolist(), strict=True):
        first, last = other.split()
        if {first, last} <= known:
            assert (texts[of].split()[0], first) in {("kidney", "renal"), ("hepar", "liver"), ("hepar", "hepatic")}
        else:
            misspelt.append(other)
            assert (first == texts[of].split()[0]) != (last == "fibrosis")
    assert variants.reworded.count("renal fibrosis") == 50
    assert 40 <= len(misspelt) <= 85  # every second name, less words too short to be misspelt
    again = Variants.of(names, TABLE, np.random.default_rng(0))
    assert again.reworded == variants.reworded and again.contrasts == variants.contrasts
