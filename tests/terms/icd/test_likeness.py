"""Kinship in the tree and overlap of candidates, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.terms.icd import likeness
from dxmatch.terms.icd.index import IcdIndex
from dxmatch.terms.icd.likeness import TEMPERATURE, Shares, kinship, overlap, paths
from dxmatch.terms.icd.search import Nearest
from dxmatch.terms.icd.tree import IcdTree


def kin(tree: IcdTree, a: str | None, b: str | None) -> float:
    nodes = np.array([-1 if code is None else tree.node(code) for code in (a, b)], np.int32)
    out = np.empty(1, np.float32)
    kinship(paths(tree, nodes), np.array([0], np.int32), np.array([1], np.int32), out)
    return float(out[0])


def test_kinship_by_hand(cm: IcdTree) -> None:
    """I21.0 lies under IX, I20-I25, I21: four codes with itself."""
    assert kin(cm, "I21.0", "I21.0") == 1
    assert kin(cm, "I21.0", "I21.9") == pytest.approx(2 * 3 / 8)
    assert kin(cm, "I21.0", "I21") == pytest.approx(2 * 3 / 7)
    assert kin(cm, "I21", "I20") == pytest.approx(2 * 2 / 6)
    assert kin(cm, "I21", "I10") == pytest.approx(2 * 1 / 6)
    assert kin(cm, "I21", "J45") == 0
    assert math.isnan(kin(cm, "I21", None))


def test_overlap_by_hand() -> None:
    """Two codes of category 7 and one of 3, each step of the temperature e times less: 7 has (1 + 1/e) / (1 + 1/e + 1/e²).

    A direct match of category 3 shares with it what it has in 3; one of category 5, nothing; one without a code is unknown.
    """
    cosines = np.array([0.9, 0.9 - TEMPERATURE, 0.9 - 2 * TEMPERATURE], np.float32)
    categories = np.array([7, 3, 7], np.int32)  # of the entries 0, 1, 2
    nearest = {0: Nearest(np.array([0, 2, 1]), cosines), 3: Nearest(np.zeros(0, np.int64), np.zeros(0, np.float32))}
    shares = Shares.of(np.array([-1, 3, 5, -1], np.int32), nearest, categories)
    total = 1 + math.exp(-1) + math.exp(-2)
    out = np.empty(5, np.float32)
    overlap(shares, np.array([0, 0, 0, 0, 1], np.int32), np.array([0, 1, 2, 3, 1], np.int32), out)
    assert out[:3] == pytest.approx([1, math.exp(-2) / total, 0], abs=1e-6)
    assert np.isnan(out[3])
    assert out[4] == 1


def test_what_is_found_is_what_is_assigned(index: IcdIndex) -> None:
    names = ["acute myocardial infarction", "heart atack", "i21 9", "infarction of the anterior wall"]
    found, assigned = index.find(names, 15), index.assign(names)
    assert found.direct.tolist() == index.direct(names).nodes.tolist()
    assert list(found.nearest) == np.flatnonzero(found.direct < 0).tolist()
    for row, nearest in found.nearest.items():
        assert index.nodes[nearest.entries[0]] == assigned.nodes[row]
        assert len(nearest.entries) == 15


def test_paths(cm: IcdTree) -> None:
    nodes = np.array([cm.node("I21.0"), -1, cm.node("IX") if cm.find("IX") >= 0 else 0, len(cm) - 1], np.int32)
    found = paths(cm, nodes)
    assert found.dtype == np.int32
    for row, node in zip(found.tolist(), nodes.tolist(), strict=True):
        above = [] if node < 0 else [*cm.ancestors(node)[::-1], node]
        assert row == above + [-1] * (len(row) - len(above))
    assert paths(cm, nodes[:0]).shape[0] == 0
    assert paths(cm, nodes[1:2]).tolist() == [[-1]]


def shared_out(cosines: np.ndarray, found: np.ndarray) -> tuple[list[int], np.ndarray]:
    """One name's shares, as numpy adds them."""
    if not len(found):
        return [], np.zeros(0)
    ids, at = np.unique(found, return_inverse=True)
    cosines = cosines.astype(np.float64)
    weights = np.bincount(at, np.exp((cosines - cosines[0]) / TEMPERATURE))
    return ids.tolist(), weights / weights.sum()


@settings(deadline=None, max_examples=100)
@given(st.lists(st.one_of(st.none(), st.integers(0, 40)), max_size=30), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_shares_are_numpy_s_to_the_last_bit(counts: list[int | None], span: int, seed: int) -> None:
    """Each name alone and all together; None is a direct match."""
    rng = np.random.default_rng(seed)
    categories = rng.integers(0, span, 200).astype(np.int32)
    direct = np.array([rng.integers(0, span) if count is None else -1 for count in counts], np.int32)
    nearest = {
        row: Nearest(rng.integers(0, 200, count), np.sort(rng.random(count).astype(np.float32))[::-1])
        for row, count in enumerate(counts)
        if count is not None
    }
    together = Shares.of(direct, nearest, categories)
    for row in range(len(counts)):
        alone = {0: nearest[row]} if row in nearest else {}
        for shares, at in ((together, row), (Shares.of(direct[row : row + 1], alone, categories), 0)):
            here = slice(shares.offsets[at], shares.offsets[at + 1])
            ids, expected = [int(direct[row])], np.ones(1)
            if row in nearest:
                ids, expected = shared_out(nearest[row].cosines, categories[nearest[row].entries])
            assert shares.categories[here].tolist() == ids
            assert shares.shares[here].tobytes() == expected.tobytes()


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 30), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_overlap_is_the_same_however_many_pairs(names: int, pairs: int, seed: int) -> None:
    """Many pairs of one first name are computed in another way than a pair alone."""
    rng = np.random.default_rng(seed)
    held = [np.sort(rng.choice(50, rng.integers(0, 12), replace=False)) for _ in range(names)]
    offsets = np.cumsum([0, *map(len, held)])
    parts = [rng.dirichlet(np.ones(len(one))) if len(one) else np.zeros(0) for one in held]
    shares = Shares(offsets, np.concatenate(held).astype(np.int32), np.concatenate(parts))
    first, second = (
        np.sort(rng.integers(0, names, pairs, dtype=np.int32)),
        rng.integers(0, names, pairs, dtype=np.int32),
    )
    together, alone, swapped = np.empty((3, pairs), np.float32)
    overlap(shares, first, second, together)
    for p in range(pairs):
        overlap(shares, first[p : p + 1], second[p : p + 1], alone[p : p + 1])
    overlap(shares, second, first, swapped)
    assert together.tobytes() == alone.tobytes() == swapped.tobytes()
    for a, b, found in zip(first, second, together, strict=True):
        x, y = dict(zip(held[a], parts[a], strict=True)), dict(zip(held[b], parts[b], strict=True))
        expected = sum(min(x[one], y[one]) for one in x.keys() & y.keys()) if x and y else math.nan
        assert found == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_both_ways_of_overlap_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight pairs of one name are enough for the second way."""
    reached = []
    monkeypatch.setattr(likeness, "_overlap_of_runs", lambda *_: reached.append("runs"))
    monkeypatch.setattr(likeness, "_overlap", lambda *_: reached.append("pairs"))
    shares = Shares(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1))
    for pairs in (7, 8):
        zeros = np.zeros(pairs, np.int32)
        overlap(shares, zeros, zeros, np.empty(pairs, np.float32))
    assert reached == ["pairs", "runs"]
