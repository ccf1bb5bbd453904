"""The relative metrics: by hand on a panel that is small enough to show the fractions (its multiplicities stand in conftest), and
against loops that say the formulas word for word."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch import Panel

from ..made import By, expected_in, find, long_form, rows_in, scored, value


def against_panel(frame, m, k=2, **panel):
    return scored(frame, "relative", m, k=k, panel=Panel(**{"algorithms": ["A"]} | panel))


@pytest.fixture
def by_hand(panel, hand_matcher):
    return against_panel(long_form(panel), hand_matcher)


@pytest.mark.parametrize("row", rows_in("score/relative"), ids=lambda row: row["name"])
def test_values(by_hand, row):
    """relative.csv: the name that is printed -> its value, and how it comes about."""
    assert value(by_hand, "A", row["name"]) == pytest.approx(expected_in(row))


def test_undefined_says_why(panel, hand_matcher):
    # P = R at k = 1: AX 2/2, AY 1/2, AZ 0; XY 1/2, XZ 0, YZ 0
    found = against_panel(long_form(panel), hand_matcher, k=1)
    assert value(found, "A", "P_avg@1") == value(found, "A", "RPAD@1") == pytest.approx((3 / 6) / (1 / 6))
    for lists in panel.values():
        del lists["Z"]
    two = against_panel(long_form(panel), hand_matcher)
    alike = long_form({c: {r: ["gout"] for r in "AXY"} for c in ("one", "two")})
    for report, name, why in (
        (found, "P_opt@1", "X and Z match in no case at k = 1 (2 of 3 pairs of experts do not)"),
        (two, "sigma_E(R)@2", "z - 2 is 0"),
        (against_panel(alike, By(), k=1), "kappa(AE mean)", "A and X give one and the same first diagnosis"),
    ):
        row = find(report.rows, name=name)
        assert row["value"] is None and why in row["reason"]


def naive_relative(ae, ee, hardness):
    above = (1 - hardness) * max(ae) + hardness * sum(ae) / len(ae)
    below = (1 - hardness) * min(ee) + hardness * sum(ee) / len(ee)
    return above / below if below > 0 else None


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 6), st.integers(2, 4), st.integers(1, 4), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())  # fmt: skip
def test_values_equal_the_loops(n, experts, width, seed, hardness, observed):
    """Each in turn, so that several panels share their pairs; lists of any length, with words for no diagnosis."""
    generator = np.random.default_rng(seed)
    words = ["none", *"abcdefgh"]
    table = generator.random((9, 9)) < 0.2
    table = table | table.T | np.eye(9, dtype=bool)
    cases = {
        f"c{i}": {f"r{j}": [words[w] for w in generator.integers(0, 9, generator.integers(1, width + 1))] for j in range(experts + 1)}
        for i in range(n)
    }  # fmt: skip
    matcher = By(lambda a, b: table[words.index(a), words.index(b)])
    by = {"hardness": hardness, "denominator": "observed" if observed else "nk2"}
    found = against_panel(long_form(cases), matcher, width, algorithms=None, in_turn=True, max_k=width, **by)
    assert len(matcher.asked) == len(set(matcher.asked))
    for k in range(1, width + 1):
        mu, met = {}, {}
        for one, other in combinations(range(experts + 1), 2):
            tops = [[lists[f"r{j}"][:k] for j in (one, other)] for lists in cases.values()]
            each = [
                sum("none" not in (p, q) and bool(table[words.index(p), words.index(q)]) for p in a for q in b)
                for a, b in tops
            ]
            mu[one, other] = sum(each) / sum(len(a) * len(b) if observed else k * k for a, b in tops)
            met[one, other] = sum(m > 0 for m in each) / n
        for rates, name in ((mu, "RPAD"), (met, "RRAD")):
            for algorithm in range(experts + 1):
                ae = [rate for pair, rate in rates.items() if algorithm in pair]
                ee = [rate for pair, rate in rates.items() if algorithm not in pair]
                inside = "" if hardness == 1 else f"(H={hardness:g})"
                given = value(found, f"r{algorithm}", f"{name}{inside}@{k}")
                assert given == pytest.approx(naive_relative(ae, ee, hardness), abs=1e-12)


def test_the_cases_to_look_at(panel, hand_matcher):
    panel["one"]["A"] = ["gout", "none"]
    rows = against_panel(long_form(panel), hand_matcher).rows_of("relative.disagreements")
    assert {(r["case_id"], r["mu_AE_mean"], r["mu_EE_mean"]) for r in rows} == {("one", 0, 2 / 3)}
    assert [(r["rater"], r["rank"], r["diagnosis"], r["nearest"], r["match"]) for r in rows][:3] == [
        ("A", 1, "gout", "angina", False), ("A", 2, None, None, None), ("X", 1, "heart attack", "gout", False),
    ]  # fmt: skip
