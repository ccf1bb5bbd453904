"""Resamples of cases, means under weights, and percentile intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.stats.intervals import ALIKE, NOT_ASKED, measured
from dxmatch.stats.resampling import CaseMeans, Resampling, case_weights


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 8), st.integers(0, 10**6), st.sampled_from(["u1", "f8", "?"]))
def test_means_are_those_of_repeated_cases(n, seed, kind):
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 2 if kind == "?" else 200, (n, 4)).astype(kind)
    if kind == "f8":
        values[generator.random((n, 4)) < 0.3] = np.nan
    weights = np.concatenate(list(case_weights(np.arange(n), 5, seed)))
    assert (weights.sum(1) == n).all()
    for one, means in zip(weights, CaseMeans(values)(weights), strict=True):
        again = np.repeat(values.astype(float), one.astype(int), axis=0)
        held = ~np.isnan(again)
        plain = [again[held[:, j], j].mean() if held[:, j].any() else np.nan for j in range(4)]
        assert means.tolist() == pytest.approx(plain, abs=1e-12, nan_ok=True)


def test_large_numbers_are_summed_exactly():
    values = np.full((3, 1), 2**24 + 1, np.int64)
    assert CaseMeans(values)(np.ones((1, 3))).item() == 2**24 + 1


def test_the_order_of_cases_and_the_size_of_blocks_change_nothing(monkeypatch):
    values, names = np.arange(6.0)[:, None], [f"c{i}" for i in range(6)]
    resampling = Resampling(resamples=20, seed=4)
    drawn = resampling.resampled(CaseMeans(values), names)
    assert drawn.shape == (20, 1) and len(np.unique(drawn)) > 5
    turned = resampling.resampled(CaseMeans(values[::-1]), names[::-1])
    monkeypatch.setattr("dxmatch.stats.resampling._BYTES_PER_BLOCK", 1)
    small = resampling.resampled(CaseMeans(values), names)
    assert drawn.tolist() == turned.tolist() == small.tolist()
    assert Resampling(resamples=0).resampled(CaseMeans(values), names).shape == (0, 1)
    assert resampling.resampled(CaseMeans(values[:0]), []).shape == (0, 1)


@pytest.mark.parametrize(
    ("values", "n", "expected"),
    [
        (np.arange(101.0), 9, (2.5, 97.5, 0, "")),
        (np.array([]), 9, (None, None, 0, NOT_ASKED)),
        (np.arange(101.0), 1, (None, None, 0, "one case cannot be resampled")),
        (np.ones(9), 9, (None, None, 0, ALIKE)),
        (np.arange(30.0), 9, (None, None, 0, "that of the resamples does not hold the value")),
        # of 40, two may be undefined at 95 %
        (np.append(np.arange(38.0), [np.nan] * 2), 9, (0.925, 36.075, 2, "")),
        (np.append(np.arange(37.0), [np.nan] * 3), 9, (None, None, 3, "3 of 40 bootstrap repeats are undefined")),
    ],
)
def test_the_interval_or_why_there_is_none(values, n, expected):
    value, *found, reason = measured(36.0, values, 0.95, n, "").values()
    assert value == 36 and (*found, reason.removeprefix("no interval: ")) == pytest.approx(expected)
