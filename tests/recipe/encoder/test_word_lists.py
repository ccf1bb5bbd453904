"""The project's own names of diseases: the common synonyms, the pairs of different and of narrower diseases, those in plain words, and words that contrast."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from dxmatch.features.contrast import contrasts
from dxmatch.files.tables import read_table
from dxmatch.recipe.encoder.data import common_synonyms, join
from dxmatch.recipe.encoder.variants import MAX_PHRASE_WORDS, Meaning, WordTable, word_table
from dxmatch.recipe.plain_words import EXPECTED, read_plain_words
from dxmatch.recipe.word_lists.reading import rows_like
from dxmatch.terms.text.normalizer import Normalizer

from ...case_table import cases

NAME = re.compile("[a-z0-9]+( [a-z0-9]+)*")
Rows = list[tuple[str, str]]


@pytest.fixture(scope="module")
def tables() -> dict[str, Rows]:
    """Of each kind of table its rows; "different" are taken for each other, and are two diseases; "narrower" the second is."""
    different = read_table(Path(__file__).with_name("distinct_diseases_en.csv")).data.to_pylist()
    return {
        "common": [(row["name"], row["synonym"]) for row in rows_like("common_synonyms_en")],
        "different": [(row["a"], row["b"]) for row in different],
        "narrower": [(row["a"], row["b"]) for row in rows_like("specifications_en")],
    }


@pytest.fixture(scope="module")
def disease() -> dict[str, int]:
    """Of each normalised name its number: those that a chain of rows joins together are one."""
    names = join([common_synonyms()], Normalizer())
    return dict(zip(names.texts, names.disease.tolist(), strict=True))


def test_names_are_in_the_plain_form_and_no_row_is_there_twice_or_equal(tables: dict[str, Rows]) -> None:
    """Names that the normaliser makes equal teach nothing."""
    normalizer = Normalizer()
    assert len(tables["common"]) > 11_000 and min(map(len, tables.values())) >= 400
    for rows in (tables["common"], tables["different"] + tables["narrower"]):
        assert not [row for row in rows if not all(map(NAME.fullmatch, row))]
        times = Counter(frozenset(map(normalizer, row)) for row in rows)
        assert not [sorted(pair) for pair, often in times.items() if often > 1 or len(pair) == 1]


def test_no_disease_contradicts_itself(disease: dict[str, int]) -> None:
    """By the contrasts that M sees. Thirty were read and are right, "renal rickets" and "uremic bone disease" among them."""
    names = defaultdict(list)
    for name, number in disease.items():
        names[number].append(name)
    found = [pair for some in names.values() for pair in combinations(some, 2) if contrasts(*pair)]
    assert len(found) <= 30, found


def test_different_and_narrower_diseases_are_no_synonyms(tables: dict[str, Rows], disease: dict[str, int]) -> None:
    """A narrower name does more than add words: that "lobar pneumonia" narrows "pneumonia" the words tell by themselves."""
    different, narrower = (
        [tuple(map(Normalizer(), row)) for row in tables[which]] for which in ("different", "narrower")
    )
    assert not [(a, b) for a, b in different + narrower if disease.get(a, a) == disease.get(b, b)]
    assert not [(a, b) for a, b in narrower if {*a.split()} <= {*b.split()}]


def test_each_kind_of_plain_words_has_thirty_pairs_and_nothing_is_trained_on_them(tables: dict[str, Rows]) -> None:
    words, normalizer = read_plain_words(Path(__file__).parents[2] / "data" / "plain_words.csv"), Normalizer()
    kinds, both = Counter(words.kind), [frozenset(pair) for pair in zip(words.a, words.b, strict=True)]
    assert len(kinds) >= 18 and min(kinds.values()) >= 30 and {*words.expected} == {*EXPECTED}
    assert max(Counter(frozenset(map(str.casefold, pair)) for pair in both).values()) == 1
    signs = [(row["sign"], row["disease"]) for row in rows_like("laboratory_signs_en")]
    taught = {frozenset(map(normalizer, row)) for row in [*tables["common"], *tables["narrower"], *signs]}
    assert not [pair for pair in both if frozenset(map(normalizer, pair)) in taught]


KIDNEY, LIVER = Meaning("site", ("kidney", "renal")), Meaning("site", ("liver", "hepatic", "hepar"))
STONE = Meaning("", ("stone", "calculus"))
TABLE = WordTable(
    [KIDNEY, LIVER, STONE, Meaning("course", ("acute",)), Meaning("course", ("long standing", "chronic"))]
)


def contrasts_of(name: str, table: WordTable = TABLE) -> list[str]:
    return [change.of(name.split()) for change in table.contrasts(name.split())]


@pytest.mark.parametrize(("name", "_", "expected", "why"), cases("silver", "contrasts"))
def test_contrasts_by_number_letter_prefix_and_table(name: str, _: str, expected: str, why: str) -> None:
    assert "; ".join(sorted(contrasts_of(name))) == expected, why


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
