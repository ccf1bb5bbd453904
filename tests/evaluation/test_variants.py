"""Models under several prompts and in repeats: means, and what differs between prompts and between repeats."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from dxmatch.errors import OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.metrics.recall import prompt_spread
from dxmatch.evaluation.report.comparisons import difference_tables, headline_table, subgroup_tables, variants_table
from dxmatch.evaluation.report.messages import answer
from dxmatch.evaluation.report.tables import family_tables
from dxmatch.evaluation.statistics.averages import WEIGHTED
from dxmatch.evaluation.statistics.section import Section
from dxmatch.evaluation.statistics.variants import (
    Variant,
    pairs_of_models,
    prompt_tables,
    variant_of,
    warnings_of_variants,
)

from .made import By, lists_of, long_form


@pytest.mark.parametrize(
    ("rater", "expected"),
    [
        ("gpt4", ("gpt4", "")),
        ("gpt4 [free]", ("gpt4", "free")),
        ("gpt4 [free #2]", ("gpt4", "free")),
        ("gpt 4 [zero shot #12]", ("gpt 4", "zero shot")),
        ("gpt4[free]", ("gpt4", "free")),
        ("gpt4 [#2]", ("gpt4 [#2]", "")),
    ],
)
def test_a_name_tells_model_and_prompt(rater, expected):
    assert variant_of(rater) == Variant(*expected)


@pytest.mark.parametrize(
    ("values", "mean", "sd"),
    [
        ((0.300, 0.317, 0.350, 0.308), 0.319, 0.019),
        ((0.451, 0.434, 0.469, 0.417), 0.443, 0.019),
        ((0.517, 0.492, 0.508, 0.442), 0.490, 0.029),
        ((0.592, 0.617, 0.575, 0.450), 0.558, 0.064),
        ((0.467, 0.250, 0.450, 0.408), 0.394, 0.086),
        ((0.566, 0.406, 0.560, 0.526), 0.514, 0.065),
        ((0.358, 0.317, 0.300, 0.333), 0.327, 0.022),
    ],
)
def test_the_standard_deviations_that_clinbench_prints(values, mean, sd):
    """Table 5, Journal: four prompts, m and not m - 1."""
    assert np.mean(values) == pytest.approx(mean, abs=1e-3)
    # the four printed values are rounded, too
    assert float(prompt_spread(values)) == pytest.approx(sd, abs=1e-3)
    assert float(np.std(values, ddof=1)) != pytest.approx(sd, abs=1e-3)


def _section(**values: float | None) -> Section:
    shared = {"metric": "R_disease", "of": "", "k": None, "name": "R_disease"}
    return Section("recall", "", rows=[{"algorithm": who, "value": value, **shared} for who, value in values.items()])


def test_prompts_and_repeats_are_two_levels():
    """free: .4 .6 (mean .5, SD .1); role: .8 .8 .2 (mean .6, SD sqrt .08); json: 1, once."""
    section = _section(**{"a [free]": 0.4, "a [free #2]": 0.6, "a [role #1]": 0.8, "a [role #2]": 0.8, "a [role #3]": 0.2, "a [json]": 1.0, "b": 0.1})  # fmt: skip
    found = prompt_tables(section)
    (model,) = found["prompts"]
    means = [0.5, 0.6, 1.0]
    assert (model["algorithm"], model["prompts"], model["n_prompts"], model["n_repeats"]) == (
        "a",
        "free, role, json",
        3,
        "2, 3, 1",
    )
    assert model["mean"] == pytest.approx(np.mean(means)) and model["sd_prompts"] == pytest.approx(np.std(means))
    assert model["sd_repeats"] == pytest.approx(((0.1**2 + 0.08) / 2) ** 0.5)
    assert [(row["prompt"], row["n_repeats"], row["sd_repeats"]) for row in found["prompt_values"]] == [
        ("free", 2, pytest.approx(0.1)), ("role", 3, pytest.approx(0.08**0.5)), ("json", 1, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"a [free]": 0.4, "b [free]": 0.4, "c": 1.0}, None),
        ({"a [free]": 0.4, "a [free #2]": 0.6}, (0.5, None, 0.1)),
        ({"a [free]": 0.4, "a [role]": 0.6}, (0.5, 0.1, None)),
        ({"a [free]": 0.4, "a [role]": None}, (None, None, None)),
    ],
)
def test_one_prompt_one_repeat_and_undefined_values(values, expected):
    found = prompt_tables(_section(**values))
    if expected is None:
        assert found == {}
        return
    (row,) = found["prompts"]
    for part, wanted in zip(("mean", "sd_prompts", "sd_repeats"), expected, strict=True):
        assert row[part] == (None if wanted is None else pytest.approx(wanted)), part


def test_variants_are_in_no_pair():
    assert pairs_of_models(["a", "b"]) is None
    assert pairs_of_models(["a [x]", "b [x]"]) is None
    assert pairs_of_models(["a [x]", "a [y]", "b [x]"]) == []
    assert pairs_of_models(["a [x]", "a [y]", "b [x]", "c"]) == [("b [x]", "c")]


@pytest.mark.parametrize(
    ("raters", "count", "words"),
    [
        (["a", "b"], 0, ""),
        (["a [x]", "b [x]"], 0, ""),
        (["a [x]", "a [y]", "b [x]", "b [y]"], 1, "4 of the raters are 2 models"),
        (["a [x]", "a [x #2]", "a [y]"], 2, "a: x 2, y 1. Each prompt counts once"),
        (["a [x]", "a [y]", "b [x]"], 2, "a: x, y; b: x"),
    ],
)
def test_what_is_uneven_is_told(raters, count, words):
    told = warnings_of_variants(raters, False)
    assert len(told) == count and words in " ".join(told)


@pytest.fixture(scope="module")
def report():
    generator = np.random.default_rng(3)
    raters = ["gpt [x]", "gpt [y]", "gpt [y #2]", "gpt5 [x]", "gpt5 [y]"]
    cases = {}
    for i in range(30):
        cases[f"c{i}"] = {who: ["gout" if generator.random() < 0.5 else "flu", "sepsis"] for who in raters}
        cases[f"c{i}"]["truth"] = ["gout"]
    return evaluate(lists_of(cases), By(), bootstrap=30)


def test_every_metric_has_its_prompts(report):
    assert any("5 of the raters are 2 models" in text for text in report.warnings)
    assert any("Repeats of unequal number, gpt: x 1, y 2" in text for text in report.warnings)
    names = {row["name"] for row in report.rows_of("ranking.prompts")}
    assert {"Acc(M)@1", "MRR", "nDCG@10"} <= names
    assert {row["name"] for row in report.rows_of("recall.prompts")} == {"R_disease", "R_patient"}
    row = next(r for r in report.rows_of("ranking.prompts") if (r["algorithm"], r["name"]) == ("gpt", "MRR"))
    of = {who: report.row("MRR", algorithm=who)["value"] for who in ("gpt [x]", "gpt [y]", "gpt [y #2]")}
    assert row["mean"] == pytest.approx((of["gpt [x]"] + (of["gpt [y]"] + of["gpt [y #2]"]) / 2) / 2)


def _printed(report, full=False):
    console = Console(file=io.StringIO(), width=120)
    report.print(console, full=full)
    return console.file.getvalue()


def test_a_model_is_one_line_and_nothing_is_tested_unasked(report):
    assert report.difference_rows == []
    board = headline_table(report)
    assert [line[0] for _, lines in board.groups for line in lines] == ["gpt", "gpt5"]
    values = {who: report.row("Acc", algorithm=who, of="M", k=1)["value"] for who in report.algorithms}
    per_prompt = [values["gpt [x]"], (values["gpt [y]"] + values["gpt [y #2]"]) / 2]
    cell = board.groups[0][1][0][1]
    assert cell.row["value"] == pytest.approx(np.mean(per_prompt)) and cell.row["low"] is None
    assert cell.note == f"± {np.std(per_prompt):.3f}" and "population standard deviation over the prompts" in board.told
    each = variants_table(report)
    assert len(each.groups[0][1]) == 5 and each.title == "Every prompt and repeat"
    assert "on average, the first diagnosis of gpt is right" in " ".join(answer(report))


def test_short_output_holds_models_and_full_output_every_table(report):
    short, full = _printed(report), _printed(report, full=True)
    for rater in ("gpt [y #2]", "gpt5 [y]"):
        assert rater not in short.replace("\n", "") and rater in full
    assert "Each of the 5 raters on its own" in short and "over prompts" in full and "SD over repeats" in full
    assert "±" in report.to_markdown() and "gpt [x]" not in report.to_markdown().replace("\\", "")


def test_many_variants_do_not_flood_the_terminal():
    raters = [f"{model} [{prompt} #{n}]" for model in ("qwen", "llama") for prompt in "abcd" for n in range(1, 5)]
    cases = {f"c{i}": {who: ["gout", "flu"] for who in raters} | {"truth": ["gout"]} for i in range(12)}
    report = evaluate(lists_of(cases), By(), bootstrap=10)
    assert len(_printed(report).splitlines()) < 40 and "qwen [" not in _printed(report)


def test_variants_that_compare_names_are_compared(report):
    read = lists_of(
        {f"c{i}": {"gpt [x]": ["gout"], "gpt [y]": ["flu" if i % 2 else "gout"], "truth": ["gout"]} for i in range(12)}
    )
    found = evaluate(read, By(), bootstrap=10, compare=[("gpt [x]", "gpt [y]")])
    assert {(row["first"], row["second"]) for row in found.difference_rows} == {("gpt [y]", "gpt [x]")}
    assert "Differences in top-1" in _printed(found)


def test_mean_and_deviation_over_prompts_in_each_subset_and_their_average():
    """Tables 5 to 7 of ClinBench-HPB. Eyes: x right in 2 of 2, y in 1; skin: x in 1 of 4, y in 3."""
    right = {"gpt [x]": "110001", "gpt [y]": "101110"}
    cases = {
        f"c{i}": {who: ["gout" if said[i] == "1" else "flu"] for who, said in right.items()} | {"truth": ["gout"]}
        for i in range(6)
    }
    rows = [
        row | {"specialty": "eyes" if int(row["case_id"][1:]) < 2 else "skin"}
        for row in long_form(cases, {"truth": "reference", **dict.fromkeys(right, "algorithm")}).to_dict("records")
    ]
    report = evaluate(rows, By(), bootstrap=10, by="specialty")
    found = {
        (row["by"], row["group"]): (row["mean"], row["sd_prompts"])
        for row in report.rows_of("recall.prompts")
        if row["name"] == "R_disease"
    }
    assert found[None, None] == (pytest.approx((3 / 6 + 4 / 6) / 2), pytest.approx(1 / 12))
    assert found["specialty", "eyes"] == (pytest.approx(0.75), pytest.approx(0.25))
    assert found["specialty", "skin"] == (pytest.approx(0.5), pytest.approx(0.25))
    assert found["specialty", WEIGHTED] == found[None, None]
    assert found["specialty", "mean of the subsets"] == (pytest.approx(0.625), pytest.approx(0))
    first, _ = subgroup_tables(report)
    assert first[0].header == ["specialty", "cases", "gpt"]
    assert [line[2].note for line in first[0].groups[0][1]][:2] == ["± 0.250", "± 0.250"]
    assert f"gpt, specialty: {WEIGHTED} (x, y)" in _printed(report, full=True)


def test_the_table_of_prompts_has_a_form(report):
    section = next(s for s in report.sections if s.name == "recall")
    tables = family_tables(section, report.made_with["raters"])
    (shown,) = [table for table in tables if table.title == "Over prompts"]
    assert shown.header == ["", "mean", "SD over prompts", "SD over repeats"]
    assert [heading for heading, _ in shown.groups] == ["gpt (x, y)", "gpt5 (x, y)"]


def test_the_columns_of_a_table_that_was_asked_for():
    """As `dxmatch ask` writes it: the rater's name beside model, prompt and repeat."""
    rows = [
        {"case_id": f"c{i}", "rater": rater, "rank": 1, "diagnosis": "gout", "model": "gpt", "prompt": "x", "repeat": n, "reference": "gout"}
        for i in range(3)
        for n, rater in ((1, "gpt [x]"), (2, "gpt [x #2]"))
    ]  # fmt: skip
    report = evaluate(rows, By(), bootstrap=0)
    (row,) = [row for row in report.rows_of("ranking.prompts") if row["name"] == "MRR"]
    assert (row["algorithm"], row["mean"], row["sd_prompts"], row["sd_repeats"]) == ("gpt", 1.0, None, 0.0)
    assert report.difference_rows == []


