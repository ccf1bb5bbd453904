"""Soft containment by hand, and against a plain definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dxmatch.features.kernels import found
from dxmatch.features.tokens import Words, stems

# Unit vectors whose numbers are whole 127ths of the largest, so that nothing is lost: cosines 0, 0.6, 0.8, 1 and -1.
VECTORS = {
    "kidney": (1, 0),
    "renal": (0.8, 0.6),
    "cancer": (0, 1),
    "tumor": (-1, 0),
    "of": (0.6, 0.8),
}


def encode(words: Sequence[str]) -> NDArray[np.float32]:
    return np.array([VECTORS[word] for word in words], np.float32)


def aligned(a: str, b: str, side: str, encode=encode) -> float:
    out, places = np.empty(2), np.array([0, 1], np.int32)
    found(*Words.of([a, b], "en", encode), places, places[::-1].copy(), out)
    return float(max(out) if side == "better" else min(out))


def test_by_hand() -> None:
    """cancer of kidney / renal cancer. Of the shorter: renal is nearest to of (0.8 * 0.6 + 0.6 * 0.8 = 0.96), cancer to
    itself: (0.96 + 1) / 2. Of the longer: cancer 1, of to renal 0.96, kidney to renal 0.8: (1 + 0.96 + 0.8) / 3."""
    assert aligned("cancer of kidney", "renal cancer", "better") == pytest.approx(0.98, abs=2e-3)
    assert aligned("renal cancer", "cancer of kidney", "worse") == pytest.approx(0.92, abs=2e-3)


def random_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    rows = [np.random.default_rng(list(word.encode())).standard_normal(24) for word in words]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


def naive(a: str, b: str) -> list[float]:
    means = []
    for one, other in ((a, b), (b, a)):
        best = [
            max(
                1.0
                if stems([x], "en") == stems([y], "en")
                else max(0.0, float(random_vectors([x])[0] @ random_vectors([y])[0]))
                for y in other.split()
            )
            for x in dict.fromkeys(one.split())
        ]
        means.append(sum(best) / len(best))
    return means


WORDS = st.sampled_from(["renal", "kidney", "cancers", "cancer", "of", "the", "1", "é"])


@settings(deadline=None, max_examples=50)
@given(names=st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=5, unique=True))
def test_it_is_the_naive_one(names: list[str]) -> None:
    count = len(names)
    first, second = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(count * count), count))
    words, out = Words.of(names, "en", random_vectors), np.empty((2, len(first)))
    found(*words, first, second, out[0])
    found(*words, second, first, out[1])
    expected = [naive(names[i], names[j]) for i, j in zip(first, second, strict=True)]
    np.testing.assert_allclose(out.T, expected, atol=0.02)
    assert (out[:, first == second] == 1).all()
