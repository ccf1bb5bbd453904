"""Cosines: eight running sums in plain Python are the oracle; the order of the pairs, their number and their tiles change no bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.features import cosine as module
from dxmatch.features.cosine import cosine, few


def plain(a, b):
    """float32 sum k of the products k, k + 8, ...; then the sums, four apart, two apart, neighbours; then the rest."""
    whole = len(a) - len(a) % 8
    sums = [np.float32(0)] * 8
    for k in range(whole):
        sums[k % 8] += a[k] * b[k]
    total = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
    for k in range(whole, len(a)):
        total += a[k] * b[k]
    return min(max(total, np.float32(-1)), np.float32(1))


def rows(u, d, rng):
    vectors = rng.standard_normal((u, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[rng.random(u) < 0.2] = vectors[0]
    vectors[rng.random(u) < 0.1] = 0
    return vectors.astype(np.float32)


def by_kernel(vectors, first, second):
    out = np.empty(len(first), np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "kernels_compiled", lambda: True)
        cosine(vectors, first, second, out)
    return out


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 40), st.integers(1, 70), st.integers(0, 60), st.sampled_from(["any", "sorted", "all"]),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_by_hand(u, d, pairs, order, seed):
    rng = np.random.default_rng(seed)
    vectors = rows(u, d, rng)
    first, second = rng.integers(0, u, (2, pairs), dtype=np.int32)
    if order == "all":
        first, second = (x.astype(np.int32) for x in np.triu_indices(u))
    elif order == "sorted":
        place = np.lexsort((second, first))
        first, second = first[place], second[place]
    expected = np.array([plain(vectors[a], vectors[b]) for a, b in zip(first, second, strict=True)], np.float32)
    assert by_kernel(vectors, first, second).tobytes() == expected.tobytes()
    assert by_kernel(vectors, second, first).tobytes() == expected.tobytes()
    assert few(vectors, first, second).tobytes() == expected.tobytes()


@pytest.mark.parametrize("pairs", [3_000, 60_000])
def test_tiles_change_nothing(pairs):
    """20,000 strings in sorted pairs, so few that no tile pays and so many that several do; 64 of them are looked up alone."""
    rng = np.random.default_rng(pairs)
    vectors = rows(20_000, 19, rng)
    first, second = rng.integers(0, 200, pairs, dtype=np.int32), rng.integers(0, 20_000, pairs, dtype=np.int32)
    order = np.lexsort((second, first))
    together = by_kernel(vectors, first[order], second[order])
    for p in rng.integers(0, pairs, 64):
        at = order[p : p + 1]
        assert by_kernel(vectors, first[at], second[at]).tobytes() == together[p : p + 1].tobytes()
    shuffled = by_kernel(vectors, first, second)
    assert shuffled[order].tobytes() == together.tobytes()


def test_what_is_no_number_stays_none():
    vectors = np.full((2, 9), np.nan, np.float32)
    vectors[0] = 1 / 3
    pair = np.array([0], np.int32), np.array([1], np.int32)
    assert np.isnan(by_kernel(vectors, *pair)).all()
    assert np.isnan(few(vectors, *pair)).all()


def test_a_length_above_one_is_cut():
    vectors = np.full((2, 16), 0.3, np.float32)
    vectors[1] *= -1
    first, second = np.array([0, 0], np.int32), np.array([0, 1], np.int32)
    assert by_kernel(vectors, first, second).tolist() == [1, -1]
    assert few(vectors, first, second).tolist() == [1, -1]


def test_other_layouts_of_the_arguments():
    """Rows and places that do not lie side by side in memory, a column of a table as the output."""
    rng = np.random.default_rng(0)
    vectors, table = rows(30, 24, rng), np.empty((50, 3), np.float32)
    first, second = rng.integers(0, 30, (50, 2), dtype=np.int32).T
    expected = by_kernel(vectors, first.copy(), second.copy())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "kernels_compiled", lambda: True)
        cosine(np.asfortranarray(vectors), first, second, table[:, 1])
    assert table[:, 1].tobytes() == expected.tobytes()
