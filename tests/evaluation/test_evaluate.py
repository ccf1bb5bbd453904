"""The whole way from answers and M to a report: what is taken and refused, what is counted, what comes back."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import pairs_asked

from .made import POINTS, By, SetMatcher, find, long_form

EXACT = By(lambda x, y: x.casefold() == y.casefold())
WORDS = [f"disease {letter}" for letter in "abcdefgh"]
CASES = Path(__file__).parent / "cases"


def rows_in(name: str) -> list[dict[str, str]]:
    with (CASES / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


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
    for options, last in (({"k": 1, "panel": dxmatch.Panel(max_k=2)}, 2), ({"k": 1}, 3)):
        assert (
            max(
                row["k"]
                for row in dxmatch.evaluate(drawn, matcher=EXACT, resampling=POINTS, **options).rows_of(
                    "relative.curves"
                )
            )
            == last
        )


def test_the_table_of_the_source_by_hand(panel, to_frame, hand_matcher):
    """P over k = 1 and R over k = 2 of the panel in conftest: no two experts agree at 1 in one case; R of A is 1, 1 and 1/2."""
    report = dxmatch.evaluate(
        to_frame(panel),
        matcher=hand_matcher,
        k=2,
        panel=dxmatch.Panel(algorithms=["A"]),
        resampling=POINTS,
        metrics="relative",
    )
    found = [report.row(metric, k=k)["value"] for metric, k in (("P_avg", 1), ("P_opt", 1), ("R_avg", 2), ("R_opt", 2))]
    assert found == [3, None, pytest.approx(1.25), 2]


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


def test_the_order_of_rows_changes_nothing_and_the_seed_intervals_alone(everything, same_text, full_report):
    """Of every family."""
    shuffled = dxmatch.evaluate(
        everything().sample(frac=1, random_state=0), matcher=same_text, k=3, resampling=dxmatch.Resampling(resamples=60)
    )
    other = dxmatch.evaluate(everything(), matcher=same_text, k=3, resampling=dxmatch.Resampling(resamples=60, seed=1))
    assert len(shuffled.rows) == len(other.rows) == len(full_report.rows)
    moved = 0
    for row in full_report.rows:
        named = {part: row[part] for part in ("algorithm", "name")}
        for again, ends in (
            (find(shuffled.rows, **named), ("low", "value", "high")),
            (find(other.rows, **named), ("value",)),
        ):
            for end in ends:
                assert again[end] == (None if row[end] is None else pytest.approx(row[end], rel=1e-12, abs=1e-15)), row[
                    "name"
                ]
        moved += row["low"] != find(other.rows, **named)["low"]
    assert moved > 20
    p = [{(r["name"], r["first"], r["second"]): r["p"] for r in one.difference_rows} for one in (full_report, shuffled)]
    assert p[0] == pytest.approx(p[1])


def test_each_in_turn_is_each_as_the_only_algorithm(drawn):
    everyone = drawn.drop(columns="role")
    report = dxmatch.evaluate(
        everyone, matcher=EXACT, panel=dxmatch.Panel(in_turn=True), resampling=dxmatch.Resampling(resamples=50)
    )
    for rater in "ABXYZ":
        assert report.raters.panels[rater] == [one for one in "ABXYZ" if one != rater]
        alone = dxmatch.evaluate(
            everyone,
            matcher=EXACT,
            panel=dxmatch.Panel(algorithms=[rater]),
            resampling=dxmatch.Resampling(resamples=50),
        )
        own = [row for row in report.rows if row["algorithm"] == rater]
        for row, other in zip(own, alone.rows, strict=True):
            assert row["name"].replace("other models", "experts") == other["name"]
            assert all(row[end] == pytest.approx(other[end]) for end in ("value", "low", "high"))
    some = dxmatch.evaluate(drawn, matcher=EXACT, panel=dxmatch.Panel(in_turn=True), resampling=POINTS)
    assert some.raters.panels == {"A": ["B", "X", "Y", "Z"], "B": ["A", "X", "Y", "Z"]}


@pytest.mark.parametrize("row", rows_in("refused.csv"), ids=lambda row: row["options"])
def test_what_is_refused(drawn, row):
    """cases/refused.csv: options -> the kind of error, and what it names."""
    with pytest.raises(getattr(dxmatch, row["error"])) as error:
        dxmatch.evaluate(drawn, matcher=EXACT, **json.loads(row["options"]))
    assert row["names"] in str(error.value)


def test_a_policy_is_that_of_the_m_that_is_loaded():
    said, right = {"gpt": {"c": ["viral pneumonia"]}}, {"c": "pneumonia"}
    # a kind of the right answer: no match to one who looks for the same disease
    for policy, value in (("strict", 0), ("narrower-counts", 1)):
        report = dxmatch.evaluate(said, right, matcher=dxmatch.load(policy=policy), resampling=POINTS, metrics="top-1")
        assert report.row("Acc", of="M", k=1)["value"] == value
        assert report.to_dict()["made_with"]["policy"] == policy
    with pytest.raises(OptionError, match="matcher="):
        dxmatch.evaluate(said, EXACT)


@pytest.mark.parametrize("row", rows_in("metrics.csv"), ids=lambda row: row["metrics"])
def test_metrics_by_name(everything, same_text, row):
    """cases/metrics.csv: what is asked for -> the symbols in the table."""
    report = dxmatch.evaluate(everything(), matcher=same_text, metrics=row["metrics"].split(" "), resampling=POINTS)
    assert {one["metric"] for one in report.rows} == set(row["symbols"].split(" "))
    assert report.left_out == {} and str(report)


def test_every_family_and_what_is_left_out(full_report, everything, same_text):
    names = ["relative", "ranking", "recall", "hierarchical", "weighted", "agreement"]
    assert [family.name for family in full_report.families] == names and full_report.left_out == {}
    frame = everything()
    for answers, why in (
        (frame.drop(columns="role"), "no rater is an algorithm"),
        (frame[frame["rater"].isin(["A", "X"])], "fewer than two experts"),
    ):
        report = dxmatch.evaluate(answers, matcher=same_text, resampling=POINTS)
        assert report.left_out["relative"].startswith(why)
        assert report.algorithms == (["X", "Y", "A", "Z", "B"] if "role" not in answers else ["A"])
        assert report.row("HDF1", k=None, algorithm="A")["value"] == pytest.approx(
            dxmatch.evaluate(frame, matcher=same_text, metrics="hdf1", resampling=POINTS).row("HDF1", algorithm="A")[
                "value"
            ]
        )
        with pytest.raises(InputError, match=why):
            dxmatch.evaluate(answers, matcher=same_text, metrics=["relative"])
    frame.loc[3, "icd10"] = "J18.999999"
    with pytest.raises(InputError, match="row 3, column 'icd10'"):
        dxmatch.evaluate(frame, matcher=same_text)
    assert dxmatch.evaluate(frame, matcher=same_text, metrics=["relative", "recall"], resampling=POINTS).left_out == {}


ELEVEN = [f"disease {letter}" for letter in "abcdefghijk"]


@pytest.mark.parametrize(
    ("k", "metric", "name", "value"),
    [
        (None, "R_disease", "R_disease", 1), (None, "R_patient", "R_patient", 1), ("all", "R_disease", "R_disease", 1),
        (3, "R_disease", "R_disease@3", 3 / 11), ({"recall": 4}, "R_disease", "R_disease@4", 4 / 11),
        ({"recall": "all", "ranking": 2}, "R_disease", "R_disease", 1),
    ],
)  # fmt: skip
def test_how_many_diagnoses_count(k, metric, name, value):
    """Eleven right answers, and A's list that names them all, the last first: by default whole lists count."""
    answers = long_form({"one": {"truth": ELEVEN, "A": ELEVEN[::-1]}}, {"truth": "reference", "A": "algorithm"})
    report = dxmatch.evaluate(answers, matcher=EXACT, k=k, resampling=POINTS)
    row = find(report.rows, metric=metric)
    assert (row["name"], row["value"]) == (name, pytest.approx(value))


