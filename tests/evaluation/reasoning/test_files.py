"""The files of DiReCT: what is read of them, what is said of a file that is wrong; the command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dxmatch.errors import DxmatchError, InputError
from dxmatch.files.tables import read_table
from dxmatch.tests.command_line import invoke

from ..made import find, rows_in, told, written
from .made import FILES, compared, values


@pytest.mark.parametrize(
    "case", rows_in("reasoning/wrong_files"), ids=lambda case: f"{case['file']} {case['error'][:40]}"
)
def test_a_file_that_cannot_be_right(tmp_path, case):
    with pytest.raises(InputError, match=re.escape(case["error"])):
        compared(tmp_path, {case["file"]: case["content"]})


def test_folders(tmp_path):
    written(tmp_path, FILES | {"empty/x.xlsx": ""})
    for folder in ("none", "empty"):
        with pytest.raises(InputError, match=folder):
            compared(tmp_path, predictions=tmp_path / folder)


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


def test_domains(tmp_path):
    domains = written(tmp_path, {"d.csv": "category,domain\ngout,Joints\n"}) / "d.csv"
    for given in (domains, {"gout": "Joints"}):
        report = compared(tmp_path, domains=given)
        assert values(report, group="Joints")["Acc_diag"] == 1
        assert "o medical domain is known of Asthma" in told(report)


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
        return invoke(["reasoning", "graphs", "notes", *words, "--resamples", "0"])

    done = run("GPT=perfect", "run=run", *("-o", "r.csv", "-o", "r.md", "--per-note", "n.csv", "--deductions", "d.csv"))
    assert done.code == 0 and "GPT − run" in done.output and done.output.count("Written:") == 4
    assert {row["algorithm"] for row in read_table("r.csv").data.to_pylist()} == {"GPT", "run"}
    kinds = {row["kind"] for row in read_table("d.csv").data.to_pylist()}
    assert read_table("n.csv").data.num_rows == 6 and kinds == {"common", "only in the note", "only predicted"}
    assert "1.000" in run("perfect", "--pairing", "greedy").output and run("run", "--missing", "empty").code == 2
    for words in (("run", "-o", "r.odt"), ("run", "--per-note", "r.odt")):
        with pytest.raises(DxmatchError, match=r"r\.odt"):
            run(*words)
