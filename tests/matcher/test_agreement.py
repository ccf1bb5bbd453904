from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import dxmatch
from dxmatch.features.errors import OptionError
from dxmatch.matcher.bootstrap import CaseCounts
from dxmatch.matcher.case_matches import match_cases
from dxmatch.matcher.categories import top_categories
from dxmatch.matcher.metrics.agreement import kappa_of_pairs

answers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


@settings(deadline=None)
@given(answers)
def test_equal_to_scikit_learn(pairs):
    a, b = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = cohen_kappa_score(a, b)
    assert dxmatch.metrics.cohen_kappa(a, b) == pytest.approx(oracle, abs=1e-12, nan_ok=True)
    assert dxmatch.metrics.cohen_kappa(b, a) == pytest.approx(oracle, abs=1e-12, nan_ok=True)


def test_by_hand():
    # p_o = 3/4; p_e = 2/4 * 3/4 + 2/4 * 1/4 = 1/2; (1/4) / (1/2)
    assert dxmatch.metrics.cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0]) == 0.5
    assert math.isnan(dxmatch.metrics.cohen_kappa([7, 7], [7, 7]))


def test_no_diagnosis_agrees_with_nothing():
    # as four categories of their own: p_o = 1/3, p_e = 1/9; (2/9) / (8/9)
    assert dxmatch.metrics.cohen_kappa([0, -1, -1], [0, -1, -1]) == pytest.approx(1 / 4)
    assert dxmatch.metrics.cohen_kappa([0, 1, 2], [0, 3, 4]) == pytest.approx(1 / 4)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 12), st.integers(2, 4), st.integers(0, 10**6))
def test_weights_are_repeated_cases(n, raters, seed):
    generator = np.random.default_rng(seed)
    categories = generator.integers(-1, 4, (n, raters))
    weights = np.bincount(generator.integers(0, n, n), minlength=n).astype(float)
    first, second = np.triu_indices(raters, 1)
    again = np.repeat(categories, weights.astype(int), axis=0)
    expected = [dxmatch.metrics.cohen_kappa(again[:, i], again[:, j]) for i, j in zip(first, second, strict=True)]
    assert kappa_of_pairs(categories, first, second, weights).tolist() == pytest.approx(expected, nan_ok=True)
    mu = np.zeros((1, n, len(first)), np.uint8)
    rates = CaseCounts(mu, None, categories, first, second).rates(weights)
    assert rates.kappa.tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("arguments", [([], []), ([0.5], [1]), ([[0]], [[0]]), ([-2], [0]), ([0], [0, 1])])
def test_refused(arguments):
    with pytest.raises(OptionError):
        dxmatch.metrics.cohen_kappa(*arguments)


def test_categories_join_what_matches_within_a_case(set_matcher):
    # a~b in case 0, b~c in case 1: one category. a and c meet in case 2 and agree by that chain alone.
    # d~e, but they never meet in a case, so nobody asks: two categories. "D" is "d" by its letters.
    strings = ["D", "a", "b", "c", "d", "e"]
    entries = np.array([[1, 2], [2, 3], [1, 3], [4, 4], [0, -1], [5, 1]], np.int32)
    matcher = set_matcher(("a", "b"), ("b", "c"), ("d", "e"))
    first, second = np.array([0]), np.array([1])
    matches = match_cases(entries[:, :, None], first, second, strings, matcher)
    found = top_categories(entries, first, second, strings, matches)
    abc, d, e = found.of[0, 0], found.of[3, 0], found.of[5, 0]
    assert found.of.tolist() == [[abc, abc], [abc, abc], [abc, abc], [d, d], [d, -1], [e, abc]]
    assert len({abc, d, e}) == found.count == 3
    assert (found.agreements, found.chained) == (4, 1)
    assert frozenset(("d", "e")) not in matcher.asked


def test_categories_where_nobody_says_anything(set_matcher):
    entries = np.full((2, 2), -1, np.int32)
    first, second = np.array([0]), np.array([1])
    matches = match_cases(entries[:, :, None], first, second, [], set_matcher())
    found = top_categories(entries, first, second, [], matches)
    assert found.count == 0 and (found.of == -1).all()
    assert dxmatch.metrics.cohen_kappa([-1, -1], [-1, -1]) == 0