@pytest.mark.parametrize(
    ("missing", "accuracy", "n"), [(None, 1 / 2, 2), ("empty", 1 / 2, 2), ("own", 1, 1), ("refuse", None, 0)]
)
def test_a_list_that_is_not_there(missing, accuracy, n):
    said, right = {"a": {"1": ["gout"]}, "b": {"1": ["flu"], "2": ["gout"]}}, {"1": "gout", "2": "gout"}
    if missing == "refuse":
        with pytest.raises(InputError, match="'a'"):
            dxmatch.evaluate(said, references=right, matcher=EXACT, reading=dxmatch.Reading(missing=missing))
        return
    report = dxmatch.evaluate(
        said, references=right, matcher=EXACT, reading=dxmatch.Reading(missing=missing), resampling=POINTS
    )
    row = report.row("Acc", of="M", k=1, algorithm="a")
    assert (row["value"], row["n_cases"]) == (accuracy, n)
    (first,) = [row for row in report.difference_rows if row["name"] == "Acc(M)@1"]
    assert (first["value"], first["n_cases"]) == ((0, 2) if n == 2 else (1, 1))


def test_rejected_rows_are_counted_with_their_cases(drawn, tmp_path):
    drawn = drawn.copy()
    drawn.loc[7, "diagnosis"] = "x" * 10_001  # an expert's
    report = dxmatch.evaluate(
        drawn, matcher=EXACT, reading=dxmatch.Reading(rejects=tmp_path / "rejects.csv"), resampling=POINTS
    )
    (one,) = [found for found in report.findings if found.kind == "rejected"]
    assert (len(report.cases), one.count, one.of, one.place) == (39, 15, 1, str(tmp_path / "rejects.csv"))
    assert len(pd.read_csv(tmp_path / "rejects.csv")) == 15


