"""Every metric in the cases of each subgroup."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.report.comparisons import subgroup_tables
from dxmatch.evaluation.statistics.averages import AVERAGES
from dxmatch.evaluation.statistics.subgroups import subgroup_rows

GROUPS = [
    "skin",
    "skin",
    "heart",
    "skin",
    "heart",
    None,
    "eye",
    "skin",
    "skin",
    "heart",
    "heart",
    "heart",
    None,
    "skin",
]


@pytest.fixture(scope="module")
def report(everything, same_text):
    lists = replace(read_lists(everything()), groups={"specialty": GROUPS})
    return evaluate(lists, same_text, bootstrap=40, seed=2)


def test_a_group_is_an_evaluation_of_its_cases(report, everything, same_text):
    """Every value and interval is that of the lists of these cases alone."""
    frame = everything()
    for group in ("skin", "heart"):
        cases = {f"c{i:02}" for i, value in enumerate(GROUPS) if value == group}
        alone = evaluate(frame[frame["case_id"].isin(cases)], same_text, bootstrap=40, seed=2)
        rows = [row for row in report.subgroup_rows if row["group"] == group]
        assert len(rows) > 100 and {row["by"] for row in rows} == {"specialty"}
        for row in rows:
            expected = alone.row(row["metric"], algorithm=row["algorithm"], k=row["k"], of=row["of"])
            for end in ("value", "low", "high", "n_cases"):
                assert row[end] == (None if expected[end] is None else pytest.approx(expected[end])), (row["name"], end)


def test_small_groups_say_so(report):
    groups = list(dict.fromkeys(row["group"] for row in report.subgroup_rows))
    assert groups == ["eye", "heart", "skin", None, *AVERAGES]
    one = [row for row in report.subgroup_rows if row["group"] == "eye" and row["name"] == "MRR"]
    assert {row["n_cases"] for row in one} == {1} and {row["low"] for row in one} == {None}
    assert all(row["reason"] == "1 case only; no interval: one case cannot be resampled" for row in one)
    blank = [row for row in report.subgroup_rows if row["group"] is None and row["name"] == "MRR"]
    assert all(row["reason"].startswith("2 cases only") for row in blank)
    assert list(report.subgroups.column_names if hasattr(report.subgroups, "column_names") else report.subgroups.columns)[:4] == ["by", "group", "algorithm", "metric"]  # fmt: skip


def test_a_group_of_ten_is_not_small(everything, same_text):
    frame = everything()
    halves = ["many"] * 10 + ["few"] * 4
    found = evaluate(
        replace(read_lists(frame), groups={"specialty": halves}), same_text, bootstrap=20, metrics="ranking"
    )
    rows = [row for row in found.subgroup_rows if row["name"] == "MRR" and row["group"] not in AVERAGES]
    few = {row["group"]: "cases only" in row["reason"] for row in rows}
    assert few == {"few": True, "many": False}
    (table,), _ = subgroup_tables(found)
    assert table.warns == "1 group has fewer than 10 cases: too few to tell models apart."


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["Urology", "urology", "Skin", None], ["In 'specialty' names that differ only in capitals or blanks are groups of their own: 'Urology' and 'urology'."]),
        (["Urology", "Skin", None], []),
    ],
)  # fmt: skip
def test_names_of_groups_that_differ_in_capitals_are_told(everything, same_text, values, said):
    groups = [values[i % len(values)] for i in range(14)]
    lists = replace(read_lists(everything()), groups={"specialty": groups})
    found = evaluate(lists, same_text, bootstrap=0, metrics="recall")
    assert [line for line in found.warnings if "specialty" in line] == said


def test_a_group_without_a_case_of_the_metric(report, everything, same_text):
    """Its reference is missing in every case of the group."""
    frame = everything()
    eye = frame["case_id"] == "c06"
    frame.loc[eye, ["reference", "reference_icd10", "reference_severity"]] = None
    lists = replace(read_lists(frame), groups={"specialty": GROUPS})
    found = evaluate(lists, same_text, bootstrap=20, metrics=["ranking", "recall"])
    rows = [row for row in found.subgroup_rows if row["group"] == "eye"]
    assert rows and all((row["value"], row["n_cases"]) == (None, 0) for row in rows)
    assert all(row["reason"].startswith("0 cases only") for row in rows)


def test_no_group_no_row():
    assert subgroup_rows([], {}, [], None) == []
