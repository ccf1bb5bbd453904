"""Differences, subgroups and their averages, models under several prompts: by hand, beside scipy and beside what papers print."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.score.scores import Score, over_two
from dxmatch.evaluation.statistics.subgroups import PLAIN, WEIGHTED, subgroup_rows
from dxmatch.stats.intervals import ALIKE
from dxmatch.stats.permutation import holm
from dxmatch.stats.resampling import Resampling

from .made import By, find, long_form
from .test_evaluate import rows_in

Cases = dict[str, dict[str, list[str]]]


def evaluated(cases: Cases, resamples: int = 50, **options: Any) -> Any:
    """Against the right answer "gout", or the rater truth's."""
    frame = long_form(cases, {"truth": "reference", **dict.fromkeys({r for of in cases.values() for r in of} - {"truth"}, "algorithm")})  # fmt: skip
    frame = frame if "truth" in next(iter(cases.values())) else frame.assign(reference="gout")
    by = options.pop("by", None)
    if by is not None:
        options["by"], frame = "set", frame.assign(set=frame["case_id"].map(by))
    return dxmatch.evaluate(
        frame, matcher=By(), resampling=dxmatch.Resampling(resamples=resamples), **{"metrics": "ranking"} | options
    )


def hits(**of: str) -> Cases:
    """Rater -> 1 for each case that it has right; a dot where it was not asked."""
    n = len(next(iter(of.values())))
    names = {
        rater.replace("__", " [").replace("_x", " #2") + ("]" if "__" in rater else ""): said
        for rater, said in of.items()
    }
    return {
        f"c{i:02}": {rater: ["gout" if said[i] == "1" else "flu"] for rater, said in names.items() if said[i] != "."}
        for i in range(n)
    }


# Differences


def test_differences_of_hits_are_mcnemars_and_corrected():
    a, b, c = "1" * 12 + "0" * 8, "0" * 10 + "1" * 4 + "0" * 6, "1" * 11 + "0" * 9
    report = evaluated(hits(A=a, B=b, C=c))
    rows = {(row["first"], row["second"]): row for row in report.difference_rows if row["name"] == "Acc(M)@1"}
    assert set(rows) == {("A", "C"), ("A", "B"), ("C", "B")}, "the best first"
    # A has 10 right of which B has none, B 2 of which A has none
    expected = {("A", "B"): stats.binomtest(2, 12).pvalue, ("A", "C"): 1.0, ("C", "B"): stats.binomtest(3, 13).pvalue}
    assert {pair: row["p"] for pair, row in rows.items()} == pytest.approx(expected)
    assert rows["A", "B"]["value"] == pytest.approx(8 / 20) and rows["A", "B"]["low"] < 8 / 20 < rows["A", "B"]["high"]
    corrected = dict(zip(rows, holm([row["p"] for row in rows.values()]).tolist(), strict=True))
    assert {pair: row["p_holm"] for pair, row in rows.items()} == pytest.approx(corrected)
    assert {row["n_comparisons"] for row in rows.values()} == {3}
    assert list(report.differences["p"]) == [row["p"] for row in report.difference_rows]


def test_differences_are_paired_and_of_every_metric(everything, same_text, full_report):
    """B under another name is B: 0 in every resample, though each alone is uncertain."""
    frame = everything()
    twin = pd.concat([frame, frame[frame["rater"] == "B"].assign(rater="twin")])
    report = dxmatch.evaluate(
        twin, matcher=same_text, resampling=dxmatch.Resampling(resamples=50), compare=[("B", "twin")]
    )
    for row in report.difference_rows:
        if row["value"] is not None:
            assert (row["value"], row["low"], row["high"], row["p"]) == (0, None, None, 1) and ALIKE in row["reason"]
    symbols = {"RPAD", "RRAD", "P", "R", "Acc", "MRR", "nDCG", "R_disease", "R_patient", "HDP", "HDR", "HDF1", "Semantic", "Severity",
               "SeverityError", "rescaled", "aggregated"}  # fmt: skip
    assert {row["metric"] for row in full_report.difference_rows} == symbols
    for row in full_report.difference_rows:
        values = [[one["value"] for one in full_report.rows if (one["name"], one["algorithm"]) == (row["name"], row[side])] for side in ("first", "second")]  # fmt: skip
        if all(values) and values[0][0] is not None:
            assert row["value"] == pytest.approx(values[0][0] - values[1][0])


