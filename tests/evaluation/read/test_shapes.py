"""Lists in the shapes that people keep them in, beside those of the golden runs; which column is what, and what is refused where nothing tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists

from ..made import long_form, written

MODELS = ("aster", "birch")
ANSWERS = {
    "c1": {"aster": ["gout", "cellulitis", "sepsis"], "birch": ["sepsis", "gout"]},
    "c2": {"aster": ["asthma"], "birch": ["copd", "none", "asthma"]},
    "c3": {"aster": ["diabetes mellitus, type 2", "gout"], "birch": ["t(15;17) leukemia"]},
}
RIGHT = {"c1": ["gout", "hypertension"], "c2": ["asthma"], "c3": ["leukemia"]}
SPECIALTY = {"c1": "medicine", "c2": "medicine", "c3": "oncology"}
SAID = {c: {m: [None if d == "none" else d for d in ANSWERS[c][m]] for m in MODELS} for c in ANSWERS}
LONG = long_form(ANSWERS)
LONG["Ground truth"] = LONG["case_id"].map({case: "\n".join(right) for case, right in RIGHT.items()})
LONG["specialty"] = LONG["case_id"].map(SPECIALTY)


def frame(**columns: Any) -> pd.DataFrame:
    start = {"id": list(RIGHT), "gold": ["; ".join(r) for r in RIGHT.values()], "specialty": list(SPECIALTY.values())}
    return pd.DataFrame({**start, **columns})


def column(model: str, how: Any) -> list[Any]:
    return [how(ANSWERS[case][model]) for case in ANSWERS]


def each(how: Any) -> dict[str, list[Any]]:
    return {model: column(model, how) for model in MODELS}


def lines(names: list[str]) -> str:
    return "\n".join(f"{i}. {name}" for i, name in enumerate(names, 1))


def records(**more: Any) -> list[dict[str, Any]]:
    """more : further fields, each by what makes it of a case."""
    start = [{"id": case, "gold": RIGHT[case], "specialty": SPECIALTY[case]} for case in ANSWERS]
    return [{**row, **{name: how(ANSWERS[row["id"]]) for name, how in more.items()}} for row in start]


def jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


SHAPES: dict[str, Any] = {
    "columns": lambda place: LONG.to_dict("list"),
    "a column for each model, cells that are lists": lambda place: frame(**each(list)),
    "files, the right answers in one": lambda place: written(place, {
        "right.csv": frame().to_csv(index=False), **{f"{m}.jsonl": jsonl([{"id": c, "output": lines(ANSWERS[c][m])} for c in ANSWERS]) for m in MODELS}}),
    "{model: objects}": lambda place: {m: records(prediction=lambda of, m=m: of[m]) for m in MODELS},
    "objects": lambda place: records(differential=dict),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_lists_from_every_shape(shape: str, tmp_path: Path) -> None:
    lists = read_lists(SHAPES[shape](tmp_path), by="specialty")
    assert {case: {rater: lists.list_of(case, rater) for rater in MODELS} for case in lists.cases} == SAID
    assert lists.reference == [tuple(right) for right in RIGHT.values()]
    assert lists.references.groups == {"specialty": list(SPECIALTY.values())}
    assert any("1 of 12 diagnoses in the lists names none ('none' 1)" in warning for warning in lists.origin.warnings)


@pytest.mark.parametrize("right", [
    RIGHT, frame(), frame()[["id", "gold"]].rename(columns={"gold": "what it was"}), records(),
    pd.DataFrame([{"case": c, "diagnosis": d} for c, right in RIGHT.items() for d in right]),
], ids=["dict", "table", "two columns", "objects", "a row each"])  # fmt: skip
def test_right_answers_apart(right: Any) -> None:
    lists = read_lists({m: {c: ANSWERS[c][m] for c in ANSWERS} for m in MODELS}, references=right)
    assert lists.reference == [tuple(right) for right in RIGHT.values()]
    with pytest.raises(InputError, match="no case of the lists has a right answer.*the model stands outside"):
        read_lists(ANSWERS, references=right)


def test_lists_in_order() -> None:
    one = read_lists(column("aster", lines), references=["; ".join(r) for r in RIGHT.values()])
    assert one.raters == ["model"] and one.list_of("3", "model") == ANSWERS["c3"]["aster"]
    assert one.reference == [tuple(r) for r in RIGHT.values()]
    with pytest.raises(InputError, match=r"the two have not the same ones \(3 beside 2\)"):
        read_lists([["gout"], ["flu"]], references=list(RIGHT.values()))


@pytest.mark.parametrize(("source", "message"), [
    (frame(dx1=["gout"] * 3, dx2=["flu", None, "x" * 10_001]), "row 2, column 'dx2': a diagnosis of 10,001"),
    ({}, "the object is empty"), ([], "no lists of diagnoses"), (3, "not a table"), (Path("nowhere.json"), "no such file"),
])  # fmt: skip
def test_refused(source: Any, message: str) -> None:
    """Beside the files of tests/cases/tables.csv."""
    with pytest.raises(InputError, match=message):
        read_lists(source)


def test_the_rows_of_files_are_told(tmp_path: Path) -> None:
    long = jsonl([{"id": "c1", "prediction": ["gout"]}, {"id": "c2", "prediction": ["x" * 10_001]}])
    written(tmp_path, {"a.jsonl": long, "b.jsonl": jsonl([{"id": "c1", "prediction": ["gout"]}])})
    with pytest.raises(InputError, match=r"a.jsonl, row 2, column 'prediction': a diagnosis of 10,001 characters"):
        read_lists(tmp_path)
    lists = read_lists(tmp_path, reading=dxmatch.Reading(rejects=tmp_path / "rejects.csv"))
    assert lists.origin.rejected_cases == 1 and lists.cases == ["c1"]
    assert pd.read_csv(tmp_path / "rejects.csv")["rejected_row"].tolist() == [2]


@pytest.mark.parametrize(("missing", "absent", "means"), [
    (None, [0, 0, 0], "each counts as an empty answer"), ("own", [0, 0, 1], "they are out of the figures; two raters are compared in the cases that both have"),
])  # fmt: skip
def test_missing_lists_and_answers_that_cannot_be_read(missing: str | None, absent: list[int], means: str) -> None:
    table = frame(aster=['["gout"]', "70%", None], birch=each(list)["birch"])
    lists = read_lists(table, reading=dxmatch.Reading(missing=missing))
    assert lists.lengths[:, 0].tolist() == [1, 0, 0] and lists.absent[:, 0].tolist() == absent
    told = " ".join(lists.origin.warnings)
    assert f"Missing lists ({means}), of 3 cases: 1 by aster." in told
    assert "the first, in row 1, is '70%'), of 3 cases: 1 by aster." in told
    with pytest.raises(InputError, match="row 1, column 'aster': the case 'c2' has no list by 'aster'.*Got: '70%'"):
        read_lists(table, reading=dxmatch.Reading(missing="refuse"))


def test_a_model_without_an_answer_that_can_be_read_and_one_without_any() -> None:
    prose, right = "The patient should be seen again next week.", dict.fromkeys("123", "gout")
    said = {"aster": dict.fromkeys("123", prose), "birch": {"1": "gout", "2": prose, "3": []}, "failed": {}}
    told = " ".join(read_lists(said, references=right).origin.warnings)
    for words in ("of 3 cases: 3 by aster, 1 by birch.", "of 3 cases: 3 by failed.", "Empty lists, which say nothing, of 3 cases: 1 by birch."):  # fmt: skip
        assert words in told
    with pytest.raises(InputError, match=f"no diagnosis could be read from any answer.*{prose}"):
        read_lists({"aster": {"1": prose, "2": prose}}, references=right)


@pytest.mark.parametrize(("codes", "cells"), [
    ("M10.9; I10", ["M10.9", "I10"]), ("M10.9,I10", ["M10.9", "I10"]), ("M10.9", ["M10.9"]), ("A; B; C", ["A; B; C"]),
])  # fmt: skip
def test_codes_part_beside_the_right_answers(codes: str, cells: list[str]) -> None:
    row = {"case_id": "c1", "rater": "A", "rank": 1, "diagnosis": "gout", "reference": "gout; hypertension"}
    lists = read_lists(pd.DataFrame([{**row, "reference_icd10": codes}]))
    assert [cell.value for cell in lists.references.more["icd10"][0]] == cells


def test_gaps_stay_and_are_said_once() -> None:
    rows = [("c1", 1, "gout"), ("c1", 4, "flu"), ("c1", 12, "asthma"), ("c2", 2, "gout")]
    lists = read_lists(pd.DataFrame(rows, columns=["case_id", "rank", "diagnosis"]))
    assert [at for at, name in enumerate(lists.list_of("c1", "model"), 1) if name] == [1, 4, 12]
    (told,) = lists.origin.warnings
    assert told.startswith("2 of 2 lists skip ranks") and "goes from 1 to 4" in told


def test_words_for_a_blank_in_optional_columns() -> None:
    lists = read_lists(LONG.assign(severity="NULL", icd10="nan", reference_severity="None", relation=["NA", *["exact synonym"] * 11]))  # fmt: skip
    assert set(lists.more["severity"]) == set(lists.more["icd10"]) == {None}
    assert lists.more["relation"].count(None) == 1 and lists.references.more["severity"] == [(), (), ()]


def test_the_index_of_a_frame_names_the_cases() -> None:
    table = pd.DataFrame({"gpt": [["gout"], ["sepsis"], ["asthma"]]}, index=[1, 2, 3]).sample(frac=1, random_state=1)
    right = {1: "gout", 2: "sepsis", 3: "asthma"}
    for references in (right, pd.Series(right)):
        read = read_lists(table, references=references)
        assert {case: read.list_of(case, "gpt") for case in read.cases} == {str(c): [name] for c, name in right.items()}
        assert dict(zip(read.cases, read.reference, strict=True)) == {str(c): (name,) for c, name in right.items()}


@pytest.mark.parametrize(("index", "cases", "read"), [
    (["c", "a", "b"], ["a", "b", "c"], ["c", "a", "b"]), ([0, 1, 2], [1, 2, 3], "no column names the cases"),
])  # fmt: skip
def test_an_index_of_pandas_in_a_file_names_the_cases(index: Any, cases: Any, read: Any, tmp_path: Path) -> None:
    """Never the rows: those of a shuffled file would get another's right answers."""
    answers, right = tmp_path / "answers.csv", tmp_path / "right.csv"
    pd.DataFrame({"dx1": ["gout", "flu", "croup"], "dx2": ["RA", "cold", "flu"]}, index=index).to_csv(answers)
    pd.DataFrame({"case": cases, "gold": ["gout", "flu", "croup"]}).to_csv(right, index=False)
    if isinstance(read, str):
        with pytest.raises(InputError, match=read):
            read_lists(answers, right)
    else:
        assert read_lists(answers, right).cases == read


