from __future__ import annotations

import math

import numpy as np
import pytest

from dxmatch.errors import OptionError
from dxmatch.evaluation.relative.rates import CaseCounts, resampled
from dxmatch.evaluation.statistics import bootstrap
from dxmatch.evaluation.statistics.bootstrap import (
    ALIKE,
    case_weights,
    check_bootstrap,
    percentile_interval,
    resampled_means,
)


def counts(n=30, seed=1, observed=False):
    generator = np.random.default_rng(seed)
    first, second = np.triu_indices(4, 1)
    mu = np.stack([generator.integers(0, k * k + 1, (n, 6)) for k in (1, 2, 3)]).astype(np.uint8)
    sizes = np.stack([np.full((n, 6), k * k) for k in (1, 2, 3)]) if observed else None
    return CaseCounts(mu, sizes, generator.integers(-1, 5, (n, 4)), first, second)


def test_a_resample_is_the_cases_taken_so_often():
    data = counts()
    weights = next(case_weights(30, 5, seed=3))
    many = data.rates(weights)
    for row, weight in enumerate(weights):
        again = np.repeat(np.arange(30), weight.astype(int))
        taken = CaseCounts(data.mu[:, again], None, data.categories[again], data.first, data.second).rates()
        assert many.precision[row] == pytest.approx(taken.precision, abs=1e-15)
        assert many.recall[row] == pytest.approx(taken.recall, abs=1e-15)
        assert many.kappa[row] == pytest.approx(taken.kappa, abs=1e-15)


def test_weights_draw_n_cases_each_time_and_depend_on_the_seed_alone(monkeypatch):
    whole = np.concatenate(list(case_weights(7, 50, seed=0)))
    assert whole.shape == (50, 7) and (whole.sum(1) == 7).all()
    monkeypatch.setattr(bootstrap, "_BYTES_PER_BLOCK", 3 * 8 * 7)
    blocks = list(case_weights(7, 50, seed=0))
    assert len(blocks) == 17 and (np.concatenate(blocks) == whole).all()
    assert (np.concatenate(list(case_weights(7, 50, seed=1))) != whole).any()
    assert abs(np.concatenate(list(case_weights(7, 4000, seed=0))).mean(0) - 1).max() < 0.1


@pytest.mark.parametrize("observed", [False, True])
def test_float32_is_exact_where_it_is_used(monkeypatch, observed):
    fast = resampled(counts(observed=observed), 20, 0)
    monkeypatch.setattr("dxmatch.evaluation.relative.rates._EXACT_IN_FLOAT32", 0)
    slow = resampled(counts(), 20, 0)  # sizes of k^2 are the plain denominator
    assert (fast.precision == slow.precision).all() and (fast.recall == slow.recall).all()
    assert np.array_equal(fast.kappa, slow.kappa, equal_nan=True)


def with_gaps(n=30, m=5, seed=2):
    """[n, m]; two columns lack the same cases, one lacks all, one lacks none."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(n, m))
    values[generator.random(n) < 0.5, :2] = math.nan
    values[generator.random(n) < 0.2, 2] = math.nan
    values[:, 3] = math.nan
    return values


def test_means_are_over_the_cases_that_have_a_value():
    values = with_gaps()
    means = resampled_means(values, 12, seed=3)
    for row, weight in zip(means, next(case_weights(30, 12, seed=3)), strict=True):
        again = np.repeat(values, weight.astype(int), axis=0)
        for column in (0, 1, 2, 4):
            assert row[column] == pytest.approx(np.nanmean(again[:, column]), abs=1e-12)
    assert np.isnan(means[:, 3]).all() and not np.isnan(means[:, [0, 1, 2, 4]]).any()


def test_means_and_rates_come_from_the_same_resamples():
    data = counts()
    rates = resampled(data, 25, 7)
    assert resampled_means(data.mu[2] / 9, 25, 7) == pytest.approx(rates.precision[:, 2], abs=1e-12)
    assert resampled_means(data.mu[2] > 0, 25, 7) == pytest.approx(rates.recall[:, 2], abs=1e-12)


def test_blocks_change_no_mean(monkeypatch):
    whole = resampled_means(with_gaps(), 50, 0)
    monkeypatch.setattr(bootstrap, "_BYTES_PER_BLOCK", 3 * 8 * 30)
    assert resampled_means(with_gaps(), 50, 0) == pytest.approx(whole, abs=1e-12, nan_ok=True)
    assert resampled_means(with_gaps(), 0, 0).shape == (0, 5)
    assert resampled_means(np.empty((3, 0)), 4, 0).shape == (4, 0)


@pytest.mark.parametrize("values", [np.zeros((0, 2)), np.zeros(3), np.array([[math.inf]])])
def test_means_refused(values):
    with pytest.raises(OptionError, match="finite numbers or NaN, \\[cases, columns\\]"):
        resampled_means(values, 5, 0)


def test_an_interval_and_why_there_is_none():
    found = percentile_interval(np.arange(101.0), 0.9, n_cases=10)
    assert (found.low, found.high, found.undefined, found.reason) == (pytest.approx(5), pytest.approx(95), 0, "")
    for undefined, n_cases, reason in ((5, 10, ""), (6, 10, "6 of 100 bootstrap repeats are undefined"),
                                       (0, 1, "one case cannot be resampled")):  # fmt: skip
        found = percentile_interval(np.where(np.arange(100) < undefined, math.nan, np.arange(100.0)), 0.95, n_cases)
        assert found.reason == reason and (found.low is None) == (found.high is None) == bool(reason)
        assert found.undefined == undefined
    for alike in (1.0, 0.0):
        found = percentile_interval(np.full(100, alike), 0.95, 10)
        assert (found.low, found.high, found.reason) == (None, None, ALIKE)
    assert percentile_interval(np.empty(0), 0.95, 10).reason == "no bootstrap was asked for"


def test_coverage_of_a_rate():
    """The 90 % interval of R over 60 cases holds the true rate about 9 times in 10."""
    generator = np.random.default_rng(5)
    held = 0
    for run in range(200):
        mu = (generator.random((1, 60, 1)) < 0.4).astype(np.uint8)
        one = CaseCounts(mu, None, np.zeros((60, 2), int), np.array([0]), np.array([1]))
        found = percentile_interval(resampled(one, 300, run).recall[:, 0, 0], 0.9, 60)
        held += found.low <= 0.4 <= found.high
    assert 165 <= held <= 195


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((-1, 0, 0.9), "bootstrap"), ((1.5, 0, 0.9), "bootstrap"), ((True, 0, 0.9), "bootstrap"), ((10**7, 0, 0.9), "bootstrap"),
     ((9, -1, 0.9), "seed"), ((9, "0", 0.9), "seed"), ((9, 0, 1.0), "level"), ((9, 0, 0), "level"), ((9, 0, math.nan), "level")],
)  # fmt: skip
def test_refused(arguments, name):
    with pytest.raises(OptionError, match=f"'{name}' parameter must be"):
        check_bootstrap(*arguments)
