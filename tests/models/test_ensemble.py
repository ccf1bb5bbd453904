"""Scores: LightGBM's own, bit-identical. SHAP values: LightGBM's. Probabilities: by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import ModelError
from dxmatch.models.ensemble import Sigmoid, TreeEnsemble
from dxmatch.models.folder import load
from dxmatch.training.engines.fitted import trees_of

from ..small_model import booster_of


def predict(boosters, table, **kind):
    return np.stack([np.asarray(b.predict(table, num_threads=1, **kind)) for b in boosters], axis=1)


def mean(each, weights=None):
    """As LightGBM's scores are averaged, in the order of the members."""
    weights = np.ones(each.shape[1]) if weights is None else np.array(weights, float)
    return sum(w * column for w, column in zip(weights, np.moveaxis(each, 1, 0), strict=True)) / sum(weights)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    trees=st.integers(1, 9),
    most_leaves=st.sampled_from([1, 2, 3, 7, 14, 15, 16, 17, 31, 33, 65, 300]),
    features=st.integers(1, 30),
    rows=st.integers(1, 70),
)
def test_as_lightgbm_whatever_the_trees(random_trees, odd_rows, seed, trees, most_leaves, features, rows):
    members = [random_trees(seed + member, trees, most_leaves, features) for member in range(2)]
    table, exported = odd_rows(seed, rows, features), trees_of(members)
    assert exported.raw(table).tolist() == mean(predict(members, table, raw_score=True)).tolist()
    found, most = exported.contributions(table), 1e-12 * max(1.0, np.abs(exported.leaf_value).sum())
    np.testing.assert_allclose(found, mean(predict(members, table, pred_contrib=True)), rtol=0, atol=most)
    np.testing.assert_allclose(found.sum(1), exported.raw(table), rtol=0, atol=most)


def test_a_model_written_once_scores_as_it_did():
    """Every later release loads it and scores the same. It is never written anew."""
    golden = Path(__file__).parent / "golden"
    model, rows = load(golden / "model"), json.loads((golden / "scores.json").read_text())
    raw = model.trees.raw(np.array([row["features"] for row in rows], np.float32))
    assert raw.tolist() == [row["raw"] for row in rows]
    # The exponential is the C library's, which may differ in its last bit.
    expected = [row["probability"] for row in rows]
    assert model.manifest.decision.calibration(raw).tolist() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("averaged", ["log-odds", "probabilities"])
@pytest.mark.parametrize("what", ["raw", "contributions"])
def test_a_row_alone_as_at_any_place_in_a_batch(random_trees, odd_rows, what, averaged):
    trees = trees_of([random_trees(3, 11, 20, 6), random_trees(4, 5, 7, 6)], weights=[1, 3], averaged=averaged)
    trees = replace(trees, leaf_value=np.clip(trees.leaf_value, -1, 1))
    table, compute = odd_rows(4, 66_000, 6), getattr(trees, what)
    whole = compute(table)
    for row in (0, 1, 31, 255, 256, 8_191, 8_192, 65_535, 65_536, len(table) - 1):
        assert compute(table[row : row + 1]).tobytes() == whole[row : row + 1].tobytes()
    assert compute(np.asfortranarray(table), threads=1).tobytes() == whole.tobytes()
    assert compute(table[:0]).shape == (0, *whole.shape[1:])


LOG9 = math.log(9)  # of the probabilities 1/10, 1/2, 9/10 the log-odds are -log 9, 0, log 9
BY_HAND = [
    ("log-odds", (-LOG9, 0, LOG9), None, 0),
    ("log-odds", (-LOG9, 0, LOG9), (1, 1, 4), (4 - 1) * LOG9 / 6),
    ("probabilities", (-LOG9, 0, LOG9), None, 0),  # (1/10 + 5/10 + 9/10) / 3 = 1/2
    ("probabilities", (-LOG9, 0, LOG9), (0.6, 0.1, 0.1), -math.log(3)),  # (6/10 + 5/10 + 9/10) / 8 = 1/4
    ("probabilities", (800, 0), None, math.log(3)),  # (1 + 1/2) / 2 = 3/4
    # Beyond +-700 a probability would be 0 or 1, and its log-odds infinite.
    ("probabilities", (900, 900), None, 700),
    ("probabilities", (-900, -900), None, -700),
]