def _two_models() -> dict[str, dict[str, list[str]]]:
    """base and tuned under free (twice) and json; base alone under role."""
    rng = np.random.default_rng(3)
    raters = [
        "base [free #1]",
        "base [free #2]",
        "base [json]",
        "base [role]",
        "tuned [free #1]",
        "tuned [free #2]",
        "tuned [json]",
    ]
    return {
        f"c{i}": {"truth": ["gout"]}
        | {rater: ["gout"] if rng.random() < (0.3 if "base" in rater else 0.7) else ["flu"] for rater in raters}
        for i in range(40)
    }


def test_two_models_are_compared_by_their_means_over_prompts():
    lists = lists_of(_two_models())
    report = evaluate(lists, By(), metrics="ranking", bootstrap=100, compare=[("base", "tuned")])
    (row,) = [row for row in report.difference_rows if row["name"] == "Acc(M)@1"]
    value = {row["algorithm"]: row["value"] for row in report.rows if row["name"] == "Acc(M)@1"}

    def mean(model):
        free = (value[f"{model} [free #1]"] + value[f"{model} [free #2]"]) / 2
        return (free + value[f"{model} [json]"]) / 2

    assert (row["first"], row["second"], row["n_cases"], row["n_comparisons"]) == ("tuned", "base", 40, 1)
    assert row["value"] == pytest.approx(mean("tuned") - mean("base")) and 0 < row["low"] < row["value"] < row["high"]
    # the sign test of its mean differences, by scipy
    right = {name: np.array([case[name] == ["gout"] for case in _two_models().values()]) for name in lists.raters}
    means = [
        ((right[f"{model} [free #1]"] + 0.0 + right[f"{model} [free #2]"]) / 2 + right[f"{model} [json]"]) / 2
        for model in ("tuned", "base")
    ]
    test = stats.permutation_test(
        (means[0] - means[1],), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(0)
    )
    assert row["p"] == pytest.approx(test.pvalue, abs=2e-3)
    (said,) = [text for text in report.warnings if "compared as models" in text]
    assert "tuned and base are compared as models: in each case the mean over the prompts free, json" in said
    assert "each first over its repeats" in said and "Without base [role]" in said
    assert difference_tables(report)[0][0].groups[0][1][0][0] == "tuned − base"


