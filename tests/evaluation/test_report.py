"""Tables, words and files of a report; the page has its own tests."""

from __future__ import annotations

import io
import json

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from rich.console import Console

from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.report.charts.all_figures import all_figures
from dxmatch.evaluation.report.messages import place_of, verdict
from dxmatch.files.spreadsheet import without_formulas

NASTY = '<script>alert("x")</script>&\'[bold]'
FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-ve culture",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1+1",
    "＝1+1",
    '=HYPERLINK("x")',
]
PLAIN = ["gout", "3-methylglutaconic aciduria", "-1.5", "+2", "a=b", "'quoted", 'says "x", then y\nand z', "O'Brien"]


@pytest.fixture
def report(panel, to_frame, hand_matcher):
    return evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=100)


def test_json_holds_everything(full_report, report, tmp_path):
    full_report.save(tmp_path / "r.json")
    read = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert read == json.loads(full_report.to_json())
    assert read["table"] == full_report.arrow.to_pylist() and read["per_case"] == full_report.per_case_columns
    assert read["tables"]["relative.curves"] == full_report.rows_of("relative.curves")
    assert set(read["tables"]) == set(full_report.tables)
    assert read["made_with"]["bootstrap"] == 60 and read["made_with"]["seed"] == 0
    assert read["answer"] == str(full_report).split("\n")
    assert [s["name"] for s in read["sections"]] == [
        "relative", "ranking", "recall", "hierarchical", "weighted", "agreement",
    ]  # fmt: skip
    assert read["left_out"] == {} and read["made_with"]["versions"]["dxmatch"]
    undefined = next(row for row in json.loads(report.to_json())["table"] if row["name"] == "P_opt@1")
    assert undefined["value"] is None and undefined["reason"]


def test_per_case_has_a_row_for_whoever_is_judged(full_report):
    """The experts have no mu of an algorithm, but scores against the reference."""
    frame = full_report.per_case
    assert list(frame.columns[:2]) == ["case_id", "algorithm"] and len(frame) == 14 * 5
    experts = frame[frame["algorithm"] == "X"]
    assert experts["mu_AE_mean"].isna().all() and experts["Severity"].notna().all()
    own = frame[frame["algorithm"] == "A"]
    for values, metric, of, scale in (
        ("Semantic", "Semantic", "", 1), ("mu_AE_mean", "P", "AE mean", 9), ("chi_EE_mean", "R", "EE mean", 1),
    ):  # fmt: skip
        row = full_report.row(metric, algorithm="A", of=of)
        assert own[values].mean() / scale == pytest.approx(row["value"])


def test_csv_is_the_table(full_report, tmp_path):
    full_report.save(tmp_path / "r.csv")
    read = pa_csv.read_csv(tmp_path / "r.csv")
    assert read.column_names == list(full_report.table) and len(read) == len(full_report.rows)
    values = [value for value in full_report.arrow.column("value").to_pylist() if value is not None]
    assert [v for v in read.column("value").to_pylist() if v is not None] == pytest.approx(values)


@pytest.mark.parametrize("spreadsheet", [False, True])
def test_csv_of_names_that_are_formulas(panel, to_frame, hand_matcher, tmp_path, spreadsheet):
    frame = to_frame(panel).replace({"rater": {"A": "-ve culture", "X": "=1+1"}})
    made = evaluate(frame, hand_matcher, k=2, algorithms=["-ve culture"], bootstrap=0)
    made.save(tmp_path / "r.csv", spreadsheet=spreadsheet)
    names = set(pa_csv.read_csv(tmp_path / "r.csv").column("algorithm").to_pylist())
    assert names == {"'-ve culture" if spreadsheet else "-ve culture"}


def test_without_formulas():
    table = pa.table({"text": [*FORMULAS, *PLAIN, None], "number": [-1.5] * (len(FORMULAS) + len(PLAIN) + 1)})
    safe = without_formulas(table)
    assert safe.column("text").to_pylist() == [*("'" + text for text in FORMULAS), *PLAIN, None]
    assert safe.column("number").equals(table.column("number"))
    coded = pa.table({"text": table.column("text").dictionary_encode()})
    assert without_formulas(coded).column("text").to_pylist() == safe.column("text").to_pylist()