def test_named_pairs_alone_are_tested_in_the_cases_that_both_have():
    cases = hits(A="1101.0100111", B="1001110..011", C="000000000001")
    report = evaluated(cases, reading=dxmatch.Reading(missing="own"), compare={"A": "B", "B": "C"})
    rows = {(row["first"], row["second"]): row for row in report.difference_rows if row["name"] == "Acc(M)@1"}
    assert set(rows) == {("B", "A"), ("C", "B")}, "tuned less base"
    assert (rows["B", "A"]["n_cases"], rows["C", "B"]["n_cases"]) == (9, 10)
    # of the nine cases A has 7 right, B 5
    assert rows["B", "A"]["value"] == pytest.approx((5 - 7) / 9) and rows["C", "B"]["value"] == pytest.approx(
        (1 - 6) / 10
    )
    one = evaluated(hits(A="1", B="0")).difference_rows[0]
    assert (one["p"], one["p_holm"], one["n_comparisons"]) == (None, None, 0) and one["reason"]


# Subgroups


OF = dict(zip((f"c{i:02}" for i in range(14)), ["small"] * 4 + ["large"] * 8 + [None] * 2, strict=True))
SETS: Cases = {
    case: {"truth": ["gout", "flu", "asthma"], "A": ["gout", "flu"] if i < 3 else ["copd"], "B": ["gout"]} if i < 4
    else {"truth": ["sepsis"], "A": ["sepsis" if i % 2 else "copd"], "B": ["sepsis"]} if i < 12
    else {"truth": ["mi"], "A": ["mi"], "B": ["copd"]}
    for i, case in enumerate(OF)
}  # fmt: skip


@pytest.fixture(scope="module")
def sets() -> Any:
    return evaluated(SETS, by=OF, metrics=["ranking", "recall"], compare=[("B", "A")], resamples=200)


@pytest.mark.parametrize(
    ("metric", "group", "value", "n"),
    [
        ("R_disease", "small", 6 / 12, 4), ("R_disease", "large", 4 / 8, 8), ("R_disease", None, 1, 2),
        ("R_disease", WEIGHTED, (6 + 4) / (12 + 8), 12), ("R_disease", PLAIN, (6 / 12 + 4 / 8) / 2, 12),
        ("R_patient", WEIGHTED, (0 * 4 + 0.5 * 8) / 12, 12), ("R_patient", PLAIN, (0 + 0.5) / 2, 12),
        ("MRR", WEIGHTED, (3 + 4) / 12, 12), ("MRR", PLAIN, (3 / 4 + 4 / 8) / 2, 12),
    ],
)  # fmt: skip
def test_subgroups_and_their_averages_by_hand(sets, metric, group, value, n):
    """The two cases without a value are a group, in neither average."""
    row = find(sets.group_rows, group=group, metric=metric, algorithm="A")
    assert (row["value"], row["n_cases"]) == (pytest.approx(value), n)
    assert row["low"] is None or row["low"] <= value <= row["high"]


@pytest.mark.parametrize("row", rows_in("averages.csv"), ids=lambda row: row["printed"])
def test_the_averages_that_clinbench_prints(row):
    """cases/averages.csv: Avg_p and Avg_d of Table 3, from the printed recalls of three subsets and their patients or diseases."""
    values = np.array([float(row[name]) for name in ("first", "second", "third")])
    sizes = np.array([float(row[f"n_{name}"]) for name in ("first", "second", "third")])
    score = Score("disease_recall", ["gpt"], np.arange(3), **over_two((values * sizes)[:, None], sizes[:, None]))
    rows = subgroup_rows([score], {"subset": list("abc")}, list("123"), Resampling(resamples=0))
    found = {one["group"]: one["value"] for one in rows}
    assert found[WEIGHTED] == pytest.approx(float(row["printed"]), abs=6e-4) and found[PLAIN] == pytest.approx(
        values.mean()
    )


def test_a_group_is_an_evaluation_of_its_cases(everything, same_text):
    """Every value and interval is that of the lists of these cases alone."""
    frame = everything()
    of = dict(zip(sorted(set(frame["case_id"])), ["skin"] * 5 + ["heart"] * 6 + ["eye"] + [None] * 2, strict=True))
    frame["specialty"] = frame["case_id"].map(of)
    report = dxmatch.evaluate(
        frame, matcher=same_text, resampling=dxmatch.Resampling(resamples=40, seed=2), by="specialty"
    )
    groups = list(dict.fromkeys(row["group"] for row in report.group_rows))
    assert groups == ["eye", "heart", "skin", None, WEIGHTED, PLAIN]
    for group in ("skin", "heart"):
        alone = dxmatch.evaluate(
            frame[frame["specialty"] == group], matcher=same_text, resampling=dxmatch.Resampling(resamples=40, seed=2)
        )
        rows = [row for row in report.group_rows if row["group"] == group]
        assert len(rows) > 100
        for row in rows:
            expected = find(alone.rows, name=row["name"], algorithm=row["algorithm"])
            for end in ("value", "low", "high", "n_cases"):
                assert row[end] == (None if expected[end] is None else pytest.approx(expected[end])), (row["name"], end)
    (eye,) = {
        (row["n_cases"], row["low"], row["reason"])
        for row in report.group_rows
        if row["group"] == "eye" and row["name"] == "MRR"
    }
    assert eye[:2] == (1, None) and eye[2].startswith("no interval")


