"""Everything of "Relative" on a panel small enough to show the fractions (its multiplicities stand in conftest)."""

from __future__ import annotations

import math

import pytest

import dxmatch
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.metrics.spread import sigma_algorithm, sigma_experts

MU_AE = [[1, 1, 0], [2, 1, 1]]
MU_EE = [[1, 0, 1], [0, 2, 1]]


@pytest.fixture
def report(panel, to_frame, hand_matcher):
    return evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=50)


def value(report, metric, of="", k=None):
    return report.row(metric, of=of, k=k)["value"]


def test_precision_and_recall_of_each_pair():
    # n k^2 = 2 * 4 = 8
    assert dxmatch.metrics.precision_at_k(MU_AE, 2).tolist() == [3 / 8, 2 / 8, 1 / 8]
    assert dxmatch.metrics.precision_at_k(MU_EE, 2).tolist() == [1 / 8, 2 / 8, 2 / 8]
    assert dxmatch.metrics.recall_at_k(MU_AE).tolist() == [2 / 2, 2 / 2, 1 / 2]
    assert dxmatch.metrics.recall_at_k(MU_EE).tolist() == [1 / 2, 1 / 2, 2 / 2]


@pytest.mark.parametrize(
    ("hardness", "rpad", "rrad"),
    [
        # P: max AE 3/8, min EE 1/8. R: max AE 1, min EE 1/2.
        (0.0, (3 / 8) / (1 / 8), 1 / (1 / 2)),
        # P: (3/8 + 2/8) / (1/8 + 5/24) = (15/24) / (8/24). R: (1 + 5/6) / (1/2 + 2/3) = (11/6) / (7/6).
        (0.5, 15 / 8, 11 / 7),
        # P: mean AE 6/24, mean EE 5/24. R: mean AE 5/6, mean EE 4/6.
        (1.0, 6 / 5, 5 / 4),
    ],
)
def test_rpad_and_rrad(panel, to_frame, hand_matcher, hardness, rpad, rrad):
    assert dxmatch.metrics.rpad(MU_AE, MU_EE, k=2, hardness=hardness) == pytest.approx(rpad, abs=1e-15)
    assert dxmatch.metrics.rrad(MU_AE, MU_EE, k=2, hardness=hardness) == pytest.approx(rrad, abs=1e-15)
    report = evaluate(to_frame(panel), hand_matcher, k=2, hardness=hardness, algorithms="A", bootstrap=0)
    assert value(report, "RPAD") == pytest.approx(rpad, abs=1e-15)
    assert value(report, "RRAD") == pytest.approx(rrad, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "of", "expected"),
    [
        ("P_opt", "", 3), ("P_avg", "", 6 / 5), ("R_opt", "", 2), ("R_avg", "", 5 / 4),
        ("P", "AE mean", 6 / 24), ("P", "AE max", 3 / 8), ("P", "EE mean", 5 / 24), ("P", "EE min", 1 / 8),
        ("R", "AE mean", 5 / 6), ("R", "EE min", 1 / 2),
        # P_AE = 3/8, 2/8, 1/8 about 2/8: sqrt((1/64 + 0 + 1/64) / 2)
        ("sigma_A", "P", 1 / 8),
        # X: 1/8, 2/8 about 3/16: sqrt((1/256 + 1/256) / 1) = sqrt(2)/16. Y the same. Z: 2/8, 2/8: 0. Mean of the three.
        ("sigma_E", "P", math.sqrt(2) / 24),
        # R_AE = 1, 1, 1/2 about 5/6: sqrt((1/36 + 1/36 + 4/36) / 2)
        ("sigma_A", "R", math.sqrt(1 / 12)),
        # X: 1/2, 1/2: 0. Y: 1/2, 1 about 3/4: sqrt(2/16). Z: the same as Y.
        ("sigma_E", "R", 2 / 3 * math.sqrt(1 / 8)),
        # the first ranks: A = (mi, asthma), X = (mi, asthma), Y = (mi, copd), Z = (pneumonia, gerd)
        # AX: p_o 1, p_e 1/4 + 1/4 -> 1. AY: p_o 1/2, p_e 1/4 -> (1/4)/(3/4) = 1/3. AZ: p_o 0, p_e 0 -> 0.
        ("kappa", "AE mean", (1 + 1 / 3 + 0) / 3), ("kappa", "AE max", 1),
        # XY: as AY, 1/3. XZ, YZ: 0.
        ("kappa", "EE mean", (1 / 3 + 0 + 0) / 3),
        # 1, 1/3, 0 about 4/9: (25/81 + 1/81 + 16/81) / 2 = 7/27
        ("sigma_A", "kappa", math.sqrt(7 / 27)),
        # X: 1/3, 0 about 1/6: 2/36. Y the same. Z: 0, 0.
        ("sigma_E", "kappa", 2 / 3 * math.sqrt(1 / 18)),
    ],
)  # fmt: skip
def test_values(report, metric, of, expected):
    assert value(report, metric, of) == pytest.approx(expected)
    if metric[1:] in ("_opt", "_avg"):
        assert getattr(dxmatch.metrics, metric.lower())(MU_AE, MU_EE, k=2) == pytest.approx(expected)


