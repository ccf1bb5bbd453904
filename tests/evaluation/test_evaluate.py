"""The whole way from lists and M to results: options, several algorithms, degenerate panels, real lists."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.statistics.bootstrap import ALIKE

from .made import By


class Exact(By):
    """Equal strings match, in any case."""

    def __init__(self):
        super().__init__(lambda x, y: x.casefold() == y.casefold())


@pytest.fixture
def drawn(to_frame):
    """40 cases, raters A, B (algorithms) and X, Y, Z (experts), three diagnoses each out of eight."""
    generator = np.random.default_rng(3)
    words = np.array([f"disease {letter}" for letter in "abcdefgh"])
    cases = {f"c{i:02}": {r: list(words[generator.integers(0, 8, 3)]) for r in "ABXYZ"} for i in range(40)}
    return to_frame(cases, {"A": "algorithm", "B": "algorithm"})


def test_the_public_function(drawn):
    report = dxmatch.evaluate(drawn, matcher=Exact(), k=3, hardness=1.0)
    assert report.algorithms == ["A", "B"]
    assert report.made_with["panels"] == {"A": ["X", "Y", "Z"], "B": ["X", "Y", "Z"]}
    assert report.made_with["matcher"] == "Exact"
    row = report.row("RPAD", algorithm="B")
    assert row["low"] < row["value"] < row["high"]
    assert (row["n_cases"], row["n_pairs"], row["undefined_repeats"], row["reason"]) == (40, 6, 0, "")


def test_lists_read_before_give_the_same(drawn):
    lists = read_lists(drawn)
    assert evaluate(lists, Exact()).to_dict() == evaluate(drawn, Exact()).to_dict()
    alone = evaluate(lists, Exact(), algorithms=["B"])
    assert alone.algorithms == ["B"] and alone.made_with["panels"] == {"B": ["X", "Y", "Z"]}
    for options in ({"no_diagnosis": ["none"]}, {"columns": {"rater": "rater"}}, {"rejects": "x.csv"}):
        with pytest.raises(OptionError, match="given to read_lists"):
            evaluate(lists, Exact(), **options)


def test_intervals_depend_on_the_seed_and_not_on_the_order_of_rows(drawn, everything, same_text, full_report):
    """Of every family."""
    shuffled = evaluate(everything().sample(frac=1, random_state=0), same_text, k=3, bootstrap=60)
    others = {(row["algorithm"], row["name"]): row for row in shuffled.rows}
    assert len(others) == len(full_report.rows)
    for row in full_report.rows:
        assert same_row(row, others[row["algorithm"], row["name"]]), row["name"]
    one, two = (evaluate(drawn, Exact(), seed=seed).row("RPAD") for seed in (0, 1))
    assert one["low"] != two["low"] and one["value"] == two["value"]


def test_a_wider_level_is_a_wider_interval_and_k_may_be_beyond_every_list(drawn):
    narrow, wide = (evaluate(drawn, Exact(), level=level).row("RPAD") for level in (0.5, 0.99))
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    report = evaluate(drawn, Exact(), k=6, bootstrap=0)
    assert report.made_with["short_lists"]["6"] == 200
    assert report.row("P", of="AE mean")["value"] == pytest.approx(report.row("P", of="AE mean", k=3)["value"] * 9 / 36)
    assert report.row("RPAD")["value"] == pytest.approx(report.row("RPAD", k=3)["value"])
    for options, last in (({"max_k": 2}, 2), ({}, 3)):
        assert max(evaluate(drawn, Exact(), k=1, bootstrap=0, **options).curves["k"]) == last


def test_comparison_is_paired(drawn):
    """B is A under another name: the difference is 0 in every resample, though each alone is uncertain."""
    twin = drawn[drawn["rater"] != "B"]
    twin = pd.concat([twin, twin[twin["rater"] == "A"].assign(rater="B")])
    report = evaluate(twin, Exact())
    for row in report.difference_rows:
        assert (row["first"], row["second"], row["value"], row["low"], row["high"]) == ("A", "B", 0, None, None)
        assert row["p"] == 1 and ALIKE in row["reason"]
    different = evaluate(drawn, Exact()).difference_rows[0]
    assert different["name"] == "RPAD@3" and different["low"] < different["value"] < different["high"]
    a, b = (evaluate(drawn, Exact()).row("RPAD", algorithm=x)["value"] for x in "AB")
    assert different["value"] == pytest.approx(a - b)


def same_row(row, other):
    return all(
        row[key] == (other[key] if other[key] is None else pytest.approx(other[key], rel=1e-12, abs=1e-15))
        for key in ("value", "low", "high")
    )


def test_in_turn_is_each_rater_as_the_only_algorithm(drawn):
    everyone = drawn.drop(columns="role")
    report = evaluate(everyone, Exact(), in_turn=True, bootstrap=50)
    assert report.made_with["panels"]["X"] == ["A", "B", "Y", "Z"]
    for rater in "ABXYZ":
        alone = evaluate(everyone, Exact(), algorithms=[rater], bootstrap=50)
        rows = [row for row in report.rows if row["algorithm"] == rater]
        names = [row["name"].replace("other models", "experts") for row in rows]
        assert names == [row["name"] for row in alone.rows]
        assert all(map(same_row, rows, alone.rows))
    some = evaluate(drawn, Exact(), in_turn=True, bootstrap=0)
    assert some.made_with["panels"] == {"A": ["B", "X", "Y", "Z"], "B": ["A", "X", "Y", "Z"]}


ONE_ANSWER = "A and X give one and the same first diagnosis in every case"
NEVER = "no two experts match in any case at k = 1"


@pytest.mark.parametrize(
    ("said", "n", "metric", "of", "value", "reason"),
    [
        *(({"A": "gout", "X": "gout", "Y": "sepsis", "Z": "asthma"}, 3, metric, "", None, NEVER)
          for metric in ("RPAD", "RRAD", "P_opt", "R_avg")),
        ({"A": "gout", "X": "gout", "Y": "sepsis", "Z": "asthma"}, 3, "P", "AE mean", 1 / 3, f"no interval: {ALIKE}"),
        ({"A": "gout", "X": "gout", "Y": "gout"}, 3, "kappa", "AE mean", None, ONE_ANSWER),
        ({"A": "gout", "X": "gout", "Y": "gout"}, 3, "sigma_A", "kappa", None, "a kappa is undefined"),
        ({"A": "gout", "X": "gout", "Y": "gout"}, 3, "RPAD", "", 1, f"no interval: {ALIKE}"),
        ({"A": "gout", "X": "gout", "Y": "gout"}, 1, "RPAD", "", 1, "no interval: one case cannot be resampled"),
    ],
)  # fmt: skip
def test_panels_at_the_edge(to_frame, said, n, metric, of, value, reason):
    """Every case alike: experts who never agree, raters who all give one answer, one case."""
    cases = {f"c{i}": {rater: [word] for rater, word in said.items()} for i in range(n)}
    report = evaluate(to_frame(cases), Exact(), k=1, algorithms=["A"])
    row = report.row(metric, of=of)
    assert row["value"] == (value if value is None else pytest.approx(value)) and reason in row["reason"]
    assert (row["low"] is None) == (row["high"] is None) == bool(reason)
    if reason == NEVER:
        assert row["undefined_repeats"] == 1000 and NEVER in str(report)
        assert report.curves["value"].isna().all()
    elif metric == "RPAD" and n > 1:
        assert ALIKE in str(report)


def test_repeats_that_are_undefined_are_counted_and_told(to_frame):
    """The experts agree in one case of six, which (5/6)^6 = 33 % of the resamples miss."""
    cases = {f"c{i}": {"A": ["gout"], "X": ["gout"], "Y": ["gout" if i == 0 else "sepsis"]} for i in range(6)}
    row = evaluate(to_frame(cases), Exact(), k=1, algorithms=["A"]).row("RPAD")
    # P_AE = 6/6 and 1/6, P_EE = 1/6
    assert row["value"] == pytest.approx((7 / 12) / (1 / 6))
    assert 280 < row["undefined_repeats"] < 390
    assert (
        row["low"] is None
        and row["reason"] == f"no interval: {row['undefined_repeats']} of 1,000 bootstrap repeats are undefined"
    )


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"k": 0}, "k"), ({"k": -1}, "k"), ({"k": 2.0}, "k"), ({"k": 101}, "k"), ({"hardness": 1.5}, "hardness"), ({"hardness": None}, "hardness"),
        ({"denominator": "n"}, "denominator"), ({"k": 3, "max_k": 2}, "max_k"), ({"bootstrap": -1}, "bootstrap"),
        ({"level": 95}, "level"), ({"seed": None}, "seed"), ({"pairs_per_call": 0}, "pairs_per_call"),
    ],
)  # fmt: skip
def test_options_refused(drawn, options, name):
    with pytest.raises(OptionError, match=f"^The '{name}' parameter must be "):
        evaluate(drawn, Exact(), **options)


@pytest.mark.parametrize("wrong", [math.nan, -0.1, 1.1, "too few"])
def test_a_matcher_that_gives_no_probability(drawn, wrong):
    m = Exact()
    m.probabilities = lambda a, b: np.ones(len(a) - 1) if wrong == "too few" else np.full(len(a), wrong)
    told = "probabilities for" if wrong == "too few" else "as the probability that 'disease a' is 'disease a'"
    with pytest.raises(ModelError, match=f"gave .*{told}"):
        evaluate(drawn, m)


def test_the_threshold_is_included(to_frame):
    lists = to_frame({"c": {"A": ["a"], "X": ["b"], "Y": ["c"]}})
    report = evaluate(lists, By(lambda a, b: 0.5), k=1, algorithms=["A"], bootstrap=0)
    assert report.row("P", of="AE mean")["value"] == 1


def test_rejects_are_told(drawn, tmp_path):
    drawn.loc[7, "diagnosis"] = "x" * 10_001  # an expert's
    report = evaluate(drawn, Exact(), rejects=tmp_path / "rejects.csv", bootstrap=0)
    assert [report.made_with[name] for name in ("n_cases", "rejected_rows", "rejected_cases")] == [39, 15, 1]
    assert any(note.startswith("15 rows were refused, and 1 case left out with them") for note in report.notes)


def test_craft_md_in_turn(shared_data):
    """The real lists, by exact strings, against numbers counted in pandas."""
    report = evaluate(shared_data / "craft_md_lists.csv", Exact(), in_turn=True, no_diagnosis=["keep", "none"], k=3)
    frame = pd.read_csv(shared_data / "craft_md_lists.csv", keep_default_na=False)
    frame = frame[(frame["rank"] <= 3) & (frame["diagnosis"].str.casefold() != "none")]
    frame = frame.assign(diagnosis=frame["diagnosis"].str.strip().str.casefold())
    joined = frame.merge(frame, on=["case_id", "diagnosis"])
    shared = joined.groupby(["rater_x", "rater_y"]).size() / (1357 * 9)
    met = joined.drop_duplicates(["case_id", "rater_x", "rater_y"]).groupby(["rater_x", "rater_y"]).size() / 1357
    for algorithm, experts in report.made_with["panels"].items():
        for rates, of, metric in ((shared, "P", "RPAD"), (met, "R", "RRAD")):
            ae = [rates[algorithm, e] for e in experts]
            ee = [rates[e, f] for i, e in enumerate(experts) for f in experts[i + 1 :]]
            assert report.row(of, algorithm=algorithm, of="AE mean")["value"] == pytest.approx(np.mean(ae))
            assert report.row(metric, algorithm=algorithm)["value"] == pytest.approx(np.mean(ae) / np.mean(ee))


def test_every_family_that_the_lists_allow(full_report, drawn):
    assert [s.name for s in full_report.sections] == [
        "relative", "ranking", "recall", "hierarchical", "weighted", "agreement",
    ]  # fmt: skip
    assert full_report.left_out == {}
    report = evaluate(drawn, Exact(), bootstrap=0)
    assert [s.name for s in report.sections] == ["relative", "agreement"]
    assert set(report.left_out) == {"ranking", "hierarchical", "weighted", "recall"}
    for reason in report.left_out.values():
        assert "reference" in reason or "column" in reason


@pytest.mark.parametrize(
    ("metrics", "symbols"),
    [
        ("recall", {"R_disease", "R_patient"}),
        ("hdf1", {"HDF1"}),
        (["HDF1", "disease_recall"], {"HDF1", "R_disease"}),
        (["RPAD", "Semantic"], {"RPAD", "Semantic"}),
        (["weighted", "Semantic"], {"Semantic", "Severity", "SeverityError", "rescaled", "aggregated"}),
        ("kappa", {"kappa"}),
    ],
)
def test_metrics_by_name(everything, same_text, metrics, symbols):
    report = evaluate(everything(), same_text, metrics=metrics, bootstrap=0)
    assert {row["metric"] for row in report.rows} == symbols
    assert report.left_out == {} and str(report)


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        *((metrics, "^The 'metrics' parameter must be ") for metrics in ("RPAF", ["relative", "hdf"], [], ["category_accuracy"])),
        (["relative", "recall"], "the recall metrics cannot be computed, for want of right answers.*reference"),
    ],
)  # fmt: skip
def test_metrics_refused(drawn, metrics, told):
    with pytest.raises((OptionError, InputError), match=told):
        evaluate(drawn, Exact(), metrics=metrics)


def test_without_a_panel_the_reference_is_the_judge(everything, same_text, tmp_path):
    """No role at all, or one expert: with a reference that leaves out the relative metrics, and says why."""
    frame = everything()
    for lists, why in (
        (frame.drop(columns="role"), "no rater is an algorithm: give a column 'role'"),
        (frame[frame["rater"].isin(["A", "X"])], "one expert only: give at least two experts"),
    ):
        report = evaluate(lists, same_text, bootstrap=20)
        assert report.left_out["relative"].startswith(why)
        assert report.question == "Which model names the right diagnoses?"
        assert report.algorithms == (["X", "Y", "A", "Z", "B"] if "role" not in lists else ["A"])
        assert report.row("HDF1", algorithm="A")["value"] == pytest.approx(
            evaluate(frame, same_text, metrics="hdf1", bootstrap=0).row("HDF1", algorithm="A")["value"]
        )
        assert why in report.save(tmp_path / "r.html").read_text("utf-8").replace("&#39;", "'")
        with pytest.raises(InputError, match=why.split(":")[0]):
            evaluate(lists, same_text, metrics=["relative"])


def test_an_unknown_code_stops_everything(everything, same_text):
    frame = everything()
    frame.loc[3, "icd10"] = "J18.999999"
    with pytest.raises(InputError, match="ICD-10"):
        evaluate(frame, same_text)
    assert evaluate(frame, same_text, metrics=["relative", "recall"], bootstrap=0).left_out == {}


@pytest.mark.parametrize("rests", [True, False])
def test_a_matcher_that_rests_on_votes_says_how_many_it_must_know(drawn, rests):
    from dxmatch.evaluation.report.messages import made_with_lines

    m = Exact()
    m.rests_on_votes, m.min_coverage = rests, 0.8
    line = dict(made_with_lines(evaluate(drawn, m, metrics="relative", bootstrap=0)))["Match function"]
    assert ("known for at least 80% of the pairs" in line) is rests


@pytest.mark.parametrize("name", ["top1", "top-1", "TOP_K", "accuracy"])
def test_a_metric_by_the_name_of_its_column(drawn, name):
    frame = drawn.assign(reference="gout") if hasattr(drawn, "assign") else drawn
    assert {row["metric"] for row in evaluate(frame, Exact(), metrics=name, bootstrap=0).rows} == {"Acc"}
