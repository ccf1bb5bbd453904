"""The column against `excludes`, pair by pair."""

from __future__ import annotations

import numpy as np

from dxmatch.features.exclusion import claims, exclusion
from dxmatch.terms.text.assertion import assertion_of, excludes

NAMES = [
    "no pneumonia", "pneumonia", "pneumonia ruled out", "pneumonia cannot be excluded", "history of stroke", "stroke",
    "family history of stroke", "no family history of stroke", "screening for stroke", "fear of stroke", "stroke risk",
]  # fmt: skip


def test_the_column_is_that_of_the_assertions() -> None:
    of_names = claims(NAMES, "en")
    assert of_names is not None and of_names.dtype == np.int32
    assert (of_names == 0).tolist() == [
        name in ("pneumonia", "pneumonia cannot be excluded", "stroke") for name in NAMES
    ]
    count = len(NAMES)
    first, second = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(count * count), count))
    out = np.empty(count * count, np.float32)
    exclusion(of_names, first, second, out)
    made = [assertion_of(name) for name in NAMES]
    assert out.tolist() == [excludes(made[i], made[j]) for i, j in zip(first, second, strict=True)]


def test_without_a_table() -> None:
    out = np.empty(1, np.float32)
    assert claims(["нет пневмонии"], "ru") is None
    exclusion(None, np.zeros(1, np.int32), np.zeros(1, np.int32), out)
    assert np.isnan(out).all()
    assert (claims([], "en") == np.empty(0, np.int32)).all()
