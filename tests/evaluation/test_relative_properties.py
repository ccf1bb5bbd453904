"""The kernels against loops that say the formulas word for word, and what must not change a value."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.matches.case_matches import match_cases
from dxmatch.evaluation.matches.multiplicity import multiplicities, sizes
from dxmatch.evaluation.relative.rates import CaseCounts

STRINGS = list("abcdefgh")


class TableMatcher:
    """M as a symmetric table over `STRINGS`; equal strings match."""

    threshold = 0.5

    def __init__(self, seed: int) -> None:
        table = np.random.default_rng(seed).random((8, 8)) < 0.2
        self.table = table | table.T | np.eye(8, dtype=bool)

    def probabilities(self, a, b):
        return [float(self.table[STRINGS.index(x), STRINGS.index(y)]) for x, y in zip(a, b, strict=True)]


def naive_mu(entries, case, one, other, k, table):
    total = 0
    for p in range(k):
        for q in range(k):
            left, right = entries[case][one][p], entries[case][other][q]
            if left >= 0 and right >= 0 and table[left][right]:
                total += 1
    return total


def naive_relative(ae, ee, hardness):
    above = (1 - hardness) * max(ae) + hardness * sum(ae) / len(ae)
    below = (1 - hardness) * min(ee) + hardness * sum(ee) / len(ee)
    return above / below if below > 0 else math.nan


panels = st.tuples(st.integers(1, 6), st.integers(3, 5), st.integers(1, 4), st.integers(0, 10**6))


def drawn(shape):
    """entries [n, raters, K] with short lists (-2 at their end) and words for no diagnosis (-1)."""
    n, raters, width, seed = shape
    generator = np.random.default_rng(seed)
    entries = generator.integers(-1, 8, (n, raters, width)).astype(np.int32)
    lengths = generator.integers(1, width + 1, (n, raters))
    entries[np.arange(width) >= lengths[:, :, None]] = -2
    first, second = np.triu_indices(raters, 1)
    return entries, lengths, first, second, TableMatcher(seed)


def mu_of(entries, first, second, matcher, **options):
    return multiplicities(match_cases(entries, first, second, STRINGS, matcher, **options))


@settings(deadline=None, max_examples=80)
@given(panels, st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
def test_kernels_equal_the_loops(shape, hardness, observed):
    entries, lengths, first, second, matcher = drawn(shape)
    n, raters, width, _ = shape
    mu = mu_of(entries, first, second, matcher)
    for k in range(1, width + 1):
        ae, ee, ae_r, ee_r = [], [], [], []
        for one, other in combinations(range(raters), 2):
            each = [naive_mu(entries, case, one, other, k, matcher.table) for case in range(n)]
            pair = np.flatnonzero((first == one) & (second == other))[0]
            assert mu[k - 1, :, pair].tolist() == each
            size = [min(k, lengths[i, one]) * min(k, lengths[i, other]) if observed else k * k for i in range(n)]
            (ae if one == 0 else ee).append(sum(each) / sum(size))
            (ae_r if one == 0 else ee_r).append(sum(m > 0 for m in each) / n)
        of_algorithm = first == 0
        area = sizes(lengths, first, second, k) if observed else None
        rates = CaseCounts(
            mu[:k], None if area is None else np.stack([sizes(lengths, first, second, j) for j in range(1, k + 1)]),
            entries[:, :, 0], first, second,
        ).rates()  # fmt: skip
        assert rates.precision[k - 1][of_algorithm].tolist() == pytest.approx(ae, abs=1e-15)
        assert rates.recall[k - 1][~of_algorithm].tolist() == pytest.approx(ee_r, abs=1e-15)
        given_sizes = area if area is None else area[:, of_algorithm]
        precision = dxmatch.metrics.precision_at_k(mu[k - 1][:, of_algorithm], k, given_sizes)
        assert precision.tolist() == pytest.approx(ae, abs=1e-15)
        if not observed:
            got = dxmatch.metrics.rpad(mu[k - 1][:, of_algorithm], mu[k - 1][:, ~of_algorithm], k, hardness)
            assert got == pytest.approx(naive_relative(ae, ee, hardness), abs=1e-12, nan_ok=True)
        got = dxmatch.metrics.rrad(mu[k - 1][:, of_algorithm], mu[k - 1][:, ~of_algorithm], k, hardness)
        assert got == pytest.approx(naive_relative(ae_r, ee_r, hardness), abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=30)
@given(panels, st.integers(1, 7))
def test_m_is_asked_each_pair_once_and_in_any_chunks(shape, chunk):
    entries, _, first, second, matcher = drawn(shape)
    asked = []

    class Recording:
        threshold = 0.5

        def probabilities(self, a, b):
            assert len(a) == len(b) <= chunk
            asked.extend(zip(a, b, strict=True))
            return matcher.probabilities(a, b)

    steps = []
    mu = mu_of(
        entries, first, second, Recording(), pairs_per_call=chunk, progress=lambda done, all: steps.append((done, all))
    )
    assert (mu == mu_of(entries, first, second, matcher)).all()
    assert len(asked) == len({frozenset(pair) for pair in asked})
    assert all(a <= b for a, b in asked)
    if asked:
        assert steps[-1] == (len(asked), len(asked))


@pytest.mark.parametrize("block", [1, 50, 10**7])
def test_blocks_change_nothing(monkeypatch, block):
    entries, _, first, second, matcher = drawn((40, 5, 4, 7))
    whole = mu_of(entries, first, second, matcher)
    monkeypatch.setattr("dxmatch.evaluation.matches.case_matches._ELEMENTS_PER_BLOCK", block)
    monkeypatch.setattr("dxmatch.evaluation.matches.case_matches._CODES_PENDING", block)
    assert (mu_of(entries, first, second, matcher) == whole).all()


def test_wide_lists_do_not_overflow():
    entries = np.zeros((2, 3, 20), np.int32)
    first, second = np.triu_indices(3, 1)
    mu = mu_of(entries, first, second, TableMatcher(0))
    assert mu[19].tolist() == [[400] * 3] * 2
    assert mu[14].max() == 225


multiplicity_tables = st.tuples(st.integers(1, 7), st.integers(2, 5), st.integers(1, 4), st.integers(0, 10**6))


@settings(deadline=None, max_examples=40)
@given(multiplicity_tables)
def test_bounds_and_order(shape):
    n, z, k, seed = shape
    generator = np.random.default_rng(seed)
    ae = generator.integers(0, k * k + 1, (n, z))
    ee = generator.integers(1, k * k + 1, (n, z * (z - 1) // 2))
    m = dxmatch.metrics
    rounding = 1 + 1e-12
    assert m.rpad(ae, ee, k, 1.0) == m.p_avg(ae, ee, k) <= m.p_opt(ae, ee, k) * rounding
    assert m.rrad(ae, ee, k, 1.0) == m.r_avg(ae, ee, k) <= m.r_opt(ae, ee, k) * rounding
    assert m.rpad(ae, ee, k, 0.0) == m.p_opt(ae, ee, k) and m.rrad(ae, ee, k, 0.0) == m.r_opt(ae, ee, k)
    # an algorithm that is one more expert, with all agreements alike, stands at 1
    assert m.rpad(np.full((n, z), 1), np.full(ee.shape, 1), k, 0.3) == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[1, 1]], [[1]], 0), "'k' parameter must be a whole number, 1 or more. Got 0"),
        (([[1, 1]], [[1]], -1), "'k'"),
        (([[1, 1]], [[1]], 1.5), "'k'"),
        (([[1, 1]], [[1]], True), "'k'"),
        (([[1, 1]], [[1]], 1, 1.01), "'hardness' parameter must be a number from 0"),
        (([[1, 1]], [[1]], 1, -0.1), "'hardness'"),
        (([[1, 1]], [[1]], 1, math.nan), "'hardness'"),
        (([[1, 1]], [[1]], 1, "1"), "'hardness'"),
        (([[1]], [[1]], 1), "at least two experts"),
        (([[1, 1]], [[1, 1]], 1), r"of shape \(1, 1\)"),
        (([[2, 1]], [[1]], 1), "numbers from 0 to k\\^2 = 1"),
        (([[-1, 1]], [[1]], 1), "numbers from 0"),
        (([[math.nan, 1]], [[1]], 1), "numbers from 0"),
        ((np.zeros((0, 2)), np.zeros((0, 1)), 1), "at least one case"),
        (([["a", "b"]], [[1]], 1), "numbers from 0"),
    ],
)
def test_refused(arguments, words):
    with pytest.raises(OptionError, match=words):
        dxmatch.metrics.rpad(*arguments)


def test_sizes_refused():
    with pytest.raises(OptionError, match="no smaller than mu"):
        dxmatch.metrics.precision_at_k([3], 2, [2])
    with pytest.raises(OptionError, match="'rates_ee'"):
        dxmatch.metrics.sigma_experts([1.0, 1.0])