NAMES = ["gout", "asthma", "measles", "migraine", "psoriasis", "shingles", "epilepsy", "sepsis", "malaria"]
CELLS = [f"{name}; scabies" for name in NAMES]
N = len(NAMES)


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"Case": range(1, N + 1), "Gold standard": NAMES, "GPT-4o": CELLS} | columns)


def test_a_column_that_may_be_a_models_is_told_and_a_comment_is_none() -> None:
    fields, comments = ["Neurology", "Dermatology", "Infectious diseases"], ["a fine answer", "why gout?", "n/a"]
    lists = read_lists(table(Bereich=fields * 3, **{"GPT-4o comment": comments * 3}))
    assert lists.raters == ["GPT-4o"] and "not read: " in lists.origin.recognised
    told = " ".join(lists.origin.warnings)
    assert "'Bereich'" in told and "comment" not in told


def test_cases_of_one_file_alone_are_named() -> None:
    """Right answers alone are no list that is missing."""
    right, reading = {str(i): "gout" for i in range(8, 12)}, dxmatch.Reading(missing="refuse")
    told = " ".join(read_lists(table(), references=right, reading=reading).origin.warnings)
    assert "No list by anybody, so left out: 2 of 11 cases ('10', '11')." in told
    assert "No right answer, so in no figure that needs one: 7 of 9 cases ('1', '2', '3', …)." in told