def printed(report, width=600, full=True):
    out = io.StringIO()
    report.print(Console(file=out, width=width), full=full)
    return out.getvalue()


def test_terminal(panel, to_frame, hand_matcher, full_report):
    shown = printed(evaluate(to_frame(panel), hand_matcher, k=2, hardness=0.0, algorithms=["A"], bootstrap=100))
    for needed in (
        "A reaches RPAD(H=0)@2 3.000", "best over worst (P_opt, R_opt)", "precision P", "undefined", "Match function: by-hand",
        "Left out: hierarchical:", "Left out: recall:",
    ):  # fmt: skip
        assert needed in shown
    titles = [section.title for section in full_report.sections if section.name not in ("relative", "recall")]
    # every case has one reference: then three metrics are one
    for needed in (
        *titles,
        "HDF1@3",
        "aggregated(Severity, hard)",
        "Acc(M)@3 = Acc(code)@3 = Acc(category)@3 = R_disease@3 = R_patient@3",
    ):
        assert needed in printed(full_report)
    renamed = to_frame(panel).assign(rater=lambda frame: NASTY + frame["rater"])
    assert NASTY in printed(evaluate(renamed, hand_matcher, k=2, in_turn=True, bootstrap=20))


def test_save_refuses_and_leaves_nothing(report, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"\.html, \.json, \.csv, \.xlsx, \.md, \.tex"):
        report.save(tmp_path / "r.pdf")
    with pytest.raises(InputError, match="the folder for the report is absent"):
        report.save(tmp_path / "nowhere" / "r.json")
    monkeypatch.setattr("dxmatch.evaluation.report.page.page", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report.save(tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_rows_and_tables_by_name(full_report):
    for absent in ({"algorithm": "nobody"}, {"k": 9}):
        with pytest.raises(OptionError, match="of the table"):
            full_report.row("RPAD", **absent)
    for name in ("relative.pairs", "relative.disagreements", "hierarchical.chapters", "weighted.quadrants"):
        assert full_report.tables[name].shape[0] == len(full_report.rows_of(name)) > 0
    assert full_report.rows_of("relative.nothing") == full_report.rows_of("nothing") == []


def test_pairs_are_the_rates_behind_the_means(full_report):
    pairs = full_report.tables["relative.pairs"]
    rate = {frozenset((r.first, r.second)): r.value for r in pairs[pairs["metric"] == "P"].itertuples()}
    met = [rate[frozenset(("B", expert))] for expert in "XYZ"]
    among = [rate[frozenset(pair)] for pair in ("XY", "XZ", "YZ")]
    assert full_report.row("P", algorithm="B", of="AE mean")["value"] == pytest.approx(sum(met) / 3)
    assert full_report.row("P", algorithm="B", of="EE mean")["value"] == pytest.approx(sum(among) / 3)
    assert {frozenset(("A", "B"))} & set(rate) == set(), "no panel compares two algorithms"


def test_disagreements_by_hand(panel, to_frame, hand_matcher):
    """In case two A meets X twice, Y and Z once, mean 4/3; the experts meet each other 0, 2 and 1 times, mean 1.

    In case one both means are 2/3. So only where A loses "asthma" of case two does the panel agree more than with A.
    """
    panel["two"]["A"] = ["gout", "copd"]
    rows = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0).rows_of("relative.disagreements")
    assert {(row["case_id"], row["mu_AE_mean"], row["mu_EE_mean"]) for row in rows} == {("two", 1 / 3, 1.0)}
    columns = ("role", "diagnosis", "nearest", "probability", "match")
    told = {(row["rater"], row["rank"]): tuple(row[column] for column in columns) for row in rows}
    assert told["A", 2] == ("algorithm", "copd", "copd", 1.0, True)
    assert told["A", 1][3:] == (0.0, False)
    assert told["Y", 1] == ("expert", "copd", "copd", 1.0, True)
    assert told["X", 2][1] == "asthma" and told["X", 2][3:] == (0.0, False)


def test_disagreements_show_lists_without_a_diagnosis(panel, to_frame, hand_matcher):
    panel["two"]["A"] = ["none", "none"]
    frame = to_frame(panel).assign(reference=lambda f: f["case_id"].map({"one": "angina", "two": "asthma"}))
    made = evaluate(frame, hand_matcher, k=2, algorithms=["A"], bootstrap=0, no_diagnosis=["none"], metrics="relative")
    told = {(r["role"], r["rater"], r["rank"]): r for r in made.rows_of("relative.disagreements")}
    assert told["reference", "reference", 1]["diagnosis"] == "asthma"
    assert told["algorithm", "A", 1]["diagnosis"] is None and told["algorithm", "A", 1]["probability"] is None
    assert told["expert", "X", 1]["nearest"] is None


@pytest.mark.parametrize(
    ("low", "high", "place", "words"),
    [(0.8, 0.9, -1, "less than they agree among themselves (the interval lies below 1)"),
     (0.8, 1.1, 0, "about as much as they agree among themselves (the interval includes 1)"),
     (1.01, 1.2, 1, "more than they agree among themselves (the interval lies above 1)"),
     (1 + 1e-15, 1 + 1e-15, 0, "includes 1"),
     (None, None, None, "this says nothing sure")],
)  # fmt: skip
def test_words_follow_the_interval(low, high, place, words):
    row = {"metric": "RPAD", "value": 1.0, "low": low, "high": high, "hardness": 1.0, "reason": ""}
    assert place_of(row) == place and words in verdict(row)
    if place is not None:
        assert "the panel's own level at hardness 0.5" in verdict(row | {"hardness": 0.5})


def test_several_algorithms_stand_in_one_sentence(full_report, to_frame, same_text):
    lines = str(full_report).split("\n")
    assert lines[0] == "Over 14 cases, each algorithm against 3 experts; 1 is what they reach among themselves."
    assert lines[1].startswith("RPAD@3, how much they agree: above 1 for A ")
    cases = {f"c{i}": {"A": ["gout"], "B": ["gout"], "X": ["gout"], "Y": ["sepsis"]} for i in range(3)}
    never = evaluate(to_frame(cases), same_text, k=1, algorithms=["A", "B"], bootstrap=0)
    assert "A undefined: no two experts match in any case at k = 1; B undefined" in str(never)


def test_equal_reports_are_equal_bytes(panel, to_frame, hand_matcher):
    one, two = (evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"]).to_json() for _ in range(2))
    assert one == two


def test_labelled_pairs_give_a_section_of_its_own(everything, same_text):
    """Experts label what M got right: the corrected values are M's own, and the charts stay those of M."""
    frame = everything()
    words = sorted(set(frame["diagnosis"]))
    labelled = pd.DataFrame([{"a": a, "b": b, "label": int(a == b)} for i, a in enumerate(words) for b in words[:i]])
    options = {"metrics": "relative", "bootstrap": 50}
    report, without = evaluate(frame, same_text, labelled=labelled, **options), evaluate(frame, same_text, **options)
    assert [section.name for section in report.sections] == ["relative", "correction"]
    plain, corrected = (report.row("RPAD", of=of)["value"] for of in ("", "corrected"))
    assert corrected == pytest.approx(plain)
    assert all_figures(report)[0].rows == all_figures(without)[0].rows
    with pytest.raises(OptionError, match="labelled"):
        evaluate(frame, same_text, metrics="recall", labelled=labelled)


@pytest.mark.parametrize("table", ["curves", "comparisons"])
def test_a_table_of_a_family_that_was_left_out_is_refused_with_what_was_missing(everything, same_text, table):
    frame = everything()
    report = evaluate(frame[frame["rater"].isin(["A", "X"])], same_text, bootstrap=0)
    with pytest.raises(OptionError, match=rf"relative was left out: it lacks .*Got 'relative\.{table}'"):
        getattr(report, table)
