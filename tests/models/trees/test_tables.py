"""Scores: LightGBM's own, bit-identical. SHAP values: by their definition over all sets of features, and LightGBM's."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from math import factorial
from pathlib import Path

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import ModelError
from dxmatch.models.calibration import Sigmoid
from dxmatch.models.ensemble import KINDS, Combination, Members
from dxmatch.models.folder import load
from dxmatch.models.scorer import Scorer
from dxmatch.models.trees import codes, parts, tables
from dxmatch.models.trees.arrays import TreeArrays
from dxmatch.models.trees.codes import Codes, rounded_down
from dxmatch.models.trees.table_loops import BLOCK
from dxmatch.models.trees.tables import TreeTables
from dxmatch.models.trees.text import check

HERE = Path(__file__).parents[1]
SHIPPED = HERE.parents[1] / "models" / "offline-en"
FOLDERS = [HERE / "golden" / "model", SHIPPED]


def arrays_of(*texts):
    return [check(text, None, "t").arrays for text in texts]


def scores_of(*texts):
    """By tables, never by LightGBM."""
    found = TreeTables.of_scores(arrays_of(*texts), Codes.of(arrays_of(*texts)))
    return lambda table: found(table)[:, :, 0]


def shap_of(*texts):
    return TreeTables.of_shap(arrays_of(*texts), Codes.of(arrays_of(*texts)))


def predict(texts, table, **kind):
    boosters = [lightgbm.Booster(model_str=text) for text in texts]
    return np.stack([np.asarray(b.predict(table, num_threads=1, **kind)) for b in boosters], axis=1)


def lightgbm_shap(text, table):
    return predict([text], table, pred_contrib=True)[:, 0]


@settings(deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 2**32),
    trees=st.integers(1, 9),
    most_leaves=st.sampled_from([1, 2, 3, 7, 8, 9, 16, 33, 64, 65, 300]),
    features=st.integers(1, 30),
    rows=st.integers(1, 70),
)
def test_scores_as_lightgbm_whatever_the_trees(random_trees, odd_rows, seed, trees, most_leaves, features, rows):
    texts = [random_trees(seed + member, trees, most_leaves, features) for member in range(2)]
    table = odd_rows(seed, rows, features)
    assert scores_of(*texts)(table).tobytes() == predict(texts, table, raw_score=True).tobytes()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_as_lightgbm_on_models_that_were_kept(folder, odd_rows):
    texts = load(folder).trees
    members = Members(texts)
    odd = odd_rows(1, 300, members.n_features)
    table = np.concatenate([odd, np.random.default_rng(2).random((700, members.n_features))]).astype(np.float32)
    scores = members(table)
    assert scores.tobytes() == predict(texts, table, raw_score=True).tobytes()
    found = members.contributions(table[250:350])
    assert np.abs(found.sum(2) - scores[250:350]).max() < 1e-12
    assert np.abs(found - predict(texts, table[250:350], pred_contrib=True)).max() < 1e-12
    assert not members._boosters


@pytest.mark.parametrize("make", [scores_of, shap_of])
def test_a_row_alone_as_at_any_place_in_a_batch(random_trees, odd_rows, make):
    compute = make(random_trees(3, 11, 20, 6), random_trees(4, 5, 7, 6))
    table = odd_rows(4, 2 * BLOCK + 197, 6)
    whole = compute(table)
    for row in (0, 1, 31, 32, BLOCK - 1, BLOCK, 2 * BLOCK, len(table) - 1):
        assert compute(table[row : row + 1]).tobytes() == whole[row : row + 1].tobytes()
    for size in (BLOCK - 1, BLOCK, BLOCK + 1, 33):
        assert compute(table[-size:]).tobytes() == whole[-size:].tobytes()
    assert compute(np.asfortranarray(table)).tobytes() == whole.tobytes()
    assert compute(table[:0]).shape == (0, *whole.shape[1:])


@pytest.mark.parametrize(("module", "limit", "value"), [(codes, "MAX_CUTS", 3), (tables, "MAX_TABLE", 300), (parts, "MAX_LEAF_BITS", 3)])  # fmt: skip
def test_out_of_reach_is_lightgbm(random_trees, odd_rows, monkeypatch, module, limit, value):
    texts = [random_trees(5, 4, 40, 30), random_trees(6, 4, 65, 30)]
    table = odd_rows(8, 50, 30)
    monkeypatch.setattr(module, limit, value)
    monkeypatch.setattr(parts, "MAX_BITS", 3)
    members = Members(texts)
    assert members(table).tobytes() == predict(texts, table, raw_score=True).tobytes()
    assert bool(members._boosters) == (limit != "MAX_LEAF_BITS"), "for scores the way to a leaf is one bit"
    assert close(members.contributions(table), predict(texts, table, pred_contrib=True), arrays_of(*texts))
    assert members._boosters


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


def test_the_shipped_model_is_scored_without_lightgbm():
    code = f"""
