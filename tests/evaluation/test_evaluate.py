"""The whole way from answers and M to a report: what is taken and refused, what is counted, what comes back."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import pairs_asked

from .made import POINTS, By, find, lists_of_everything, long_form, rows_in

EXACT = By(lambda x, y: x.casefold() == y.casefold())
WORDS = [f"disease {letter}" for letter in "abcdefgh"]


@pytest.fixture(scope="module")
def drawn() -> pd.DataFrame:
    """40 cases, raters A, B (algorithms) and X, Y, Z (experts), three diagnoses each out of eight."""
    generator = np.random.default_rng(3)
    cases = {f"c{i:02}": {r: [WORDS[j] for j in generator.integers(0, 8, 3)] for r in "ABXYZ"} for i in range(40)}
    return long_form(cases, {"A": "algorithm", "B": "algorithm"})


def test_a_panel(drawn):
    report = dxmatch.evaluate(drawn, matcher=EXACT, k=3, panel=dxmatch.Panel(hardness=1.0))
    assert report.algorithms == ["A", "B"] and report.raters.panels == {"A": ["X", "Y", "Z"], "B": ["X", "Y", "Z"]}
    row = report.row("RPAD", algorithm="B")
    assert row["low"] < row["value"] < row["high"]
    assert (row["n_cases"], row["n_pairs"], row["undefined_repeats"], row["reason"]) == (40, 6, 0, "")
    assert [family.name for family in report.families] == ["relative", "agreement"]
    assert set(report.left_out) == {"ranking", "hierarchical", "weighted", "recall"}
    report = dxmatch.evaluate(drawn, matcher=EXACT, k=1, panel=dxmatch.Panel(max_k=2), resampling=POINTS)
    assert max(row["k"] for row in report.rows_of("relative.curves")) == 2


def test_what_an_evaluation_asks_is_what_was_told(example):
    """Also where every pair matches, so what is asked does not hang on the answers."""
    m = By(lambda a, b: 1.0)
    m.rests_on_votes = True  # pyright: ignore[reportAttributeAccessIssue]
    dxmatch.evaluate(
        example / "lists.csv", matcher=m, k=2, reading=dxmatch.Reading(no_diagnosis=["none"]), resampling=POINTS
    )
    told = pairs_asked(example / "lists.csv", k=2, reading=dxmatch.Reading(no_diagnosis=["none"])).to_pylist()
    assert {frozenset((row["a"], row["b"])) for row in told} == set(m.asked)
    assert len(told) == len(m.asked) == len(set(m.asked)) > 100


def test_the_order_of_rows_changes_nothing_and_the_seed_intervals_alone(same_text, full_report):
    """Of every family."""
    rows = lists_of_everything().sample(frac=1, random_state=0)
    shuffled, other = (
        dxmatch.evaluate(rows, matcher=same_text, k=3, resampling=dxmatch.Resampling(resamples=60, seed=seed))
        for seed in (0, 1)
    )

    def found(report, end):
        rows = sorted(report.rows, key=lambda row: (row["algorithm"], row["name"]))
        return np.array([row[end] for row in rows], float)

    for end in ("low", "value", "high"):
        np.testing.assert_allclose(found(shuffled, end), found(full_report, end), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found(other, "value"), found(full_report, "value"), rtol=1e-12, atol=1e-15)
    assert (found(other, "low") != found(full_report, "low")).sum() > 20
    p = [{(r["name"], r["first"], r["second"]): r["p"] for r in one.difference_rows} for one in (full_report, shuffled)]
    assert p[0] == pytest.approx(p[1])


@pytest.mark.parametrize("row", rows_in("cases/refused"), ids=lambda row: row["options"])
def test_what_is_refused(drawn, row):
    """cases/refused.csv: options -> the kind of error, and what it names."""
    with pytest.raises(getattr(dxmatch, row["error"])) as error:
        dxmatch.evaluate(drawn, matcher=EXACT, **json.loads(row["options"]))
    assert row["names"] in str(error.value)


def test_a_policy_is_that_of_the_m_that_is_loaded():
    said, right = {"gpt": {"c": ["viral pneumonia"]}}, {"c": "pneumonia"}
    # a kind of the right answer: no match to one who looks for the same disease
    report = dxmatch.evaluate(said, right, matcher=dxmatch.load(policy="strict"), resampling=POINTS, metrics="top-1")
    assert report.row("Acc", of="M", k=1)["value"] == 0 and report.to_dict()["made_with"]["policy"] == "strict"
    with pytest.raises(OptionError, match="matcher="):
        dxmatch.evaluate(said, EXACT)


@pytest.mark.parametrize("row", rows_in("cases/metrics"), ids=lambda row: row["metrics"])
def test_metrics_by_name(same_text, row):
    """cases/metrics.csv: what is asked for -> the symbols in the table."""
    report = dxmatch.evaluate(
        lists_of_everything(), matcher=same_text, metrics=row["metrics"].split(" "), resampling=POINTS
    )
    assert {one["metric"] for one in report.rows} == set(row["symbols"].split(" "))
    assert report.left_out == {} and str(report)


def test_every_family_and_what_is_left_out(full_report, same_text):
    names = ["relative", "ranking", "recall", "hierarchical", "weighted", "agreement"]
    assert [family.name for family in full_report.families] == names and full_report.left_out == {}
    frame = lists_of_everything()
    for answers, why in (
        (frame.drop(columns="role"), "no rater is an algorithm"),
        (frame[frame["rater"].isin(["A", "X"])], "fewer than two experts"),
    ):
        report = dxmatch.evaluate(answers, matcher=same_text, k=3, resampling=POINTS)
        assert report.left_out["relative"].startswith(why)
        hdf1 = [one.row("HDF1", k=3, algorithm="A")["value"] for one in (report, full_report)]
        assert hdf1[0] == pytest.approx(hdf1[1])
        with pytest.raises(InputError, match=why):
            dxmatch.evaluate(answers, matcher=same_text, metrics=["relative"])
    frame.loc[3, "icd10"] = "J18.999999"
    with pytest.raises(InputError, match="row 3, column 'icd10'"):
        dxmatch.evaluate(frame, matcher=same_text)
    assert dxmatch.evaluate(frame, matcher=same_text, metrics=["relative", "recall"], resampling=POINTS).left_out == {}


ELEVEN = [f"disease {letter}" for letter in "abcdefghijk"]


@pytest.mark.parametrize(
    ("k", "name", "value"),
    [
        (None, "R_disease", 1),
        (3, "R_disease@3", 3 / 11),
        ({"recall": 4}, "R_disease@4", 4 / 11),
    ],
)
def test_how_many_diagnoses_count(k, name, value):
    """Eleven right answers, and A's list that names them all, the last first: by default whole lists count."""
    answers = long_form({"one": {"truth": ELEVEN, "A": ELEVEN[::-1]}}, {"truth": "reference", "A": "algorithm"})
    row = find(dxmatch.evaluate(answers, matcher=EXACT, k=k, resampling=POINTS).rows, metric="R_disease")
    assert (row["name"], row["value"]) == (name, pytest.approx(value))


