"""Each kind by itself, on sources that are made up."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.recipe.silver import GENERATORS, contrasts
from dxmatch.recipe.silver.pool import Pool, in_turn, round_robin
from dxmatch.recipe.word_lists.misspelling import misspelt, neighbours
from dxmatch.recipe.word_lists.reading import SIGNS, rows

FORMS = ("courses_en.csv", "numbered_en.csv", "qualified_en.csv")


def made(pool: Pool, kind: str, most: int = 20_000) -> set[tuple[str, str]]:
    return {(c.a, c.b) for c in islice(GENERATORS[kind].candidates(pool, Random(0)), most)}


def either(pairs: set[tuple[str, str]], *pair: str) -> bool:
    return bool({pair, pair[::-1]} & pairs)


@pytest.mark.parametrize(
    ("kind", "pair"),
    [
        ("synonym", ("Foo disease type 1", "Smith syndrome")),
        ("synonym", ("wheezing syndrome", "whistling syndrome")),
        ("phrasing", ("carcinoma of foo", "foo carcinoma")),
        ("phrasing", ("Acute bronchitis", "bronchitis, acute")),
        ("specification", ("Adenoviral pneumonia", "Viral pneumonia")),
        ("qualifier", ("Allergic asthma", "asthma")),
        ("qualifier", ("Asthma, left lung", "Asthma")),
        ("sibling", ("Adenoviral pneumonia", "Respiratory syncytial virus pneumonia")),
        ("other_organism", ("Staphylococcal pneumonia", "Streptococcal pneumonia")),
        ("other_number", ("Foo disease type 1", "Foo disease type 2")),
        ("opposite", ("Hyperfooemia", "Hypofooemia")),
        ("everyday_specification", ("acute kidney injury", "acute tubular necrosis")),
        ("look_alike", ("appendicitis", "diverticulitis")),
        ("other_site", ("lung cancer", "colon cancer")),
        ("disease_kind", ("exercise bronchospasm", "bronchial narrowing")),
        ("disease_sibling", ("bronchospasm", "bronchial collapse")),
        ("too_broad", ("bronchial narrowing", "airway disorder")),
    ],
)
def test_what_a_kind_gives(toy_pool: Pool, kind: str, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contrasts, "PER_TEMPLATE", 100)
    found = {(a.casefold(), b.casefold()) for a, b in made(toy_pool, kind)}
    assert either(found, *(name.casefold() for name in pair))


def test_what_a_kind_does_not_give(toy_pool: Pool) -> None:
    siblings = made(toy_pool, "sibling")
    assert not any("Other" in name or "unspecified" in name for pair in siblings for name in pair)
    assert not any(
        a in ("Pneumonia due to Streptococcus pneumoniae",) and "Streptococcal" in b
        for a, b in made(toy_pool, "other_organism")
    )
    assert not {p for p in made(toy_pool, "stage") if p[0] == p[1]}


def test_an_organism_and_a_kind_of_it_exclude_nothing() -> None:
    def term(words: str) -> contrasts.Term:
        ((_, found),) = contrasts.found_in(words.split(), "organism")
        return found

    assert term("staphylococcal").excludes(term("streptococcal"))
    assert term("viral").excludes(term("pneumococcal"))
    for narrow, wide in (("pneumococcal", "streptococcal"), ("pneumococcal", "bacterial"), ("candidal", "fungal")):
        assert not term(narrow).excludes(term(wide)) and not term(wide).excludes(term(narrow))
    assert term("streptococcus pneumoniae").value == "pneumococcus"  # the longer term, not "streptococcus"


@pytest.mark.parametrize(
    ("a", "b", "differ"),
    [("1", "2", True), ("1", "10", True), ("viii", "ix", True), ("a", "b", True), ("1a", "1b", True), ("2a", "1a", True),
     ("ii", "2", False), ("2", "2b", False), ("b", "2", False), ("2b", "2b", False)],
)  # fmt: skip
def test_numbers_that_differ(a: str, b: str, differ: bool) -> None:
    assert contrasts.numbers_differ(a, b) is contrasts.numbers_differ(b, a) is differ


def test_a_stage_is_no_number(toy_pool: Pool) -> None:
    assert not any("stage" in a for a, _ in made(toy_pool, "other_number"))


def test_keys_beside_a_key() -> None:
    assert set(neighbours("g")) == set("fhtyvb")
    assert set(neighbours("q")) == set("wa") and set(neighbours("m")) == set("njk") and neighbours("1") == ""


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(["hyperkalemia", "hypothyroidism", "pneumonia", "bronchitis", "diverticulitis"]),
    st.integers(0, 9999),
)
def test_a_typing_error_keeps_the_beginning_and_the_length(word: str, seed: int) -> None:
    wrong = misspelt(word, Random(seed))
    if wrong is None:
        return
    assert abs(len(wrong) - len(word)) <= 2
    beginning = next((p for p in ("hyper", "hypo", "di") if word.startswith(p)), word[0])
    assert wrong.startswith(beginning)


def test_no_typing_error_makes_a_word_that_is_one(toy_pool: Pool) -> None:
    known = toy_pool.vocabulary.known_words
    for right, wrong in made(toy_pool, "spelling"):
        changed = set(toy_pool.vocabulary.normalizer(wrong).split()) - set(
            toy_pool.vocabulary.normalizer(right).split()
        )
        assert changed and not changed & known


def test_drawing_in_turn() -> None:
    assert list(round_robin([["a", "b", "c"], ["d"], []], Random(0))) in (["a", "d", "b", "c"], ["d", "a", "b", "c"])
    assert sorted(in_turn([(1, iter("abc")), (5, iter("xy"))], Random(0))) == ["a", "b", "c", "x", "y"]


def test_the_tables_are_sound() -> None:
    signs = [(row["sign"], row["disease"]) for row in rows(SIGNS)]
    assert len(signs) == len(set(signs)) >= 1_000 and all(a.strip() and b.strip() for a, b in signs)
    contrast = rows("silver_contrasts_en.csv")
    values = {(row["kind"], row["value"]) for row in contrast}
    assert all(not row["within"] or (row["kind"], row["within"]) in values for row in contrast)
    assert {row["stages"] for row in rows("stages_en.csv")} <= {row["stages"] for row in rows("courses_en.csv")}
    assert all(row["form"].count("{}") == 1 for file in FORMS for row in rows(file))
    assert {row["mechanism"] for row in rows("qualified_en.csv")} <= {
        "",
        *(row["mechanism"] for row in rows("sites_en.csv")),
    }
    everyday = [row["disease"] for row in rows("sites_en.csv")]
    assert len(everyday) == len(set(everyday))
    assert all(
        None not in row and None not in row.values()
        for file in ("sites_en.csv", "places_en.csv", SIGNS)
        for row in rows(file)
    )
