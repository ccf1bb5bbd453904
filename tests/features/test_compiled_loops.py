"""The compiled loops of words and vectors against their plain definitions; stems, lemmas and tags by hand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.errors import MissingExtra
from dxmatch.features.kernels import cosine, found, overlap
from dxmatch.features.tokens import VIEWS, Words, _tagger, lemmas, stems, tags, token_sets

ODD = ["", "a", "A", "é", "и", "心筋梗塞", "x" * 65, "ab" * 100, "acute mi", "acute myocardial infarction", "😀 b"]
_WORDS = "acute chronic renal failure failures of left bronchi bronchus type 1 2 mi инфаркт инфаркта é ß"
WORDS = st.sampled_from(_WORDS.split())
TEXT = st.one_of(st.lists(WORDS, max_size=8).map(" ".join), st.text(max_size=20), st.sampled_from(ODD))
TAGGERS = {"en": "textblob", "ru": "pymorphy3"}


def grid(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Every place with every place."""
    first, second = np.divmod(np.arange(count * count), count)
    return first.astype(np.int32), second.astype(np.int32)


def ratios(names: list[str], view: str, language: str = "en") -> np.ndarray:
    out = np.empty(len(names) ** 2, np.float32)
    overlap(*token_sets(names, view, language), *grid(len(names)), out)
    return out.reshape(len(names), -1)


def plain_set(name: str, view: str, language: str) -> set[object]:
    words = name.split()
    if view in ("unigram", "bigram"):
        return set(words if view == "unigram" else pairwise(words))
    return set({"stem": stems, "lemma": lemmas, "tags": tags}[view](words, language))


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("view", VIEWS)
@settings(deadline=None, max_examples=25)
@given(names=st.lists(TEXT, min_size=1, max_size=12, unique=True))
@example(names=ODD)
def test_ratio_is_the_one_of_sets(view: str, language: str, names: list[str]) -> None:
    if view == "tags":
        pytest.importorskip(TAGGERS[language], reason="tags need the extra 'pos'")
    sets = [plain_set(name, view, language) for name in names]
    expected = [[len(x & y) / min(len(x), len(y)) if x and y else np.nan for y in sets] for x in sets]
    np.testing.assert_array_equal(ratios(names, view, language), np.array(expected, np.float32))


@pytest.mark.parametrize(
    ("of", "words", "language", "expected"),
    [
        (stems, "failures failure myocardial bleeding infected ulceration hepatitis skies is", "en", "failur failur myocardi bleed infect ulcer hepat sky is"),
        (stems, "острые инфаркты", "ru", "остр инфаркт"),
        (lemmas, "bronchi Failures", "en", "bronchus failure"),
        (lemmas, "острые инфаркты", "ru", "острый инфаркт"),
        (tags, "acute pain", "en", "JJ NN"),
        (tags, "острая острых боль болей в", "ru", "ADJF ADJF NOUN NOUN PREP"),
        (tags, "covid 2 ибс ii", "ru", "LATN NUMB UNKN ROMN"),
    ],
)  # fmt: skip
def test_words_by_hand(of, words: str, language: str, expected: str) -> None:
    """Stems by the steps of Porter 2. Of a tag, cases, numbers and genders are no part."""
    if of is tags:
        pytest.importorskip(TAGGERS[language], reason="tags need the extra 'pos'")
    assert of(words.split(), language) == expected.split()


@pytest.mark.parametrize(("language", "module"), [("en", "textblob.en.taggers"), ("ru", "pymorphy3")])
def test_tags_without_the_extra(language: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    _tagger.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install .*\[pos\]'"):
        tags(["acute"], language)


def random_vectors(words: Sequence[str]) -> np.ndarray:
    rows = [np.random.default_rng(list(word.encode())).standard_normal(24) for word in words]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


def found_in(a: str, b: str) -> float:
    """The mean over the words of the one of the cosine to the nearest word of the other; 1 for a word of one stem."""
    best = [
        max(1.0 if stems([x, y], "en")[0] == stems([y], "en")[0] else max(0.0, float(np.dot(*random_vectors([x, y])))) for y in b.split())
        for x in dict.fromkeys(a.split())
    ]  # fmt: skip
    return sum(best) / len(best)


@settings(deadline=None, max_examples=50)
@given(names=st.lists(st.lists(st.sampled_from(["renal", "kidney", "cancers", "cancer", "of", "the", "1", "é"]), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=5, unique=True))  # fmt: skip
def test_alignment_is_the_mean_of_the_nearest_words(names: list[str]) -> None:
    out = np.empty(len(names) ** 2)
    found(*Words.of(names, "en", random_vectors), *grid(len(names)), out)
    np.testing.assert_allclose(out, [found_in(a, b) for a in names for b in names], atol=0.02)


@settings(deadline=None, max_examples=60)
@given(u=st.integers(1, 12), d=st.sampled_from([1, 2, 63, 64, 65, 130, 256]), seed=st.integers(0, 2**32 - 1))
def test_cosines_alone_as_in_a_batch(u: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((u, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[rng.random(u) < 0.2] = vectors[0]
    vectors = (vectors * (rng.random((u, 1)) > 0.1)).astype(np.float32)
    batch, turned, alone = (np.empty(u * u, np.float32) for _ in range(3))
    first, second = grid(u)
    cosine(vectors, first, second, batch)
    cosine(vectors, second, first, turned)
    for p in range(u * u):
        cosine(vectors[[first[p], second[p]]], np.zeros(1, np.int32), np.ones(1, np.int32), alone[p : p + 1])
    np.testing.assert_allclose(batch.reshape(u, u), vectors.astype(float) @ vectors.T.astype(float), atol=1e-6)
    assert batch.tobytes() == turned.tobytes() == alone.tobytes()


@pytest.mark.parametrize(("other", "expected"), [(0.3, 1), (-0.3, -1), (np.nan, np.nan)])
def test_a_cosine_is_cut_to_its_range(other: float, expected: float) -> None:
    vectors, out = np.full((2, 16), 0.3, np.float32), np.empty(1, np.float32)
    vectors[1] = other
    cosine(vectors, np.array([0], np.int32), np.array([1], np.int32), out)
    np.testing.assert_array_equal(out, np.float32([expected]))
