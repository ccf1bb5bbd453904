"""What experts get, and what comes back: filled sheets, files from the console, exports of Label Studio."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dxmatch
from dxmatch import DxmatchError, Suggestion
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import read_table, write_table
from dxmatch.labelling.sheets import CONFIG

from .conftest import KEY

ANNA = {"gout": "no", "flu": "yes", "sepsis": "YES ", "=1+1 syndrome": "0", "heart attack": "1", "asthma": "unsure"}
BEN = ANNA | {"heart attack": "0", "=1+1 syndrome": "", "asthma": "n"}


def fill(path: Path, column: str, answers: dict[str, str], change: dict[str, str] | None = None) -> None:
    """Writes answers by one of the two diagnoses of each pair."""
    frame = read_table(path).data.to_pandas()
    frame[column] = frame["a"].map(answers).fillna("") + frame["b"].map(answers).fillna("")
    write_table(pa.Table.from_pandas(frame.replace(change or {}), preserve_index=False), path)


@pytest.fixture
def filled(folder: Path) -> Path:
    for expert, answers in (("anna", ANNA), ("ben", BEN)):
        fill(folder / f"sheets/{expert}.xlsx", f"label_{expert}", answers)
    return folder


def test_the_sheets_are_blind_and_each_expert_s_own(folder: Path, suggestion: Suggestion, tmp_path: Path) -> None:
    assert {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} == {
        "key.csv", "suggestion.json", "sheets/INSTRUCTIONS.md", "sheets/anna.xlsx", "sheets/ben.xlsx",
        "label_studio/config.xml", "label_studio/anna.json", "label_studio/ben.json",
    }  # fmt: skip
    sheet, drawn = read_table(folder / "sheets/anna.xlsx"), {*zip(KEY["a"], KEY["b"], strict=True)}
    asked, pairs = {*zip(sheet.column("a"), sheet.column("b"), strict=True)}, {*map(frozenset, drawn)}
    assert sheet.names == ["a", "b", "label_anna", "comment"] and not any(sheet.column("label_anna"))
    assert {*map(frozenset, asked)} == pairs and 0 < len(asked & drawn) < 6, "a text was changed, or no side turned"
    tasks = [json.loads((folder / f"label_studio/{expert}.json").read_text("utf-8")) for expert in ("anna", "ben")]
    orders = {tuple(frozenset(task["data"].values()) for task in own) for own in tasks}
    assert len(orders) == 2 and {frozenset(order) for order in orders} == {frozenset(pairs)}
    root = xml.fromstring(CONFIG)
    assert {text.get("value") for text in root.iter("Text")} == {f"${name}" for name in tasks[0][0]["data"]}
    assert [choice.get("value") for choice in root.iter("Choice")] == ["yes", "no", "unsure"]
    with pytest.raises(DxmatchError, match="holds something already"):
        suggestion.save(folder)
    with pytest.raises(DxmatchError, match="not a folder that 'dxmatch suggest' made"):
        dxmatch.labels(tmp_path)


def test_there_and_back(filled: Path, tmp_path: Path) -> None:
    open_, out = tmp_path / "open.xlsx", tmp_path / "labelled.csv"
    found = dxmatch.labels(filled, out, open_pairs=open_)
    assert found.table.to_pydict() == {
        **{name: KEY[name] for name in ("a", "b", "chosen")},
        "label_anna": [1, 0, 1, 0, None, 1], "label_ben": [0, None, 1, 0, 0, 1], "adjudicated": [None] * 6,
    }  # fmt: skip
    assert read_table(out).names == found.table.column_names
    words = "\n".join(found.words())
    for line in (
        "anna  5 of 6 answered, 1 unsure, 0 blank.", "ben   5 of 6 answered, 0 unsure, 1 blank.",
        "3 pairs decided, 2 of them matches.", "3 without a majority",
        # p1, p3, p5, p6 are random; two are decided, both matches; M said (0.8 + 0.2) / 2. Wilson, 2 of 2: from 2 / (2 + 1.96^2) = 0.34
        "Of 2 pairs drawn at random and decided 2 match: 100% of the pool [34%, 100%]; the match function expected 50%.",
    ):  # fmt: skip
        assert line in words
    assert read_table(open_).column("adjudicated") == [None] * 3
    with pytest.raises(DxmatchError, match="is there already"):
        dxmatch.labels(filled, open_pairs=open_)
    fill(open_, "adjudicated", {"heart attack": "1", "=1+1 syndrome": "no", "asthma": "unsure"})
    settled = dxmatch.labels(filled, adjudicated=open_)
    assert settled.table["adjudicated"].to_pylist() == [1, 0, None, None, None, None]
    assert settled.open["a"].to_pylist() == ["asthma"]
    read = read_pairs(settled.table, label="label", rejects=tmp_path / "rejects.csv")
    assert read.label is not None and read.label.tolist() == [1, 0, 1, 0, 1] and read.n_rejected == 1


def test_a_review_goes_before_the_panel(filled: Path, tmp_path: Path) -> None:
    """One more expert goes over every pair, those on which the panel is of one mind too; what is left blank stays as it was."""
    review = tmp_path / "review.xlsx"
    dxmatch.labels(filled, review=review)
    sheet = read_table(review)
    assert len(sheet) == 6 and sheet.names == ["a", "b", "reviewed", "comment"], "blind: no answer of the panel"
    fill(review, "reviewed", {"heart attack": "1", "flu": "no", "gout": "no", "sepsis": "unsure"})
    found = dxmatch.labels(filled, reviewed=review)
    assert found.before_review.tolist() == [-1, -1, 1, 0, -1, 1]
    assert found.table["label"].to_pylist() == [1, None, 0, 0, None, 1]
    assert "The review answers 3 of 6 pairs and goes before the panel: 1 label changed." in found.words()


def annotation(person: Any, *answers: str, cancelled: bool = False) -> dict[str, Any]:
    """As Label Studio's own converter writes it."""
    given = [("same_disease", {"choices": [answer]}) for answer in answers] + [("comment", {"text": ["?"]})]
    result = [{"from_name": name, "to_name": "first", "id": "Tbc1xyZ", "value": value} for name, value in given]
    return {"id": 1001, "completed_by": person, "result": result, "was_cancelled": cancelled, "lead_time": 4.2}


