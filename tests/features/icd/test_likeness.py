"""Kinship in the tree and overlap of candidates, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dxmatch.features.icd.index import IcdIndex
from dxmatch.features.icd.likeness import TEMPERATURE, Shares, kinship, overlap, paths
from dxmatch.features.icd.search import Nearest
from dxmatch.features.icd.tree import IcdTree


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
