"""Wu-Palmer similarity in the tree and overlap of category distributions, by hand and beside plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.terms.icd.kernels import overlap, wu_palmer
from dxmatch.terms.icd.search import TEMPERATURE, Candidates, Shares
from dxmatch.terms.icd.tree import IcdTree


def similarity(tree: IcdTree, a: str | None, b: str | None) -> float:
    nodes = np.array([-1 if code is None else tree.node(code) for code in (a, b)], np.int32)
    out = np.empty(1, np.float32)
    wu_palmer(tree.paths(nodes), np.array([0], np.int32), np.array([1], np.int32), out)
    return float(out[0])


def test_wu_palmer_by_hand(cm: IcdTree) -> None:
    """I21.0 lies under IX, I20-I25, I21: four codes with itself."""
    assert similarity(cm, "I21.0", "I21.0") == 1
    assert similarity(cm, "I21.0", "I21.9") == pytest.approx(2 * 3 / 8)
    assert similarity(cm, "I21.0", "I21") == pytest.approx(2 * 3 / 7)
    assert similarity(cm, "I21", "I20") == pytest.approx(2 * 2 / 6)
    assert similarity(cm, "I21", "I10") == pytest.approx(2 * 1 / 6)
    assert similarity(cm, "I21", "J45") == 0
    assert math.isnan(similarity(cm, "I21", None))


def test_paths(cm: IcdTree) -> None:
    nodes = np.array([cm.node("I21.0"), -1, 0, len(cm) - 1], np.int32)
    found = cm.paths(nodes)
    assert found.dtype == np.int32
    for row, node in zip(found.tolist(), nodes.tolist(), strict=True):
        above = [] if node < 0 else [*cm.ancestors(node)[::-1], node]
        assert row == above + [-1] * (len(row) - len(above))
    assert cm.paths(nodes[:0]).shape[0] == 0
    assert cm.paths(nodes[1:2]).tolist() == [[-1]]


def distribution(categories: list[list[int]], cosines: list[list[float]], k: int) -> Shares:
    found = Candidates.none(len(categories), k)
    for row, (ids, scores) in enumerate(zip(categories, cosines, strict=True)):
        found.nodes[row, : len(ids)], found.scores[row, : len(ids)] = ids, scores
    return found.shares(found.nodes)


def test_overlap_by_hand() -> None:
    """Two codes of category 7 and one of 3, each step of the temperature e times less: 7 has (1 + 1/e²) / (1 + 1/e + 1/e²).

    A direct match of category 3 shares with it what it has in 3; one of category 5, nothing; one without a code is unknown.
    """
    cosines = [0.9, 0.9 - TEMPERATURE, 0.9 - 2 * TEMPERATURE]
    names = distribution([[7, 3, 7], [3], [5], []], [cosines, [1], [1], []], 3)
    total = 1 + math.exp(-1) + math.exp(-2)
    out = np.empty(5, np.float32)
    overlap(*names, np.array([0, 0, 0, 0, 1], np.int32), np.array([0, 1, 2, 3, 1], np.int32), out)
    assert out[:3] == pytest.approx([1, math.exp(-1) / total, 0], abs=1e-6)
    assert np.isnan(out[3])
    assert out[4] == 1


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=20), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_against_plain_python(counts: list[int], span: int, seed: int) -> None:
    """Distributions and overlaps, the same for a name or a pair alone, and for a pair in the other order."""
    rng = np.random.default_rng(seed)
    categories = [rng.integers(0, span, count).tolist() for count in counts]
    cosines = [np.sort(rng.random(count).astype(np.float32))[::-1].tolist() for count in counts]
    names = distribution(categories, cosines, 15)
    expected = []
    for row, (ids, scores) in enumerate(zip(categories, cosines, strict=True)):
        weights: dict[int, float] = {}
        for category, cosine in zip(ids, scores, strict=True):
            weights[category] = weights.get(category, 0) + math.exp((cosine - scores[0]) / TEMPERATURE)
        expected.append({category: weight / sum(weights.values()) for category, weight in sorted(weights.items())})
        there = len(weights)
        assert names.categories[row].tolist() == [*expected[-1]] + [-1] * (15 - there)
        assert names.shares[row, :there] == pytest.approx(list(expected[-1].values()))
        assert not names.shares[row, there:].any()
        alone = distribution([ids], [scores], 15)
        assert alone.shares.tobytes() == names.shares[row].tobytes()
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
