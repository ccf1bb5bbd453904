"""Averages over subsets, groups of models, and two runs of one model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.report.comparisons import headline_table, subgroup_tables
from dxmatch.evaluation.statistics.averages import PLAIN, WEIGHTED, average_rows
from dxmatch.evaluation.statistics.estimates import estimates
from dxmatch.evaluation.statistics.measure import Measure, ratio
from dxmatch.evaluation.statistics.named import groups_of_raters, named_pairs
from dxmatch.evaluation.statistics.section import Context
from dxmatch.evaluation.statistics.subgroups import differences_among

from .made import By, lists_of


@pytest.mark.parametrize(
    ("of_subsets", "sizes", "printed"),
    [
        ((0.319, 0.379, 0.090), (120, 167, 50), 0.315),
        ((0.490, 0.525, 0.110), (120, 167, 50), 0.451),
        ((0.443, 0.720, 0.598), (175, 614, 393), 0.639),
        ((0.587, 0.802, 0.641), (175, 614, 393), 0.717),
    ],
)
def test_the_averages_that_clinbench_prints(of_subsets, sizes, printed):
    """Avg_p and Avg_d of Table 3, from the printed recalls of the three subsets and their numbers of patients and diseases."""
    found = {}
    for i, (value, size) in enumerate(zip(of_subsets, sizes, strict=True)):
        columns = (np.array([[value * size]]), np.array([[float(size)]]))
        measure = Measure("disease_recall", ["gpt"], columns, np.array([0]), combine=ratio)
        found[str(i)] = estimates([measure], ["c"], Context(By(), repeats=0))
    rows = {row["group"]: row for row in average_rows(found, Context(By(), repeats=0))}
    assert rows[WEIGHTED]["value"] == pytest.approx(printed, abs=6e-4)
    assert rows[PLAIN]["value"] == pytest.approx(np.mean(of_subsets))


CASES = {
    **{
        f"s{i}": {"truth": ["gout", "flu", "asthma"], "A": ["gout", "flu"] if i < 3 else ["copd"], "B": ["gout"]}
        for i in range(4)
    },
    **{f"h{i}": {"truth": ["sepsis"], "A": ["sepsis" if i % 2 else "copd"], "B": ["sepsis"]} for i in range(8)},
    **{f"n{i}": {"truth": ["mi"], "A": ["mi"], "B": ["copd"]} for i in range(2)},
}
OF = [None if name[0] == "n" else "small" if name[0] == "s" else "large" for name in CASES]


@pytest.fixture(scope="module")
def lists():
    return replace(lists_of(CASES), groups={"set": OF})


@pytest.fixture(scope="module")
def report(lists):
    groups = {"proprietary": ["A"], "open": "B"}
    return evaluate(lists, By(), bootstrap=200, groups=groups, compare=[("A", "B")])


def _row(report, group, metric, rater):
    rows = [r for r in report.subgroup_rows if (r["group"], r["metric"], r["algorithm"]) == (group, metric, rater)]
    return rows[0]


@pytest.mark.parametrize(
    ("metric", "group", "expected"),
    [
        ("R_disease", WEIGHTED, (6 + 4) / (12 + 8)),
        ("R_disease", PLAIN, (6 / 12 + 4 / 8) / 2),
        ("R_patient", WEIGHTED, (0 * 4 + 0.5 * 8) / 12),
        ("R_patient", PLAIN, (0 + 0.5) / 2),
        ("MRR", WEIGHTED, (3 + 4) / 12),
        ("MRR", PLAIN, (3 / 4 + 4 / 8) / 2),
    ],
)
def test_averages_of_an_evaluation_by_hand(report, metric, group, expected):
    """The two cases without a value are in neither average."""
    row = _row(report, group, metric, "A")
    assert row["value"] == pytest.approx(expected) and row["n_cases"] == 12
    assert row["low"] is None or row["low"] <= row["value"] <= row["high"]


def test_the_resamples_of_groups_of_one_size_do_not_move_together():
    values = np.arange(8.0)[:, None]
    found = {
        name: estimates([Measure("mrr", ["A"], (values,), np.arange(8))], [f"{i}" for i in range(8)], Context(By(), repeats=2000))
        for name in "ab"
    }  # fmt: skip
    one = found["a"][0]
    row = average_rows(found, Context(By(), repeats=2000))[0]
    width = row["high"] - row["low"]
    alone = np.subtract(*np.quantile(one.repeats[:, 0], [0.975, 0.025]))
    assert width == pytest.approx(alone / 2**0.5, rel=0.1)


def test_a_group_in_which_a_metric_is_undefined_is_left_out_and_named(lists):
    measure = Measure("mrr", ["A"], (np.array([[0.5], [np.nan]]),), np.arange(2))
    context = Context(By(), repeats=0)
    found = {name: estimates([measure], ["x", "y"], context, np.arange(2) == at) for at, name in enumerate("ab")}
    for row in average_rows(found, context):
        assert row["value"] == 0.5 and "without 'b', where it is undefined" in row["reason"].replace('"', "'")
    assert average_rows({"a": found["a"]}, context) == []


def test_groups_of_models_in_results_and_tables(report):
    assert [report.group_of(who) for who in ("A", "B", "C")] == ["proprietary", "open", None]
    assert "group_of_models" in report.arrow.column_names
    board = headline_table(report)
    assert board is not None and board.header[1] == "group"
    assert {str(line[0]): line[1] for _, lines in board.groups for line in lines} == {"A": "proprietary", "B": "open"}


def test_without_groups_nothing_is_added(lists):
    plain = evaluate(lists, By(), bootstrap=0)
    assert "group_of_models" not in plain.arrow.column_names and headline_table(plain).header[1] != "group"
    assert plain.subgroup_difference_rows == []


def test_the_difference_of_two_runs_in_every_group(report):
    rows = {row["group"]: row for row in report.subgroup_difference_rows if row["metric"] == "MRR"}
    assert {group: row["value"] for group, row in rows.items()} == {
        "large": pytest.approx(0.5), "small": pytest.approx(0.25), None: pytest.approx(-1),
    }  # fmt: skip
    assert rows["large"]["n_cases"] == 8 and rows["large"]["n_comparisons"] == 1
    # 4 of 8 cases differ, all one way: 2 / 2^4
    assert rows["large"]["p"] == pytest.approx(0.125)
    titles = [table.title for part in subgroup_tables(report) for table in part]
    assert any(title.startswith("Differences in") and title.endswith("by set") for title in titles)
    metrics = {row["name"] for row in report.difference_rows}
    assert {row["name"] for row in report.subgroup_difference_rows} == metrics


def test_only_the_named_pairs_are_tested():
    cases = {name: of | {"gpt": of["A"]} for name, of in CASES.items()}
    report = evaluate(lists_of(cases), By(), bootstrap=20, compare={"A": "B", "B": "gpt"})
    assert {(row["first"], row["second"]) for row in report.difference_rows} == {("B", "A"), ("gpt", "B")}, (
        "tuned less base"
    )
    assert {row["n_comparisons"] for row in report.difference_rows if row["metric"] == "MRR"} == {2}


def test_the_differences_among_some_cases(report, lists):
    """What a table of chapters needs: any mask of cases."""
    measures = [one for section in report.sections for one in section.estimates]
    among = np.array([name[0] == "h" for name in lists.cases])
    rows = differences_among(measures, among, [("A", "B")], lists.cases, Context(By(), repeats=20))
    assert next(row for row in rows if row["metric"] == "MRR")["value"] == pytest.approx(-0.5)


@pytest.mark.parametrize("given", [[("A", "C")], [("A", "A")], [("A", "B"), ("B", "A")], ["AB"], [("A", "B", "A")], []])
def test_pairs_that_are_none_are_refused(given):
    with pytest.raises(OptionError, match="compare"):
        named_pairs(given, ["A", "B"])


@pytest.mark.parametrize("given", [{"x": ["A", "C"]}, {"x": ["A"], "y": ["A"]}])
def test_groups_that_are_none_are_refused(given):
    with pytest.raises(OptionError, match="groups"):
        groups_of_raters(given, ["A", "B"])


def test_a_column_that_is_blank_throughout_is_told(lists):
    report = evaluate(replace(lists, groups={"set": [None] * len(CASES)}), By(), bootstrap=0)
    assert any("blank in every case" in text for text in report.warnings)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--compare", "A=B", "--group", "one=A", "--group", "two=B"], 0, "group"),
        (["--compare", "A=C"], 1, "names of raters"),
        (["--compare", "A"], 2, "BASE=TUNED"),
        (["--group", "one=C"], 1, "names of raters"),
        (["--group", "one"], 2, "NAME=RATER"),
    ],
)
def test_pairs_and_groups_on_the_command_line(tmp_path, words, code, said):
    from typer.testing import CliRunner

    from dxmatch.cli.main import app

    from .made import long_form

    path = tmp_path / "lists.csv"
    long_form({f"c{i}": {"A": ["gout"], "B": ["influenza"]} for i in range(3)}).assign(reference="gout").to_csv(
        path, index=False
    )
    done = CliRunner().invoke(app, ["evaluate", str(path), "--metrics", "ranking", "--bootstrap", "20", *words])
    assert (done.exit_code, said in done.output or said in str(done.exception)) == (code, True), done.output


ROWS = [
    {"case_id": case, "model": model, "rank": 1, "dx": "gout", "reference": "gout", "vendor": vendor}
    for case in ("1", "2")
    for model, vendor in (("A", "open"), ("B", "proprietary"), ("C", None))
]


@pytest.mark.parametrize("name", ["model_group", "Model group", "vendor"])
def test_groups_of_models_from_a_column(name):
    rows = [{name if key == "vendor" else key: value for key, value in row.items()} for row in ROWS]
    columns = {"group": "vendor"} if name == "vendor" else None
    report = evaluate(rows, By(), bootstrap=0, columns=columns)
    assert [report.group_of(who) for who in "ABC"] == ["open", "proprietary", None]
    # the option goes before it
    named = evaluate(rows, By(), bootstrap=0, columns=columns, groups={"mine": ["A", "C"]})
    assert [named.group_of(who) for who in "ABC"] == ["mine", "proprietary", "mine"]


def test_groups_of_models_of_lists_in_cells_and_in_files(tmp_path):
    rows = [{**row, "dx": "1. gout\n2. sepsis", "model_group": row["vendor"]} for row in ROWS]
    cells = [{key: value for key, value in row.items() if key not in ("rank", "vendor")} for row in rows]
    assert read_lists(cells).model_groups == {"A": "open", "B": "proprietary"}
    for model in "AB":
        own = [{key: value for key, value in row.items() if key != "model"} for row in cells if row["model"] == model]
        pd.DataFrame(own).to_csv(tmp_path / f"{model}.csv", index=False)
    assert read_lists(tmp_path).model_groups == {"A": "open", "B": "proprietary"}


def test_a_column_group_is_none_of_models_by_itself():
    rows = [{("group" if key == "vendor" else key): value for key, value in row.items()} for row in ROWS]
    assert not read_lists(rows).model_groups and read_lists(rows, columns={"group": "group"}).model_groups


def test_two_groups_of_one_model_are_refused():
    rows = [*ROWS[:-1], {**ROWS[-3], "case_id": "3", "vendor": "closed"}]
    with pytest.raises(
        InputError, match=r"row 5, column 'vendor': the model_group differs within the rater 'A'.*'open'.*'closed'"
    ):
        read_lists(rows, columns={"group": "vendor"})