@pytest.mark.parametrize(("averaged", "values", "weights", "expected"), BY_HAND)
def test_the_mean_by_hand(averaged, values, weights, expected):
    """Of members of a lone leaf each."""
    empty = {key: [] for key in ("split_feature", "threshold", "decision_type", "left_child", "right_child")}
    members = [booster_of([{**empty, "leaf_count": [9], "leaf_value": [value]}], 1) for value in values]
    trees = trees_of(members, weights=weights, averaged=averaged)
    assert trees.raw(np.zeros((1, 1), np.float32)) == pytest.approx([expected], abs=1e-15)


def test_shap_values_of_a_mean_of_probabilities_add_up(parts, boosters, odd_rows):
    table = odd_rows(0, 300, 5)
    several = replace(parts.trees, averaged="probabilities", weights=np.array([1, 2, 0.5]))
    values = several.contributions(table)
    assert np.abs(values.sum(1) - several.raw(table)).max() < 1e-12 and len(set(values[:, -1].tolist())) == 1
    one, two = trees_of(boosters[:1]), trees_of([boosters[0]] * 2, weights=[1, 2], averaged="probabilities")
    assert two.contributions(table) == pytest.approx(one.contributions(table), abs=1e-9)


DAMAGES = {
    "an array too few": (lambda a: a.pop("missing"), "other arrays"),
    "of another type": (lambda a: a.update(threshold=a["threshold"].astype(np.float32)), "other arrays"),
    "starts that fall": (lambda a: a["first_split"].__setitem__(3, 10**6), "begin elsewhere"),
    "a value too few": (lambda a: a.update(leaf_value=a["leaf_value"][:-1]), "different lengths"),
    "a feature too high": (lambda a: a["feature"].__setitem__(7, 5), "a feature above 4"),
    "a leaf of no rows": (lambda a: a["leaf_count"].__setitem__(7, 0), "without training rows"),
    "a threshold of NaN": (lambda a: a["threshold"].__setitem__(7, np.nan), "not finite"),
    "a weight of 0": (lambda a: a["weights"].__setitem__(0, 0.0), "a weight"),
    "pointing to itself": (lambda a: a["left"].__setitem__(0, 0), "comes before its parent"),
    "pointing out": (lambda a: a["right"].__setitem__(0, 6), "a child that is not there"),
    "two parents": (lambda a: a["left"].__setitem__(0, a["right"][0]), "two parents"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_trees_are_refused(parts, damage):
    arrays = {name: array.copy() for name, array in parts.trees.arrays().items()}
    make, told = DAMAGES[damage]
    make(arrays)
    with pytest.raises(ModelError, match=f"^here: .*{told}"):
        TreeEnsemble.from_arrays(arrays, 5, place="here")


def test_probabilities_by_hand():
    """slope 2, intercept -1: raw 1/2 -> z 0 -> 1/2; raw (1 + ln 3)/2 -> z ln 3 -> 3/4; raw (1 - ln 4)/2 -> z -ln 4 -> 1/5."""
    raw = np.array([0.5, (1 + math.log(3)) / 2, (1 - math.log(4)) / 2])
    np.testing.assert_allclose(Sigmoid(2, -1)(raw), [1 / 2, 3 / 4, 1 / 5], rtol=4e-16)
    assert [Sigmoid(2, -1).inverse(p) for p in (1 / 2, 3 / 4, 1 / 5)] == pytest.approx(raw.tolist())
    with np.errstate(all="raise"):  # far out it neither overflows nor leaves the unit interval
        assert Sigmoid(1e3, 0)(np.array([-1e9, -800.0, 0.0, 800.0, 1e9])).tolist() == [0, 0, 0.5, 1, 1]
        assert Sigmoid(1, 0)(np.array([-700.0]))[0] == pytest.approx(math.exp(-700), rel=1e-15)