import sys, numpy as np
from dxmatch.models.ensemble import Members
from dxmatch.models.folder import load
members = Members(load({str(SHIPPED)!r}).trees)
assert np.isfinite(members(np.full((1, members.n_features), 0.5, np.float32))).all()
print("lightgbm" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def by_definition(trees: TreeArrays, row: np.ndarray) -> np.ndarray:
    """The Shapley values of v(S): the mean score where the features in S are the row's, and at other splits the training rows' shares decide."""

    def known(tree: int, node: int, features: frozenset[int]) -> float:
        begin = int(trees.first_split[tree])
        if node < 0:
            return float(trees.leaf_value[begin + tree + ~node])
        at = begin + node
        sides = int(trees.left[at]), int(trees.right[at])
        if int(trees.feature[at]) in features:
            return known(tree, sides[0] if goes_left(trees, at, row) else sides[1], features)
        counts = [trees.split_count[begin + c] if c >= 0 else trees.leaf_count[begin + tree + ~c] for c in sides]
        values = [known(tree, side, features) for side in sides]
        return float(sum(c * v for c, v in zip(counts, values, strict=True)) / trees.split_count[at])

    def score(features) -> float:
        roots = [0 if trees.first_split[t] < trees.first_split[t + 1] else -1 for t in range(trees.n_trees)]
        return sum(known(tree, root, frozenset(features)) for tree, root in enumerate(roots))

    count = trees.n_features
    values = np.zeros(count + 1)
    values[-1] = score(())
    for feature in range(count):
        others = [f for f in range(count) if f != feature]
        for size in range(count):
            weight = factorial(size) * factorial(count - 1 - size) / factorial(count)
            for chosen in combinations(others, size):
                values[feature] += weight * (score((*chosen, feature)) - score(chosen))
    return values


def goes_left(trees: TreeArrays, at: int, row: np.ndarray) -> bool:
    value, missing = float(row[trees.feature[at]]), trees.decision[at] >> 2
    value = 0.0 if abs(value) <= 1.0000000180025095e-35 else value
    if (missing == 1 and (value == 0 or np.isnan(value))) or (missing == 2 and np.isnan(value)):
        return bool(trees.decision[at] & 2)
    return (0.0 if np.isnan(value) else value) <= trees.threshold[at]


def close(found, expected, trees):
    """To 1e-12 of what could be added up at most."""
    return np.abs(found - expected).max(initial=0.0) <= 1e-12 * max(1.0, sum(np.abs(t.leaf_value).sum() for t in trees))


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    trees=st.integers(1, 5),
    most_leaves=st.sampled_from([1, 2, 5, 8, 9, 20, 64, 80]),
    features=st.integers(1, 8),
    rows=st.integers(1, 40),
)
def test_shap_values_as_lightgbm_whatever_the_trees(random_trees, odd_rows, seed, trees, most_leaves, features, rows):
    text, table = random_trees(seed, trees, most_leaves, features), odd_rows(seed, rows, features)
    members = Members([text])
    found = members.contributions(table)[:, 0]
    assert not members._boosters
    assert close(found, lightgbm_shap(text, table), members.arrays)
    assert close(found.sum(1), members(table)[:, 0], members.arrays)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32), most_leaves=st.integers(2, 14), features=st.integers(1, 4))
def test_as_they_are_defined(random_trees, odd_rows, seed, most_leaves, features):
    text, table = random_trees(seed, 3, most_leaves, features), odd_rows(seed, 4, features)
    arrays = check(text, None, "t").arrays
    expected = np.stack([by_definition(arrays, row) for row in table])
    assert close(Members([text]).contributions(table)[:, 0], expected, [arrays])


