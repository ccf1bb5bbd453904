"""The relative metrics: by hand on a panel that is small enough to show the fractions (its multiplicities stand in conftest), and
against loops that say the formulas word for word."""

from __future__ import annotations

import pytest

from dxmatch import Panel, Reading
from dxmatch.errors import InputError, OptionError

from ..made import By, SetMatcher, expected_in, find, long_form, rows_in, scored, told, value


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


def test_the_cases_to_look_at(panel, hand_matcher):
    panel["one"]["A"] = ["gout", "none"]
    rows = against_panel(long_form(panel), hand_matcher).rows_of("relative.disagreements")
    assert {(r["case_id"], r["mu_AE_mean"], r["mu_EE_mean"]) for r in rows} == {("one", 0, 2 / 3)}
    assert [(r["rater"], r["rank"], r["diagnosis"], r["nearest"], r["match"]) for r in rows][:3] == [
        ("A", 1, "gout", "angina", False), ("A", 2, None, None, None), ("X", 1, "heart attack", "gout", False),
    ]  # fmt: skip


def test_what_moves_rpad_by_itself_is_told():
    """A's lists are three times as long as the experts', who say one thing each; and once A says one disease in two names."""
    long = {case: {"A": ["gout", "flu", "angina"], "X": ["gout"], "Y": ["gout"]} for case in ("one", "two")}
    found = against_panel(long_form(long), By(), k=3)
    assert value(found, "A", "RPAD@3") == 1
    assert "A 3, experts 1. A: 1.000 by n k², 0.333 by the lists' own lengths" in told(found, "headline")
    twice = {case: {**lists, "A": ["gout", "podagra"]} for case, lists in long.items()}
    found = against_panel(long_form(twice), By(lambda a, b: float({a, b} <= {"gout", "podagra"})), k=2)
    assert value(found, "A", "RPAD@2") == 2
    assert "2 of 6 lists hold several diagnoses that match one of another rater's (A 2)" in told(found, "headline")
    alike = {case: {rater: ["gout", "flu"] for rater in "AXY"} for case in ("one", "two")}
    assert not told(against_panel(long_form(alike), By()), "headline")
    chain = scored({"1": {"A": ["a"], "X": ["b"], "Y": ["c"]}}, None, SetMatcher(("a", "b"), ("b", "c")))
    assert told(chain).count("1 of 3 agreements in one hold only through a chain") == 1, "of kappa and alpha alike"


def test_a_missing_list_is_out_of_its_pairs():
    """X has no list for the second case: its pairs are of the other two, RPAD@1 (1/2 + 1 + 2/3) / (1/2 + 0 + 2/3)."""
    said = {"1": "gout gout gout flu", "2": "flu - flu flu", "3": "gout flu gout gout"}
    cases = {
        case: {who: [name] for who, name in zip("AXYZ", of.split(), strict=True) if name != "-"}
        for case, of in said.items()
    }
    own = {"k": 1, "reading": Reading(missing="own")}
    report = scored(cases, ["relative", "agreement"], **own)
    assert value(report, "A", "RPAD@1") == pytest.approx(13 / 7) and "2 by" not in told(report)
    kappa = find(report.rows_of("relative.pairs"), metric="kappa", first="A", second="X")
    assert (
        kappa["value"] == 0 and find(report.per_case.to_dict("records"), case_id="2", algorithm="A")["mu_AE_mean"] == 1
    )
    assert scored(cases, "relative", panel={"denominator": "observed"}, **own).row("RPAD")["value"] == pytest.approx(
        13 / 7
    )
    assert find(report.rows, name="kappa_F(experts)")["value"] == pytest.approx((1 / 3 - 5 / 9) / (4 / 9))
    with pytest.raises(OptionError, match="panel.labelled.*missing"):
        scored(cases, "relative", panel={"labelled": [{"a": "gout", "b": "flu", "label": 0}]}, **own)
    del cases["1"]["X"], cases["3"]["X"]
    cases["4"] = {"X": ["gout"]}
    with pytest.raises(InputError, match="for want of a case that both A and X have a list for"):
        scored(cases, "relative", **own)
