"""Differences of algorithms in RPAD and RRAD, and Holm's correction for how many were looked at."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.statistics import significance
from dxmatch.evaluation.statistics.significance import holm

from .made import By


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


def relative_differences(report):
    return [row for row in report.difference_rows if row["metric"] in ("RPAD", "RRAD")]


def test_rows(drawn):
    report = evaluate(drawn, By(), bootstrap=499)
    rows = relative_differences(report)
    assert [(r["name"], r["first"], r["second"]) for r in rows] == [
        (name, a, b) for name in ("RPAD@3", "RRAD@3") for a, b in ("AB", "AC", "BC")
    ]
    by = {(r["first"], r["second"], r["name"]): r for r in rows}
    for name in ("RPAD@3", "RRAD@3"):
        own = [row for row in rows if row["name"] == name]
        assert [row["p_holm"] for row in own] == holm([row["p"] for row in own]).tolist()
        assert {row["n_comparisons"] for row in own} == {3}
    # the smallest p that 9,999 permutations can show, times the three comparisons of the metric
    assert by["A", "B", "RPAD@3"]["p"] == 1 / 10_000 and by["A", "B", "RPAD@3"]["p_holm"] == pytest.approx(3 / 10_000)
    assert by["B", "C", "RPAD@3"]["p"] > 0.05
    for row in rows:
        values = [report.row(row["metric"], algorithm=row[side])["value"] for side in ("first", "second")]
        assert row["value"] == pytest.approx(values[0] - values[1]) and row["low"] <= row["value"] <= row["high"]
    assert report.comparisons["p"].tolist() == [row["p"] for row in rows]
    assert any("corrected for the 3 comparisons of each metric (Holm)" in note for note in report.notes)


def test_nothing_to_test(drawn):
    report = evaluate(drawn, By(), bootstrap=0)
    for row in relative_differences(report):
        assert row["low"] is None and row["p"] is not None and "no bootstrap was asked for" in row["reason"]
    report = evaluate(drawn[drawn["case_id"] == "c00"], By())
    for row in relative_differences(report):
        assert (row["p"], row["p_holm"], row["n_comparisons"]) == (None, None, 0)
        assert row["reason"]