def test_several_columns_of_right_answers_are_told() -> None:
    lists = read_lists(table(reference_dx_1=NAMES, reference_dx_2=NAMES).drop(columns="Gold standard"))
    assert "right answers in reference_dx_1, reference_dx_2" in lists.origin.recognised


def test_files_whose_right_answers_are_called_otherwise_say_the_same_of_a_case(tmp_path: Path) -> None:
    answers = table().rename(columns={"GPT-4o": "output"})
    answers.to_csv(tmp_path / "aster.csv", index=False)
    answers.rename(columns={"Gold standard": "truth"}).to_csv(tmp_path / "birch.csv", index=False)
    assert read_lists(tmp_path).reference[0] == ("gout",)
    answers.assign(truth=[*NAMES[:-1], "flu"]).drop(columns="Gold standard").to_csv(tmp_path / "birch.csv", index=False)
    with pytest.raises(InputError, match="birch.csv, row 10, column 'truth': the truth differs within the case '9'"):
        read_lists(tmp_path)


@pytest.mark.parametrize(("heading", "told"), [("PatientID", False), ("Accession", True)])
def test_right_answers_apart_are_joined_by_names_or_it_is_told(heading: str, told: bool, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(f"{heading},gpt,claude\n1001,gout,flu\n1002,sepsis,gout\n")
    (tmp_path / "gold.csv").write_text(f"{heading},diagnosis\n1002,sepsis\n1001,gout\n")
    lists = read_lists(tmp_path / "answers.csv", tmp_path / "gold.csv")
    joined = [said for said in lists.origin.warnings if "joined in order" in said]
    assert (lists.reference == [("gout",), ("sepsis",)], bool(joined)) == (not told, told)
