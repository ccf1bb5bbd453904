"""The search beside a look at every entry, alone beside in a batch; distributions over categories beside plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.models.folder import shipped_parts
from dxmatch.terms.encoders.static import StaticEncoder
from dxmatch.terms.icd.kernels import overlap
from dxmatch.terms.icd.search import CANDIDATES, TEMPERATURE, Candidates, Search, Shares, trained_index

from .conftest import HashingEncoder


def shipped():
    return StaticEncoder.from_arrays(shipped_parts().encoder or {})


def brute_force(queries, vectors, codes, k):
    """The best entry of each code by cosine, then place: numpy over all entries."""
    out = Candidates.none(len(queries), k)
    for row, query in enumerate(queries):
        cosines = vectors @ query
        enough = min(len(vectors), 40 * k)
        top = np.flatnonzero(cosines >= np.partition(cosines, -enough)[-enough])
        order = top[np.lexsort((top, -cosines[top]))]
        best = order[np.sort(np.unique(codes[order], return_index=True)[1])[:k]]
        out.nodes[row, : len(best)], out.scores[row, : len(best)] = codes[best], cosines[best]
    return out


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def searched(queries, vectors, codes, k):
    return Search(vectors, codes, trained_index(vectors))(queries, k)


def same_bits(a, b):
    return a.nodes.tobytes() == b.nodes.tobytes() and a.scores.tobytes() == b.scores.tobytes()


def misspelt(names, count):
    """Names with one letter left out: real strings that are in no index."""
    rng = np.random.default_rng(0)
    some = [names[i] for i in rng.choice(len(names), count, replace=False)]
    places = [int(rng.integers(0, len(name))) for name in some]
    return [name[:place] + name[place + 1 :] or "x" for name, place in zip(some, places, strict=True)]


@pytest.mark.parametrize(("encoder_of", "least"), [(HashingEncoder, 0.995), (shipped, 0.999)])
def test_recall_on_misspelt_names_of_icd10cm_alone_and_in_a_batch(opened, encoder_of, least) -> None:
    """Of the 15 nearest codes; the nearest one is always right where it is near. Over several parts, which several threads take."""
    index = opened(encoder_of())
    queries = index.encoder.encode(misspelt(index.names, 600))
    found = index._search(queries, CANDIDATES)
    for i in range(0, len(queries), 7):
        assert same_bits(index._search(queries[i : i + 1], CANDIDATES), found.at(slice(i, i + 1)))
    found = found.at(slice(150))
    right = brute_force(queries[:150], index.vectors, index.nodes, CANDIDATES)
    near = right.scores[:, 0] > 0.6
    assert near.mean() > 0.95
    np.testing.assert_allclose(found.scores[near, 0], right.scores[near, 0], atol=1e-6)
    assert (np.diff(found.scores, axis=1) <= 0).all()
    assert all(len(set(row)) == CANDIDATES for row in found.nodes.tolist())
    hits = [len(set(a) & set(b)) for a, b in zip(found.nodes.tolist(), right.nodes.tolist(), strict=True)]
    assert np.mean(hits) / CANDIDATES >= least


def test_training_is_repeatable() -> None:
    vectors = np.random.default_rng(0).standard_normal((6000, 32)).astype(np.float32)
    assert trained_index(vectors).tobytes() == trained_index(vectors.copy()).tobytes()


@settings(deadline=None, max_examples=100)
@given(
    st.integers(1, 700), st.integers(1, 70), st.integers(1, 700), st.integers(1, 30), st.integers(1, 9), st.integers(0, 2**32 - 1)
)  # fmt: skip
def test_a_small_index_is_exact(n, d, codes, k, m, seed):
    """Codes with many entries, more codes asked for than there are, queries that are entries, an odd number of dimensions."""
    rng = np.random.default_rng(seed)
    vectors = unit(rng.standard_normal((n, d)) + 0.1)
    owners = rng.integers(0, codes, n).astype(np.int32)
    queries = unit(rng.standard_normal((m, d)) + 0.1)
    queries[::3] = vectors[rng.integers(0, n, len(queries[::3]))]
    found, right = searched(queries, vectors, owners, k), brute_force(queries, vectors, owners, k)
    np.testing.assert_allclose(found.scores, right.scores, atol=1e-6)
    assert ((found.nodes < 0) == (right.nodes < 0)).all()
    distinct = np.abs(np.diff(right.scores, axis=1, prepend=2, append=-2)).T
    clear = (np.minimum(distinct[:-1], distinct[1:]).T > 1e-5) & (right.nodes >= 0)
    assert (found.nodes[clear] == right.nodes[clear]).all()


def test_ties_go_to_the_earlier_entry_and_a_code_counts_once():
    """Until there are k different codes, the shortlist grows."""
    vectors = np.zeros((600, 8), np.float32)
    vectors[:20, 0], vectors[20:, 1] = 1.0, 1.0
    first = np.eye(1, 8, dtype=np.float32)
    found = searched(first, vectors, np.arange(600, dtype=np.int32)[::-1].copy(), 4)
    assert found.nodes.tolist() == [[599, 598, 597, 596]] and found.scores.tolist() == [[1.0] * 4]
    angles = np.linspace(0, 1, 400, dtype=np.float32)
    circle = np.stack([np.cos(angles), np.sin(angles)], 1)
    found = searched(first[:, :2].copy(), circle, np.repeat(np.arange(4, dtype=np.int32), 100), 5)
    assert found.nodes.tolist() == [[0, 1, 2, 3, -1]]
    assert np.isnan(found.scores[0, 4]) and found.scores[0, :4].tolist() == circle[::100, 0].tolist()


def distribution(categories: list[list[int]], cosines: list[list[float]], k: int) -> Shares:
    found = Candidates.none(len(categories), k)
    for row, (ids, scores) in enumerate(zip(categories, cosines, strict=True)):
        found.nodes[row, : len(ids)], found.scores[row, : len(ids)] = ids, scores
    return found.shares(found.nodes)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=20), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_overlap_against_plain_python(counts: list[int], span: int, seed: int) -> None:
    """Distributions and overlaps, the same for a name or a pair alone, and for a pair in the other order."""
    rng = np.random.default_rng(seed)
    categories = [rng.integers(0, span, count).tolist() for count in counts]
    cosines = [np.sort(rng.random(count).astype(np.float32))[::-1].tolist() for count in counts]
    names, expected = distribution(categories, cosines, 15), []
    for row, (ids, scores) in enumerate(zip(categories, cosines, strict=True)):
        weights: dict[int, float] = {}
        for category, cosine in zip(ids, scores, strict=True):
            weights[category] = weights.get(category, 0) + math.exp((cosine - scores[0]) / TEMPERATURE)
        expected.append({category: weight / sum(weights.values()) for category, weight in sorted(weights.items())})
        there = len(weights)
        assert names.categories[row].tolist() == [*expected[-1]] + [-1] * (15 - there)
        assert names.shares[row, :there] == pytest.approx(list(expected[-1].values()))
        assert distribution([ids], [scores], 15).shares.tobytes() == names.shares[row].tobytes()
    first, second = rng.integers(0, len(counts), (2, 50), dtype=np.int32)
    together, alone, swapped = np.empty((3, 50), np.float32)
    overlap(*names, first, second, together)
    overlap(*names, second, first, swapped)
    for p in range(50):
        overlap(*names, first[p : p + 1], second[p : p + 1], alone[p : p + 1])
    assert together.tobytes() == alone.tobytes() == swapped.tobytes()
    for a, b, got in zip(first, second, together, strict=True):
        x, y = expected[a], expected[b]
        wanted = sum(min(x[one], y[one]) for one in x.keys() & y.keys()) if x and y else math.nan
        assert got == pytest.approx(wanted, abs=1e-6, nan_ok=True)
