"""Paired permutation tests beside scipy and beside all permutations; Holm's correction by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dxmatch.stats.permutation import Contrast, holm, permutation_test

Values = np.ndarray


def contrast(first: Values, second: Values, of: Callable[[Values], Values] | None = None) -> Contrast:
    """first, second : [n, q], what each adds to each sum. of : the first mean by default."""
    n = len(first)
    return Contrast(second - first, np.stack([first.sum(0), second.sum(0)]), of or (lambda sums: sums[..., 0] / n))


def one_p(first: Values, second: Values, of: Callable[[Values], Values] | None = None, seed: int = 0):
    return permutation_test([contrast(first, second, of)], 1, seed)


def ratio(sums: Values) -> Values:
    return sums[..., 0] / sums[..., 1]


@pytest.mark.parametrize("seed", range(3))
def test_p_of_hits_is_that_of_mcnemars_exact_test(seed: int):
    hits = np.random.default_rng(seed).random((60, 2)) < (0.6, 0.4)
    found = one_p(hits[:, :1].astype(float), hits[:, 1:].astype(float))
    one, other = (hits[:, 0] & ~hits[:, 1]).sum(), (hits[:, 1] & ~hits[:, 0]).sum()
    assert found[0] == pytest.approx(stats.binomtest(int(one), int(one + other)).pvalue)


@pytest.mark.parametrize(("of", "width"), [(None, 1), (ratio, 2)])
@pytest.mark.parametrize("n", [9, 16])
def test_p_is_that_of_all_permutations(of: Callable[[Values], Values] | None, width: int, n: int):
    """Where cases differ in few ways it is exact, else drawn."""
    first, second = np.split(1 + np.random.default_rng(width).random((n, 2 * width)), 2, 1)
    metric = contrast(first, second, of).of
    swapped = np.array(list(product([0, 1], repeat=n)))
    apart = abs(metric(swapped @ second + (1 - swapped) @ first) - metric(swapped @ first + (1 - swapped) @ second))
    expected = (apart >= apart[0] - 1e-12).mean()
    found = one_p(first, second, of)
    error = 1e-12 if n == 9 else 4 * math.sqrt(expected * (1 - expected) / 9999)
    assert 0 < expected < 1 and found[0] == pytest.approx(expected, abs=error)


def test_two_that_are_one_do_not_differ_and_the_seed_is_all():
    values = np.random.default_rng(0).random((20, 2))
    found = one_p(values[:, :1], values[:, :1])
    assert found.tolist() == [1.0]
    p = [one_p(values[:, :1], values[:, 1:], seed=seed)[0] for seed in (0, 0, 1)]
    assert p[0] == p[1] != p[2]


@pytest.mark.parametrize(
    ("p", "corrected"),
    [
        # 4 * 0.005, 3 * 0.01, 2 * 0.03, 1 * 0.04 -> 0.02, 0.03, 0.06, and 0.06 since it cannot fall
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.6, 0.7], [1, 1]), ([0.02], [0.02]), ([], []), ([0.04, math.nan, 0.01], [0.04, math.nan, 0.02]),
    ],
)  # fmt: skip
def test_holm_by_hand(p: list[float], corrected: list[float]):
    assert holm(p).tolist() == pytest.approx(corrected, nan_ok=True)
