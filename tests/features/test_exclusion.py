"""The column against `excludes` and `denials`, pair by pair."""

from __future__ import annotations

import numpy as np

from dxmatch.features.contrast import denials
from dxmatch.features.names import Names
from dxmatch.features.pairs import Pairs
from dxmatch.features.providers import Providers
from dxmatch.features.registry import contrast, exclusion
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.assertion import assertion_of, excludes
from dxmatch.terms.text.normalizer import Normalizer

NAMES = [
    "no pneumonia", "pneumonia", "pneumonia ruled out", "pneumonia cannot be excluded", "history of stroke", "stroke",
    "family history of stroke", "no family history of stroke", "screening for stroke", "fear of stroke", "stroke risk",
    "small cell lung cancer", "non small cell lung cancer", "lung cancer", "stable angina", "unstable angina",
]  # fmt: skip


def _column(names: list[str], **normalizer: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = len(names)
    first, second = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(count * count), count))
    pairs = Pairs(Names(names, Providers(Naming(Normalizer(**normalizer)))), first, second)
    assert np.isnan(contrast(pairs, {})).all() == ("language" in normalizer)
    return first, second, exclusion(pairs, {})


def test_the_column_is_that_of_the_assertions_and_denials() -> None:
    first, second, out = _column(NAMES)
    said = [assertion_of(name) for name in NAMES]
    expected = [
        excludes(said[i], said[j]) or bool(denials(said[i].core, said[j].core))
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
    ]
    assert out.tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_a_language_without_a_table_asserts_nothing() -> None:
    assert not _column(["history of stroke", "stroke", "пневмония"], language="ru")[2].any()
