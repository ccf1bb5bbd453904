from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as oracle

from dxmatch.training.statistics.measure import average_precision, measure

PAIRS = st.lists(
    st.tuples(st.integers(0, 10).map(lambda x: x / 10), st.integers(0, 1), st.integers(0, 2)), min_size=4, max_size=60
)


@settings(deadline=None)
@given(PAIRS)
def test_average_precision_is_scikit_learns(pairs: list[tuple[float, int, int]]) -> None:
    score, label, weight = (np.array(column) for column in zip(*pairs, strict=True))
    if not (label * weight).any():
        return
    ours = average_precision(score, label.astype(np.int8), weight[None].astype(float))[0]
    assert ours == pytest.approx(oracle.average_precision_score(label, score, sample_weight=weight))


def test_by_hand() -> None:
    """Four pairs at threshold 0.5: one true and one false positive, one match missed, one non-match left.

    precision 1/2, recall 1/2, F1 1/2, accuracy 2/4; AP: ranked 1 0 1 0, so 1/2 * 1/1 + 1/2 * 2/3 = 5/6;
    Brier (0.01 + 0.64 + 0.36 + 0.01) / 4.
    """
    probability, label = np.array([0.9, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 0], np.int8)
    got = measure(probability, label, np.arange(4), 0.5)
    values = {name: got[name]["value"] for name in ("precision", "recall", "f1", "accuracy")}
    assert values == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "accuracy": 0.5}
    assert got["average_precision"]["value"] == pytest.approx(5 / 6)
    assert got["brier"]["value"] == pytest.approx(1.02 / 4)
    assert (got["pairs"], got["matches"], got["groups"]) == (4, 2, 4)


def test_no_interval_where_all_are_right() -> None:
    """Three pairs that are decided rightly are no proof of [1, 1]."""
    got = measure(np.array([0.9, 0.8, 0.1]), np.array([1, 1, 0], np.int8), np.arange(3), 0.5)
    assert got["accuracy"] == {"value": 1, "low": None, "high": None}
    assert got["brier"]["low"] < got["brier"]["high"]


def test_interval_resamples_groups() -> None:
    """Forty copies of each of ten references are ten observations: the interval is as wide as without the copies."""
    rng = np.random.default_rng(0)
    probability, label = rng.random(10), (np.arange(10) % 2).astype(np.int8)
    once = measure(probability, label, np.arange(10), 0.5)["accuracy"]
    often = measure(np.repeat(probability, 40), np.repeat(label, 40), np.repeat(np.arange(10), 40), 0.5)["accuracy"]
    assert often == once


def test_to_a_prevalence_by_hand() -> None:
    """Two matches, one found; six non-matches, one taken for a match; weighted to one half of matches.

    Each match weighs (1/2) / (2/8) = 2, each non-match (1/2) / (6/8) = 2/3: 2 right and 2 missed, 2/3 wrong.
    precision 2 / (2 + 2/3) = 3/4, recall 1/2, F1 4 / (4 + 2/3 + 2) = 3/5, accuracy 1 - (2 + 2/3) / 8 = 2/3.
    """
    probability, label = np.array([0.9, 0.1, 0.8, *[0.2] * 5]), np.array([1, 1, *[0] * 6], np.int8)
    got = measure(probability, label, np.arange(8), 0.5, prevalence=0.5)
    assert [got[name]["value"] for name in ("precision", "recall", "f1", "accuracy")] == pytest.approx(
        [3 / 4, 1 / 2, 3 / 5, 2 / 3]
    )


def test_reliability_by_hand() -> None:
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
