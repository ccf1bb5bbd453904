"""mu and chi expected from M's probabilities: by hand, against drawing, and against the verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.matches.case_matches import match_cases
from dxmatch.evaluation.matches.multiplicity import expected_multiplicities, multiplicities, sizes
from dxmatch.evaluation.relative.rows import PanelRates, expected_rows
from dxmatch.evaluation.statistics.section import Context

from .made import By

# one case, an algorithm and experts X, Y; two diagnoses each
P_AE = [[[[0.5, 0.0], [0.25, 0.0]], [[1.0, 0.5], [0.0, 0.0]]]]
P_EE = [[[[0.5, 0.5], [0.0, 0.0]]]]


def test_by_hand():
    m = dxmatch.metrics
    # E[mu] = 3/4 and 3/2 of 4 places; E[chi] = 1 - 1/2 * 3/4 and 1 - 0
    assert m.expected_precision_at_k(P_AE).tolist() == [3 / 16, 3 / 8]
    assert m.expected_recall_at_k(P_AE).tolist() == [5 / 8, 1]
    # among the experts: E[mu] = 1 of 4, E[chi] = 1 - 1/2 * 1/2
    assert m.expected_precision_at_k(P_EE).tolist() == [1 / 4]
    assert m.expected_recall_at_k(P_EE).tolist() == [3 / 4]
    assert m.expected_rpad(P_AE, P_EE) == pytest.approx((9 / 32) / (1 / 4))
    assert m.expected_rpad(P_AE, P_EE, hardness=0) == pytest.approx((3 / 8) / (1 / 4))
    assert m.expected_rrad(P_AE, P_EE) == pytest.approx((13 / 16) / (3 / 4))


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 6), st.integers(2, 4), st.integers(1, 4), st.integers(0, 10**6))
def test_certain_probabilities_are_verdicts(n, z, k, seed):
    generator = np.random.default_rng(seed)
    ae = generator.integers(0, 2, (n, z, k, k))
    ee = generator.integers(0, 2, (n, z * (z - 1) // 2, k, k))
    m, sums = dxmatch.metrics, (ae.sum((-2, -1)), ee.sum((-2, -1)))
    assert m.expected_precision_at_k(ae).tolist() == pytest.approx(m.precision_at_k(sums[0], k).tolist())
    assert m.expected_recall_at_k(ae).tolist() == pytest.approx(m.recall_at_k(sums[0]).tolist())
    assert m.expected_rpad(ae, ee, 0.3) == pytest.approx(m.rpad(*sums, k, 0.3), nan_ok=True)
    assert m.expected_rrad(ae, ee, 0.3) == pytest.approx(m.rrad(*sums, k, 0.3), nan_ok=True)


def test_the_mean_of_many_draws():
    """Verdicts drawn from the probabilities, independently, have these means."""
    generator = np.random.default_rng(0)
    p = generator.random((5, 3, 3)) ** 3
    drawn = generator.random((40_000, 5, 3, 3)) < p
    mu = drawn.sum((-2, -1))
    assert mu.mean() / 9 == pytest.approx(dxmatch.metrics.expected_precision_at_k(p), abs=0.003)
    assert (mu > 0).mean() == pytest.approx(dxmatch.metrics.expected_recall_at_k(p), abs=0.003)


CHANCES = {frozenset("ab"): 0.5, frozenset("ac"): 0.25, frozenset("bc"): 0.125}
SOFT = By(lambda x, y: CHANCES.get(frozenset((x, y)), 0.0))


STRINGS = list("abcd")
A, B, C, D, NONE, PAST = 0, 1, 2, 3, -1, -2


def expected(entries):
    entries = np.array(entries, np.int32)
    first, second = np.triu_indices(entries.shape[1], 1)
    matches = match_cases(entries, first, second, STRINGS, SOFT, keep_probabilities=True)
    return first, second, matches, expected_multiplicities(matches)


def test_of_lists():
    entries = [[[A, B], [C, D]], [[A, A], [B, NONE]], [[A, B], [B, D]], [[A, PAST], [B, C]], [[NONE, NONE], [NONE, B]]]
    *_, (mu, chi) = expected(entries)
    # a-c 1/4 and b-c 1/8; a-b twice, but one chance; b-b is certain; a-b and a-c; nothing is said
    assert mu[:, 0].tolist() == [3 / 8, 1, 1 + 1 / 2, 3 / 4, 0]
    assert chi[:, 0].tolist() == [1 - (3 / 4) * (7 / 8), 1 / 2, 1, 1 - (1 / 2) * (3 / 4), 0]


def test_verdicts_are_the_same_with_and_without_probabilities():
    first, second, matches, _ = expected([[[A, B], [B, C], [D, D]]] * 3)
    plain = match_cases(matches.entries, first, second, STRINGS, SOFT)
    assert plain.probabilities is None
    assert (plain.verdicts == matches.verdicts).all() and matches.probabilities.dtype == np.float32
    both = [multiplicities(m) for m in (plain, matches)]
    assert (both[0] == both[1]).all()


@pytest.mark.parametrize("observed", [False, True])
def test_rows(observed):
    """One algorithm and three experts over 20 cases: the values are those of the declared metrics."""
    generator = np.random.default_rng(2)
    first, second, matches, (mu, chi) = expected(generator.integers(0, 4, (20, 4, 2)))
    area = sizes(np.full((20, 4), 2), first, second, 2) if observed else None
    panel = PanelRates("M", list("XYZ"), None, None, np.flatnonzero(first == 0), np.flatnonzero(first > 0))
    context = Context(None, k=2, n_cases=20, hardness=0.5, max_k=2, repeats=200, level=0.9)
    rows = {row["name"]: row for row in expected_rows([panel], mu, chi, area, context, np.arange(20))}
    assert list(rows) == [
        "E[P](AE mean)@2", "E[P](EE mean)@2", "E[RPAD](H=0.5)@2",
        "E[R](AE mean)@2", "E[R](EE mean)@2", "E[RRAD](H=0.5)@2",
    ]  # fmt: skip
    p = np.concatenate([block for _, block in matches.compared(matches.probabilities)])
    ae, ee = p[:, first == 0], p[:, first > 0]
    assert rows["E[RPAD](H=0.5)@2"]["value"] == pytest.approx(dxmatch.metrics.expected_rpad(ae, ee, 0.5))
    assert rows["E[P](EE mean)@2"]["value"] == pytest.approx(dxmatch.metrics.expected_precision_at_k(ee).mean())
    for row in rows.values():
        assert row["low"] <= row["value"] <= row["high"] and row["n_cases"] == 20
    assert [row["n_pairs"] for row in rows.values()] == [3, 3, 6] * 2


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("expected_recall_at_k", (np.zeros((0, 2, 2)),), "at least one case"),
        ("expected_recall_at_k", (np.zeros((1, 2, 3)),), "\\[cases, ..., k, k\\]"),
        ("expected_precision_at_k", ([[[1.5]]],), "probabilities from 0 to 1"),
        ("expected_precision_at_k", ([[[np.nan]]],), "probabilities from 0 to 1"),
        ("expected_rpad", ([[[[1.0]]]], [[[[1.0]]]]), "at least two experts"),
        ("expected_rrad", (np.ones((1, 2, 1, 1)), np.ones((1, 2, 1, 1))), "each two of 2 experts"),
    ],
)
def test_refused(function, arguments, words):
    with pytest.raises(OptionError, match=words):
        getattr(dxmatch.metrics, function)(*arguments)
