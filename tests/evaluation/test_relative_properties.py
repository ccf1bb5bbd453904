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

from .made import By

STRINGS = list("abcdefgh")


def table_matcher(seed: int) -> By:
    """M as a symmetric table over `STRINGS`."""
    table = np.random.default_rng(seed).random((8, 8)) < 0.2
    table = table | table.T | np.eye(8, dtype=bool)
    m = By(lambda x, y: table[STRINGS.index(x), STRINGS.index(y)])
    m.table = table
    return m


def naive_mu(entries, case, one, other, k, table):
    places = [(left, right) for left in entries[case][one][:k] for right in entries[case][other][:k]]
    return sum(left >= 0 and right >= 0 and table[left][right] for left, right in places)


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
    return entries, lengths, first, second, table_matcher(seed)


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
    steps = []
    mu = mu_of(entries, first, second, matcher, pairs_per_call=chunk, progress=lambda *step: steps.append(step))
    asked = list(matcher.asked)
    assert max(matcher.calls, default=0) <= chunk and len(asked) == len(set(asked))
    assert not asked or steps[-1] == (len(asked), len(asked))
    assert (mu == mu_of(entries, first, second, matcher)).all()


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
    mu = mu_of(entries, first, second, table_matcher(0))
    assert mu[19].tolist() == [[400] * 3] * 2
    assert mu[14].max() == 225


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 7), st.integers(2, 5), st.integers(1, 4), st.integers(0, 10**6))
def test_bounds_and_order(n, z, k, seed):
    generator = np.random.default_rng(seed)
    ae = generator.integers(0, k * k + 1, (n, z))
    ee = generator.integers(1, k * k + 1, (n, z * (z - 1) // 2))
    m = dxmatch.metrics
    for relative, average, optimistic in ((m.rpad, m.p_avg, m.p_opt), (m.rrad, m.r_avg, m.r_opt)):
        assert relative(ae, ee, k, 1.0) == average(ae, ee, k) <= optimistic(ae, ee, k) * (1 + 1e-12)
        assert relative(ae, ee, k, 0.0) == optimistic(ae, ee, k)
    # an algorithm that is one more expert, with all agreements alike, stands at 1
    assert m.rpad(np.full((n, z), 1), np.full(ee.shape, 1), k, 0.3) == pytest.approx(1)


ONE = ([[1, 1]], [[1]])


@pytest.mark.parametrize(
    ("metric", "arguments", "words"),
    [
        ("rpad", (*ONE, 0), "'k' parameter must be a whole number, 1 or more. Got 0"),
        *(("rpad", (*ONE, k), "'k'") for k in (-1, 1.5, True)),
        ("rpad", (*ONE, 1, 1.01), "'hardness' parameter must be a number from 0"),
        *(("rpad", (*ONE, 1, hardness), "'hardness'") for hardness in (-0.1, math.nan, "1")),
        ("rpad", ([[1]], [[1]], 1), "at least two experts"),
        ("rpad", ([[1, 1]], [[1, 1]], 1), r"of shape \(1, 1\)"),
        ("rpad", ([[2, 1]], [[1]], 1), "numbers from 0 to k\\^2 = 1"),
        *(("rpad", (ae, [[1]], 1), "numbers from 0") for ae in ([[-1, 1]], [[math.nan, 1]], [["a", "b"]])),
        ("rpad", (np.zeros((0, 2)), np.zeros((0, 1)), 1), "at least one case"),
        ("precision_at_k", ([3], 2, [2]), "no smaller than mu"),
        ("sigma_experts", ([1.0, 1.0],), "'rates_ee'"),
    ],
)
def test_refused(metric, arguments, words):
    with pytest.raises(OptionError, match=words):
        getattr(dxmatch.metrics, metric)(*arguments)
