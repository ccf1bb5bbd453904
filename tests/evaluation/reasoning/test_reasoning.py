"""DiReCT's metrics on three invented notes, by hand; which observations correspond; what is read of files; runs side by side, a judge, people, the page, the command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.reasoning import evaluate
from dxmatch.files.tables import read_table
from dxmatch.tests.command_line import typed

from ...chromium import CHROMIUM, tab
from ..made import By, Says, find, rows_in, told, written

FILES: dict[str, Any] = json.loads((Path(__file__).parent / "files.json").read_text("utf-8"))
"""Name -> content of the files of two graphs, three notes, and two runs: one perfect, one that lacks a note."""
ALIKE = [
    {"crystals in the joint fluid", "joint fluid with crystals"}, {"crystals prove gout", "crystals are the proof"},
    {"uric acid 9.1", "uric acid of 9.1"}, {"red big toe", "swollen <b>toe</b>"}, {"Wheeze", "wheeze"},
]  # fmt: skip


def matcher() -> By:
    """M by the pairs of `ALIKE`."""
    return By(lambda a, b: {a, b} in ALIKE)


def compared(folder: Path, changes: dict[str, Any] | None = None, **options: Any) -> dxmatch.Report:
    """The report of the three notes with changed files."""
    written(folder, FILES | (changes or {}))
    given = {"predictions": folder / "run", "matcher": matcher(), "resampling": {"resamples": 0}} | options
    folders = [given.pop(name, folder / name) for name in ("graphs", "notes")]
    return dxmatch.reasoning(*folders, given.pop("predictions"), **given)


def values(report: dxmatch.Report, group: str | None = None) -> dict[str, Any]:
    """Symbol -> value by M, over all notes or one group."""
    rows = report.rows if group is None else [row for row in report.groups.rows if row["group"] == group]
    return {row["metric"]: row["value"] for row in rows if row["of"] == ""}


@pytest.fixture
def both(tmp_path):
    """The report of two runs; options as of `compared`."""

    def run(**options):
        return compared(tmp_path, **{"predictions": [tmp_path / "run", tmp_path / "perfect"]} | options)

    return run


def test_a_note_without_prediction(tmp_path):
    """The values by hand: tests/evaluation/score/by_hand.csv, and the golden runs."""
    report = compared(tmp_path)
    # the deviation of the population, as the source prints it
    assert report.row("Obs_rec")["sd"] == pytest.approx(np.std([3 / 4, 1 / 2, 0]))
    assert "No prediction for 1 of 3 notes in run: they count as 0 in every metric." in told(report)
    # an empty prediction: 0 of 0 is 0, or no figure
    changes = {"run/Gout/toe.json": {"chain": []}, "run/Asthma/night.json": None}
    assert {*values(compared(tmp_path, changes)).values()} == {0}
    own = values(compared(tmp_path, changes, missing="own"))
    assert (own["Obs_pre"], own["Obs_rec"], own["Exp_com"]) == (None, 0, None)
    report = compared(tmp_path, domains={"gout": "Joints"})
    assert values(report, group="Joints")["Acc_diag"] == 1 and "o medical domain is known of Asthma" in told(report)


def test_each_pair_of_texts_is_asked_once_the_annotated_one_first(tmp_path):
    m = matcher()
    changes = {"run/Asthma/night.json": None, "notes/Asthma/night.json": FILES["notes/Asthma/day.json"]}
    compared(tmp_path, changes, matcher=m)
    assert len(m.asked) == len({frozenset(pair) for pair in m.asked}) and not any("--" in pair for pair in m.asked)
    one_way = {("red big toe", "swollen <b>toe</b>"), ("uric acid of 9.1", "uric acid 9.1")}
    m = By(lambda a, b: (a, b) in one_way, policy="narrower-counts")
    rows = {row["note"]: row["paired"] for row in compared(tmp_path, matcher=m).rows_of("reasoning.notes")}
    assert rows["Gout/toe.json"] == 1


# The correspondence


def correspondence(table, least, pairing="best"):
    """Which of the observations a0, a1, … and b0, b1, … correspond. table : what M says of each two."""
    m = By(lambda a, b: table[int(a[1:])][int(b[1:])] if (a[0], b[0]) == ("a", "b") else 0.0, threshold=least)
    causes = {f"why {i}$Cause_1": {f"a{i}$Input1": {}} for i in range(len(table))}
    predicted = {f"b{j}": ["why", "input1", "Gout"] for j in range(len(table[0]))}
    files = {
        "graphs/Gout.json": {"diagnostic": {"Suspected Gout": {"Gout": []}}, "knowledge": {}},
        "notes/n.json": {"input1": "", "Gout$Intermedia_2": {**causes, "Suspected Gout$Intermedia_1": {}}},
        "run/n.json": {**predicted, "chain": []},
    }
    with TemporaryDirectory() as place:
        folders = [written(Path(place), files) / name for name in ("graphs", "notes", "run")]
        found = dxmatch.reasoning(*folders, matcher=m, pairing=pairing, resampling={"resamples": 0})
    rows = [row for row in found.rows_of("reasoning.deductions") if row["kind"] == "common"]
    return [(int(row["observation"][1:]), int(row["predicted_observation"][1:])) for row in rows]


@pytest.mark.parametrize(
    "row", rows_in("reasoning/correspondences"), ids=lambda row: f"{row['table']} {row['pairing']}"
)
def test_which_observations_correspond(row):
    """correspondences.csv: greedy takes the first that is alike, not the likest; of one weight, more pairs are better."""
    found = correspondence(json.loads(row["table"]), float(row["least"]), row["pairing"])
    assert found == [tuple(pair) for pair in json.loads(row["found"])]


# Several runs, a judge, and people

LABELS = """run,note,observation,predicted,label_ann,label_bob,label_cy,rationale_label
run,Gout/toe.json,red big toe,swollen <b>toe</b>,1,yes,0,0
run,Gout/toe.json,uric acid 9.1,fever,1,1,true,
run,Gout/toe.json,uric  acid 9.1,joint fluid with crystals,0,0,1,0
run,Asthma/night.json,wheeze,Wheeze,1,0,,1
perfect,Asthma/night.json,wheeze,third stay this year,0,no,0,
"""


@pytest.mark.parametrize("row", rows_in("reasoning/refused"), ids=lambda row: row["options"])
def test_options_that_are_wrong(tmp_path, row):
    """refused.csv: options -> the option that is named, and what is allowed."""
    with pytest.raises(OptionError, match=row["names"]):
        compared(tmp_path, **json.loads(row["options"]))


NONE_LABELLED = f"{LABELS.partition(chr(10))[0]}\nrun,Gout/toe.json,red big toe,fever,,,,\n"


@pytest.mark.parametrize("row", [*rows_in("reasoning/wrong_labels"), {"given": LABELS, "changed": NONE_LABELLED, "names": "no pair is labelled"}], ids=lambda row: row["names"])  # fmt: skip
def test_labels_that_are_wrong(both, tmp_path, row):
    """wrong_labels.csv: a text of the labels, what stands in its place, and what the error names."""
    assert row["given"] in LABELS
    written(tmp_path, {"l.csv": LABELS.replace(row["given"], row["changed"])})
    with pytest.raises(InputError, match=rf"l\.csv.*{row['names']}"):
        both(human=tmp_path / "l.csv")


def test_the_page_shows_notes_in_the_browser_of_cases(both, monkeypatch):
    page = both().to_html()
    assert "<b>toe" not in page and "toe \\u003c/b" not in page
    assert page.index("Acc_diag") < page.index("Note by note</h2>") and "notes are here" not in page
    monkeypatch.setattr(evaluate, "_MOST", 4)
    assert "2 of 3 notes are here" in both().to_html()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_browser_of_cases_draws_notes(both, tmp_path):
    both(resampling={"resamples": 50}).save(tmp_path / "r.html")
    with tab(tmp_path / "profile") as page:
        page.open(f"file://{tmp_path / 'r.html'}#case=Gout%2Ftoe.json")
        assert page.value("document.querySelectorAll('.cases-case').length") == 3 and page.said == []
        words = page.value("document.querySelector('.cases-case[open]').innerText")
        assert "Suspected  gout → Gout → Acute Gout" in words.replace("Suspected gout", "Suspected  gout")
        assert (
            "Common, another rationale\nIn the note: red big toe" in words and "Predicted: swollen <b>toe</b>" in words
        )


def test_what_the_judge_does_not_answer(tmp_path):
    report = compared(tmp_path, judge=Says(lambda kind, a, b: "Maybe" if b == "fever" else "No"))
    assert "No verdict of m on 4 pairs of observations: they count as not alike." in told(report)
    with pytest.raises(InputError, match=r"m gave no verdict on any of 18 pairs of observations \(not answered\)"):
        compared(tmp_path, judge=Says(lambda kind, a, b: None))


@pytest.mark.parametrize(
    "case", rows_in("reasoning/wrong_files"), ids=lambda case: f"{case['file']} {case['error'][:40]}"
)
def test_a_file_that_cannot_be_right(tmp_path, case):
    with pytest.raises(InputError, match=re.escape(case["error"])):
        compared(tmp_path, {case["file"]: case["content"]})
    for folder in ("none", "empty"):
        with pytest.raises(InputError, match=folder):
            compared(tmp_path, {case["file"]: None, "empty/x.xlsx": ""}, graphs=tmp_path / folder)


def test_what_is_read_of_a_note(tmp_path):
    """Twins are kept apart, the byte-order mark is none, sections are numbers, and case and blanks of names do not matter."""
    toe = written(tmp_path, FILES).joinpath("notes/Gout/toe.json").read_text()
    rows = compared(tmp_path, {"notes/Gout/toe.json": f"\ufeff{toe}"}).rows_of("reasoning.deductions")
    read = [row for row in rows if row["note"] == "Gout/toe.json" and row["observation"]]
    assert {(row["observation"], row["rationale"], row["section"], row["diagnosis"]) for row in read} == {
        ("crystals in the joint fluid", "crystals prove gout", 6, "Acute Gout"),
        ("uric acid 9.1", "uric acid is high in gout", 6, "Gout"),
        ("red big toe", "the big toe is typical", 5, "Suspected  gout"),
        ("takes a diuretic", "the big toe is typical", 3, "Suspected  gout"),
    }
    wheeze = next(row for row in rows if row["observation"] == "wheeze")
    assert (wheeze["predicted_section"], wheeze["same_diagnosis"]) == (5, True)


@pytest.mark.parametrize("case", rows_in("reasoning/paths"), ids=lambda case: case["predicted"])
def test_where_a_prediction_leads(tmp_path, case):
    report = compared(tmp_path, {"run/Gout/toe.json": case["predicted"]})
    row = find(report.rows_of("reasoning.notes"), note="Gout/toe.json")
    assert (row["predicted_category"] or "", row["predicted_diagnosis"] or "") == (case["category"], case["diagnosis"])
    assert row["path_in_graph"] is {"yes": True, "no": False, "": None}[case["in_graph"]]
    strays = "1 predicted path of run lead through no graph, such as that of Gout/toe.json" in told(report)
    assert strays == (case["in_graph"] == "no")


def test_the_example_of_the_documentation(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "reasoning.md").read_text("utf-8")
    note, graph, prediction = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    mine = {"graphs/Gout.json": graph, "notes/Gout/n1.json": note, "run/Gout/n1.json": prediction}
    docs = written(tmp_path / "docs", mine)
    report = compared(tmp_path, predictions=docs / "run", notes=docs / "notes")
    fractions = {"Obs_pre": 1 / 2, "Obs_rec": 1 / 3, "Obs_comp": 1 / 4, "Exp_com": 1, "Exp_all": 1 / 4}
    assert values(report) == {"Acc_cat": 1, "Acc_diag": 1, **fractions}


def test_the_command(tmp_path, monkeypatch):
    """Its files, its runs by name, its errors."""
    monkeypatch.chdir(written(tmp_path, FILES))

    def run(*words):
        return typed("reasoning", "graphs", "notes", *words, "--resamples", "0")

    done = run("GPT=perfect", "run=run", *("-o", "r.csv", "-o", "r.md", "--per-note", "n.csv", "--deductions", "d.csv"))
    assert done.code == 0 and "GPT − run" in done.output and done.output.count("Written:") == 4
    assert {row["algorithm"] for row in read_table("r.csv").data.to_pylist()} == {"GPT", "run"}
    kinds = {row["kind"] for row in read_table("d.csv").data.to_pylist()}
    assert read_table("n.csv").data.num_rows == 6 and kinds == {"common", "only in the note", "only predicted"}
    assert "1.000" in run("perfect", "--pairing", "greedy").output and run("run", "--missing", "empty").code == 2
    for words in (("run", "-o", "r.odt"), ("run", "--per-note", "r.odt")):
        refused = run(*words)
        assert refused.code == 1 and "r.odt" in refused.err
