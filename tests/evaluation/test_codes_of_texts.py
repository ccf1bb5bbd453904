"""Codes of free text in an evaluation: one reference table for all models, a language model's picks, and what is said of both."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import dxmatch
from dxmatch.cli.main import app
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.text_codes import read_codes
from dxmatch.votes.asking import Budget

from .made import By, long_form

NO_MAPPING = By()
ROLES = {"A": "algorithm", "truth": "reference"}
CASES = {
    "c1": {"A": ["lung spots", "TB"], "truth": ["TB"]},
    "c2": {"A": ["lung  Spots", "chest cold"], "truth": ["chest cold"]},
}
TABLE = {"lung spots": "R91.8", "TB": "A15-A19", "chest cold": "J17; J18"}


def run(codes=TABLE, matcher=NO_MAPPING, cases=CASES, **options):
    return evaluate(long_form(cases, ROLES), matcher, codes=codes, bootstrap=0, metrics="hierarchical", k=2, **options)


def hdf1(report):
    return report.row("HDF1", algorithm="A")["value"]


def test_one_table_for_all():
    """Sections and several codes of one diagnosis, capitals and blanks apart; by hand from the codes."""
    report = run()
    reference, said = [["A15-A19"], ["J17", "J18"]], [["R91.8", "A15-A19"], ["R91.8", "J17", "J18"]]
    assert hdf1(report) == pytest.approx(dxmatch.metrics.hdf1(reference, said))
    assert not report.warnings
    assert report.made_with["icd_counts"] == {"diagnoses": 4, "strings": 4, "codes": 4, "reference_codes": 3}
    notes = [note for section in report.sections for note in section.notes]
    assert "ICD-10 codes of 4 diagnoses of the lists: 4 by the table of codes." in notes
    assert run(pd.DataFrame({"diagnosis": list(TABLE), "icd10": list(TABLE.values())})).rows == report.rows


def test_what_the_table_lacks_is_counted_and_said_above_the_figures():
    report = run({"TB": "A15-A19", "lung spots": "R91.8"})
    (told,) = [text for text in report.warnings if "table of codes" in text]
    assert told == "1 of 4 different diagnoses are not in the table of codes (records) and have no code: 'chest cold'."
    (row,) = [r for r in report.rows_of("hierarchical.without_a_code") if r["algorithm"] == "A"]
    assert (row["diagnoses"], row["without_code"]) == (4, 1)


def test_the_table_goes_before_the_match_function_and_codes_of_the_lists_before_the_table():
    m = dxmatch.load()
    cases = {"c1": {"A": ["heart attack", "asthma"], "truth": ["asthma"]}}
    own = run({"asthma": "J45"}, m, cases)
    (told,) = [text for text in own.warnings if "table of codes" in text]
    assert "1 of 2 different diagnoses" in told and "by the mapping of the match function: 'heart attack'" in told
    assert hdf1(own) == pytest.approx(dxmatch.metrics.hdf1([["J45"]], [[dxmatch.icd(["heart attack"])["icd10"][0], "J45"]]))  # fmt: skip
    frame = long_form(cases, ROLES).assign(icd10=["I26", None, None])
    given = evaluate(frame, m, codes={"asthma": "J45", "heart attack": "I21"}, bootstrap=0, metrics="hierarchical", k=2)
    assert hdf1(given) == pytest.approx(dxmatch.metrics.hdf1([["J45"]], [["I26", "J45"]]))


def test_a_blank_in_the_table_is_no_code():
    report = run(TABLE | {"lung spots": None})
    assert hdf1(report) == pytest.approx(dxmatch.metrics.hdf1([["A15-A19"], ["J17", "J18"]], [["A15-A19"], ["J17", "J18"]]))  # fmt: skip
    notes = [note for section in report.sections for note in section.notes]
    assert (
        "ICD-10 codes of 4 diagnoses of the lists: 2 by the table of codes, 2 without a code in the table of codes."
        in notes
    )


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("diagnosis,icd10\nTB,A15\nTB,A16\n", "row 3, column 'icd10': 'TB' has other codes here than in row 2"),
        ("diagnosis,icd10\nTB,A15\nflu,J99X9\n", "row 3, column 'icd10': an unknown ICD-10 code"),
        ("diagnosis,code\nTB,A15\n", "the column 'icd10'"),
        ("name,icd10\nTB,A15\n", "the column 'diagnosis'"),
        ("diagnosis,icd10\nTB,A15\n,A16\n", "row 3"),
    ],
)
def test_a_table_that_cannot_be_right(tmp_path: Path, table, told):
    path = tmp_path / "codes.csv"
    path.write_text(table, "utf-8")
    with pytest.raises(InputError, match=told):
        run(path)


def test_names_that_differ_only_in_capitals():
    """Each has its own code; a third spelling is not guessed between them."""
    table = read_codes({"AML": "C92.0", "aml": "D30.0", "flu": "J11", "Flu": "J11"})
    assert [table.cell(text) for text in ("AML", "aml", "Aml", "FLU")] == ["C92.0", "D30.0", None, "J11"]


SET = """
[[feature]]
name = "icd_local"
kind = "icd_pick"
model = "picker"
endpoint = "local"

