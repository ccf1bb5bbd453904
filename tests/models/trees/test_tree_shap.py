"""SHAP values: by hand, by their definition over all sets of features, and LightGBM's."""

from __future__ import annotations

import re
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
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.models.ensemble import Combination, Members
from dxmatch.models.folder import load
from dxmatch.models.trees import parts as tree_parts
from dxmatch.models.trees.arrays import TreeArrays
from dxmatch.models.trees.bins import BLOCK, Bins
from dxmatch.models.trees.shap_values import TreeShap
from dxmatch.models.trees.text import check

HERE = Path(__file__).parents[1]
SHIPPED = HERE.parents[1] / "models" / "offline-en"


def shap_of(*texts):
    arrays = [check(text, None, "t").arrays for text in texts]
    bins = Bins.of(arrays)
    assert bins is not None
    return TreeShap.of(arrays, bins)


def lightgbm_shap(text, table):
    return np.asarray(lightgbm.Booster(model_str=text).predict(table, pred_contrib=True, num_threads=1))


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
def test_as_lightgbm_whatever_the_trees(random_trees, odd_rows, seed, trees, most_leaves, features, rows):
    text, table = random_trees(seed, trees, most_leaves, features), odd_rows(seed, rows, features)
    found = shap_of(text)(table)[:, 0]
    arrays = [check(text, None, "t").arrays]
    assert close(found, lightgbm_shap(text, table), arrays)
    assert close(found.sum(1), Members([text])(table)[:, 0], arrays)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32), most_leaves=st.integers(2, 14), features=st.integers(1, 4))
def test_as_they_are_defined(random_trees, odd_rows, seed, most_leaves, features):
    text, table = random_trees(seed, 3, most_leaves, features), odd_rows(seed, 4, features)
    arrays = check(text, None, "t").arrays
    expected = np.stack([by_definition(arrays, row) for row in table])
    assert close(shap_of(text)(table)[:, 0], expected, [arrays])


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
    bins = Bins.of([arrays])
    found = TreeShap.of([arrays], bins)(table)[:, 0]
    assert close(found, np.stack([by_definition(arrays, row) for row in table]), [arrays])


@pytest.mark.parametrize("folder", [HERE / "golden" / "model", SHIPPED], ids=lambda folder: folder.name)
def test_as_lightgbm_on_models_that_were_kept(folder, odd_rows):
    members = Members(load(folder).trees)
    table = np.concatenate(
        [odd_rows(1, 40, members.n_features), np.random.default_rng(2).random((60, members.n_features))]
    )
    table = table.astype(np.float32)
    found = members.contributions(table)
    assert np.abs(found.sum(2) - members(table)).max() < 1e-12
    for member, text in enumerate(members._texts):
        assert np.abs(found[:, member] - lightgbm_shap(text, table)).max() < 1e-12
    assert not members._boosters


def test_a_row_alone_as_at_any_place_in_a_batch(random_trees, odd_rows):
    shap = shap_of(random_trees(3, 5, 20, 6), random_trees(4, 5, 7, 6))
    table = odd_rows(5, BLOCK + 45, 6)
    whole = shap(table)
    for row in (0, 31, 32, BLOCK - 1, BLOCK, len(table) - 1):
        assert shap(table[row : row + 1]).tobytes() == whole[row : row + 1].tobytes()
    assert shap(table[-BLOCK - 1 :]).tobytes() == whole[-BLOCK - 1 :].tobytes()


def test_paths_past_the_tables_are_lightgbms(random_trees, odd_rows, monkeypatch):
    texts = [random_trees(1, 2, 40, 30), random_trees(2, 2, 3, 30)]
    table = odd_rows(3, 20, 30)
    monkeypatch.setattr(tree_parts, "PART_BITS", 2)
    monkeypatch.setattr(tree_parts, "LEAF_BITS", 3)
    members = Members(texts)
    found = members.contributions(table)
    assert list(members._boosters) == [0]
    for member, text in enumerate(texts):
        assert close(found[:, member], lightgbm_shap(text, table), [check(text, None, "t").arrays])


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


WEIGHTS = (1.0, 2.0, 0.5, 3.0, 1.0)


@pytest.fixture(scope="module")
def shipped():
    if not SHIPPED.is_dir():
        pytest.skip("no shipped model here")
    return load(SHIPPED)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_of_a_match_function(shipped, weights, odd_rows):
    m = MatchFunction(replace(shipped, manifest=replace(shipped.manifest, ensemble=Combination("mean_raw", weights))))
    table = odd_rows(1, 100, len(m.features.names))
    found = m.contributions(table)
    expected = np.average([lightgbm_shap(text, table) for text in shipped.trees], axis=0, weights=weights)
    assert found.shape == (100, len(m.features.names) + 1)
    assert np.abs(found - expected).max() < 1e-12
    assert np.abs(found.sum(1) - m.raw(table)).max() < 1e-12


def test_of_a_match_function_in_any_chunk(shipped, odd_rows, monkeypatch):
    m = MatchFunction(shipped)
    table = odd_rows(2, 700, len(m.features.names))
    whole = m.contributions(table, threads=1)
    monkeypatch.setattr("dxmatch.models.scorer._SHAP_CHUNK", 100)
    assert m.contributions(table).tobytes() == whole.tobytes()
    assert m.contributions(table, threads=1).tobytes() == whole.tobytes()
    assert m.contributions(table[:0]).shape == (0, whole.shape[1])


def test_of_a_mean_of_probabilities(shipped, odd_rows):
    m = MatchFunction(
        replace(shipped, manifest=replace(shipped.manifest, ensemble=Combination("mean_probability", WEIGHTS)))
    )
    table = odd_rows(1, 100, len(m.features.names))
    found = m.contributions(table)
    assert np.abs(found.sum(1) - m.raw(table)).max() < 1e-6
    assert m.contributions(table[7:8]).tobytes() == found[7:8].tobytes()
