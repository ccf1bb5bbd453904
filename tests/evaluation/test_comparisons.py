"""Differences of algorithms: p-values from the bootstrap, and Holm's correction for how many were looked at."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.statistics import significance
from dxmatch.evaluation.statistics.significance import holm, two_sided_p

from .made import By


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        # 2 of 9 at or below 0: 2 * (1 + 2) / (1 + 9)
        ([-1, 0, *[1] * 7], 6 / 10), ([1, 0, *[-1] * 7], 6 / 10),
        # none of 99: the least that 99 resamples can show
        ([1.0] * 99, 2 / 100), ([*[1.0] * 99, math.nan], 2 / 100),
        ([0.0] * 50, 1), ([], math.nan), ([math.nan], math.nan),
    ],
)  # fmt: skip
def test_p_by_hand(differences, p):
    assert two_sided_p(differences) == pytest.approx(p, nan_ok=True)


@pytest.mark.parametrize(
    ("p", "corrected"),
    [
        # 4 * 0.005, 3 * 0.01, 2 * 0.03, 1 * 0.04 -> 0.02, 0.03, 0.06, and 0.06 since it cannot fall
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.6, 0.7], [1, 1]), ([0.02], [0.02]), ([], []), ([0.04, math.nan, 0.01], [0.04, math.nan, 0.02]),
    ],
)  # fmt: skip
def test_holm_by_hand(p, corrected):
    assert holm(p).tolist() == pytest.approx(corrected, nan_ok=True)
    assert not doctest.testmod(significance).failed


def rejected(p, level):
    """Holm's procedure word for word: from the smallest up, as long as p <= level / (how many are left)."""
    out, left = set(), len(p)
    for place in sorted(range(len(p)), key=lambda i: p[i]):
        if p[place] > level / left:
            break
        out.add(place)
        left -= 1
    return out


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=10), st.integers(1, 60))
def test_holm_equals_the_procedure(numerators, level):
    """What is corrected to the level or below is what the procedure rejects at it."""
    p, corrected = [x / 64 for x in numerators], holm([x / 64 for x in numerators])
    near = np.isclose(corrected, level / 64)
    found = set(np.flatnonzero((corrected <= level / 64) | near).tolist())
    assert found == rejected(p, level / 64 * (1 + 1e-12))


def test_p_is_right_as_often_as_it_says():
    """Two algorithms of one quality on 80 cases: p < 0.1 in about one run of ten."""
    generator = np.random.default_rng(2)
    runs, repeats, n = 400, 399, 80
    below = 0
    for _ in range(runs):
        difference = generator.normal(size=n) - generator.normal(size=n)
        below += two_sided_p(difference[generator.integers(0, n, (repeats, n))].mean(1)) < 0.1
    assert 0.06 < below / runs < 0.15


@pytest.fixture
def drawn(to_frame):
    """60 cases; A copies expert X's list, B and C draw from all eight diagnoses."""
    generator = np.random.default_rng(4)
    words = np.array([f"disease {letter}" for letter in "abcdefgh"])
    cases = {}
    for i in range(60):
        lists = {r: list(words[generator.integers(0, 4, 3)]) for r in "XYZ"}
        cases[f"c{i:02}"] = {"A": lists["X"], **{r: list(words[generator.integers(0, 8, 3)]) for r in "BC"}, **lists}
    return to_frame(cases, dict.fromkeys("ABC", "algorithm"))


def test_rows(drawn):
    rows = evaluate(drawn, By(), bootstrap=499).rows_of("relative.comparisons")
    assert [(r["first"], r["second"], r["name"]) for r in rows] == [
        (a, b, name) for a, b in ("AB", "AC", "BC") for name in ("RPAD@3", "RRAD@3")
    ]
    assert {row["n_comparisons"] for row in rows} == {6}
    assert [row["p_holm"] for row in rows] == holm([row["p"] for row in rows]).tolist()
    by = {(r["first"], r["second"], r["name"]): r for r in rows}
    # the smallest p that 499 resamples can show, times the six comparisons
    assert by["A", "B", "RPAD@3"]["p"] == 2 / 500 and by["A", "B", "RPAD@3"]["p_holm"] == pytest.approx(12 / 500)
    assert by["B", "C", "RPAD@3"]["p"] > 0.05
    for row in rows:
        # p below 0.05 where the 95 % interval leaves out 0
        assert (row["p"] < 0.05) == (row["low"] > 0 or row["high"] < 0)


def test_nothing_to_test(drawn):
    for options in ({"bootstrap": 0}, {}):
        frame = drawn if options else drawn[drawn["case_id"] == "c00"]
        for row in evaluate(frame, By(), **options).rows_of("relative.comparisons"):
            assert (row["p"], row["p_holm"], row["n_comparisons"]) == (None, None, 0)
            assert row["reason"]
