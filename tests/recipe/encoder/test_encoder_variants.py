"""Names in other words and names of other diseases, and the batches that they go into."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dxmatch.recipe.encoder.data import Names
from dxmatch.recipe.encoder.examples import BucketLists, Examples, neighbours_together
from dxmatch.recipe.encoder.variants import MAX_PHRASE_WORDS, Meaning, Variants, WordTable, word_table
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.text.normalizer import Normalizer

from ...plain_hashing import buckets

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


def test_a_batch_shares_diseases_with_itself_and_its_contrasts() -> None:
    """Two pairs that share a disease, be it that of a kind, are no wrong answers to each other; nor is a contrast of it."""
    names = Names(
        ["acute fever", "alpha", "beta", "beta two", "chronic fever", "gamma"],
        np.array([[0, 1], [2, 3], [2, 5], [1, 4]]), np.array([0, 0, 1, 1, 2, 3]),
    )  # fmt: skip
    variants = Variants([], np.zeros(0, np.int64), ["chronic fever", "acute fever"], np.array([0, 1, 1, 1, 1, 2, 2]))
    examples = Examples(names, variants, alone=0, reworded=0, contrasts=2, together=1)
    (batch,) = examples.batches(
        4, lambda texts: pytest.fail("neighbours of one need no vectors"), np.random.default_rng(0)
    )
    pairs = [tuple(sorted(pair)) for pair in batch.texts[:8].reshape(2, 4).T.tolist()]
    assert sorted(pairs) == [(0, 1), (1, 4), (2, 3), (2, 5)]
    assert sorted(batch.texts[8:].tolist()) == [6, 7]
    columns = [*pairs, *batch.texts[8:].tolist()]
    # (0, 1) is disease 0; (1, 4) 0 and its kind 2; (2, 3) 1; (2, 5) 1 and its kind 3; contrast 6 is 2 and 7 is 0
    shared = {
        ((0, 1), (1, 4)), ((1, 4), (0, 1)), ((2, 3), (2, 5)), ((2, 5), (2, 3)), ((1, 4), 6), ((1, 4), 7), ((0, 1), 7),
    }  # fmt: skip
    assert batch.alike.tolist() == [[(row, column) in shared for column in columns] for row in pairs]


def test_bucket_lists_are_those_of_the_encoder_and_lose_a_share() -> None:
    shape, texts = Shape(buckets=4096, word_buckets=1024, dimensions=2), ["acute fever", "x", "renal calculus stone"]
    cut = (1024, 3072, shape.shortest, shape.longest, shape.pairs)
    lists, random = BucketLists.of(texts, shape), np.random.default_rng(0)
    found, starts = lists.take(np.array([2, 0]), 0, random)
    assert found.tolist() == buckets(texts[2], *cut) + buckets(texts[0], *cut)
    assert starts.tolist() == [0, len(buckets(texts[2], *cut)), len(found)]
    found, starts = lists.take(np.array([1, 2] * 500), 0.25, random)
    all_of = [len(buckets(text, *cut)) for text in texts]
    assert found[starts[:-1]].tolist() == [buckets(text, *cut)[0] for text in texts[1:]] * 500
    assert len(found) / (500 * (all_of[1] + all_of[2])) == pytest.approx(0.75, abs=0.03)


def test_neighbours_come_together_and_none_is_lost() -> None:
    random = np.random.default_rng(0)
    centers = random.permutation(np.repeat(np.arange(32), 16))
    points = np.eye(32, dtype=np.float32)[centers] + random.normal(0, 0.01, (512, 32)).astype(np.float32)
    order = neighbours_together(pytest.importorskip("torch").from_numpy(points), 16, random)
    assert sorted(order) == list(range(512))
    same = np.mean(centers[order][1:] == centers[order][:-1])
    assert same > 0.4 > 5 * np.mean(centers[1:] == centers[:-1])
