from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.training.statistics.measure import bin_of, bin_sums, calibration_error, measure


def test_by_hand() -> None:
    """Four pairs of 0.05, one of them a match; two of 0.95, one of them a match.

    |1/4 - 0.05| = 0.20 for four of six, |1/2 - 0.95| = 0.45 for two: (4 * 0.20 + 2 * 0.45) / 6.
    """
    probability, label = np.array([0.05] * 4 + [0.95] * 2), np.array([1, 0, 0, 0, 1, 0], np.int8)
    got = measure(probability, label, np.arange(6), 0.5)
    assert got["calibration_error"]["value"] == pytest.approx(1.7 / 6)
    low, high = got["reliability"]
    assert (low["from"], low["to"], low["pairs"]) == (0.0, 0.1, 4)
    assert (low["mean_probability"], low["matches"]) == pytest.approx((0.05, 1 / 4))
    assert (high["from"], high["to"], high["pairs"]) == (0.9, 1.0, 2)
    assert (high["mean_probability"], high["matches"]) == pytest.approx((0.95, 1 / 2))
    assert low["low"] == 0.0 and 0.5 <= low["high"] <= 1.0


def test_the_edges_of_the_bins() -> None:
    assert bin_of(np.array([0.0, 0.0999, 0.1, 0.5, 0.7, 0.9, 1.0])).tolist() == [0, 0, 1, 5, 7, 9, 9]


def test_what_is_calibrated_has_little_error() -> None:
    rng = np.random.default_rng(0)
    probability = rng.random(200_000)
    label = (rng.random(200_000) < probability).astype(np.int8)
    sums = bin_sums(probability, label, np.ones((1, 200_000)))
    assert calibration_error(sums)[0] < 0.006
    assert calibration_error(bin_sums(probability**2, label, np.ones((1, 200_000))))[0] > 0.1


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=30))
def test_weights_are_repeated_pairs(rows: list[tuple[float, int, int]]) -> None:
    probability, label, weight = (np.array(column) for column in zip(*rows, strict=True))
    if not weight.any():
        return
    again = np.repeat(probability, weight), np.repeat(label, weight)
    weighted = bin_sums(probability, label, weight[None].astype(float))
    assert weighted == pytest.approx(bin_sums(*again, np.ones((1, int(weight.sum())))))