[endpoint.local]
url = "URL"
"""


def test_a_language_model_picks(tmp_path: Path, loopback, monkeypatch):
    """The strings of lists and references are asked about once, in one go; the table spares those it has; the cap holds."""
    monkeypatch.chdir(tmp_path)
    features = tmp_path / "mine.toml"
    features.write_text(SET.replace("URL", loopback.url), "utf-8")
    loopback.rules({"contains": "ICD-10 entries", "text": "2"})
    cases = {"c1": {"A": ["flu-like fever", "odd itch"], "truth": ["flu-like fever"]}}
    options = {"pick": "icd_local", "features": features, "store": tmp_path / "votes.sqlite"}
    m = dxmatch.load()
    report = run({"odd itch": "L29.9"}, m, cases, **options)
    assert loopback.log()["calls"] == 1
    picked = dxmatch.icd(["flu-like fever"], pick="icd_local", features=features)["icd10"][0]
    assert hdf1(report) == pytest.approx(dxmatch.metrics.hdf1([[picked]], [[picked, "L29.9"]]))
    (told,) = [text for text in report.warnings if "table of codes" in text]
    assert "1 of 2 different diagnoses" in told and "by the picks of icd_local" in told
    run(None, m, cases, **options, budget=Budget(max_calls=0))
    assert loopback.log()["calls"] == 1
    named = {"c1": {"A": ["asthma"], "truth": ["asthma"]}}
    run(None, m, named, **options)
    assert loopback.log()["calls"] == 1, "a name of ICD-10 is not asked about"
    every = run(None, m, named, **options, icd_direct=False)
    assert loopback.log()["calls"] == 2
    assert every.made_with["icd_codes_by"] == "the picks of icd_local, asked about every text"
    with pytest.raises(OptionError, match="'icd_direct' parameter must be True without 'pick'"):
        run(None, m, named, icd_direct=False)


def test_other_entries_and_distance():
    m = dxmatch.load()
    cases = {"c1": {"A": ["flu-like fever"], "truth": ["flu"]}}
    report = run(None, m, cases, icd_entries="names", icd_distance="euclidean")
    codes = dxmatch.icd(["flu-like fever", "flu"], entries="names", distance="euclidean")["icd10"].to_list()
    assert hdf1(report) == pytest.approx(dxmatch.metrics.hdf1([codes[1:]], [codes[:1]]))
    assert report.made_with["icd_codes_by"] == "the nearest names (euclidean, names)"


def test_on_the_command_line(tmp_path: Path):
    long_form(CASES, ROLES).to_csv(tmp_path / "lists.csv", index=False)
    pd.DataFrame({"diagnosis": list(TABLE), "icd10": list(TABLE.values())}).to_csv(tmp_path / "codes.csv", index=False)
    arguments = ("evaluate", tmp_path / "lists.csv", "--codes", tmp_path / "codes.csv", "--k", 2, "--bootstrap", 0)
    done = CliRunner().invoke(app, [*map(str, arguments), "--json", str(tmp_path / "r.json")])
    assert done.exit_code == 0, done.output
    made = json.loads((tmp_path / "r.json").read_text("utf-8"))["made_with"]
    assert made["icd_counts"]["codes"] == 4 and made["icd_codes_by"].endswith("codes.csv")
