"""Wu-Palmer similarity in the tree and overlap of category distributions, by hand and beside plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.terms.icd.kernels import overlap, wu_palmer
from dxmatch.terms.icd.search import TEMPERATURE, Candidates, Shares


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("I21.0", "I21.0", 1), ("I21.0", "I21.9", 6 / 8), ("I21.0", "I21", 6 / 7), ("I21", "I20", 4 / 6), ("I21", "I10", 2 / 6), ("I21", "J45", 0), ("I21", None, math.nan)],
)  # fmt: skip
def test_wu_palmer_by_hand(cm, a: str, b: str | None, expected: float) -> None:
    """I21.0 lies under IX, I20-I25, I21: four codes with itself."""
    nodes = np.array([-1 if code is None else cm.find(code) for code in (a, b)], np.int32)
    out = np.empty(1, np.float32)
    wu_palmer(cm.paths(nodes), np.array([0], np.int32), np.array([1], np.int32), out)
    assert out[0] == pytest.approx(expected, nan_ok=True)


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
