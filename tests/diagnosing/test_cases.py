"""Cases as they are kept: what is read, under which names columns go on, and what is refused, with its row."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from dxmatch import DxmatchError, InputError, Reading
from dxmatch.diagnosing.cases import read_cases
from dxmatch.errors import ReadingWarning
from dxmatch.evaluation.read.formats import clinbench_hpb
from dxmatch.files.tables import write_table

TABLE = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()]
ROWS = [
    {"case_id": "7", "text": "A man with chest pain.", "reference": "angina", "ward": "heart"},
    {"case_id": "8", "text": "A woman with a rash.", "reference": "lupus", "ward": "joints"},
]


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case["why"])
def test_table(case: dict[str, Any]) -> None:
    reading = Reading(columns=case.get("columns"))
    if "refused" in case:
        with pytest.raises(DxmatchError, match=case["refused"]):
            read_cases(case["rows"], reading)
        return
    read = read_cases(case["rows"], reading)
    found = {"ids": read.ids, "texts": read.texts, "more": read.more.to_pylist(), "notes": list(read.notes)}
    assert {name: found[name] for name in found if name in case} == {name: case[name] for name in found if name in case}


@pytest.mark.parametrize("kind", [".csv", ".json", ".xlsx", *range(4)])
def test_sources(tmp_path: Path, kind: str | int) -> None:
    of_case = {row["case_id"]: {key: row[key] for key in ("text", "reference", "ward")} for row in ROWS}
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    source: Any = tmp_path / f"cases{kind}"
    if isinstance(kind, int):
        source = [ROWS, columns, of_case, pd.DataFrame(ROWS)][kind]
    elif kind == ".json":
        source.write_text(json.dumps(of_case))
    else:
        write_table(pa.Table.from_pylist(ROWS), source)
    cases = read_cases(source)
    assert (cases.ids, cases.texts, cases.notes) == (["7", "8"], [row["text"] for row in ROWS], ())
    assert cases.more.to_pydict() == {"reference": ["angina", "lupus"], "ward": ["heart", "joints"]}


def test_notes(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes("Müdigkeit\n".encode("cp1252"))
    (tmp_path / "a.md").write_text("Chest pain.")
    (tmp_path / "gold.csv").write_text("case_id,reference\na,angina\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_cases(tmp_path)
    with pytest.warns(ReadingWarning, match="Not read, since they are no notes: gold.csv"):
        cases = read_cases(tmp_path, Reading(encoding="cp1252"))
    assert (cases.ids, cases.texts) == (["a", "b"], ["Chest pain.", "Müdigkeit"])
    assert read_cases(tmp_path / "a.md").ids == ["a"]
    (tmp_path / "a.txt").write_text("Another.")
    with pytest.raises(InputError, match=r"a\.txt, row 2, column 'case_id': a second case of this name"):
        read_cases(tmp_path, Reading(encoding="cp1252"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder holds no note"):
        read_cases(tmp_path / "empty")


def test_clinbench_is_named_as_evaluate_names_it(tmp_path: Path) -> None:
    """Three files as published, of which one numbers its patients by "Index" and one not at all."""
    case = {"patient_info": "A man.", "laboratory_examination": "CRP 90.", "question": "Which?", "diagnosis": "a\nb"}
    files = {
        "Website": {"patient_id": 11, **case}, "Journal_part2": {"patient_info": "A boy.", "diagnosis": "d"},
        "Journal_part1": {"Index": 3, "patient_info": "A girl.", "imaging_examination": "CT.", "diagnosis": "c"},
    }  # fmt: skip
    for name, one in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps([one]))
    website = read_cases(tmp_path / "Website.json")
    assert website.texts == ["patient_info: A man.\n\nlaboratory_examination: CRP 90.\n\nquestion: Which?"]
    assert website.ids == ["11"] and website.more.to_pylist() == [{"reference": "a\nb", "subset": "Website"}]
    cases = read_cases(tmp_path)
    ids = ["Journal_part1/3", "Journal_part2/1", "Website/11"]
    assert cases.ids == [answer.case_id for answer in clinbench_hpb.read(tmp_path)] == ids
    assert cases.more["subset"].to_pylist() == ["Journal", "Journal", "Website"]
    assert cases.texts[1] == "patient_info: A boy."
    with pytest.raises(InputError, match="the column 'patient_id' is missing"):
        read_cases(tmp_path / "Website.json", Reading(columns={"case_id": "patient_id"}))
    (tmp_path / "Website.json").write_text(json.dumps([{"patient_info": " ", "diagnosis": "x"}]))
    with pytest.raises(InputError, match=r"Website\.json, row 1.*the case has no text"):
        read_cases(tmp_path)


def test_a_case_is_known_by_its_text_which_no_error_quotes() -> None:
    """A case called "7" with a zero-width space would be no case of the list that says "7"."""
    with pytest.warns(UserWarning, match="characters that cannot be seen"):
        cases = read_cases([{"case_id\u200b": "7\u200b", "text": "Müde"}])
    assert cases.ids == ["7"] and cases.keys == [hashlib.sha256("Müde".encode()).hexdigest()]
    with pytest.raises(
        InputError, match=r"row 0, column 'text': a case of 450,000 characters\. Allowed: .*400,000"
    ) as error:
        read_cases([{"id": "1", "text": "Erna Musterfrau" * 30_000}])
    assert "Erna" not in str(error.value)
