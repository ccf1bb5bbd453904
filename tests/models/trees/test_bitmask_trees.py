"""Scores of trees: LightGBM's own, to the last bit, by both of the ways that do not need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import ModelError
from dxmatch.models.ensemble import Members
from dxmatch.models.folder import load
from dxmatch.models.trees import bins as tree_bins
from dxmatch.models.trees.bins import BLOCK, Bins, rounded_down
from dxmatch.models.trees.bitmask import AT_ONCE, BitmaskTrees
from dxmatch.models.trees.text import check
from dxmatch.models.trees.walk import TreeWalk

HERE = Path(__file__).parents[1]
FOLDERS = [HERE / "golden" / "model", HERE.parents[1] / "models" / "offline-en"]


def lightgbm_raw(texts, table):
    boosters = [lightgbm.Booster(model_str=text) for text in texts]
    return np.stack([b.predict(table, raw_score=True, num_threads=1) for b in boosters], axis=1)  # type: ignore[arg-type]


def arrays_of(texts):
    return [check(text, None, "t").arrays for text in texts]


def bitmask(texts):
    arrays = arrays_of(texts)
    bins = Bins.of(arrays)
    assert bins is not None
    return BitmaskTrees.of(arrays, bins)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    trees=st.integers(1, 9),
    most_leaves=st.sampled_from([1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 63, 64]),
    features=st.integers(1, 5),
    rows=st.integers(1, 70),
)
def test_as_lightgbm_whatever_the_trees(random_trees, odd_rows, seed, trees, most_leaves, features, rows):
    texts = [random_trees(seed + member, trees, most_leaves, features) for member in range(2)]
    table = odd_rows(seed, rows, features)
    expected = lightgbm_raw(texts, table)
    assert bitmask(texts)(table).tobytes() == expected.tobytes()
    assert TreeWalk(arrays_of(texts))(table).tobytes() == expected.tobytes()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_as_lightgbm_on_models_that_were_kept(folder, odd_rows):
    texts = load(folder).trees
    features = Members(texts).n_features
    odd = odd_rows(1, 300, features)
    plain = np.random.default_rng(2).random((700, features)).astype(np.float32)
    table = np.concatenate([odd, plain])
    expected = lightgbm_raw(texts, table)
    assert bitmask(texts)(table).tobytes() == expected.tobytes()
    assert TreeWalk(arrays_of(texts))(table[:40]).tobytes() == expected[:40].tobytes()


@pytest.mark.parametrize("most_leaves", [7, 15, 20, 60])
def test_a_row_alone_as_at_any_place_in_a_batch(random_trees, odd_rows, most_leaves):
    """A mask is of 1, 2, 4 or 8 bytes, and rows go through the trees by 128, 64 and 32."""
    text = random_trees(3, 11, most_leaves, 6)
    score = bitmask([text])
    table = odd_rows(4, 2 * BLOCK + 197, 6)
    whole = score(table)
    assert whole.tobytes() == lightgbm_raw([text], table).tobytes()
    for row in (0, 1, 31, 32, 127, 128, BLOCK - 1, BLOCK, 2 * BLOCK, len(table) - 1):
        assert score(table[row : row + 1]).tobytes() == whole[row : row + 1].tobytes()
    for size in (BLOCK - 1, BLOCK, BLOCK + 1, 33, 65, 97, 129, 161):
        assert score(table[-size:]).tobytes() == whole[-size:].tobytes()
    assert score(np.asfortranarray(table)).tobytes() == whole.tobytes()
    assert score(table[:0]).shape == (0, 1)


def test_more_thresholds_than_a_byte_counts():
    """LightGBM trained with 1,000 bins: its trees fall into several banks, and the sum goes on from one to the next."""
    random = np.random.default_rng(0)
    table = random.random((5_000, 2)).astype(np.float32)
    label = (np.sin(40 * table[:, 0]) + random.normal(0, 0.3, 5_000) > 0).astype(int)
    settings = {
        "objective": "binary",
        "num_leaves": 60,
        "max_bin": 1_000,
        "min_data_in_leaf": 2,
        "verbosity": -1,
        "num_threads": 1,
    }
    text = lightgbm.train(settings, lightgbm.Dataset(table, label), 41).model_to_string()
    score = bitmask([text])
    assert len(score.bins.banks) > 1 and 41 % AT_ONCE
    assert score(table).tobytes() == lightgbm_raw([text], table).tobytes()


def test_out_of_reach_is_lightgbm(random_trees, odd_rows, monkeypatch):
    texts = [random_trees(5, 4, 7, 3), random_trees(6, 4, 65, 3), random_trees(7, 4, 64, 3)]
    table, members = odd_rows(8, 50, 3), Members(texts)
    expected = lightgbm_raw(texts, table)
    assert members(table).tobytes() == expected.tobytes()
    assert list(members._boosters) == [1]
    monkeypatch.setattr(tree_bins, "MAX_LOOKUP", 10)
    members = Members(texts)
    assert members(table).tobytes() == expected.tobytes()
    assert sorted(members._boosters) == [0, 1, 2]


def test_other_columns_are_refused(random_trees):
    with pytest.raises(ModelError, match=r"other columns than the trees read. Allowed: 3. Got: \(2, 4\)"):
        Members([random_trees(1, 2, 4, 3)])(np.zeros((2, 4), np.float32))


def test_thresholds_as_float32():
    """float32 x <= t just where x <= the rounded t, on both sides of it."""
    thresholds = np.array([0.1, 0.5, 0.3, -0.1, 1e-50, -1e-50, 1e39, -1e39, np.inf, 3.4028235677973366e38])
    with np.errstate(over="ignore"):
        near = thresholds.astype(np.float32)
    for x in (near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))):
        assert ((x <= rounded_down(thresholds)) == (x.astype(np.float64) <= thresholds)).all()


@pytest.mark.parametrize("rows", [1, 100])
def test_the_shipped_model_is_scored_without_lightgbm(rows):
    code = f"""
import sys, numpy as np
from dxmatch.models.ensemble import Members
from dxmatch.models.folder import load
members = Members(load({str(FOLDERS[1])!r}).trees)
assert np.isfinite(members(np.full(({rows}, members.n_features), 0.5, np.float32))).all()
print("lightgbm" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