def task(number: int, *annotations: dict[str, Any]) -> dict[str, Any]:
    data = {"a": KEY["b"][number], "b": KEY["a"][number]}
    return {"id": 77, "annotations": list(annotations), "drafts": [], "predictions": [], "data": data}


def test_an_export_of_label_studio(folder: Path, tmp_path: Path) -> None:
    ben, who = {"id": 9, "email": "ben@clinic.org"}, {"4": "anna", "ben@clinic.org": "ben"}
    tasks = [
        task(2, annotation(4, "yes"), annotation(ben, "no")), task(0, annotation(4, cancelled=True), annotation(4, "no")),
        task(1, annotation(4, "unsure"), annotation(ben)), task(3, annotation(4, "yes", cancelled=True)),
    ]  # fmt: skip
    (tmp_path / "all.json").write_text(json.dumps(tasks), "utf-8")
    found = dxmatch.labels([folder, tmp_path / "all.json"], annotators=who)
    assert found.answers["anna"] == ["no", "unsure", "yes", None, None, None]
    assert found.table["label_ben"].to_pylist() == [None, None, 0, None, None, None]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("a,b\nx,y\n", "no expert's labels"),
        ("a,label_zoe\nx,1\n", "the column 'b' .* is missing"),
        ("a,b,label_anna\nx,y,2\n", "row 2, column 'label_anna': a label that is not 0 or 1.*unsure.*2"),
        ("a,b,label_anna\nx,y,1\nY,x,1\n", "row 3, column 'a': a pair twice"),
        ("a,b,label_zoe\nx,y,1\n", "anna, ben.*zoe"),
        ([task(0), task(1, annotation(4, "yes"), annotation(4, "yes"))], "row 2: two answers of anna to one task"),
        ([task(0, annotation(4, "yes", "no"))], "row 1, column 'label_anna': a label that is not 0 or 1"),
        ([task(0, annotation(5, "yes"))], "'annotators' .*'5'"),
        ([{"id": 1, "data": {"text": "x"}, "annotations": []}], "no export .*data"),
        ({"a": 1}, "no export"),
        ([task(0)], "no expert's labels"),
    ],
)  # fmt: skip
def test_what_cannot_be_right(folder: Path, tmp_path: Path, given: Any, says: str) -> None:
    path = tmp_path / ("e.csv" if isinstance(given, str) else "e.json")
    path.write_text(given if isinstance(given, str) else json.dumps(given), "utf-8")
    with pytest.raises(DxmatchError, match=says):
        dxmatch.labels([folder, path], annotators={"4": "anna"})


def test_a_sheet_that_was_changed_or_is_missing(filled: Path) -> None:
    ben = filled / "sheets/ben.xlsx"
    fill(ben, "label_ben", BEN, {"influenza": "influenza A"})
    with pytest.warns(UserWarning, match=r"ben.xlsx, row \d, .*not asked about, or changed.* 1 such pair left out"):
        assert dxmatch.labels(filled).table["label_ben"].to_pylist() == [0, None, None, 0, 0, 1]
    ben.unlink()
    with pytest.raises(DxmatchError, match=r"ben\.xlsx: no such file"):
        dxmatch.labels(filled)
    assert "label_ben" not in dxmatch.labels(filled, experts=["anna"]).table.column_names
