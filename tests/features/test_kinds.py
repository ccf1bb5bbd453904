"""Every kind of feature that is computed here: symmetric, within its range, the same alone as in a batch, and by its plain definition; the sets of them.

What each kind gives for 200 pairs: tests/golden/pairs.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError, MissingExtra
from dxmatch.features.compute import feature_table
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.names import Names, unordered_pairs
from dxmatch.features.registry import KINDS, REQUIRED
from dxmatch.features.tokens import VIEWS, _tagger, lemmas, stems, tags
from dxmatch.terms.text.assertion import assertion_of

from ..case_table import cases
from .made import TREE, feature_set, grid, providers, table

ODD = [
    "a", "A", "é", "ab" * 100, "😀 b", "и", "心筋梗塞", "x" * 65, "acute mi", "angina pectoris", "type 1", "type 2", "hypertension",
    "hypotension", "i21", "no angina pectoris", "unstable angina", "anterior wall infarction", "cardiac disease",
]  # fmt: skip
_WORDS = "acute chronic infarction infarctions anterior wall of non hypertension type 1 2 с é heart failures failure bronchi инфаркта инфаркт"
NAMES = st.one_of(st.lists(st.sampled_from(_WORDS.split()), min_size=1, max_size=6).map(" ".join), st.sampled_from(ODD))


@pytest.fixture(scope="module")
def every() -> FeatureSet:
    """One feature for each choice of each kind that asks no language model."""
    features = []
    for name, kind in KINDS.items():
        source = {"source": TREE} if "source" in kind.options else {}
        choices = [{option: value} for option, default in kind.options.items() if default is REQUIRED and not kind.asked for value in kind.choices[option]]  # fmt: skip
        features += [{"kind": name, **source, **chosen} for chosen in choices or [{}] if not kind.asked]
    return feature_set(*features)


@settings(deadline=None, max_examples=25)
@given(names=st.lists(NAMES, min_size=1, max_size=5, unique=True))
@example(names=ODD)
def test_symmetric_in_range_and_alone_as_in_a_batch(names: list[str], every: FeatureSet) -> None:
    opened, (first, second) = providers(), grid(len(names))
    values = feature_table(Names(names, opened), first, second, every)
    np.testing.assert_array_equal(values, feature_table(Names(names, opened), second, first, every), "not symmetric")
    for column, feature in enumerate(every.features):
        kind, known = KINDS[feature.kind], values[~np.isnan(values[:, column]), column]
        assert ((known >= kind.range[0]) & (known <= kind.range[1])).all(), feature
        alike = values[first == second, column]
        np.testing.assert_allclose(alike[~np.isnan(alike)], kind.alike, atol=1e-6, err_msg=feature.name)
        assert kind.missing != "never" or len(known) == len(values), feature
    for row in range(0, len(values), max(1, len(values) // 6)):
        pair = list(dict.fromkeys([names[first[row]], names[second[row]]]))
        places = np.zeros(1, np.int32), np.full(1, len(pair) - 1, np.int32)
        np.testing.assert_array_equal(feature_table(Names(pair, opened), *places, every)[0], values[row])


TAGGERS = {"en": "textblob", "ru": "pymorphy3"}
OF_WORDS = {"stem": stems, "lemma": lemmas, "tags": tags}


def plain_set(name: str, view: str, language: str) -> set[object]:
    words = assertion_of(name, language).core.split()
    if view in OF_WORDS:
        return set(OF_WORDS[view](words, language))
    return set(words if view == "unigram" else pairwise(words))


@pytest.mark.parametrize("language", TAGGERS)
@pytest.mark.parametrize("view", VIEWS)
@settings(deadline=None, max_examples=15)
@given(names=st.lists(NAMES, min_size=1, max_size=8, unique=True))
@example(names=ODD)
def test_a_ratio_is_the_one_of_sets(view: str, language: str, names: list[str]) -> None:
    if view == "tags":
        pytest.importorskip(TAGGERS[language], reason="tags need the extra 'pos'")
    sets = [plain_set(name, view, language) for name in names]
    expected = [[len(x & y) / min(len(x), len(y)) if x and y else np.nan for y in sets] for x in sets]
    found = table(names, {"kind": "ratio", "view": view}, language=language)
    np.testing.assert_array_equal(found[0], np.array(expected, np.float32))


@pytest.mark.parametrize(("view", "words", "language", "read_as"), cases("words"))
def test_words_by_hand(view: str, words: str, language: str, read_as: str) -> None:
    """Stems by the steps of Porter 2. Of a tag, cases, numbers and genders are no part."""
    if view == "tags":
        pytest.importorskip(TAGGERS[language], reason="tags need the extra 'pos'")
    assert OF_WORDS[view](words.split(), language) == read_as.split()


@pytest.mark.parametrize(("language", "module"), [("en", "textblob.en.taggers"), ("ru", "pymorphy3")])
def test_tags_without_the_extra(language: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    _tagger.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install .*\[pos\]'"):
        tags(["acute"], language)


@pytest.mark.parametrize(("text", "message"), cases("feature_sets"))
def test_sets_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "set.toml").write_text(text)
    with pytest.raises(InputError, match=message) as error:
        FeatureSet.read(tmp_path / "set.toml")
    assert "sk-" not in str(error.value), "no key is said again"


@given(st.data())
def test_unordered_pairs_as_in_plain_python(data: st.DataObject) -> None:
    """Also of so many names that the square of their number is beyond 32 or 64 bits."""
    count = data.draw(st.sampled_from([1, 2, 5, 2049, 70_000, 2**31 - 1]))
    code = st.integers(0, count - 1)
    rows = data.draw(st.lists(st.tuples(code, code), min_size=1, max_size=60))
    a, b = (np.array(side, np.int32) for side in zip(*rows, strict=True))
    first, second, pair_of_row = unordered_pairs(a, b, count)
    found = list(zip(first.tolist(), second.tolist(), strict=True))
    keys = [(min(row), max(row)) for row in rows]
    assert found == sorted(set(keys)) and [found[pair] for pair in pair_of_row] == keys
