"""The compiled overlap against sets in plain Python, on made-up and on odd strings; stems, lemmas and tags by hand."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.errors import MissingExtra
from dxmatch.features.kernels import overlap
from dxmatch.features.tokens import VIEWS, _tagger, lemmas, stems, tags, token_sets

ODD = ["", "a", "A", "é", "и", "心筋梗塞", "x" * 65, "ab" * 100, "acute mi", "acute myocardial infarction", "😀 b"]
_WORDS = "acute chronic renal failure failures of left bronchi bronchus type 1 2 mi инфаркт инфаркта é ß"
WORDS = st.sampled_from(_WORDS.split())
TEXT = st.one_of(st.lists(WORDS, max_size=8).map(" ".join), st.text(max_size=20), st.sampled_from(ODD))


TAGGERS = {"en": "textblob", "ru": "pymorphy3"}


def ratios(names: list[str], kind: str, language: str = "en") -> np.ndarray:
    """float32[n, n]: of every name with every name."""
    first, second = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(len(names) ** 2), len(names)))
    out = np.empty(len(first), np.float32)
    overlap(*token_sets(names, kind, language), first, second, out)
    return out.reshape(len(names), -1)


def view(name: str, kind: str, language: str) -> set[object]:
    words = name.split()
    if kind in ("unigram", "bigram"):
        return set(words if kind == "unigram" else pairwise(words))
    return set({"stem": stems, "lemma": lemmas, "tags": tags}[kind](words, language))


def in_plain_python(x: set[object], y: set[object]) -> float:
    return len(x & y) / min(len(x), len(y)) if x and y else float("nan")


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("kind", VIEWS)
@settings(deadline=None, max_examples=25)
@given(names=st.lists(TEXT, min_size=1, max_size=12, unique=True))
@example(names=ODD)
def test_ratio_is_the_one_of_sets(kind: str, language: str, names: list[str]) -> None:
    if kind == "tags":
        pytest.importorskip(TAGGERS[language], reason="tags need the extra 'pos'")
    found = ratios(names, kind, language)
    views = [view(name, kind, language) for name in names]
    expected = np.array([[in_plain_python(x, y) for y in views] for x in views], np.float32)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found, found.T)


def test_stems_and_lemmas() -> None:
    """By the steps of Porter 2: -ures to -ur, -ial to -i (R1 of myocardial is "ardial"), -itis stays."""
    words = ["failures", "failure", "myocardial", "bleeding", "infected", "ulceration", "hepatitis", "skies", "is"]
    assert stems(words, "en") == ["failur", "failur", "myocardi", "bleed", "infect", "ulcer", "hepat", "sky", "is"]
    assert lemmas(["bronchi", "Failures"], "en") == ["bronchus", "failure"]
    assert stems(["острые", "инфаркты"], "ru") == ["остр", "инфаркт"]
    assert lemmas(["острые", "инфаркты"], "ru") == ["острый", "инфаркт"]


def test_russian_tags() -> None:
    """Of "acute pain", "chronic insufficiency" and "pain in the chest"; cases, numbers and genders are no part of a tag."""
    pytest.importorskip("pymorphy3", reason="tags need the extra 'pos'")
    assert tags(["острая", "острых", "боль", "болей", "в"], "ru") == ["ADJF", "ADJF", "NOUN", "NOUN", "PREP"]
    assert tags(["covid", "2", "ибс", "ii"], "ru") == ["LATN", "NUMB", "UNKN", "ROMN"]
    of = ratios(["острая боль", "хроническая недостаточность", "боль в груди"], "tags", "ru")
    assert of[0, 1] == 1
    assert of[0, 2] == of[1, 2] == 0.5


@pytest.mark.parametrize(("language", "module"), [("en", "textblob.en.taggers"), ("ru", "pymorphy3")])
def test_tags_without_the_extra(language: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    _tagger.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install .*\[pos\]'"):
        tags(["acute"], language)