def test_at_k_1_the_optimistic_form_is_undefined(panel, to_frame, hand_matcher):
    # P = R: AX 2/2, AY 1/2, AZ 0; XY 1/2, XZ 0, YZ 0
    report = evaluate(to_frame(panel), hand_matcher, k=1, algorithms=["A"], bootstrap=0)
    row = report.row("P_opt")
    assert row["value"] is None and row["low"] is None
    assert row["reason"] == "X and Z match in no case at k = 1 (2 of 3 pairs of experts do not)"
    assert value(report, "P_avg") == value(report, "RPAD") == pytest.approx((3 / 6) / (1 / 6))
    assert math.isnan(dxmatch.metrics.rpad([[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [0, 0, 0]], k=1, hardness=0))


def test_per_case(report):
    one, two = report.per_case.to_dict("records")
    means = {"mu_AE_mean": 2 / 3, "chi_AE_mean": 2 / 3, "mu_EE_mean": 2 / 3, "chi_EE_mean": 2 / 3}
    assert one == {"case_id": "one", "algorithm": "A"} | {name: pytest.approx(m) for name, m in means.items()}
    found = [two[name] for name in ("mu_AE_mean", "mu_EE_mean", "chi_EE_mean")]
    assert found == pytest.approx([4 / 3, 3 / 3, 2 / 3])


def test_curves_hold_the_same_numbers(report):
    curves = {(r["metric"], r["k"], r["hardness"]): r["value"] for r in report.rows_of("relative.curves")}
    assert curves["RPAD", 2, 0.5] == pytest.approx(15 / 8)
    assert curves["RRAD", 2, 0.0] == pytest.approx(2)
    assert curves["RPAD", 1, 0.0] is None
    assert len(curves) == 2 * 2 * 11


def test_short_lists(panel, to_frame, hand_matcher):
    """Z names pneumonia alone in case one: mu YZ falls to 0, and its list has one place instead of two."""
    panel["one"]["Z"] = ["pneumonia"]
    kept = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0)
    # mu AE (1,1,0), (2,1,1): 6/24. mu EE (1,0,0), (0,2,1): 4/24
    assert value(kept, "RPAD") == pytest.approx(6 / 4)
    assert kept.made_with["short_lists"] == {"1": 0, "2": 1}
    assert any("1 of 8 lists are shorter than k = 2; the denominator is still n k²" in note for note in kept.notes)
    own = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0, denominator="observed")
    # pairs with Z divide by 2*1 + 2*2 = 6: AX 3/8, AY 2/8, AZ 1/6; XY 1/8, XZ 2/6, YZ 1/6
    assert value(own, "RPAD") == pytest.approx((3 / 8 + 2 / 8 + 1 / 6) / (1 / 8 + 2 / 6 + 1 / 6))
    assert any("their own lengths" in note for note in own.notes)


def test_longer_lists_are_cut(panel, to_frame, hand_matcher):
    short = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0)
    for lists in panel.values():
        for diagnoses in lists.values():
            diagnoses.append("asthma")
    longer = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0)
    assert value(longer, "RPAD") == value(short, "RPAD")
    assert longer.made_with["cut_lists"] == 8
    assert longer.row("RPAD", k=3)["value"] != value(short, "RPAD")


def test_no_diagnosis_keeps_its_place(panel, to_frame, hand_matcher):
    panel["one"]["X"] = ["none", "heart attack"]
    panel["one"]["Y"] = ["None", "pulmonary embolism"]
    report = evaluate(to_frame(panel), hand_matcher, k=1, max_k=2, algorithms=["A"], bootstrap=0)
    # at k = 1 case one gives nothing to X and Y, not even with each other; heart attack stands at rank 2
    assert value(report, "P", "AE mean", 1) == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert value(report, "P", "EE mean", 1) == 0
    # at k = 2: mu AE (1,0,0), (2,1,1); mu EE (0,0,1), (0,2,1)
    assert value(report, "P", "AE mean", 2) == pytest.approx(5 / 24)
    assert value(report, "P", "EE mean", 2) == pytest.approx(4 / 24)
    # as a diagnosis, the two "none" would be strings like others
    by_words = type(hand_matcher)(("none", "None"))
    plain = evaluate(to_frame(panel), by_words, k=1, algorithms=["A"], no_diagnosis="keep", bootstrap=0)
    assert value(plain, "P", "EE mean") == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert (
        "2 of 16 diagnoses in the lists name none ('none' 2). They keep their rank and match nothing."
        in report.warnings
    )
    assert plain.warnings == []


def test_two_experts_have_no_sigma_among_themselves(panel, to_frame, hand_matcher):
    for lists in panel.values():
        del lists["Z"]
    report = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"])
    row = report.row("sigma_E", of="R")
    assert row["value"] is None and "z - 2 is 0" in row["reason"]
    # P_AE = 3/8, 2/8: sqrt(2 * (1/16)^2 / 1)
    assert value(report, "sigma_A", "P") == pytest.approx(math.sqrt(2) / 16)
    assert math.isnan(sigma_experts([0.5])) and math.isnan(sigma_algorithm([0.5]))


def test_the_answer_in_words(report):
    assert str(report).startswith("Over 2 cases and 3 experts, A reaches RPAD@2 1.200 [")
