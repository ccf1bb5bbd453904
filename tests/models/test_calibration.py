from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import ModelError
from dxmatch.models.calibration import Sigmoid

finite = st.floats(-1e6, 1e6)


def test_worked_by_hand():
    # slope 2, intercept -1: raw 1/2 -> z 0 -> 1/2; raw (1 + ln 3)/2 -> z ln 3 -> 3/4; raw (1 - ln 4)/2 -> z -ln 4 -> 1/5
    raw = np.array([0.5, (1 + math.log(3)) / 2, (1 - math.log(4)) / 2])
    np.testing.assert_allclose(Sigmoid(2, -1)(raw), [1 / 2, 3 / 4, 1 / 5], rtol=4e-16)


def test_far_out_neither_overflows_nor_leaves_the_unit_interval():
    with np.errstate(all="raise"):
        assert Sigmoid(1e3, 0)(np.array([-1e9, -800.0, 0.0, 800.0, 1e9])).tolist() == [0, 0, 0.5, 1, 1]
        assert Sigmoid(1, 0)(np.array([-700.0]))[0] == pytest.approx(math.exp(-700), rel=1e-15)


def test_missing_stays_missing_and_empty_stays_empty():
    assert np.isnan(Sigmoid(1, 0)(np.array([np.nan, 0.0]))).tolist() == [True, False]
    assert Sigmoid(1, 0)(np.array([])).shape == (0,)


@settings(deadline=None)
@given(st.lists(finite, min_size=1, max_size=70), st.floats(0.01, 100), st.floats(-50, 50))
def test_alone_as_in_a_batch(raw, slope, intercept):
    sigmoid, raw = Sigmoid(slope, intercept), np.array(raw)
    batch = sigmoid(raw)
    assert [sigmoid(raw[i : i + 1])[0] for i in range(len(raw))] == batch.tolist()
    assert sigmoid(raw[::-1])[::-1].tolist() == batch.tolist()
    assert ((batch >= 0) & (batch <= 1)).all()


def test_alone_as_in_a_large_batch():
    raw = np.random.default_rng(0).normal(0, 6, 20_001)
    batch = Sigmoid(1.3, -0.2)(raw)
    assert [Sigmoid(1.3, -0.2)(raw[i : i + 1])[0] for i in range(len(raw))] == batch.tolist()


@settings(deadline=None)
@given(st.floats(1e-6, 1e3), finite)
def test_json_round_trip(slope, intercept):
    assert Sigmoid.from_json(Sigmoid(slope, intercept).to_json()) == Sigmoid(slope, intercept)


RANGES = {"slope": r"\(0, 1000\]", "intercept": r"\[-1e\+06, 1e\+06\]"}


@pytest.mark.parametrize(
    ("name", "value"),
    [*(("slope", value) for value in (0, -1, math.nan, math.inf, 1001, "1", None, True)),
     *(("intercept", value) for value in (math.nan, -math.inf, 2e6, "0", None))],
)  # fmt: skip
def test_numbers_that_are_refused(name, value):
    with pytest.raises(
        ModelError, match=rf"calibration, {name}: not usable\. Allowed: a number in {RANGES[name]}\. Got: "
    ):
        Sigmoid(**{"slope": 1, "intercept": 0, name: value})


GOOD = {"kind": "sigmoid", "slope": 1, "intercept": 0}


@pytest.mark.parametrize("value", [None, [], {}, GOOD | {"kind": "isotonic"}, {"kind": "sigmoid", "slope": 1}, GOOD | {"x": 1}])  # fmt: skip
def test_other_calibrations_are_refused(value):
    with pytest.raises(ModelError, match="no known calibration"):
        Sigmoid.from_json(value)
