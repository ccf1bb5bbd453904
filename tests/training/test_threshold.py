from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as oracle

from dxmatch.errors import InputError, OptionError
from dxmatch.training.statistics.threshold import SHARES, Threshold, choose_threshold

PAIRS = st.lists(st.tuples(st.integers(1, 10), st.integers(0, 1)), min_size=4, max_size=60).filter(
    lambda pairs: 0 < sum(y for _, y in pairs) < len(pairs)
)


def arrays(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([p / 10 for p, _ in pairs]), np.array([y for _, y in pairs], np.int8)


def weights(label: np.ndarray, share: float) -> np.ndarray:
    """That make `share` of the pairs matches."""
    return np.where(label == 1, share / label.mean(), (1 - share) / (1 - label.mean()))


def f1(score: np.ndarray, label: np.ndarray, threshold: float, share: float) -> float:
    return float(oracle.f1_score(label, score >= threshold, sample_weight=weights(label, share), zero_division=0.0))


@settings(deadline=None, max_examples=25)
@given(PAIRS, st.sampled_from([None, 0.05, 0.4, 0.9]))
def test_max_f1(pairs: list[tuple[int, int]], prevalence: float | None) -> None:
    score, label = arrays(pairs)
    share = label.mean() if prevalence is None else prevalence
    best = max(f1(score, label, t, share) for t in np.unique(score))
    threshold = choose_threshold(score, label, Threshold(rule="max_f1", prevalence=prevalence))
    assert 0 < threshold < 1
    assert f1(score, label, threshold, share) == pytest.approx(best)


@settings(deadline=None, max_examples=8)
@given(PAIRS)
def test_minimax_f1_loses_least_at_its_worst(pairs: list[tuple[int, int]]) -> None:
    score, label = arrays(pairs)
    table = np.array([[f1(score, label, t, q) for t in np.unique(score)] for q in SHARES])
    least = (table.max(axis=1, keepdims=True) - table).max(axis=0).min()
    threshold = choose_threshold(score, label)
    loss = max(best - f1(score, label, threshold, q) for best, q in zip(table.max(axis=1), SHARES, strict=True))
    assert loss == pytest.approx(least)


def test_minimax_does_not_depend_on_the_share_of_matches() -> None:
    """Ten times as many non-matches of the same scores: max_f1 rises, minimax_f1 stays."""
    rng = np.random.default_rng(0)
    matches, others = rng.beta(4, 2, 300), rng.beta(2, 4, 300)
    few = np.concatenate([matches, others]), np.repeat(np.array([1, 0], np.int8), 300)
    many = np.concatenate([matches, np.tile(others, 10)]), np.repeat(np.array([1, 0], np.int8), [300, 3000])
    assert choose_threshold(*few) == choose_threshold(*many)
    assert choose_threshold(*few, Threshold(rule="max_f1")) < choose_threshold(*many, Threshold(rule="max_f1")) - 0.1
    assert choose_threshold(*many, Threshold(rule="max_f1", prevalence=0.5)) == choose_threshold(
        *few, Threshold(rule="max_f1")
    )


# From the top: 20 matches, then one in two, then none. 40 matches in all.
LABELS = np.array([1] * 20 + [1, 0] * 20 + [0] * 40, np.int8)


@pytest.fixture
def scores() -> np.ndarray:
    return np.arange(100, 0, -1) / 101


def test_targets(scores: np.ndarray) -> None:
    """27 of the first 33 are matches, 27 of 34, 28 of 35, 29 of 37; the 30th match is the 39th pair."""
    found = scores >= choose_threshold(scores, LABELS, Threshold(rule="precision=0.8"))
    assert (int(found.sum()), int(LABELS[found].sum())) == (35, 28)
    found = scores >= choose_threshold(scores, LABELS, Threshold(rule="recall=0.75"))
    assert (int(found.sum()), int(LABELS[found].sum())) == (39, 30)
    assert choose_threshold(scores, LABELS, Threshold(rule="half")) == 0.5


def test_a_target_at_another_prevalence(scores: np.ndarray) -> None:
    """The first 21 are matches. With the 22nd, 1 of 60 non-matches: 0.04 * 21/40 / (0.04 * 21/40 + 0.96 / 60) = 21 / 37."""
    found = scores >= choose_threshold(scores, LABELS, Threshold(rule="precision=0.8", prevalence=0.04))
    assert (int(found.sum()), int(LABELS[found].sum())) == (21, 21)
    found = scores >= choose_threshold(scores, LABELS, Threshold(rule="precision=0.56", prevalence=0.04))
    assert int(LABELS[found].sum()) >= 21 and int(found.sum()) >= 22


def test_a_precision_that_no_threshold_reaches() -> None:
    """A single lucky pair at the top is no precision: ten matches have to bear it out."""
    label = np.array([1] + [0, 1] * 30, np.int8)
    score = np.arange(61, 0, -1) / 62
    with pytest.raises(
        InputError, match=r"precision of 0.95 out of fold, where 50.8% of .* Allowed: at most 0.526, its best"
    ):
        choose_threshold(
            score, label, Threshold(rule="precision=0.95")
        )  # best with ten found: 10 of 19, then 11 of 21, …
    assert choose_threshold(score, label, Threshold(rule="precision=0.5")) > 0


@pytest.mark.parametrize("text", ["best", "precision", "precision=", "precision=1", "recall=0", "f1=0.9", "max_f1=0.5"])
def test_rules_that_are_none(text: str) -> None:
    with pytest.raises(OptionError, match=r"'threshold' parameter must be minimax_f1, max_f1, half, precision=P"):
        Threshold(rule=text)


def test_one_label_or_no_share() -> None:
    with pytest.raises(InputError, match="only one label"):
        choose_threshold(np.array([0.5, 0.6]), np.array([1, 1], np.int8))
    with pytest.raises(OptionError, match="'prevalence' parameter must be a number between 0 and 1"):
        Threshold(prevalence=1.0)
