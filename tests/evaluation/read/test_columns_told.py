"""Which column is what: in other languages, beside columns that are no model's, and refused where nothing tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.read.case_names import other_spellings
from dxmatch.evaluation.read.names import folded, numbered
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.terms.text.sentences import says_nothing

from ..made import POINTS

RIGHT = ["gout", "asthma", "measles", "migraine", "psoriasis", "shingles", "epilepsy", "sepsis", "malaria"]
ANSWERS = [f"{name}; scabies" for name in RIGHT]
N = len(RIGHT)


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"Case": range(1, N + 1), "Gold standard": RIGHT, "GPT-4o": ANSWERS} | columns)


def crossed(case: str, model: str, right: str = "Gold") -> pd.DataFrame:
    rows = [{case: f"c{i}", model: m, "dx1": name, "dx2": "scabies", right: name} for m in ("aster", "birch") for i, name in enumerate(RIGHT)]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("case", "model"), [("Fall", "Modell"), ("Cas", "Modèle"), ("Caso", "Modelo")])
def test_columns_in_other_languages_are_named(case: str, model: str) -> None:
    with pytest.raises(InputError, match=f"{model}.*{case}.*columns"):
        read_lists(crossed(case, model))
    lists = read_lists(crossed(case, model), reading=dxmatch.Reading(columns={"case_id": case, "rater": model}))
    assert lists.raters == ["aster", "birch"] and len(lists.cases) == N and lists.reference[0] == ("gout",)


@pytest.mark.parametrize("form", ["GPT-4o (rank {})", "GPT-4o #{}", "GPT-4o Diagnosis {}", "dx{} (GPT-4o)", "GPT-4o top-{}"])  # fmt: skip
def test_columns_of_ranks_of_a_model(form: str) -> None:
    columns = {form.format(1): RIGHT, form.format(2): ["scabies"] * N}
    frame = pd.DataFrame({"Case": range(N), "Gold": RIGHT} | columns)
    lists = read_lists(frame)
    assert lists.raters == ["GPT-4o"] and lists.list_of("0", "GPT-4o") == ["gout", "scabies"]


def test_ordinal_ranks_and_two_series() -> None:
    assert numbered(["B - 1st", "B - 2nd", "B - 3rd"]) == {"B": ["B - 1st", "B - 2nd", "B - 3rd"]}
    assert numbered(["dx1", "dx2", "Diagnosis 1", "Diagnosis 2"]) == {}
    assert numbered(["dx1_icd", "dx2_icd", "Score 1", "Score 2"]) == {}
    assert folded(" Diagnóstico  correcto? ") == "diagnostico_correcto"


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


def test_few_answers_that_are_right_now_and_then_are_a_models() -> None:
    frame = table(modelB=["gout", "gout", "gout", "flu", "flu", "flu", "flu", "gout", "flu"])
    assert read_lists(frame).raters == ["GPT-4o", "modelB"]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([None] * N, "'modelB' holds no answer in any case"),
        ([""] * N, "'modelB' holds no answer in any case"),
        (["gout"] * N, "'modelB' holds the same answer in every case: 'gout'"),
    ],
)
def test_a_model_that_failed_everywhere_is_one(cells: list[Any], told: str) -> None:
    lists = read_lists(table(modelB=cells))
    assert lists.raters == ["GPT-4o", "modelB"]
    assert any(told in text for text in lists.origin.warnings)
    assert not any("holds" in text for text in read_lists(table(modelB=ANSWERS)).origin.warnings)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (crossed("Vorgang", "KI"), r"which is the model, and which the case; it may be 'KI' or 'Vorgang'.*\(rater=KI\)"),
        (crossed("Case", "KI"), r"which is the model; it may be 'KI'.*\(rater=KI\)"),
        (crossed("Vorgang", "Model"), r"which is the case; it may be 'Vorgang'.*\(case_id=Vorgang\)"),
        (crossed("Case", "KI").rename(columns={"dx1": "diagnosis"}).drop(columns="dx2"), "which is the model; it may be 'KI'"),
        (crossed("Case", "KI").rename(columns={"dx1": "answer"}).drop(columns="dx2"), "which is the model; it may be 'KI'"),
        (crossed("Case", "KI").rename(columns={"dx1": "diagnosis"}).drop(columns="dx2").assign(rank=1), "which is the model; it may be 'KI'"),
    ],
)  # fmt: skip
def test_nothing_is_pooled_in_silence(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lists(frame)


def test_what_tells_them_apart_by_the_option() -> None:
    lists = read_lists(crossed("Vorgang", "KI"), reading=dxmatch.Reading(columns={"case_id": "Vorgang", "rater": "KI"}))
    assert lists.raters == ["aster", "birch"] and len(lists.cases) == N
    # of each diagnosis, not of each list
    cases = [f"c{i}" for i in range(4) for _ in "ab"]
    sure = pd.DataFrame({"case": cases, "diagnosis": ["gout", "flu"] * 4, "how sure": ["high", "low"] * 4})
    assert read_lists(sure).list_of("c1", "model") == ["gout", "flu"]


def test_no_right_answers_are_told_with_remedies(tmp_path: Path) -> None:
    frame = table().drop(columns="Gold standard").assign(Auflösung=[f"{name} x" for name in RIGHT])
    with pd.ExcelWriter(tmp_path / "two.xlsx") as book:
        frame.to_excel(book, sheet_name="Answers", index=False)
        table()[["Case", "Gold standard"]].to_excel(book, sheet_name="Gold", index=False)
    message = (
        r"no right answers were found \(.*others hold values too: Gold.*reference=COLUMN.*Got: \['Case'.*references=…"
    )
    with pytest.raises(InputError, match=message):
        evaluate(tmp_path / "two.xlsx", resampling=POINTS)


def test_the_other_sheet_is_named_where_the_first_holds_no_lists(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "notes.xlsx") as book:
        pd.DataFrame({"Notes": ["my notes"]}).to_excel(book, sheet_name="N", index=False)
        table().to_excel(book, sheet_name="Data", index=False)
    with pytest.raises(InputError, match="no column holds diagnoses.*others hold values too: Data"):
        read_lists(tmp_path / "notes.xlsx")


def test_the_group_is_named_among_the_own_columns() -> None:
    with pytest.raises(InputError, match=r"'Speciality' .*did you mean 'Specialty'\?.*Got: \['Case', 'Gold standard'"):
        read_lists(table(Specialty=["x"] * N), by="Speciality")
    apart = pd.DataFrame({"Case": range(1, N + 1), "Gold": RIGHT, "Specialty": "x"})
    with pytest.raises(InputError, match=r"did you mean 'Specialty'\?"):
        read_lists(table().drop(columns="Gold standard"), references=apart, by="Speciality")


@pytest.mark.parametrize("spelt", ["{:03d}", "{}.0", "00{}.00"])
def test_numbers_of_cases_in_other_spellings(spelt: str, tmp_path: Path) -> None:
    right = pd.DataFrame({"Case": [spelt.format(i) for i in range(1, N + 1)], "Gold": RIGHT})
    right.to_csv(tmp_path / "right.csv", index=False)
    lists = read_lists(table().drop(columns="Gold standard"), references=tmp_path / "right.csv")
    assert [r[0] for r in lists.reference] == RIGHT
    assert any(
        f"{N} cases are written differently" in text and repr(spelt.format(1)) in text for text in lists.origin.warnings
    )


def test_other_spellings_only_one_to_one() -> None:
    assert other_spellings(["7", "08", "P9"], ["7", "8.0", "9"]) == {"08": "8.0"}
    assert other_spellings(["p2", "P03", "P 4", "P-7", "1-1"], ["P2", "P3", "P4", "P7", "11"]) == {
        "p2": "P2", "P03": "P3", "P 4": "P4", "P-7": "P7",
    }  # fmt: skip
    assert other_spellings(["+", "-"], ["*", "1.5"]) == {}
    assert other_spellings(["007", "7.0"], ["7"]) == {}
    assert other_spellings(["007"], ["7", "7.0"]) == {}


def test_models_files_in_other_spellings(tmp_path: Path) -> None:
    for model, spelt in (("aster", "{}"), ("birch", "{:03d}")):
        frame = pd.DataFrame({"case": [spelt.format(i + 1) for i in range(N)], "gold": RIGHT, "answer": ANSWERS})
        frame.to_csv(tmp_path / f"{model}.csv", index=False)
    lists = read_lists(tmp_path)
    assert len(lists.cases) == N and (lists.lengths == 2).all()


def test_unmatched_cases_are_named() -> None:
    lists = read_lists(table().drop(columns="Gold standard"), references={str(i): "gout" for i in range(8, 12)})
    told = " ".join(lists.origin.warnings)
    assert "2 cases have a right answer and no list ('10', '11')" in told
    assert "7 of 9 cases have no right answer ('1', '2', '3', …)" in told


def test_a_case_that_stands_twice_is_set_aside(tmp_path: Path) -> None:
    frame = pd.concat([table(), table().iloc[[2]]], ignore_index=True)
    with pytest.raises(InputError, match=r"row 9, column 'Case': a second answer to the case .*rejects=…"):
        read_lists(frame)
    lists = read_lists(frame, reading=dxmatch.Reading(rejects=tmp_path / "r.csv"))
    assert len(lists.cases) == N - 1 and "3" not in lists.cases
    assert set(pd.read_csv(tmp_path / "r.csv")["rejected_row"]) == {2, 9}


def test_right_answers_in_one_cell_are_counted_together() -> None:
    right = ["gout; sepsis", "asthma\nflu", *RIGHT[2:]]
    (told,) = (t for t in read_lists(table(**{"Gold standard": right})).origin.warnings if "several right" in t)
    assert told.startswith("2 cases have several right answers in one cell")


@pytest.mark.parametrize("word", ["#NAME?", "#NV", "#WERT!", "#¡REF!", "#Н/Д", "Error: timeout", "ERROR: 429 Too Many Requests", "<error>", "timeout", "refused", "#REF!", "503 Service Unavailable", "openai.RateLimitError: no", "Error code: 429 - x"])  # fmt: skip
def test_errors_are_no_diagnosis(word: str) -> None:
    assert says_nothing(word)
    lists = read_lists(table(**{"GPT-4o": [word, *ANSWERS[1:]]}))
    assert lists.list_of("1", "GPT-4o") == [None]


@pytest.mark.parametrize("name", ["#NOF?", "#HIV!", "inborn error of metabolism", "refractive error", "medication error: overdose", "22q11 deletion", "treatment refused"])  # fmt: skip
def test_diagnoses_that_look_like_errors(name: str) -> None:
    assert not says_nothing(name)


def test_a_word_for_no_diagnosis_that_is_nobodys_answer() -> None:
    lists = read_lists(
        table(**{"GPT-4o": ["**Pass!**", *ANSWERS[1:]]}), reading=dxmatch.Reading(no_diagnosis=["pass", "skipped"])
    )
    assert lists.list_of("1", "GPT-4o") == [None]
    assert "'skipped', given as no diagnosis, is nobody's answer." in lists.origin.warnings


def test_a_column_of_yes_and_no_is_no_right_answer() -> None:
    lists = read_lists(table(correct=list(np.where(np.arange(N) % 2, "yes", "no"))).drop(columns="Gold standard"))
    assert not any(lists.reference)


def test_hidden_cells_hide_no_column_that_dxmatch_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_HIDE_CELLS", "1")
    read = read_lists(pd.DataFrame({"id": [1, 2], "gold": ["gout", "flu"], "HIV of Meier": ["gout", "flu"]})).origin.recognised
    assert "case_id in 'id'; reference in 'gold'" in read and "Meier" not in read


OF_MODELS = [
    {"case_id": case, "model": model, "rank": 1, "dx": "gout", "reference": "gout", "vendor": vendor}
    for case in ("1", "2")
    for model, vendor in (("A", "open"), ("B", "proprietary"), ("C", None))
]


@pytest.mark.parametrize("name", ["model_group", "Model group", "vendor", "group"])
def test_groups_of_models_from_a_column(name: str) -> None:
    rows = [{name if key == "vendor" else key: value for key, value in row.items()} for row in OF_MODELS]
    columns = {"group": name} if name in ("vendor", "group") else None
    assert read_lists(rows, reading=dxmatch.Reading(columns=columns)).model_groups == {"A": "open", "B": "proprietary"}
    # a column "group" may be one of cases
    assert name != "group" or not read_lists(rows).model_groups


def test_groups_of_models_of_lists_in_cells_and_in_files(tmp_path: Path) -> None:
    rows = [{**row, "dx": "1. gout\n2. sepsis", "model_group": row["vendor"]} for row in OF_MODELS]
    cells = [{key: value for key, value in row.items() if key not in ("rank", "vendor")} for row in rows]
    assert read_lists(cells).model_groups == {"A": "open", "B": "proprietary"}
    for model in "AB":
        own = [{key: value for key, value in row.items() if key != "model"} for row in cells if row["model"] == model]
        pd.DataFrame(own).to_csv(tmp_path / f"{model}.csv", index=False)
    assert read_lists(tmp_path).model_groups == {"A": "open", "B": "proprietary"}


def test_two_groups_of_one_model_are_refused() -> None:
    rows = [*OF_MODELS[:-1], {**OF_MODELS[-3], "case_id": "3", "vendor": "closed"}]
    with pytest.raises(InputError, match="row 5, column 'vendor'.*'A'"):
        read_lists(rows, reading=dxmatch.Reading(columns={"group": "vendor"}))


def test_a_column_of_a_repeat_is_no_rank() -> None:
    row = {"reference": "gout", "gpt [x #1]": "gout; flu", "gpt [x #2]": "flu; gout", "gpt [y #1]": "flu"}
    assert read_lists([{"case_id": f"c{i}", **row} for i in range(3)]).raters == list(row)[1:]
    ranks = [
        {"case_id": f"c{i}", "reference": "gout", "gpt [rank #1]": "gout", "gpt [rank #2]": "flu"} for i in range(3)
    ]
    assert read_lists(ranks).raters == ["gpt"]
