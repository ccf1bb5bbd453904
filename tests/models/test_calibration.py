from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.models.ensemble import Sigmoid


def test_worked_by_hand():
    # slope 2, intercept -1: raw 1/2 -> z 0 -> 1/2; raw (1 + ln 3)/2 -> z ln 3 -> 3/4; raw (1 - ln 4)/2 -> z -ln 4 -> 1/5
    raw = np.array([0.5, (1 + math.log(3)) / 2, (1 - math.log(4)) / 2])
    np.testing.assert_allclose(Sigmoid(2, -1)(raw), [1 / 2, 3 / 4, 1 / 5], rtol=4e-16)
    assert [Sigmoid(2, -1).inverse(p) for p in (1 / 2, 3 / 4, 1 / 5)] == pytest.approx(raw.tolist())


def test_far_out_neither_overflows_nor_leaves_the_unit_interval():
    with np.errstate(all="raise"):
        assert Sigmoid(1e3, 0)(np.array([-1e9, -800.0, 0.0, 800.0, 1e9])).tolist() == [0, 0, 0.5, 1, 1]
        assert Sigmoid(1, 0)(np.array([-700.0]))[0] == pytest.approx(math.exp(-700), rel=1e-15)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=70), st.floats(0.01, 100), st.floats(-50, 50))
def test_alone_as_in_a_batch(raw, slope, intercept):
    sigmoid, raw = Sigmoid(slope, intercept), np.array(raw)
    batch = sigmoid(raw)
    assert [sigmoid(raw[i : i + 1])[0] for i in range(len(raw))] == batch.tolist()
    assert sigmoid(raw[::-1])[::-1].tolist() == batch.tolist()
    assert ((batch >= 0) & (batch <= 1)).all()


@pytest.mark.parametrize(("name", "value"), [("slope", 0), ("slope", -1), ("slope", 1001), ("slope", "1"), ("slope", None), ("intercept", 2e6), ("intercept", "0")])  # fmt: skip
def test_numbers_that_are_refused(name, value):
    with pytest.raises(msgspec.ValidationError, match=name):
        msgspec.convert({"slope": 1, "intercept": 0, name: value}, Sigmoid)
