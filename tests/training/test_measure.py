"""How good a match function is: against scikit-learn, by hand, and with groups resampled whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as oracle

from dxmatch.recipe.calibration import calibration_error, error_by_chance
from dxmatch.training.statistics.measure import average_precision, measure

PAIRS = st.lists(
    st.tuples(st.integers(0, 10).map(lambda x: x / 10), st.integers(0, 1), st.integers(0, 2)), min_size=4, max_size=60
).filter(lambda pairs: any(label * weight for _, label, weight in pairs))


@settings(deadline=None)
@given(PAIRS)
def test_average_precision_is_scikit_learns(pairs: list[tuple[float, int, int]]) -> None:
    score, label, weight = (np.array(column) for column in zip(*pairs, strict=True))
    ours = average_precision(score, label.astype(np.int8), weight[None].astype(float))[0]
    assert ours == pytest.approx(oracle.average_precision_score(label, score, sample_weight=weight))


@pytest.mark.parametrize(
    ("probability", "label", "prevalence", "expected"),
    [
        # One true and one false positive, one match missed, one non-match left. AP: ranked 1 0 1 0, so 1/2 * 1/1 + 1/2 * 2/3 = 5/6.
        # Brier (0.01 + 0.64 + 0.36 + 0.01) / 4.
        ([0.9, 0.8, 0.4, 0.1], [1, 0, 1, 0], None, (1 / 2, 1 / 2, 1 / 2, 1 / 2, 5 / 6, 1.02 / 4)),
        # Two matches, one found; six non-matches, one taken for a match; weighted to one half of matches. Each match weighs
        # (1/2) / (2/8) = 2, each non-match (1/2) / (6/8) = 2/3: 2 right and 2 missed, 2/3 wrong. Precision 2 / (2 + 2/3), F1
        # 4 / (4 + 2/3 + 2), accuracy 1 - (2 + 2/3) / 8. AP: 1/2 + 1/2 * 4/8. Brier (2 * (0.01 + 0.81) + 2/3 * (0.64 + 5 * 0.04)) / 8.
        ([0.9, 0.1, 0.8, *[0.2] * 5], [1, 1, *[0] * 6], 0.5, (3 / 4, 1 / 2, 3 / 5, 2 / 3, 3 / 4, 2.2 / 8)),
    ],
)
def test_by_hand(probability: list[float], label: list[int], prevalence: float | None, expected: tuple[float]) -> None:
    n = len(label)
    got = measure(np.array(probability), np.array(label, np.int8), np.arange(n), 0.5, prevalence=prevalence)
    names = ("precision", "recall", "f1", "accuracy", "average_precision", "brier")
    assert [got[name]["value"] for name in names] == pytest.approx(expected)
    assert (got["pairs"], got["matches"], got["groups"]) == (n, 2, n)


def test_no_interval_where_all_are_right() -> None:
    """Three pairs that are decided rightly are no proof of [1, 1]."""
    got = measure(np.array([0.9, 0.8, 0.1]), np.array([1, 1, 0], np.int8), np.arange(3), 0.5)
    assert got["accuracy"] == {"value": 1, "low": None, "high": None} and got["brier"]["low"] < got["brier"]["high"]


def test_interval_resamples_groups() -> None:
    """Forty copies of each of ten references are ten observations: the interval is as wide as without the copies."""
    once = np.random.default_rng(0).random(10), (np.arange(10) % 2).astype(np.int8), np.arange(10)
    assert measure(*(np.repeat(each, 40) for each in once), 0.5)["accuracy"] == measure(*once, 0.5)["accuracy"]


def test_the_calibration_error_beside_what_chance_makes_of_right_probabilities() -> None:
    draws = np.random.default_rng(0).random((2, 1000))
    p, label = draws[0], (draws[1] < draws[0]).astype(np.int8)
    assert calibration_error(p, label) == pytest.approx(measure(p, label, np.arange(1000), 0.5)["calibration_error"]["value"])  # fmt: skip
    assert calibration_error(p, label) < 2 * error_by_chance(p) < 0.1 < calibration_error(p, 1 - label)
