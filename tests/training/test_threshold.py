"""The rules by which a threshold is chosen: against every threshold that there is, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as oracle

from dxmatch.errors import InputError
from dxmatch.training.statistics.threshold import SHARES, Threshold, choose_threshold

PAIRS = st.lists(st.tuples(st.integers(1, 10), st.integers(0, 1)), min_size=4, max_size=60).filter(
    lambda pairs: 0 < sum(y for _, y in pairs) < len(pairs)
)


def f1(score: np.ndarray, label: np.ndarray, threshold: float, share: float) -> float:
    """Of the pairs weighted so that `share` of them are matches."""
    weight = np.where(label == 1, share / label.mean(), (1 - share) / (1 - label.mean()))
    return float(oracle.f1_score(label, score >= threshold, sample_weight=weight, zero_division=0.0))


@settings(deadline=None, max_examples=15)
@given(PAIRS, st.sampled_from([None, 0.05, 0.4, 0.9]))
def test_no_threshold_is_better(pairs: list[tuple[int, int]], prevalence: float | None) -> None:
    """Of max_f1 none has the higher F1; of minimax_f1 none loses less at its worst."""
    score, label = np.array([p / 10 for p, _ in pairs]), np.array([y for _, y in pairs], np.int8)
    share = label.mean() if prevalence is None else prevalence
    best = max(f1(score, label, t, share) for t in np.unique(score))
    threshold = choose_threshold(score, label, Threshold(rule="max_f1", prevalence=prevalence))
    assert 0 < threshold < 1 and f1(score, label, threshold, share) == pytest.approx(best)
    table = np.array([[f1(score, label, t, q) for t in np.unique(score)] for q in SHARES])
    least = (table.max(axis=1, keepdims=True) - table).max(axis=0).min()
    threshold = choose_threshold(score, label)
    loss = max(best - f1(score, label, threshold, q) for best, q in zip(table.max(axis=1), SHARES, strict=True))
    assert loss == pytest.approx(least)


# From the top: 20 matches, then one in two, then none. 40 matches in all.
LABELS = np.array([1] * 20 + [1, 0] * 20 + [0] * 40, np.int8)
SCORES = np.arange(100, 0, -1) / 101


@pytest.mark.parametrize(
    ("rule", "prevalence", "found", "matches"),
    [
        # 27 of the first 33 are matches, 27 of 34, 28 of 35, 29 of 37; the 30th match is the 39th pair
        ("precision=0.8", None, 35, 28),
        ("recall=0.75", None, 39, 30),
        # the first 21 are matches; with the 22nd, 1 of 60 others: 0.04 * 21/40 / (0.04 * 21/40 + 0.96 / 60) = 21 / 37 = 0.568
        ("precision=0.8", 0.04, 21, 21),
    ],
)
def test_targets(rule: str, prevalence: float | None, found: int, matches: int) -> None:
    said = choose_threshold(SCORES, LABELS, Threshold(rule=rule, prevalence=prevalence)) <= SCORES
    assert (int(said.sum()), int(LABELS[said].sum())) == (found, matches)


def test_a_precision_that_no_threshold_reaches() -> None:
    """A single lucky pair at the top is no precision: ten matches have to bear it out."""
    label, score = np.array([1] + [0, 1] * 30, np.int8), np.arange(61, 0, -1) / 62
    said = r"precision of 0.95 out of fold, where 50.8% of .* Allowed: at most 0.526, its best"
    with pytest.raises(InputError, match=said):  # with ten found: 10 of 19, then 11 of 21, …
        choose_threshold(score, label, Threshold(rule="precision=0.95"))
    assert choose_threshold(score, label, Threshold(rule="precision=0.5")) > 0


def test_one_label_and_half() -> None:
    with pytest.raises(InputError, match="only one label"):
        choose_threshold(np.array([0.5, 0.6]), np.array([1, 1], np.int8))
    assert choose_threshold(SCORES, LABELS, Threshold(rule="half")) == 0.5
