"""DDXPlus's published files: right answers with codes and a final diagnosis, cases to ask about, the stratified sample."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.read.formats.ddxplus import CONDITIONS, EVIDENCES, cases, stratified
from dxmatch.evaluation.read.formats.registry import recognised
from dxmatch.tests.command_line import invoke

from ..made import POINTS, By

HEADER = "AGE,DIFFERENTIAL_DIAGNOSIS,SEX,PATHOLOGY,EVIDENCES,INITIAL_EVIDENCE\n"
ROWS = [
    """18,"[['Bronchitis', 0.2], ['Influenza', 0.5], ['Pneumonia', 0.3]]",M,Influenza,"['E_1', 'E_2_@_V_1', 'E_2_@_V_2', 'E_3_@_4']",E_1""",
    """70,"[['Pneumonia', 1.0]]",F,Pneumonia,"['E_1']",E_1""",
]
NAMES = {"Bronchitis": "j20", "Influenza": "j11.1", "Pneumonia": "j17, j18"}
QUESTIONS = {
    "E_1": {"question_en": "Do you have a fever?", "data_type": "B", "value_meaning": {}},
    "E_2": {"question_en": "Where is the pain?", "data_type": "M",
            "value_meaning": {"V_1": {"en": "chest"}, "V_2": {"en": "back"}}},
    "E_3": {"question_en": "How strong is the pain?", "data_type": "C", "value_meaning": {}},
}  # fmt: skip


def published(folder: Path) -> Path:
    """Patients made here in the published form: none of the data set."""
    conditions = {
        name: {"condition_name": name, "cond-name-eng": name, "icd10-id": code} for name, code in NAMES.items()
    }
    (folder / CONDITIONS).write_text(json.dumps(conditions), "utf-8")
    (folder / EVIDENCES).write_text(json.dumps(QUESTIONS), "utf-8")
    path = folder / "release_test_patients.csv"
    path.write_text(HEADER + "\n".join(ROWS) + "\n", "utf-8")
    return path


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    return published(tmp_path)


def test_as_references_with_codes_and_a_final_diagnosis(patients: Path):
    """The set is the differential, codes in any case and several of one condition; top-k means the pathology."""
    assert recognised(patients) == "ddxplus"
    predictions = {"m": {"1": ["Bronchitis", "Pneumonia"], "2": ["Pneumonia"]}}
    codes = {"Bronchitis": "J20", "Pneumonia": "J17;J18"}
    report = evaluate(
        predictions, references=patients, matcher=By(), codes=dxmatch.Codes(table=codes), resampling=POINTS, k=5
    )
    accuracy = next(row for row in report.rows if row["metric"] == "Acc" and row["of"] == "M" and row["k"] == 1)
    assert accuracy["value"] == 0.5
    assert report.row("HDF1", algorithm="m", k=5)["value"] == pytest.approx(2 * 1 * _recall() / (1 + _recall()))


def _recall():
    """Case 1: chapter 10, J09-J18 with J11, J11.1, J17, J18 and J20-J22 with J20 are 8 nodes, all but J11 and J11.1 said; case 2 all."""
    return (6 / 8 + 1) / 2


def test_cases_to_ask_about(patients: Path):
    first, second = cases(patients).to_pylist()
    assert first["text"].splitlines() == [
        "Age: 18", "Sex: male", "Chief complaint: Do you have a fever? Yes", "Do you have a fever? Yes",
        "Where is the pain? chest, back", "How strong is the pain? 4",
    ]  # fmt: skip
    assert first["reference"] == ["Influenza", "Pneumonia", "Bronchitis"] and first["final"] == "Influenza"
    assert (first["reference_icd10"], second["final_icd10"]) == ("J11.1;J17;J18;J20", "J17;J18")
    assert cases(patients, first=1).column("reference").to_pylist() == [["Influenza"], ["Pneumonia"]]


def test_the_stratified_sample():
    """By shares as in the source; the same with the same seed."""
    strata = ["common"] * 600 + ["rare"] * 25 + ["some"] * 375
    drawn = stratified(strata, 100)
    assert Counter(strata[i] for i in drawn) == {"common": 60, "some": 38, "rare": 2} or Counter(
        strata[i] for i in drawn
    ) == {"common": 60, "some": 37, "rare": 3}
    assert len(set(drawn)) == 100 and drawn == sorted(drawn) == stratified(strata, 100) != stratified(strata, 100, 1)
    with pytest.raises(OptionError, match="from 1 to"):
        stratified(strata, 1001)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("[['Pneumonia', 1.0]]", "Pneumonia"), "row 3, column 'DIFFERENTIAL_DIAGNOSIS'"),
        (("[['Pneumonia', 1.0]]", "[['Gout', 1.0]]"), "'DIFFERENTIAL_DIAGNOSIS'.*'Gout'.*release_conditions.json"),
    ],
)
def test_patients_that_cannot_be_right(patients: Path, change, told):
    patients.write_text(patients.read_text("utf-8").replace(*change), "utf-8")
    with pytest.raises(InputError, match=told):
        cases(patients)


def test_questions_that_are_absent(patients: Path):
    (patients.parent / EVIDENCES).unlink()
    with pytest.raises(InputError, match="release_evidences.json: no such file"):
        cases(patients)


def test_on_the_command_line(patients: Path, tmp_path: Path):
    out = tmp_path / "cases.jsonl"
    done = invoke(["ddxplus", str(patients), "-o", str(out), "--cases", "1", "--seed", "3"])
    assert done.code == 0, done.output
    (row,) = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert row["text"].startswith("Age: ") and row["final"] in NAMES
