"""The relative metrics: by hand on a panel that is small enough to show the fractions (its multiplicities stand in conftest), and
against loops that say the formulas word for word."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.match.options import Panel
from dxmatch.evaluation.read.lists import Lists, panels
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.evaluation.score import panels as family

from ..made import By, long_form
from .made import Scored, matched


def scored(frame, matcher, k=2, max_k=None, in_turn=False, repeats=0, **options):
    answers = frame if isinstance(frame, Lists) else read_lists(frame, algorithms=None if in_turn else ["A"])
    widest = max_k or max(k, int(answers.lengths.max()))
    matches = matched(answers, matcher, k, ["relative"], widest, panels=panels(answers, in_turn))
    return Scored(family, matches, k=k, max_k=widest, repeats=repeats, **options)


@pytest.fixture
def by_hand(panel, to_frame, hand_matcher):
    return scored(to_frame(panel), hand_matcher, repeats=50)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RPAD@2", 6 / 5), ("RRAD@2", 5 / 4), ("P_opt@2", 3), ("P_avg@2", 6 / 5), ("R_opt@2", 2), ("R_avg@2", 5 / 4),
        # n k^2 = 2 * 4: AX, AY, AZ 3/8, 2/8, 1/8; XY, XZ, YZ 1/8, 2/8, 2/8
        ("P(AE mean)@2", 6 / 24), ("P(AE max)@2", 3 / 8), ("P(EE mean)@2", 5 / 24), ("P(EE min)@2", 1 / 8),
        ("R(AE mean)@2", 5 / 6), ("R(EE min)@2", 1 / 2),
        # 3/8, 2/8, 1/8 about 2/8: sqrt((1/64 + 0 + 1/64) / 2)
        ("sigma_A(P)@2", 1 / 8),
        # X: 1/8, 2/8 about 3/16: sqrt((1/256 + 1/256) / 1) = sqrt(2)/16. Y the same. Z: 2/8, 2/8: 0. Mean of the three.
        ("sigma_E(P)@2", math.sqrt(2) / 24),
        # R_AE = 1, 1, 1/2 about 5/6: sqrt((1/36 + 1/36 + 4/36) / 2). R_EE: X 1/2, 1/2; Y and Z 1/2, 1 about 3/4: sqrt(2/16)
        ("sigma_A(R)@2", math.sqrt(1 / 12)), ("sigma_E(R)@2", 2 / 3 * math.sqrt(1 / 8)),
        # the first ranks: A = (mi, asthma), X = (mi, asthma), Y = (mi, copd), Z = (pneumonia, gerd)
        # AX: p_o 1, p_e 1/4 + 1/4 -> 1. AY: p_o 1/2, p_e 1/4 -> (1/4)/(3/4) = 1/3. AZ: p_o 0, p_e 0 -> 0. XY: as AY; XZ, YZ: 0.
        ("kappa(AE mean)", 4 / 9), ("kappa(AE max)", 1), ("kappa(EE mean)", 1 / 9),
        # 1, 1/3, 0 about 4/9: (25/81 + 1/81 + 16/81) / 2 = 7/27. X: 1/3, 0 about 1/6: 2/36. Y the same. Z: 0, 0.
        ("sigma_A(kappa)", math.sqrt(7 / 27)), ("sigma_E(kappa)", 2 / 3 * math.sqrt(1 / 18)),
    ],
)  # fmt: skip
def test_values(by_hand, name, expected):
    assert by_hand.value("A", name) == pytest.approx(expected)


def test_tables_beside_the_values(by_hand):
    means = {
        "mu_AE_mean": [2 / 3, 4 / 3],
        "mu_EE_mean": [2 / 3, 1],
        "chi_AE_mean": [2 / 3, 1],
        "chi_EE_mean": [2 / 3, 2 / 3],
    }
    for name, expected in means.items():
        assert by_hand.per_case[name][:, 0].tolist() == pytest.approx(expected)
        assert np.isnan(by_hand.per_case[name][:, 1:]).all()
    curves = {(r["metric"], r["k"], r["hardness"]): r["value"] for r in by_hand.tables["curves"]}
    assert curves["RPAD", 2, 0.5] == pytest.approx(15 / 8) and curves["RRAD", 2, 0.5] == pytest.approx(11 / 7)
    assert len(curves) == 2 * 2 * 11 and curves["RPAD", 1, 0.0] is None
    pairs = {(r["metric"], r["first"], r["second"]): r["value"] for r in by_hand.tables["pairs"]}
    assert (
        pairs["P", "A", "X"] == 3 / 8 and pairs["R", "Y", "Z"] == 1 and pairs["kappa", "X", "Y"] == pytest.approx(1 / 3)
    )
    assert len(pairs) == 3 * 6 and list(by_hand.tables["pairs"][0])[:5] == ["first", "second", "metric", "k", "value"]
    assert not by_hand.tables["disagreements"], "in no case do experts meet each other more than the algorithm"
    (told,) = by_hand.told["origin"]
    assert told.startswith("Kappa rests on 5 categories of first diagnoses; 0 of 4 agreements")


def test_the_cases_to_look_at(panel, to_frame, hand_matcher):
    panel["one"]["A"] = ["gout", "none"]
    rows = scored(to_frame(panel), hand_matcher).tables["disagreements"]
    assert {(r["case_id"], r["mu_AE_mean"], r["mu_EE_mean"]) for r in rows} == {("one", 0, 2 / 3)}
    assert [(r["rater"], r["rank"], r["diagnosis"], r["nearest"], r["match"]) for r in rows][:3] == [
        ("A", 1, "gout", "angina", False), ("A", 2, None, None, None), ("X", 1, "heart attack", "gout", False),
    ]  # fmt: skip


def test_undefined_says_why(panel, to_frame, hand_matcher):
    # P = R at k = 1: AX 2/2, AY 1/2, AZ 0; XY 1/2, XZ 0, YZ 0
    found = scored(to_frame(panel), hand_matcher, k=1)
    row = found.row("A", "P_opt@1")
    assert (
        row["value"] is None and row["reason"] == "X and Z match in no case at k = 1 (2 of 3 pairs of experts do not)"
    )
    assert found.value("A", "P_avg@1") == found.value("A", "RPAD@1") == pytest.approx((3 / 6) / (1 / 6))
    for lists in panel.values():
        del lists["Z"]
    two = scored(to_frame(panel), hand_matcher)
    assert "z - 2 is 0" in two.row("A", "sigma_E(R)@2")["reason"]
    # P_AE = 3/8, 2/8: sqrt(2 * (1/16)^2 / 1)
    assert two.value("A", "sigma_A(P)@2") == pytest.approx(math.sqrt(2) / 16)
    alike = long_form({c: {r: ["gout"] for r in "AXY"} for c in ("one", "two")})
    row = scored(alike, By(), k=1).row("A", "kappa(AE mean)")
    assert row["value"] is None and row["reason"].startswith("A and X give one and the same first diagnosis")


def test_short_and_long_lists(panel, to_frame, hand_matcher):
    """Z names pneumonia alone in case one: mu YZ falls to 0, and its list has one place instead of two."""
    panel["one"]["Z"] = ["pneumonia"]
    kept = scored(to_frame(panel), hand_matcher)
    # mu AE (1,1,0), (2,1,1): 6/24. mu EE (1,0,0), (0,2,1): 4/24
    assert kept.value("A", "RPAD@2") == pytest.approx(6 / 4)
    assert kept.told["lengths"] == ["1 of 8 lists are shorter than k = 2; the denominator is still n k²."]
    own = scored(to_frame(panel), hand_matcher, panel=Panel(denominator="observed"))
    # pairs with Z divide by 2*1 + 2*2 = 6: AX 3/8, AY 2/8, AZ 1/6; XY 1/8, XZ 2/6, YZ 1/6
    assert own.value("A", "RPAD@2") == pytest.approx((3 / 8 + 2 / 8 + 1 / 6) / (1 / 8 + 2 / 6 + 1 / 6))
    assert own.told["lengths"][0].endswith("the denominator is their own lengths.")
    for lists in panel.values():
        for diagnoses in lists.values():
            diagnoses += ["asthma"] * (3 - len(diagnoses)) if len(diagnoses) == 2 else []
    longer = scored(to_frame(panel), hand_matcher)
    assert longer.value("A", "RPAD@2") == kept.value("A", "RPAD@2") != longer.value("A", "RPAD@3")


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
    found = scored(
        long_form(cases), matcher, width, in_turn=True, repeats=3,
        panel=Panel(hardness=hardness, denominator="observed" if observed else "nk2"),
    )  # fmt: skip
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
                value = found.value(f"r{algorithm}", f"{name}{inside}@{k}")
                assert value == pytest.approx(naive_relative(ae, ee, hardness), abs=1e-12)


def test_wide_lists_do_not_overflow():
    answers = read_lists(long_form({c: {r: ["gout"] * 20 for r in "AXY"} for c in ("one", "two")}), algorithms=["A"])
    assert scored(answers, By(), 20).value("A", "P(AE mean)@20") == 1
