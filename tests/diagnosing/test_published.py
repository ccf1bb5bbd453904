"""DDXPlus's published files: cases to ask about, the stratified sample. Their right answers: `tests/cases/formats.csv`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dxmatch.diagnosing.cases import read_cases
from dxmatch.diagnosing.published import EVIDENCES, cases_of, stratified
from dxmatch.errors import DxmatchError
from dxmatch.evaluation.read.formats.ddxplus import CONDITIONS
from dxmatch.tests.command_line import typed

PATIENTS = "release_test_patients.csv"
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
    conditions = {name: {"icd10-id": code} for name, code in NAMES.items()}
    (folder / CONDITIONS).write_text(json.dumps(conditions), "utf-8")
    (folder / EVIDENCES).write_text(json.dumps(QUESTIONS), "utf-8")
    path = folder / PATIENTS
    path.write_text(HEADER + "\n".join(ROWS) + "\n", "utf-8")
    return path


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    return published(tmp_path)


def test_cases_to_ask_about(patients: Path, tmp_path: Path) -> None:
    first, second = cases_of(patients).to_pylist()
    assert first["text"].splitlines() == [
        "Age: 18", "Sex: male", "Chief complaint: Do you have a fever? Yes", "Do you have a fever? Yes",
        "Where is the pain? chest, back", "How strong is the pain? 4",
    ]  # fmt: skip
    assert first["reference"] == ["Influenza", "Pneumonia", "Bronchitis"] and first["final"] == "Influenza"
    assert (first["reference_icd10"], second["final_icd10"]) == ("J11.1;J17;J18;J20", "J17;J18")
    assert read_cases(patients).texts == [first["text"], second["text"]] and read_cases(patients).ids == ["1", "2"]
    assert cases_of(patients, first=1).column("reference").to_pylist() == [["Influenza"], ["Pneumonia"]]
    out = tmp_path / "cases.jsonl"
    done = typed("ddxplus", patients, "-o", out, "--cases", "1", "--seed", "3", "--first", "1")
    assert done.code == 0, done.output
    assert [*map(json.loads, out.read_text("utf-8").splitlines())] == cases_of(
        patients, cases=1, seed=3, first=1
    ).to_pylist()


def test_the_stratified_sample() -> None:
    """Each pathology by its share, rounded up or down; the same with the same seed, and anybody with another."""
    strata = ["common", "rare", "some", "common"] * 150 + ["common"] * 25 + ["some"] * 375
    drawn = [stratified(strata, 100, seed) for seed in range(60)]
    shares = {tuple(sorted(Counter(strata[i] for i in one).items())) for one in drawn}
    assert shares == {tuple(zip(("common", "rare", "some"), n, strict=True)) for n in ((32, 15, 53), (33, 15, 52))}
    assert all(one == sorted(set(one)) for one in drawn) and len(set().union(*drawn)) > 990
    assert stratified(strata, 100) == drawn[0] != drawn[1] and stratified(strata, 1000) == [*range(1000)]


@pytest.mark.parametrize(
    ("file", "old", "new", "options", "told"),
    [
        (PATIENTS, "E_3_@", "E_9_@", {}, "row 2, column 'EVIDENCES'.*release_evidences.json lacks.*E_9"),
        (PATIENTS, "SEX", "Sex", {}, "keys are missing.*SEX"),
        (EVIDENCES, "", None, {}, "release_evidences.json: no such file"),
        (EVIDENCES, "", "", {"cases": 3}, "option 'cases' must be from 1 to the number of patients .2"),
    ],
)
def test_what_is_refused(patients: Path, file: str, old: str, new: str | None, options: Any, told: str) -> None:
    path = patients.parent / file
    path.unlink() if new is None else path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(DxmatchError, match=told):
        cases_of(patients, **options)
