"""Each kind by itself, on sources that are made up."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.recipe.relation.pairs import SOURCES
from dxmatch.recipe.silver import diseases, neighbours, specification, synonymy
from dxmatch.recipe.silver.pairs import SILVER, Generator, Kind
from dxmatch.recipe.silver.pool import Pool, in_turn, round_robin
from dxmatch.recipe.word_lists import misspelling
from dxmatch.recipe.word_lists.misspelling import misspelt
from dxmatch.recipe.word_lists.reading import SIGNS, rows

FORMS = ("courses_en.csv", "qualified_en.csv")


def made(pool: Pool, kind: Generator, most: int = 10_000) -> set[tuple[str, str]]:
    """Drawn twice, as a name is at times drawn under another of its disease."""
    return {(c.a, c.b) for seed in (0, 1) for c in islice(kind(pool, Random(seed)), most)}


def either(pairs: set[tuple[str, str]], *pair: str) -> bool:
    return bool({pair, pair[::-1]} & pairs)


@pytest.mark.parametrize(
    ("kind", "pair"),
    [
        (synonymy.synonyms, ("Foo disease type 1", "Smith syndrome")),
        (synonymy.phrasings, ("carcinoma of foo", "foo carcinoma")),
        (synonymy.phrasings, ("Acute bronchitis", "bronchitis, acute")),
        (synonymy.phrasings, ("acute renal failure", "acute kidney failure")),
        (specification.tree, ("Adenoviral pneumonia", "Viral pneumonia")),
        (specification.qualifiers, ("Allergic asthma", "asthma")),
        (specification.qualifiers, ("Asthma, left lung", "Asthma")),
        (specification.everyday, ("acute kidney injury", "acute tubular necrosis")),
        (neighbours.siblings, ("Adenoviral pneumonia", "Respiratory syncytial virus pneumonia")),
        (neighbours.contrasts, ("Staphylococcal pneumonia", "Streptococcal pneumonia")),
        (neighbours.contrasts, ("Foo disease type 1", "Foo disease type 2")),
        (neighbours.contrasts, ("Hyperfooemia", "Hypofooemia")),
        (neighbours.contrasts, ("Acute bronchitis", "Chronic bronchitis")),
        (diseases.kinds, ("exercise bronchospasm", "bronchial narrowing")),
        (diseases.siblings, ("bronchospasm", "bronchial collapse")),
    ],
)
def test_what_a_kind_gives(toy_pool: Pool, kind: Generator, pair: tuple[str, str]) -> None:
    found = {(a.casefold(), b.casefold()) for a, b in made(toy_pool, kind)}
    assert either(found, *(name.casefold() for name in pair))


def test_what_a_kind_does_not_give(toy_pool: Pool) -> None:
    siblings = made(toy_pool, neighbours.siblings)
    assert not any("Other" in name or "unspecified" in name for pair in siblings for name in pair)
    assert not {p for p in made(toy_pool, specification.stages) if p[0] == p[1]}
    assert not any("stage" in a for a, _ in made(toy_pool, neighbours.contrasts))


@pytest.mark.parametrize("kinds", [SILVER, SOURCES])
def test_shares_are_whole(kinds: tuple[Kind, ...]) -> None:
    assert sum(kind.share for kind in kinds) == pytest.approx(1)


def test_keys_beside_a_key() -> None:
    assert set(misspelling.neighbours("g")) == set("fhtyvb")
    assert (
        set(misspelling.neighbours("q")) == set("wa")
        and set(misspelling.neighbours("m")) == set("njk")
        and misspelling.neighbours("1") == ""
    )


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
    for right, wrong in made(toy_pool, synonymy.typing_errors):
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
    assert {row["stages"] for row in rows("stages_en.csv")} <= {row["stages"] for row in rows("courses_en.csv")}
    assert all(row["form"].count("{}") == 1 for file in FORMS for row in rows(file))
    assert {row["mechanism"] for row in rows("qualified_en.csv")} <= {
        "",
        *(row["mechanism"] for row in rows("sites_en.csv")),
    }
    everyday = [row["disease"] for row in rows("sites_en.csv")]
    assert len(everyday) == len(set(everyday))
    assert all(None not in row and None not in row.values() for file in ("sites_en.csv", SIGNS) for row in rows(file))