def test_the_resamples_of_groups_do_not_move_together():
    """Two groups of one size and the same values: the interval of their average is narrower by the root of two."""
    score = Score("mrr", ["A"], np.arange(16), np.tile(np.arange(8.0), 2)[:, None])
    rows = subgroup_rows(
        [score], {"set": ["a"] * 8 + ["b"] * 8}, [f"{i:02}" for i in range(16)], Resampling(resamples=2000)
    )
    width = {row["group"]: row["high"] - row["low"] for row in rows}
    assert width[PLAIN] == pytest.approx(width["a"] / 2**0.5, rel=0.1)


def test_differences_in_groups_and_findings_of_groups(sets):
    rows = {row["group"]: row for row in sets.group_difference_rows if row["metric"] == "MRR"}
    assert {group: row["value"] for group, row in rows.items()} == pytest.approx(
        {"large": -0.5, "small": -0.25, None: 1}
    )
    # 4 of 8 cases differ, all one way: 2 / 2^4
    assert (rows["large"]["n_cases"], rows["large"]["n_comparisons"], rows["large"]["p"]) == (
        8,
        1,
        pytest.approx(0.125),
    )
    (blank,) = [one for one in evaluated(SETS, by={}, resamples=0).findings if one.kind == "groups"]
    assert "blank" in blank.sentence
    undefined = evaluated(
        hits(A="1100", B="..11"),
        by=dict(zip(OF, "aabb", strict=False)),
        reading=dxmatch.Reading(missing="own"),
        resamples=0,
    )
    row = find(undefined.group_rows, group=PLAIN, name="MRR", algorithm="B")
    assert row["value"] is None and "undefined in 'a'" in row["reason"].replace('"', "'")


# Prompts and repeats


@pytest.mark.parametrize("row", rows_in("prompts.csv"), ids=lambda row: row["mean"])
def test_the_deviations_over_prompts_that_clinbench_prints(row):
    """cases/prompts.csv: Table 5, Journal: four prompts, m and not m - 1; the printed values are rounded, too."""
    values = [float(row[name]) for name in ("first", "second", "third", "fourth")]
    assert np.mean(values) == pytest.approx(float(row["mean"]), abs=1e-3)
    assert float(dxmatch.metrics.prompt_spread(values)) == pytest.approx(float(row["deviation"]), abs=1e-3)


def test_a_model_is_its_mean_over_prompts_and_these_over_repeats():
    """x: 4 of 10; y: 6 and 8 of 10, so .7; z: once, 9 of 10."""
    said = {
        "gpt__x": "1111000000",
        "gpt__y": "1111110000",
        "gpt__y_x": "1111111100",
        "gpt__z": "1111111110",
        "b": "1000000000",
    }
    report = evaluated(hits(**said), resamples=100)
    prompts = find(report.rows_of("ranking.prompts"), name="Acc(M)@1", algorithm="gpt")
    means = [0.4, 0.7, 0.9]
    assert (prompts["prompts"], prompts["n_prompts"], prompts["n_repeats"]) == ("x, y, z", 3, "1, 2")
    assert prompts["mean"] == pytest.approx(np.mean(means)) and prompts["sd_prompts"] == pytest.approx(np.std(means))
    assert prompts["sd_repeats"] == pytest.approx(0.1)
    values = [row for row in report.rows_of("ranking.prompt_values") if row["name"] == "Acc(M)@1"]
    assert [(row["prompt"], row["value"], row["n_repeats"], row["sd_repeats"]) for row in values] == [
        ("x", 0.4, 1, None), ("y", pytest.approx(0.7), 2, pytest.approx(0.1)), ("z", 0.9, 1, None)
    ]  # fmt: skip
    model = find(report.model_rows, name="Acc(M)@1", algorithm="gpt")
    assert model["value"] == pytest.approx(np.mean(means)) and model["n_cases"] == 10
    # the interval of the mean over prompts, of the same resamples of cases
    of_case = (np.array([[int(mark) for mark in said[f"gpt__{name}"]] for name in ("x", "y", "y_x", "z")]).T * [1 / 3, 1 / 6, 1 / 6, 1 / 3]).sum(1)  # fmt: skip
    score = Score("mrr", ["A"], np.arange(10), of_case[:, None])
    again = find(
        subgroup_rows([score], {"all": ["a"] * 10}, [f"c{i:02}" for i in range(10)], Resampling(resamples=100)),
        group="a",
    )
    assert (model["low"], model["high"]) == (pytest.approx(again["low"]), pytest.approx(again["high"]))
    assert report.board.algorithms == ("gpt", "b") and report.difference_rows == []
    assert sum(one.kind == "prompts" for one in report.findings) >= 1, "averaged"