def test_a_leaf_that_no_training_row_reached(random_trees, odd_rows):
    """LightGBM divides by its share; the definition does not."""
    text, table = random_trees(1, 1, 6, 3), odd_rows(2, 30, 3)
    arrays = check(text, None, "t").arrays
    leaf = int(np.flatnonzero(arrays.left < 0)[0])
    emptied = arrays.leaf_count[~arrays.left[leaf]]
    counts, node = arrays.split_count.copy(), leaf
    while True:
        counts[node] -= emptied
        if node == 0:
            break
        node = int(np.flatnonzero((arrays.left == node) | (arrays.right == node))[0])
    leaves = arrays.leaf_count.copy()
    leaves[~arrays.left[leaf]] = 0
    arrays = replace(arrays, leaf_count=leaves, split_count=counts)
    found = TreeTables.of_shap([arrays], Codes.of([arrays]))(table)[:, 0]
    assert close(found, np.stack([by_definition(arrays, row)[:-1] for row in table]), [arrays])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"\nleaf_count=.*", ""),
        (r"\ninternal_count=.*", ""),
        (r"internal_count=\d+", "internal_count=7000"),
        (r"leaf_count=(\d+)", "leaf_count=0"),
        (r"(internal_count=).*", lambda found: found[1] + " ".join("0" * found[0].count(" ") + "0")),
    ],
)
def test_without_counts_none(random_trees, old, new):
    text = re.sub(old, new, random_trees(9, 1, 5, 3), count=1)
    members = Members([text])
    assert np.isfinite(members(np.zeros((3, 3), np.float32))).all()
    with pytest.raises(ModelError, match="SHAP values cannot be computed: the trees lack the counts"):
        members.contributions(np.zeros((3, 3), np.float32))


@pytest.mark.parametrize("weights", [None, (1.0, 2.0, 0.5)])
def test_of_a_mean_of_members(random_trees, odd_rows, weights):
    texts = [random_trees(seed, 4, 7, 5) for seed in range(3)]
    scorer, table = Scorer(texts, Sigmoid(1, 0), Combination("mean_raw", weights)), odd_rows(1, 100, 5)
    expected = np.average([lightgbm_shap(text, table) for text in texts], axis=0, weights=weights)
    assert close(scorer.contributions(table), expected, scorer.members.arrays)


@pytest.mark.parametrize("kind", KINDS)
def test_they_add_up_alone_and_in_any_chunk(odd_rows, monkeypatch, kind):
    scorer = Scorer(load(FOLDERS[0]).trees, Sigmoid(1, 0), Combination(kind, (1, 2, 0.5)))
    table = odd_rows(0, 700, 5)
    whole = scorer.contributions(table, threads=1)
    assert np.abs(whole.sum(1) - scorer.raw(table)).max() < 1e-9 and len(set(whole[:, -1].tolist())) == 1
    monkeypatch.setattr("dxmatch.models.scorer._SHAP_CHUNK", 100)
    assert scorer.contributions(table).tobytes() == whole.tobytes()
    assert scorer.contributions(table[77:78]).tobytes() == whole[77:78].tobytes()
    assert scorer.contributions(table[:0]).shape == (0, 6)


def test_members_too_far_apart_to_add_up_are_refused(random_trees):
    scorer = Scorer([random_trees(seed, 4, 7, 5) for seed in range(3)], Sigmoid(1, 0), Combination("mean_probability"))
    with pytest.raises(ModelError, match="SHAP values do not add up to the score"):
        scorer.contributions(np.random.default_rng(0).random((700, 5)).astype(np.float32))


def test_equal_members_are_one_member(odd_rows):
    """In a mean of probabilities too, whatever the weights."""
    text, table = load(FOLDERS[0]).trees[0], odd_rows(2, 20, 5)
    one, two = Scorer([text], Sigmoid(1, 0)), Scorer([text] * 2, Sigmoid(1, 0), Combination("mean_probability", (1, 2)))
    assert two.contributions(table) == pytest.approx(one.contributions(table), abs=1e-9)