def test_a_final_diagnosis_and_codes_as_h_ddx_prints_them():
    """Bronchiectasis is final; MediPhi names others of the differential: Top-5 0.0 and HDF1 .5714 (Table 3)."""
    rows = [row | {"case_id": "1", "role": "reference" if row["rater"] == "set" else "final" if row["rater"] == "end" else "algorithm"}
            for row in rows_in("cases/h_ddx_case_1")]  # fmt: skip
    coded = pd.DataFrame(rows)
    report = dxmatch.evaluate(coded, matcher=EXACT, resampling=POINTS)
    for judge in ("M", "code"):
        assert [report.row("Acc", of=judge, k=5, algorithm=who)["value"] for who in ("GPT-4o", "MediPhi")] == [1, 0]
    hdf1 = [round(report.row("HDF1", algorithm=who)["value"], 4) for who in ("GPT-4o", "MediPhi")]
    assert hdf1 == [0.2069, 0.5714]


@pytest.mark.parametrize("option", [{"groups": {"x": ["A", "C"]}}, {"groups": {"x": ["A"], "y": ["A"]}},
    *({"compare": one} for one in ([("A", "C")], [("A", "A")], [("A", "B"), ("B", "A")], ["AB"], [("A", "B", "A")], []))])  # fmt: skip
def test_pairs_and_groups_that_are_none(drawn, option):
    with pytest.raises(OptionError, match=f"'{next(iter(option))}'"):
        dxmatch.evaluate(drawn, matcher=EXACT, **option)
