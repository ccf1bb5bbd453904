"""The search against a naive one that looks at every entry: the same entries and cosines, bit for bit, by numpy and by kernel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.terms.icd import search
from dxmatch.terms.icd.search import fixed_dot, nearest_distinct
from dxmatch.terms.icd.sketch import LANES, Sketch


def naive(query, vectors, owners, k):
    """The best entry of each owner by cosine, then place: one after the other."""
    cosines = fixed_dot(vectors, query)
    best: dict[int, int] = {}
    for entry in sorted(range(len(vectors)), key=lambda i: (-cosines[i], i)):
        best.setdefault(int(owners[entry]), entry)
    entries = list(best.values())[:k]
    return entries, cosines[entries]


def by_kernel(queries, vectors, owners, k, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "kernels_compiled", lambda: True)
        return nearest_distinct(queries, vectors, owners, k, **options)


def by_numpy(queries, vectors, owners, k):
    return [search._by_numpy(query, vectors, owners, k) for query in queries]


def agrees(found, query, vectors, owners, k):
    entries, cosines = naive(query, vectors, owners, k)
    assert found.entries.tolist() == entries
    assert found.cosines.tobytes() == cosines.tobytes()
    assert (found.entries.dtype, found.cosines.dtype) == (np.int64, np.float32)


def unit(vectors):
    lengths = np.sqrt(np.square(vectors.astype(np.float64)).sum(-1, keepdims=True))
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def made(kind, n, d, rng):
    """Vectors that make a search go wrong: ties, clusters, one heavy dimension, zeros."""
    if kind == "random":
        return unit(rng.standard_normal((n, d)))
    if kind == "few directions":
        return unit(rng.integers(-1, 2, (n, d)))
    if kind == "clusters":
        centres = rng.standard_normal((4, d))
        return unit(centres[rng.integers(0, 4, n)] + rng.choice([1e-7, 1e-3, 0.1]) * rng.standard_normal((n, d)))
    if kind == "heavy":
        vectors = rng.standard_normal((n, d)) * 1e-3
        vectors[:, rng.integers(0, d)] += rng.choice([-1, 1], n)
        return unit(vectors)
    vectors = unit(rng.standard_normal((n, d)))
    vectors[rng.random(n) < 0.5] = 0
    return vectors


KINDS = ("random", "few directions", "clusters", "heavy", "zeros")


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from(KINDS), st.integers(1, 700), st.integers(1, 70), st.integers(1, 700), st.integers(1, 30),
    st.integers(1, 9), st.integers(0, 2**32 - 1),
)  # fmt: skip
@example("few directions", 600, 3, 600, 15, 7, 0)
@example("clusters", 600, 64, 500, 15, 3, 1)
@example("zeros", 300, 8, 300, 15, 2, 2)
def test_it_finds_what_a_look_at_every_entry_finds(kind, n, d, codes, k, m, seed):
    """Any mixture of new queries, entries themselves and their opposites; codes with many entries; more codes asked for than
    there are."""
    rng = np.random.default_rng(seed)
    vectors = made(kind, n, d, rng)
    owners = rng.integers(0, codes, n).astype(np.int32)
    queries = made(kind, m, d, rng)
    queries[::3] = vectors[rng.integers(0, n, len(queries[::3]))]
    queries[1::3] = -vectors[rng.integers(0, n, len(queries[1::3]))]
    together = by_kernel(queries, vectors, owners, k)
    for i, query in enumerate(queries):
        agrees(together[i], query, vectors, owners, k)
        (alone,) = by_kernel(queries[i : i + 1], vectors, owners, k)
        agrees(alone, query, vectors, owners, k)
        agrees(by_numpy(queries[i : i + 1], vectors, owners, k)[0], query, vectors, owners, k)


@pytest.mark.parametrize("d", [256, 384, 1024])
def test_wide_vectors(d):
    """The sums of products stay within sixteen bits, also where query and entry point the same way."""
    rng = np.random.default_rng(d)
    vectors = made("random", 900, d, rng)
    vectors[::7] = unit(np.sign(vectors[::7]))
    vectors[5::7] = vectors[0]
    owners = np.arange(900, dtype=np.int32)
    queries = np.concatenate([vectors[:9], -vectors[:9], made("heavy", 4, d, rng)])
    for query, found in zip(queries, by_kernel(queries, vectors, owners, 15), strict=True):
        agrees(found, query, vectors, owners, 15)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(KINDS), st.integers(1, 60), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_a_sketch_leaves_out_no_more_than_it_says(kind, n, d, seed):
    """Codes read back in plain Python: each vector lies within its error of its sketch, and no length is above the greatest."""
    vectors = made(kind, n, d, np.random.default_rng(seed))
    sketch = Sketch.of(vectors)
    for i, vector in enumerate(vectors):
        block, lane = divmod(i, LANES)
        words = sketch.codes[block, :, 2 * lane : 2 * lane + 2]
        levels = np.stack([words & 15, words >> 4], 1).reshape(-1)[:d].astype(float) - 8
        left_out = vector.astype(float) - levels * float(sketch.steps[i])
        assert np.sqrt(left_out @ left_out) <= sketch.errors[i] * (1 + 1e-6)
        left_out = vector.astype(float) - sketch.fine[i].astype(float) * float(sketch.fine_steps[i])
        assert np.sqrt(left_out @ left_out) <= sketch.fine_errors[i] * (1 + 1e-6)
        assert np.sqrt(levels @ levels) <= sketch.most[0] * (1 + 1e-12)
        assert np.sqrt(vector.astype(float) @ vector) <= sketch.most[1] * (1 + 1e-12)


@pytest.mark.parametrize("find", [by_kernel, by_numpy])
def test_ties_go_to_the_earlier_entry(find):
    """500 equal vectors, more than any first shortlist."""
    vectors = np.zeros((600, 8), np.float32)
    vectors[:500, 0], vectors[500:, 1] = 1.0, 1.0
    owners = np.arange(600, dtype=np.int32)[::-1].copy()
    (found,) = find(np.eye(1, 8, dtype=np.float32), vectors, owners, 4)
    assert found.entries.tolist() == [0, 1, 2, 3]
    assert found.cosines.tolist() == [1.0] * 4


@pytest.mark.parametrize("find", [by_kernel, by_numpy])
def test_codes_with_many_names_count_once(find):
    angles = np.linspace(0, 1, 400, dtype=np.float32)
    vectors = np.stack([np.cos(angles), np.sin(angles)], 1)
    owners = np.repeat(np.arange(4, dtype=np.int32), 100)
    (found,) = find(np.array([[1, 0]], np.float32), vectors, owners, 3)
    assert found.entries.tolist() == [0, 100, 200]
    (found,) = find(np.array([[1, 0]], np.float32), vectors, owners, 15)
    assert found.entries.tolist() == [0, 100, 200, 300]


def test_threads_and_parts_change_nothing():
    rng = np.random.default_rng(0)
    vectors, queries = made("random", 3000, 24, rng), made("random", 333, 24, rng)
    owners = rng.integers(0, 900, 3000).astype(np.int32)
    sketch = Sketch.of(vectors)
    once = by_kernel(queries, vectors, owners, 15, sketch=sketch, threads=1)
    many = by_kernel(queries, vectors, owners, 15, sketch=sketch, threads=3)
    assert len(once) == len(many) == len(queries)
    for one, other in zip(once, many, strict=True):
        assert one.entries.tolist() == other.entries.tolist()
        assert one.cosines.tobytes() == other.cosines.tobytes()
    agrees(once[200], queries[200], vectors, owners, 15)


def test_more_codes_than_the_kernel_ranks():
    rng = np.random.default_rng(0)
    vectors = made("random", 1500, 12, rng)
    owners = rng.integers(0, 1200, 1500).astype(np.int32)
    for k in (search._MANY, search._MANY + 1, 5000):
        (found,) = by_kernel(vectors[:1], vectors, owners, k)
        agrees(found, vectors[0], vectors, owners, k)


def test_no_entries_and_no_queries():
    nothing, one = np.zeros((0, 4), np.float32), np.ones((1, 4), np.float32) / 2
    assert by_kernel(nothing, one, np.zeros(1, np.int32), 3) == []
    (found,) = by_kernel(one, nothing, np.zeros(0, np.int32), 3)
    assert (len(found.entries), len(found.cosines)) == (0, 0)


def test_a_few_queries_are_answered_before_numba_is_there(monkeypatch):
    """Then it is imported: a process that asks again and again is not left with the slow way."""
    asked = []
    monkeypatch.setattr(search, "kernels_compiled", lambda: False)
    monkeypatch.setattr(search._Asked, "by_numpy", 0)
    monkeypatch.setattr(search, "_by_kernel", lambda queries, *_: asked.append(len(queries)) or [None] * len(queries))
    vectors = made("random", 40, 5, np.random.default_rng(0))
    for _ in range(search._FEW):
        nearest_distinct(vectors[:1], vectors, np.arange(40, dtype=np.int32), 3)
    assert asked == []
    nearest_distinct(vectors[:1], vectors, np.arange(40, dtype=np.int32), 3)
    assert asked == [1]


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 700), st.integers(0, 2**32 - 1))
def test_fixed_dot(rows, d, seed):
    from dxmatch.terms.icd.kernels import fixed_dot_of_two

    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, rows, d)).astype(np.float32)
    together = fixed_dot(a, b)
    np.testing.assert_allclose(together, (a.astype(np.float64) * b).sum(1), atol=1e-3)
    room = np.empty(d, np.float32)
    for i in range(rows):
        assert fixed_dot(a[i : i + 1], b[i : i + 1]).tobytes() == together[i : i + 1].tobytes()
        assert np.float32(fixed_dot_of_two(b[i], a[i], room)).tobytes() == together[i].tobytes()
