"""Cosines against float64; the order of the pairs and their number change no bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.features.kernels import cosine


def rows(u: int, d: int, rng: np.random.Generator) -> np.ndarray:
    vectors = rng.standard_normal((u, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[rng.random(u) < 0.2] = vectors[0]
    vectors[rng.random(u) < 0.1] = 0
    return vectors.astype(np.float32)


def cosines(vectors: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    out = np.empty(len(first), np.float32)
    cosine(vectors, first, second, out)
    return out


@settings(deadline=None, max_examples=60)
@given(
    u=st.integers(1, 40), d=st.sampled_from([1, 2, 63, 64, 65, 130, 256]), pairs=st.integers(0, 60),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_alone_as_in_a_batch(u: int, d: int, pairs: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rows(u, d, rng)
    first, second = rng.integers(0, u, (2, pairs), dtype=np.int32)
    batch = cosines(vectors, first, second)
    exact = np.einsum("pd,pd->p", vectors[first].astype(float), vectors[second].astype(float))
    np.testing.assert_allclose(batch, exact, atol=1e-6)
    assert cosines(vectors, second, first).tobytes() == batch.tobytes()
    alone = [cosines(vectors[[i, j]], np.zeros(1, np.int32), np.ones(1, np.int32)) for i, j in zip(first, second, strict=True)]  # fmt: skip
    assert b"".join(one.tobytes() for one in alone) == batch.tobytes()


@pytest.mark.parametrize(("other", "expected"), [(0.3, 1), (-0.3, -1), (np.nan, np.nan)])
def test_cut_to_its_range(other: float, expected: float) -> None:
    """Vectors longer than 1 are cut; what is no number stays none."""
    vectors = np.full((2, 16), 0.3, np.float32)
    vectors[1] = other
    found = cosines(vectors, np.array([0], np.int32), np.array([1], np.int32))
    np.testing.assert_array_equal(found, np.float32([expected]))