def test_one_prompt_and_one_repeat():
    for of, expected in (
        (hits(a__x="10", b__x="10", c="11"), []),
        (hits(a__x="10", a__x_x="11"), [(0.75, None, 0.25)]),
    ):
        rows = [row for row in evaluated(of, resamples=0).rows_of("ranking.prompts") if row["name"] == "Acc(M)@1"]
        assert [tuple(row[part] for part in ("mean", "sd_prompts", "sd_repeats")) for row in rows] == expected


def test_prompts_in_each_subset_and_in_their_average():
    """Tables 5 to 7 of ClinBench-HPB. Eyes: x right in 2 of 2, y in 1; skin: x in 1 of 4, y in 3."""
    by = {f"c{i:02}": "eyes" if i < 2 else "skin" for i in range(6)}
    report = evaluated(hits(gpt__x="110001", gpt__y="101110"), by=by, resamples=0)
    rows = [row for row in report.rows_of("ranking.prompts") if row["name"] == "Acc(M)@1"]
    found = {row["group"]: (row["mean"], row["sd_prompts"]) for row in rows}
    whole = (pytest.approx((3 / 6 + 4 / 6) / 2), pytest.approx(1 / 12))
    eyes, skin = (pytest.approx(0.75), pytest.approx(0.25)), (pytest.approx(0.5), pytest.approx(0.25))
    assert found == {
        None: whole,
        "eyes": eyes,
        "skin": skin,
        WEIGHTED: whole,
        PLAIN: (pytest.approx(0.625), pytest.approx(0)),
    }


def test_models_are_compared_by_their_means_over_prompts():
    """base and tuned under x, twice, and y; in the first case tuned has no answer under y."""
    generator = np.random.default_rng(3)
    marks = {
        name: "".join("01"[int(generator.random() < (0.7 if "tuned" in name else 0.3))] for _ in range(40))
        for name in ("base__x", "base__x_x", "base__y", "tuned__x", "tuned__x_x", "tuned__y")
    }
    by = {f"c{i:02}": "odd" if i % 2 else "even" for i in range(40)}
    pairs = [("base", "tuned"), ("base [y]", "tuned [y]")]
    report = evaluated(hits(**marks), by=by, compare=pairs, resamples=100)
    both, single = (row for row in report.difference_rows if row["name"] == "Acc(M)@1")
    mean = {
        model: (np.array([[int(mark) for mark in marks[f"{model}__{prompt}"]] for prompt in ("x", "x_x", "y")]).T * [1 / 4, 1 / 4, 1 / 2]).sum(1)
        for model in ("base", "tuned")
    }  # fmt: skip
    apart = mean["tuned"] - mean["base"]
    assert (both["first"], both["second"], both["n_cases"], both["n_comparisons"]) == ("tuned", "base", 40, 2)
    assert both["value"] == pytest.approx(apart.mean()) and 0 < both["low"] < both["value"] < both["high"]
    theirs = stats.permutation_test(
        (apart,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(0)
    )
    assert both["p"] == pytest.approx(theirs.pvalue, abs=2e-3)
    assert (single["first"], single["second"]) == ("tuned [y]", "base [y]")
    parts = [row for row in report.group_difference_rows if row["name"] == "Acc(M)@1" and row["first"] == "tuned"]
    assert np.mean([row["value"] for row in parts]) == pytest.approx(both["value"])
    gone = marks | {"tuned__y": "." + marks["tuned__y"][1:], "base__x": "0." + marks["base__x"][2:]}
    report = evaluated(hits(**gone), reading=dxmatch.Reading(missing="own"), compare=pairs[:1], resamples=0)
    assert find(report.difference_rows, name="Acc(M)@1")["n_cases"] == 39, (
        "of the second case base has the other repeat"
    )
    with pytest.raises(OptionError, match="'compare'.*tuned: y; base: x"):
        evaluated(hits(base__x="10", tuned__y="10"), compare=pairs[:1])