def test_models_beside_raters_and_in_groups():
    lists = lists_of(_two_models())
    lists = replace(lists, groups={"half": ["one" if i % 2 else "two" for i in range(40)]})
    report = evaluate(
        lists, By(), metrics="ranking", bootstrap=0, compare=[("base", "tuned"), ("base [json]", "tuned [json]")]
    )
    rows = [row for row in report.difference_rows if row["name"] == "Acc(M)@1"]
    assert [(row["first"], row["second"]) for row in rows] == [("tuned", "base"), ("tuned [json]", "base [json]")]
    plain = evaluate(lists, By(), metrics="ranking", bootstrap=0, compare=[("base [json]", "tuned [json]")])
    (alone,) = [row for row in plain.difference_rows if row["name"] == "Acc(M)@1"]
    assert rows[1]["value"] == alone["value"] and not [text for text in plain.warnings if "compared as models" in text]
    parts = [row for row in report.subgroup_difference_rows if row["name"] == "Acc(M)@1" and row["first"] == "tuned"]
    assert np.mean([row["value"] for row in parts]) == pytest.approx(rows[0]["value"])


def test_a_case_without_an_answer_to_a_prompt_is_out():
    cases = _two_models()
    del cases["c0"]["tuned [json]"], cases["c1"]["base [free #1]"]
    frame = [
        {"case_id": case, "rater": rater, "rank": 1, "diagnosis": names[0], "reference": "gout"}
        for case, of in cases.items()
        for rater, names in of.items()
        if rater != "truth"
    ]
    report = evaluate(frame, By(), metrics="ranking", bootstrap=0, missing="own", compare=[("base", "tuned")])
    (row,) = [row for row in report.difference_rows if row["name"] == "Acc(M)@1"]
    # of c0 tuned has no answer to json; of c1 base has the other repeat of free
    assert row["n_cases"] == 39


def test_models_without_a_prompt_in_common():
    cases = {"c": {"truth": ["gout"], "base [free]": ["gout"], "tuned [json]": ["gout"]}}
    with pytest.raises(OptionError, match="a prompt in common.*tuned: json; base: free"):
        evaluate(lists_of(cases), By(), bootstrap=0, compare=[("base", "tuned")])


def test_a_column_of_a_repeat_is_no_rank():
    row = {"reference": "gout", "gpt [x #1]": "gout; flu", "gpt [x #2]": "flu; gout", "gpt [y #1]": "flu"}
    report = evaluate([{"case_id": f"c{i}", **row} for i in range(3)], By(), bootstrap=0)
    assert report.made_with["raters"] == ["gpt [x #1]", "gpt [x #2]", "gpt [y #1]"]
    ranks = [
        {"case_id": f"c{i}", "reference": "gout", "gpt [rank #1]": "gout", "gpt [rank #2]": "flu"} for i in range(3)
    ]
    assert evaluate(ranks, By(), bootstrap=0).made_with["raters"] == ["gpt"]
