"""How the members' raw log-odds become one: by hand, beside numpy, and at the edges of what a float holds."""

from __future__ import annotations

import math

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from dxmatch.errors import ModelError
from dxmatch.models.ensemble import KINDS, Combination, Members

ODDS = [1 / 9, 1.0, 9.0]  # probabilities 1/10, 1/2, 9/10


@pytest.mark.parametrize(
    ("kind", "weights", "odds"),
    [
        ("mean_raw", None, 1.0),  # (-log 9 + 0 + log 9) / 3
        ("mean_raw", (1, 1, 4), math.exp((4 - 1) * math.log(9) / 6)),
        ("mean_probability", None, 1.0),  # (1/10 + 5/10 + 9/10) / 3 = 1/2
        ("mean_probability", (6, 1, 1), 2 / 6),  # (6/10 + 5/10 + 9/10) / 8 = 1/4; 1/4 against 3/4
        ("mean_probability", (0.6, 0.1, 0.1), 2 / 6),
    ],
)
def test_by_hand(kind, weights, odds):
    assert Combination(kind, weights)(np.log([ODDS])) == pytest.approx([math.log(odds)], abs=1e-15)


raws = st.lists(st.lists(st.floats(-30, 30), min_size=3, max_size=3), min_size=1, max_size=30)
weightings = st.none() | st.tuples(*[st.floats(0.01, 10)] * 3)


@settings(deadline=None, max_examples=50)
@given(raws, weightings)
def test_as_numpy_has_it(raw, weights):
    raw = np.array(raw)
    average = np.average(raw, axis=1, weights=weights)
    assert Combination("mean_raw", weights)(raw) == pytest.approx(average, abs=1e-12)
    # Each side of the odds in its own sum: 1 - p would lose what is left of p near 1.
    match, other = np.average(expit(raw), axis=1, weights=weights), np.average(expit(-raw), axis=1, weights=weights)
    combined = Combination("mean_probability", weights)(raw)
    assert combined == pytest.approx(np.log(match / other), abs=1e-12)
    assert (combined >= raw.min(1) - 1e-9).all() and (combined <= raw.max(1) + 1e-9).all()
    assert Combination("mean_probability", weights)(-raw) == pytest.approx(-combined, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(raws, weightings, st.sampled_from(KINDS))
def test_a_row_alone_as_in_a_batch(raw, weights, kind):
    raw, combine = np.array(raw), Combination(kind, weights)
    alone = np.concatenate([combine(row[None]) for row in raw])
    assert combine(raw).tobytes() == alone.tobytes()
    assert combine(np.asfortranarray(raw)).tobytes() == alone.tobytes()


def test_one_member_is_itself():
    raw = np.linspace(-40, 40, 201)[:, None]
    assert Combination("mean_raw")(raw).tolist() == raw[:, 0].tolist()
    assert Combination("mean_probability")(raw) == pytest.approx(raw[:, 0], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_no_score_is_too_sure(kind):
    """Beyond +-700 a probability would be 0 or 1, and its log-odds infinite."""
    raw = np.array([[1e6, 1e6], [-1e6, -1e6], [1e6, -1e6], [800.0, 0.0], [0.0, 0.0]])
    combined = Combination(kind)(raw)
    assert np.isfinite(combined).all()
    assert combined[0] > 600 and combined[1] < -600
    assert combined[2] == 0.0 and combined[4] == 0.0
    if kind == "mean_probability":
        assert combined[3] == pytest.approx(logit(0.75))


@pytest.mark.parametrize(
    ("kind", "weights", "message"),
    [
        ("median", None, "ensemble: unknown. Allowed: one of"),
        ("mean_raw", (), "ensemble, weights: not usable"),
        ("mean_raw", (1, 0), "ensemble, weights: not usable"),
        ("mean_raw", (1, math.nan), "ensemble, weights: not usable"),
        ("mean_raw", (1, math.inf), "ensemble, weights: not usable"),
    ],
)
def test_what_is_refused(kind, weights, message):
    with pytest.raises(ModelError, match=message):
        Combination(kind, weights)


def test_as_many_weights_as_members():
    with pytest.raises(ModelError, match=r"not one a member. Allowed: 3 numbers. Got: 2"):
        Combination("mean_raw", (1, 1))(np.zeros((1, 3)))


def test_the_members_are_lightgbms_own_scores(boosters, parts, sample):
    table = sample(50)
    raw = Members(parts.trees)(table)
    assert raw.shape == (50, len(boosters))
    for column, text in zip(raw.T, parts.trees, strict=True):
        assert column.tolist() == lightgbm.Booster(model_str=text).predict(table, raw_score=True).tolist()  # type: ignore[union-attr]
