"""A few pairs before any kernel is compiled: computed without numba, to the last bit as with it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dxmatch import compiled
from dxmatch.features import alignment, contrast, cosine, levenshtein
from dxmatch.features import tokens as linguistic

NAMES = [
    "acute renal failure", "chronic renal failures of the left kidney with and without infarction", "bronchi", "x" * 64,
    "x" * 65 + " y", "ab " * 70, "type 1 diabetes mellitus", "type 2 diabetes mellitus", "é 1",
]  # fmt: skip
FIRST, SECOND = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(len(NAMES) ** 2), len(NAMES)))


def vectors_of(words: list[str], width: int = 37) -> NDArray[np.float32]:
    rows = np.array([np.random.default_rng(list(word.encode())).standard_normal(width) for word in words], np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def by_few(fill, monkeypatch: pytest.MonkeyPatch) -> NDArray[np.float32]:
    """All pairs, each alone, as in a process without a compiled kernel."""
    out = np.empty((len(FIRST), 2), np.float32)
    for module in (compiled, alignment, levenshtein, cosine):
        name = "_kernels_compiled" if module is compiled else "kernels_compiled"
        monkeypatch.setattr(module, name, False if module is compiled else lambda: False)
    for pair in range(len(FIRST)):
        fill(FIRST[pair : pair + 1], SECOND[pair : pair + 1], out[pair : pair + 1])
    monkeypatch.undo()
    return out


WORDS = alignment.Words.of(NAMES, "en", vectors_of)
FILLS = {
    "alignment": lambda i, j, out: alignment.alignment(WORDS, i, j, {"better": out[:, 0], "worse": out[:, 1]}),
    "levenshtein": lambda i, j, out: levenshtein.normalized_levenshtein(
        levenshtein.Spelling.of(NAMES), i, j, out[:, 0]
    ),
    "contrast": lambda i, j, out: contrast.count_contrasts(contrast.Claims.of(NAMES, "en"), i, j, out[:, 0]),
    "ratio": lambda i, j, out: linguistic.overlap_ratio(linguistic.TokenSets.of(NAMES, "stem", "en"), i, j, out[:, 0]),
    "cosine": lambda i, j, out: cosine.cosine(vectors_of(NAMES), i, j, out[:, 0]),
}


@pytest.mark.parametrize("kind", FILLS)
def test_alone_and_without_numba_is_as_in_a_batch(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = FILLS[kind]
    batch = np.zeros((len(FIRST), 2), np.float32)
    fill(FIRST, SECOND, batch)
    columns = 2 if kind == "alignment" else 1
    np.testing.assert_array_equal(by_few(fill, monkeypatch)[:, :columns], batch[:, :columns])


@settings(deadline=None, max_examples=200)
@given(names=st.lists(st.text("abcé ", max_size=90), min_size=2, max_size=4))
def test_edits_without_numba(names: list[str]) -> None:
    spelling = levenshtein.Spelling.of(names)
    first, second = np.array([0, 1], np.int32), np.array([1, 0], np.int32)
    few, batch = np.empty((2, 2), np.float32)
    levenshtein._distances_few(spelling.letters, spelling.offsets, first, second, few)
    six = np.tile(first, 3), np.tile(second, 3)
    out = np.empty(6, np.float32)
    levenshtein.normalized_levenshtein(spelling, *six, out)
    batch[:] = out[:2]
    np.testing.assert_array_equal(few, batch)
    np.testing.assert_array_equal(out, np.tile(out[:2], 3))


def test_two_strings_need_neither_numba_nor_nltk() -> None:
    """What takes a second or more to import is left for the work that is worth it."""
    code = """
import sys
from dxmatch.features.compute import feature_values
from dxmatch.features.feature_set import FeatureSet
from dxmatch.terms.icd.naming import Naming
from dxmatch.features.providers import Providers
from dxmatch.terms.text.normalizer import Normalizer
views = [{"name": view, "kind": "ratio", "view": view} for view in ("unigram", "bigram", "stem", "lemma", "pos")]
features = FeatureSet.from_dict(
    {"feature": [*views, {"name": "edits", "kind": "levenshtein"}, {"name": "contrast", "kind": "contrast"}]}
)
print(feature_values("acute renal failure", "chronic renal failures", features, Providers(Naming(Normalizer()))))
print([name for name in ("numba", "nltk", "textblob", "scipy", "pandas") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    values, imported = run.stdout.splitlines()
    assert imported == "[]"
    assert "'contrast': 1.0" in values and "'stem': 0.66666668653" in values


@pytest.mark.parametrize("kind", linguistic.VIEWS)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_sets_of_few_names_are_those_of_many(kind: str, language: str) -> None:
    """Their numbers may be others; what two names share, and the signature's promise, may not."""
    many = linguistic.TokenSets.of(NAMES, kind, language)
    for i, j in zip(FIRST.tolist(), SECOND.tolist(), strict=True):
        few = linguistic.TokenSets.of([NAMES[i], NAMES[j]], kind, language)
        out, alone = np.empty((2, 1), np.float32)
        linguistic.overlap_ratio(many, np.array([i], np.int32), np.array([j], np.int32), out)
        linguistic.overlap_ratio(few, np.array([0], np.int32), np.array([1], np.int32), alone)
        np.testing.assert_array_equal(alone, out)
