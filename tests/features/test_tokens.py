"""The compiled ratios and distance against plain definitions, on made-up and on odd strings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from dxmatch.features.levenshtein import Spelling, normalized_levenshtein
from dxmatch.features.tokens import VIEWS, TokenSets, overlap_ratio, tokens, view

ODD = [
    "",
    "a",
    "A",
    "é",
    "и",
    "心筋梗塞",
    "x" * 64,
    "x" * 65,
    "ab" * 100,
    "y" * 64,
    "acute mi",
    "acute myocardial infarction",
    "😀 b",
]
WORDS = st.sampled_from(
    [
        "acute",
        "chronic",
        "renal",
        "failure",
        "failures",
        "of",
        "left",
        "right",
        "bronchi",
        "bronchus",
        "type",
        "1",
        "2",
        "mi",
        "инфаркт",
        "инфаркта",
        "é",
        "ß",
    ]
)
TEXT = st.one_of(st.lists(WORDS, max_size=8).map(" ".join), st.text(max_size=20), st.sampled_from(ODD))


def all_pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.divmod(np.arange(count * count, dtype=np.int32), np.int32(count))
    return first.astype(np.int32), second.astype(np.int32)


def naive_ratio(a: str, b: str, kind: str, language: str) -> float:
    x, y = view(a, kind, language), view(b, kind, language)
    return len(x & y) / min(len(x), len(y)) if x and y else float("nan")


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("kind", VIEWS)
@settings(deadline=None, max_examples=40)
@given(names=st.lists(TEXT, min_size=1, max_size=12, unique=True))
@example(names=ODD)
def test_ratio_is_the_naive_one(kind: str, language: str, names: list[str]) -> None:
    first, second = all_pairs(len(names))
    out = np.empty(len(first), np.float32)
    overlap_ratio(TokenSets.of(names, kind, language), first, second, out)
    naive = np.array(
        [naive_ratio(names[i], names[j], kind, language) for i, j in zip(first, second, strict=True)], np.float32
    )
    np.testing.assert_array_equal(out, naive)
    np.testing.assert_array_equal(out.reshape(len(names), -1), out.reshape(len(names), -1).T)


def naive_levenshtein(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, above = [i, *row[1:]], row
        for j, y in enumerate(b, 1):
            row[j] = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y))
    return row[-1]


@settings(deadline=None, max_examples=60)
@given(
    names=st.lists(
        st.one_of(TEXT, st.text(alphabet="ab", min_size=50, max_size=200)), min_size=1, max_size=6, unique=True
    )
)
@example(names=ODD)
def test_levenshtein_is_the_naive_one(names: list[str]) -> None:
    first, second = all_pairs(len(names))
    out = np.empty(len(first), np.float32)
    normalized_levenshtein(Spelling.of(names), first, second, out)
    for i, j, value in zip(first, second, out, strict=True):
        a, b = names[i], names[j]
        assert value == np.float32(naive_levenshtein(a, b) / max(len(a), len(b), 1))
        assert value == np.float32(Levenshtein.normalized_distance(a, b))


def test_levenshtein_in_any_order_of_pairs() -> None:
    """The masks kept for the last first string must never leak into another pair."""
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("abc "), rng.integers(1, 150))) for _ in range(40)]
    first, second = all_pairs(len(names))
    out, shuffled = np.empty((2, len(first)), np.float32)
    normalized_levenshtein(Spelling.of(names), first, second, out)
    order = rng.permutation(len(first))
    normalized_levenshtein(Spelling.of(names), first[order], second[order], shuffled)
    np.testing.assert_array_equal(shuffled, out[order])


def test_by_hand() -> None:
    """acute renal failure / chronic renal failures: words {renal} of 3 and 3, stems {renal, failur}, pairs none of 2."""
    names = ["acute renal failure", "chronic renal failures", "bronchi"]
    first, second = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
    got = {}
    for kind in VIEWS:
        out = np.empty(2, np.float32)
        overlap_ratio(TokenSets.of(names, kind, "en"), first, second, out)
        got[kind] = out.tolist()
    assert got["unigram"] == [np.float32(1 / 3), 0.0]
    assert got["stem"] == [np.float32(2 / 3), 0.0]
    assert got["lemma"] == [np.float32(2 / 3), 0.0]
    assert got["bigram"][0] == 0.0
    assert np.isnan(got["bigram"][1]), "one word has no pair of words"


def test_languages() -> None:
    assert tokens(["bronchi"])["bronchi"]["lemma"] == {"bronchus"}
    russian = tokens(["острые инфаркты"], "ru")["острые инфаркты"]
    assert russian["stem"] == {"остр", "инфаркт"}
    assert russian["lemma"] == {"острый", "инфаркт"}
    assert russian["pos"] == set(), "no tagger for Russian: the ratio is NaN, not 0"