def test_a_final_diagnosis_and_codes_as_h_ddx_prints_them():
    """Bronchiectasis is final; MediPhi names others of the differential: Top-5 0.0 and HDF1 .5714 (Table 3)."""
    rows = [row | {"case_id": "1", "role": "reference" if row["rater"] == "set" else "final" if row["rater"] == "end" else "algorithm"}
            for row in rows_in("h_ddx_case_1.csv")]  # fmt: skip
    coded = pd.DataFrame(rows)
    report = dxmatch.evaluate(coded, matcher=EXACT, resampling=POINTS)
    for judge in ("M", "code"):
        assert [report.row("Acc", of=judge, k=5, algorithm=who)["value"] for who in ("GPT-4o", "MediPhi")] == [1, 0]
    hdf1 = [round(report.row("HDF1", algorithm=who)["value"], 4) for who in ("GPT-4o", "MediPhi")]
    assert hdf1 == [0.2069, 0.5714]
    moved = [row for row in report.rows_of("hierarchical.rank_shifts") if row["from"] == "Acc(M)@5"]
    assert {row["algorithm"]: row["shift"] for row in moved} == {"GPT-4o": -1, "MediPhi": 1}
    # one table of codes for all is as good as the same codes in the cells; what it lacks is told
    table = dict(zip(coded["diagnosis"], coded["icd10"], strict=True))
    cells = dxmatch.evaluate(coded.assign(icd10=coded["diagnosis"].map(table)), matcher=EXACT, resampling=POINTS)
    bare = coded.drop(columns="icd10")
    assert dxmatch.evaluate(bare, matcher=EXACT, resampling=POINTS, codes=dxmatch.Codes(table=table)).rows == cells.rows
    del table["cancer"]
    report = dxmatch.evaluate(bare, matcher=EXACT, resampling=POINTS, codes=dxmatch.Codes(table=table))
    (told,) = [one for one in report.findings if one.kind == "codes"]
    assert (told.count, told.of) == (1, len(table) + 1) and "cancer" in told.example


def test_a_judge_and_people_beside_m(loopback, tmp_path, monkeypatch):
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    monkeypatch.chdir(tmp_path)
    loopback.rules({"contains": "heart trouble", "text": '{"verdict": "included", "basis": "the same", "place": 1}'}, {"text": '{"verdict": "not included", "basis": "no word"}'})  # fmt: skip
    Path("mine.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\n', "utf-8")
    answers = long_form({"1": {"a": ["heart trouble"], "b": ["gout"]}, "2": {"a": ["flu"], "b": ["gout"]}})
    answers["reference"] = answers["case_id"].map({"1": "myocardial infarction", "2": "flu"})
    human = [{"case_id": case, "rater": rater, "label": int(rater == "a")} for case in "12" for rater in "ab"]
    options: dict[str, Any] = {
        "judge": dxmatch.Judge(model="lab:m", check="none", human=human), "resampling": dxmatch.Resampling(resamples=20),
        "asking": dxmatch.Asking(endpoints="mine.toml", store="votes.sqlite"),
    }  # fmt: skip
    report = dxmatch.evaluate(answers, matcher=SetMatcher(), **options)
    recall = {who: find(report.rows, metric="R_disease", of="judge", algorithm=who)["value"] for who in "ab"}
    assert recall == {"a": 1, "b": 0} and report.row("R_disease", algorithm="a")["value"] == 0.5
    kept = pd.DataFrame(report.judgements)
    assert len(kept) == 4 and set(kept["judge_basis"]) >= {"the same", "no word"}
    agree = {row["who"]: row["value"] for row in report.rows_of("human.agreement") if row["metric"] == "accuracy"}
    assert agree["judge"] == 1 and agree["M"] == 0.75
    asked = loopback.log()["calls"]
    assert asked == 3 and dxmatch.evaluate(answers, matcher=SetMatcher(), **options).rows == report.rows
    assert loopback.log()["calls"] == asked, "what was answered is not asked again"


@pytest.mark.parametrize("option", [{"groups": {"x": ["A", "C"]}}, {"groups": {"x": ["A"], "y": ["A"]}},
    *({"compare": one} for one in ([("A", "C")], [("A", "A")], [("A", "B"), ("B", "A")], ["AB"], [("A", "B", "A")], []))])  # fmt: skip
def test_pairs_and_groups_that_are_none(drawn, option):
    with pytest.raises(OptionError, match=f"'{next(iter(option))}'"):
        dxmatch.evaluate(drawn, matcher=EXACT, **option)


def test_groups_of_models(drawn):
    report = dxmatch.evaluate(drawn, matcher=EXACT, resampling=POINTS, groups={"open": "A", "proprietary": ["B"]})
    assert report.raters.groups == {"A": "open", "B": "proprietary"}
    assert set(report.table["group_of_models"]) == {"open", "proprietary"}
    plain = dxmatch.evaluate(drawn, matcher=EXACT, resampling=POINTS)
    assert "group_of_models" not in plain.table.columns
