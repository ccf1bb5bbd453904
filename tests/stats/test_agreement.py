"""Kappa and alpha against scikit-learn, statsmodels and loops that say the formula; weights are cases taken so often."""

from __future__ import annotations

import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, precision_score, recall_score

from dxmatch.stats.agreement import VERDICTS, GroupAgreement, cohen_kappas, verdicts_agree

panels = st.tuples(st.integers(1, 8), st.integers(2, 5), st.integers(1, 5), st.integers(0, 10**6))


def drawn(shape, lowest=0):
    n, raters, count, seed = shape
    return np.random.default_rng(seed).integers(lowest, count, (n, raters))


def once(categories):
    return np.ones((1, len(categories)))


def pairs_of(categories):
    return np.triu_indices(categories.shape[1], 1)


@settings(deadline=None, max_examples=60)
@given(panels)
def test_cohens_kappa_is_that_of_scikit_learn(shape):
    categories = drawn(shape)
    first, second = pairs_of(categories)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = [cohen_kappa_score(categories[:, i], categories[:, j]) for i, j in zip(first, second, strict=True)]
    kappas = cohen_kappas(categories, first, second)(once(categories))[0]
    assert kappas.tolist() == pytest.approx(oracle, abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=60)
@given(panels)
def test_fleiss_is_that_of_statsmodels(shape):
    import statsmodels.stats.inter_rater as oracle

    categories = drawn(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = oracle.fleiss_kappa(oracle.aggregate_raters(categories)[0])
    assert GroupAgreement(categories).fleiss(once(categories)).item() == pytest.approx(expected, abs=1e-12, nan_ok=True)


def naive_alpha(values, distance):
    units = [[v for v in row if v >= 0] for row in values]
    units = [unit for unit in units if len(unit) > 1]
    everything = [v for unit in units for v in unit]
    total = len(everything)
    observed = sum(2 * distance(a, b) / (len(unit) - 1) for unit in units for a, b in combinations(unit, 2))
    expected = sum(2 * distance(a, b) for a, b in combinations(everything, 2))
    return 1 - (observed / total) / (expected / (total * (total - 1))) if expected else math.nan


@settings(deadline=None, max_examples=60)
@given(panels)
def test_alpha_equals_the_loops(shape):
    values = drawn(shape, -1)
    group = GroupAgreement(values)
    alpha = group.alpha(once(values)).item()
    assert alpha == pytest.approx(naive_alpha(values, lambda a, b: a != b), abs=1e-12, nan_ok=True)
    half = np.triu(np.random.default_rng(shape[3]).random((5, 5)), 1)
    distance = half + half.T
    held = np.bincount(values[group.paired], minlength=5)
    among, unlike = distance[values[:, :, None], values[:, None, :]], np.array([held @ distance @ held])
    found = group.alpha_by_distance(among, unlike, once(values)).item()
    assert found == pytest.approx(naive_alpha(values, lambda a, b: distance[a, b]), abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_verdicts_are_those_of_scikit_learn(pairs):
    said, truth = (np.array(side) for side in zip(*pairs, strict=True))
    counts = np.array(
        [(said & truth).sum(), (said & ~truth).sum(), (~said & truth).sum(), (~said & ~truth).sum()], float
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = {
            "accuracy": accuracy_score(truth, said), "precision": precision_score(truth, said, zero_division=np.nan),
            "recall": recall_score(truth, said, zero_division=np.nan), "F1": f1_score(truth, said, zero_division=np.nan),
            "kappa": cohen_kappa_score(truth, said),
        }  # fmt: skip
    assert [*oracle] == [*VERDICTS]
    for scale in (1, 1 / 3):
        found = {measure: verdicts_agree(counts * scale, measure).item() for measure in VERDICTS}
        assert found == pytest.approx(oracle, abs=1e-12, nan_ok=True)
