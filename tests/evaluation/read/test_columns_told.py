"""Which column is what: beside columns that are no model's, in two files, and refused where nothing tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists

RIGHT = ["gout", "asthma", "measles", "migraine", "psoriasis", "shingles", "epilepsy", "sepsis", "malaria"]
ANSWERS = [f"{name}; scabies" for name in RIGHT]
N = len(RIGHT)


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"Case": range(1, N + 1), "Gold standard": RIGHT, "GPT-4o": ANSWERS} | columns)


def crossed(case: str, model: str) -> pd.DataFrame:
    rows = [{case: f"c{i}", model: m, "dx1": name, "dx2": "scabies", "Gold": name} for m in ("aster", "birch") for i, name in enumerate(RIGHT)]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("GPT-4o correct?", ["yes", "no", "no"] * 3),
        ("GPT-4o comment", ["a fine answer", "why gout?", "n/a"] * 3),
        ("score GPT-4o", [f"{i} of 5" for i in range(N)]),
        ("geprüft", ["ja", "nein", "ja"] * 3),
        ("Bereich", ["Neurology", "Dermatology", "Infectious diseases"] * 3),
    ],
)
def test_what_is_no_model(name: str, cells: list[str]) -> None:
    lists = read_lists(table(**{name: cells}))
    assert lists.raters == ["GPT-4o"] and f"not read: {name}" in lists.origin.recognised
    assert any(repr(name) in text for text in lists.origin.warnings) == (name in ("Bereich", "geprüft"))


def test_few_answers_that_are_right_now_and_then_and_blank_ones_are_a_models() -> None:
    few = ["gout", "gout", "gout", "flu", "flu", "flu", "flu", "gout", "flu"]
    lists = read_lists(table(modelB=few, failed=[None] * N))
    assert lists.raters == ["GPT-4o", "modelB", "failed"]
    assert "Missing lists (each counts as an empty answer), of 9 cases: 9 by failed." in lists.origin.warnings


@pytest.mark.parametrize(
    ("frame", "columns", "message"),
    [
        (crossed("Vorgang", "KI"), {"case_id": "Vorgang", "rater": "KI"}, "which is the case; it may be 'Vorgang' or 'KI'"),
        (crossed("Case", "KI"), {"rater": "KI"}, "a second answer of rank 1 by 'model' for case 'c0'.*rater=COLUMN"),
        (crossed("Case", "KI").rename(columns={"dx1": "diagnosis"}).drop(columns="dx2").assign(rank=1), {"rater": "KI"}, "a second answer of rank 1 by 'model'.*rater=COLUMN"),
    ],
)  # fmt: skip
def test_nothing_is_pooled_in_silence(frame: pd.DataFrame, columns: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lists(frame)
    lists = read_lists(frame, reading=dxmatch.Reading(columns=columns))
    assert lists.raters == ["aster", "birch"] and len(lists.cases) == N and lists.reference[0] == ("gout",)


def test_the_other_sheet_is_named_where_the_first_holds_no_lists(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "notes.xlsx") as book:
        pd.DataFrame({"Notes": ["my notes"]}).to_excel(book, sheet_name="N", index=False)
        table().to_excel(book, sheet_name="Data", index=False)
    with pytest.raises(InputError, match="no column holds diagnoses.*others are Data"):
        read_lists(tmp_path / "notes.xlsx")


def test_the_group_is_named_among_the_own_columns() -> None:
    with pytest.raises(InputError, match=r"'Speciality' .*did you mean 'Specialty'\?.*Got: \['Case', 'Gold standard'"):
        read_lists(table(Specialty=["x"] * N), by="Speciality")


def test_cases_of_one_file_alone_are_named() -> None:
    """Right answers alone are no list that is missing."""
    right, reading = {str(i): "gout" for i in range(8, 12)}, dxmatch.Reading(missing="refuse")
    told = " ".join(read_lists(table(), references=right, reading=reading).origin.warnings)
    assert "No list by anybody, so left out: 2 of 11 cases ('10', '11')." in told
    assert "No right answer, so in no figure that needs one: 7 of 9 cases ('1', '2', '3', …)." in told


@pytest.mark.parametrize("word", ["#NAME?", "#¡REF!", "Error: timeout", "<error>", "503 Service Unavailable", "openai.RateLimitError: no"])  # fmt: skip
def test_errors_are_no_diagnosis(word: str) -> None:
    assert read_lists(table(**{"GPT-4o": [word, *ANSWERS[1:]]})).list_of("1", "GPT-4o") == [None]


def test_a_column_of_yes_and_no_is_no_right_answer() -> None:
    lists = read_lists(table(correct=["yes", "no", "no"] * 3).drop(columns="Gold standard"))
    assert not any(lists.reference)


@pytest.mark.parametrize("columns", [None, {"reference": "reference_dx_1,reference_dx_2"}])
def test_several_columns_of_right_answers_hold_one_each(columns: Any) -> None:
    second = ["arthritis", *[None] * (N - 1)]
    frame = table(reference_dx_1=RIGHT, reference_dx_2=second).drop(columns="Gold standard")
    lists = read_lists(frame, reading=dxmatch.Reading(columns=columns))
    assert lists.raters == ["GPT-4o"] and lists.reference[:2] == [("gout", "arthritis"), ("asthma",)]
    assert "right answers in reference_dx_1, reference_dx_2" in lists.origin.recognised


def test_files_whose_right_answers_are_called_otherwise_say_the_same_of_a_case(tmp_path: Path) -> None:
    answers = table().rename(columns={"GPT-4o": "output"})
    answers.to_csv(tmp_path / "aster.csv", index=False)
    answers.rename(columns={"Gold standard": "truth"}).to_csv(tmp_path / "birch.csv", index=False)
    assert read_lists(tmp_path).reference[0] == ("gout",)
    answers.assign(truth=[*RIGHT[:-1], "flu"]).drop(columns="Gold standard").to_csv(tmp_path / "birch.csv", index=False)
    with pytest.raises(InputError, match="birch.csv, row 10, column 'truth': the truth differs within the case '9'"):
        read_lists(tmp_path)


@pytest.mark.parametrize(("heading", "told"), [("PatientID", False), ("Accession", True)])
def test_right_answers_apart_are_joined_by_names_or_it_is_told(heading: str, told: bool, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(f"{heading},gpt,claude\n1001,gout,flu\n1002,sepsis,gout\n")
    (tmp_path / "gold.csv").write_text(f"{heading},diagnosis\n1002,sepsis\n1001,gout\n")
    lists = read_lists(tmp_path / "answers.csv", tmp_path / "gold.csv")
    joined = [said for said in lists.origin.warnings if "joined in order" in said]
    assert (lists.reference == [("gout",), ("sepsis",)], bool(joined)) == (not told, told)
