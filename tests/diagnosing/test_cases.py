"""Cases as they are kept: what is read, under which names columns go on, and what is refused, with its row."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from dxmatch import InputError, OptionError, Reading
from dxmatch.diagnosing.cases import read_cases
from dxmatch.evaluation.read.formats import clinbench_hpb

CHAT = [{"role": "doctor", "content": "What brings you?"}, {"role": "patient", "content": "My toe is red and hurts."}]
SAID = "doctor: What brings you?\n\npatient: My toe is red and hurts."
ROWS = [
    {"case_id": "7", "text": "A man with chest pain.", "reference": "angina", "specialty": "cardiology"},
    {"case_id": "8", "text": "A woman with a rash.", "reference": "lupus", "specialty": "rheumatology"},
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    elif path.suffix == ".tsv":
        pd.DataFrame(rows).to_csv(path, index=False, sep="\t")
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        book = Workbook()
        assert book.active is not None
        for row in (list(rows[0]), *(list(row.values()) for row in rows)):
            book.active.append(row)
        book.save(path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx"])
def test_files(tmp_path: Path, suffix: str) -> None:
    cases = read_cases(written(tmp_path / f"cases{suffix}", ROWS))
    assert cases.ids == ["7", "8"] and cases.texts == [row["text"] for row in ROWS]
    assert cases.more.to_pydict() == {"reference": ["angina", "lupus"], "specialty": ["cardiology", "rheumatology"]}
    assert cases.notes == ()


@pytest.mark.parametrize(
    "source",
    [
        ROWS,
        {name: [row[name] for row in ROWS] for name in ROWS[0]},
        {row["case_id"]: {k: v for k, v in row.items() if k != "case_id"} for row in ROWS},
        {"cases": ROWS},
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pa.Table.from_pylist(ROWS),
    ],
    ids=["dicts", "columns", "by case", "wrapped", "pandas", "polars", "arrow"],
)
def test_objects(source: Any) -> None:
    cases = read_cases(source)
    assert (cases.ids, cases.texts) == (["7", "8"], [row["text"] for row in ROWS])
    assert cases.more.column_names == ["reference", "specialty"]


def test_texts_by_case(tmp_path: Path) -> None:
    texts = {"7": "A man with chest pain.", "8": CHAT}
    (tmp_path / "cases.json").write_text(json.dumps(texts))
    for source in (texts, tmp_path / "cases.json"):
        cases = read_cases(source)
        assert (cases.ids, cases.texts) == (["7", "8"], ["A man with chest pain.", SAID])
        assert cases.more.num_columns == 0


def test_a_folder_of_notes(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("A rash.\n")
    (tmp_path / "a.md").write_text("Chest pain.")
    (tmp_path / "gold.csv").write_text("case_id,reference\na,angina\n")
    cases = read_cases(tmp_path)
    assert (cases.ids, cases.texts) == (["a", "b"], ["Chest pain.", "A rash."])
    assert cases.notes == ("Not read, since they are no notes: gold.csv.",)
    assert read_cases(tmp_path / "b.txt").ids == ["b"]
    (tmp_path / "b.md").write_text("Another.")
    with pytest.raises(InputError, match=r"two notes of the case 'b': b\.md and b\.txt"):
        read_cases(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder holds no note"):
        read_cases(tmp_path / "empty")


def test_notes_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Müdigkeit seit März".encode("cp1252"))
    with pytest.raises(InputError, match="UTF-8"):
        read_cases(tmp_path)
    assert read_cases(tmp_path, Reading(encoding="cp1252")).texts == ["Müdigkeit seit März"]


@pytest.mark.parametrize(
    ("chat", "text"),
    [
        (CHAT, SAID),
        (json.dumps(CHAT), SAID),
        ([{"from": "human", "value": "hello"}], "human: hello"),
        (
            [{"role": "user", "content": [{"type": "text", "text": "my"}, {"type": "text", "text": "toe"}]}],
            "user: my\ntoe",
        ),
        ([{"role": "system", "content": ""}, *CHAT], SAID),
        ([{"role": "assistant", "content": None}, *CHAT], SAID),
        (["What brings you?", "My toe."], "What brings you?\n\nMy toe."),
        ("[10:30] the patient collapsed", "[10:30] the patient collapsed"),
    ],
)
def test_chats(chat: Any, text: str) -> None:
    assert read_cases([{"id": "7", "chat": chat}]).texts == [text]


def test_chats_in_every_file(tmp_path: Path) -> None:
    for suffix in (".jsonl", ".json", ".parquet"):
        assert read_cases(written(tmp_path / f"c{suffix}", [{"id": "7", "messages": CHAT}])).texts == [SAID]
    assert read_cases(written(tmp_path / "c.csv", [{"id": "7", "messages": json.dumps(CHAT)}])).texts == [SAID]
    for frame in (pd.DataFrame([{"id": "7", "messages": CHAT}]), pl.DataFrame([{"id": "7", "messages": CHAT}])):
        assert read_cases(frame).texts == [SAID]


LONG = "A man of fifty comes with a pain in the chest that went into the arm."


@pytest.mark.parametrize(
    ("row", "columns", "case_id", "text"),
    [
        ({"Patient": "p1", "Admission note": LONG}, {"text": "Admission note"}, "p1", LONG),
        ({"id": "3", "case": "Fever."}, None, "3", "Fever."),
        ({"case": "3", "vignette": "Fever."}, None, "3", "Fever."),
        ({"case": LONG}, {"text": "case"}, "1", LONG),
        ({"id": 3.0, "text": "Fever."}, None, "3", "Fever."),
        ({"who": "x", "id": "3", "text": "Fever."}, {"case_id": "who"}, "x", "Fever."),
        ({"id": "3", "history": "Fever.", "findings": "A rash."}, {"text": ["history", "findings"]}, "3", "history: Fever.\n\nfindings: A rash."),
        ({"id": "3", "history": "Fever.", "findings": None}, {"text": "history,findings"}, "3", "history: Fever."),
    ],
)  # fmt: skip
def test_columns(row: dict[str, Any], columns: Any, case_id: str, text: str) -> None:
    cases = read_cases([row], Reading(columns=columns))
    assert (cases.ids, cases.texts) == ([case_id], [text])


def test_what_was_taken_for_the_text_is_said_where_there_is_a_choice() -> None:
    (note,) = read_cases([{"id": "1", "vignette": LONG, "question": f"{LONG} What is it?"}]).notes
    assert (
        note
        == "The text of a case is read from 'vignette' (not 'question'); the option 'columns' may name others (text)."
    )
    assert "numbered from 1" in read_cases([{"text": "Fever."}]).notes[0]


def test_other_columns_under_names_that_evaluate_reads_rightly() -> None:
    row = {
        "id": "1",
        "text": "Fever.",
        "diagnosis": "malaria",
        "icd10": "B54",
        "model": "x",
        "final": "malaria",
        "all": ["a", "b"],
    }
    cases = read_cases([row])
    assert cases.more.to_pylist() == [
        {"reference": "malaria", "reference_icd10": "B54", "case_model": "x", "final": "malaria", "all": '["a", "b"]'}
    ]
    assert cases.notes == tuple(
        f"The column {old!r} of the cases is {new!r} in the lists."
        for old, new in (("diagnosis", "reference"), ("icd10", "reference_icd10"), ("model", "case_model"))
    )
    both = read_cases([{"id": "1", "text": "Fever.", "diagnosis": "flu", "reference": "malaria"}])
    assert both.more.to_pylist() == [{"case_diagnosis": "flu", "reference": "malaria"}]


@pytest.mark.parametrize(
    ("more", "carried"),
    [
        ({"answer": "flu"}, {"reference": "flu"}),
        ({"dx": "flu"}, {"reference": "flu"}),
        ({"gold": "flu", "diagnosis": "cold"}, {"gold": "flu", "case_diagnosis": "cold"}),
        ({"gold": "flu", "answer": "B"}, {"gold": "flu", "case_answer": "B"}),
        ({"final": "flu", "diagnosis": "flu; cold"}, {"final": "flu", "reference": "flu; cold"}),
    ],
)
def test_the_right_answer_goes_on_as_the_reference(more: dict[str, str], carried: dict[str, str]) -> None:
    assert read_cases([{"id": "1", "text": "Fever.", **more}]).more.to_pylist() == [carried]


def _clinbench(folder: Path) -> Path:
    """Three files as published, of which one numbers its patients by "Index" and one not at all."""
    folder.mkdir()
    case = {
        "patient_info": "A man of 50.",
        "laboratory_examination": "CRP 90.",
        "question": "Which?",
        "diagnosis": "a\nb",
    }
    files = {
        "Website": [{"patient_id": 11, **case}],
        "Journal_part1": [{"Index": 3, "patient_info": "A girl.", "imaging_examination": "CT.", "diagnosis": "c"}],
        "Journal_part2": [{"patient_info": "A boy.", "diagnosis": "d"}],
    }
    for name, cases in files.items():
        (folder / f"{name}.json").write_text(json.dumps(cases))
    return folder


def test_cases_of_clinbench(tmp_path: Path) -> None:
    cases = read_cases(_clinbench(tmp_path / "hpb") / "Website.json")
    assert cases.texts == ["patient_info: A man of 50.\n\nlaboratory_examination: CRP 90.\n\nquestion: Which?"]
    assert cases.ids == ["11"] and cases.more.to_pylist() == [{"reference": "a\nb", "subset": "Website"}]
    named = read_cases(tmp_path / "hpb/Website.json", Reading(columns={"case_id": "patient_id"}))
    assert named.ids == ["11"] and named.texts == cases.texts


@pytest.mark.parametrize("as_folder", [True, False])
def test_several_files_of_clinbench_are_named_as_evaluate_names_them(tmp_path: Path, as_folder: bool) -> None:
    folder = _clinbench(tmp_path / "hpb")
    cases = read_cases(folder if as_folder else sorted(folder.iterdir()))
    assert cases.ids == ["Journal_part1/3", "Journal_part2/1", "Website/11"]
    assert cases.ids == [answer.case_id for answer in clinbench_hpb.read(folder)]
    assert cases.more["subset"].to_pylist() == ["Journal", "Journal", "Website"]
    assert (
        cases.texts[0] == "patient_info: A girl.\n\nimaging_examination: CT."
        and cases.texts[1] == "patient_info: A boy."
    )
    (folder / "Website.json").write_text(json.dumps([{"patient_info": " ", "diagnosis": "x"}]))
    with pytest.raises(InputError, match=r"Website\.json, row 1.*the case has no text"):
        read_cases(folder)


def test_several_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("case_id,text\n1,Fever.\n")
    (tmp_path / "b.jsonl").write_text('{"case_id": "2", "text": "Cough.", "ward": "lungs"}\n')
    cases = read_cases([tmp_path / "a.csv", tmp_path / "b.jsonl"])
    assert (cases.ids, cases.texts) == (["1", "2"], ["Fever.", "Cough."])
    assert cases.more["ward"].to_pylist() == [None, "lungs"]
    with pytest.raises(InputError, match=r"b\.jsonl, row 1, column 'case_id': a second case of this name"):
        (tmp_path / "b.jsonl").write_text('{"case_id": "1", "text": "Cough."}\n')
        read_cases([str(tmp_path / "a.csv"), str(tmp_path / "b.jsonl")])


SECRET = "Erna Musterfrau"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "1", "text": "a"}, {"id": "1", "text": "b"}], r"row 1, column 'id': a second case of this name \(the first is in row 0\)"),
        ([{"id": "1", "text": "a"}, {"id": None, "text": "b"}], "row 1, column 'id': the case has no name"),
        ([{"id": "1", "text": "a"}, {"id": "2", "text": "  "}], "row 1, column 'text': the case has no text"),
        ([{"id": "1", "text": SECRET * 30_000}], "row 0, column 'text': a case of 450,000 characters. Allowed: at most 400,000"),
        ([{"id": "1", "text": 7}], "row 0, column 'text': a case that is no text"),
        ([{"id": "1", "chat": [{"role": "patient"}]}], "message 1 of the chat says nothing"),
        ([{"id": "1", "chat": [{"role": "p", "content": [{"type": "image_url"}]}]}], "message 1 of the chat holds more than text"),
        ([{"id": "1", "x": LONG}], r"no column is known by its name to hold the texts.*reading=dxmatch.Reading\(columns=\{'text': …\}\) names it"),
        ([{"case": "3", "story": LONG}], "no column is known by its name"),
        ([{"id": "1", "text": "a"}, {"id": "2", "text": "b \ud83d"}], "row 1, column 'text': a value that no column can hold"),
        ([{"id": "1", "chat": [{"role": "p", "content": "\ud83d"}]}], "row 0, column 'chat': a value that no column can hold"),
        ([], "no cases"),
        ("x", None),
    ],
)  # fmt: skip
def test_refused(rows: Any, message: str | None, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_cases(tmp_path / "absent.csv" if message is None else rows)
    assert SECRET not in str(error.value)


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match="names for case_id and text"):
        read_cases(ROWS, Reading(columns={"reference": "x"}))
    with pytest.raises(InputError, match="the column 'txt' is missing; did you mean 'text'"):
        read_cases(ROWS, Reading(columns={"text": "txt"}))


def test_rows_set_aside(tmp_path: Path) -> None:
    rows = [*ROWS, {"case_id": "8", "text": "Again."}, {"case_id": "9", "text": ""}]
    path = written(tmp_path / "cases.csv", rows)
    cases = read_cases(path, Reading(rejects=tmp_path / "bad.csv"))
    assert cases.ids == ["7", "8"] and cases.more.num_rows == 2
    assert cases.notes[-1] == f"2 rows set aside in {tmp_path / 'bad.csv'}."
    assert pd.read_csv(tmp_path / "bad.csv")["rejected_row"].tolist() == [4, 5]


def test_the_key_of_a_case_is_the_hash_of_its_text() -> None:
    cases = read_cases({"a": "Müde", "b": "Müde", "c": "x"})
    assert cases.keys == [hashlib.sha256(text.encode()).hexdigest() for text in ("Müde", "Müde", "x")]
    assert cases.notes == ("1 case with the text of another one: each text is asked about once.",)


def test_names_that_look_alike_are_one_name() -> None:
    """A case called "7" with a zero-width space would be no case of the list that says "7"; long texts stay as they were written."""
    long = "A man\u00a0with chest pain. " * 20
    with pytest.warns(UserWarning, match="characters that cannot be seen"):
        cases = read_cases([{"case_id\u200b": "7\u200b", "text": long}])
    assert cases.ids == ["7"] and cases.texts == [long.strip()]
