"""Exports in the two documented forms, written as Label Studio's own converter writes them. No server is run."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.labelling.label_studio import CONFIG
from dxmatch.labelling.read_back import read_labels

TEXTS = {
    "p1": ("heart attack", "acute MI"),
    "p2": ("=1+1 syndrome", "café-au-lait spots"),
    "p3": ("flu", "influenza"),
    "p4": ("-ve arthritis", "gout"),
}


def annotation(person: Any, answer: str | None, *, cancelled: bool = False, comment: str = "") -> dict[str, Any]:
    given = [("same_disease", {"choices": [answer]})] * (answer is not None) + [("comment", {"text": [comment]})]
    result = [{"from_name": name, "to_name": "first", "id": "Tbc1xyZ", "value": value} for name, value in given]
    return {"id": 1001, "completed_by": person, "result": result, "was_cancelled": cancelled, "lead_time": 4.2}


def task(identity: str, *annotations: dict[str, Any], **data: str) -> dict[str, Any]:
    a, b = TEXTS.get(identity, ("x", "y"))
    data = {"dxmatch_id": identity, "a": a, "b": b, **data}
    return {"id": 77, "annotations": list(annotations), "drafts": [], "predictions": [], "data": data}


def small(identity: str, answer: str | None, annotator: Any = 1) -> dict[str, Any]:
    """A record of JSON-MIN: the task's data beside the answers by the names of their tags."""
    a, b = TEXTS[identity]
    record = {"dxmatch_id": identity, "a": a, "b": b, "id": 77, "annotator": annotator, "annotation_id": 1001}
    return record if answer is None else {**record, "same_disease": answer, "comment": "?"}


def export(path: Path, tasks: Any) -> Path:
    path.write_text(json.dumps(tasks), "utf-8")
    return path


def labels(folder: Path, expert: str, **options: Any) -> list[int | None]:
    return read_labels(folder, **options).table[f"label_{expert}"].to_pylist()


def test_one_expert_s_own_export(folder: Path, tmp_path: Path) -> None:
    tasks = [
        task("p3", annotation(4, "yes", comment="clear")),
        task("p1", annotation(4, "no")),
        task("p2", annotation(4, "unsure")),
        task("p4", annotation(4, "yes", cancelled=True)),
    ]
    path = export(tmp_path / "anna.json", tasks)
    read = read_labels(folder, exports={"anna": path})
    assert read.table["label_anna"].to_pylist() == [0, None, 1, None, None, None]
    assert (read.answered["anna"].unsure, read.answered["anna"].blank) == (1, 3)


def test_json_min(folder: Path, tmp_path: Path) -> None:
    tasks = [small("p3", "yes"), small("p1", "no"), small("p2", "unsure"), small("p4", None, annotator=None)]
    path = export(tmp_path / "anna.json", tasks)
    assert labels(folder, "anna", exports={"anna": path}) == [0, None, 1, None, None, None]


@pytest.mark.parametrize("whole", [True, False])
def test_several_people_in_one_project(folder: Path, tmp_path: Path, whole: bool) -> None:
    mail = {"id": 9, "email": "ben@clinic.org", "first_name": "", "last_name": ""} if whole else "ben@clinic.org"
    if whole:
        tasks = [task("p1", annotation(4, "yes"), annotation(mail, "no")), task("p3", annotation(mail, "yes"))]
    else:
        tasks = [small("p1", "yes", 4), small("p1", "no", mail), small("p3", "yes", mail)]
    path = export(tmp_path / "all.json", tasks)
    options = {"shared_exports": [path], "annotators": {"4": "anna", "ben@clinic.org": "ben"}}
    assert labels(folder, "anna", **options) == [1, None, None, None, None, None]
    assert labels(folder, "ben", **options) == [0, None, 1, None, None, None]
    with pytest.raises(InputError, match="a person who stands for no expert.*Got: '4'"):
        read_labels(folder, shared_exports=[path], annotators={"ben@clinic.org": "ben"})
    with pytest.raises(InputError, match="answers of more than one person in the export of anna"):
        read_labels(folder, exports={"anna": path})
    with pytest.raises(OptionError, match="annotators"):
        read_labels(folder, shared_exports=[path], annotators={"4": "carl"})


def test_skipped_first_and_answered_later(folder: Path, tmp_path: Path) -> None:
    for order in (1, -1):
        both = [annotation(4, None, cancelled=True), annotation(4, "yes")][::order]
        path = export(tmp_path / "anna.json", [task("p1", *both)])
        assert labels(folder, "anna", exports={"anna": path})[0] == 1


def test_two_answers_of_one_person_are_refused(folder: Path, tmp_path: Path) -> None:
    path = export(tmp_path / "anna.json", [task("p3"), task("p1", annotation(4, "yes"), annotation(4, "yes"))])
    with pytest.raises(InputError, match="row 2.*two answers of anna"):
        read_labels(folder, exports={"anna": path})


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ([task("p9", annotation(4, "yes"))], "row 1, column 'dxmatch_id': a task that was not asked about"),
        ([task("p1"), task("p1", annotation(4, "yes"), a="stroke")], "row 2.*the diagnoses were changed"),
        ([task("p1", annotation(4, "perhaps"))], "row 1, column 'same_disease': an answer that is not known"),
        ([{"id": 1, "data": {"text": "x"}, "annotations": []}], "not a task of this suggestion"),
        ([{**task("p1"), "annotations": None}], "'annotations' is no list"),
        ({"a": 1}, "no list of tasks"),
        ([task("p1")], "no annotation in the export"),
        ([["p1"]], "not a task of this suggestion"),
    ],
)
def test_exports_that_cannot_be_right(folder: Path, tmp_path: Path, tasks: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_labels(folder, exports={"anna": export(tmp_path / "anna.json", tasks)})


def test_a_file_that_is_no_json(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "anna.json").write_text("id,a,b\n")
    with pytest.raises(InputError, match="the file is not JSON"):
        read_labels(folder, exports={"anna": tmp_path / "anna.json"})


def test_the_configuration_shows_what_the_tasks_hold(folder: Path) -> None:
    root = xml.fromstring(CONFIG)
    shown = {text.get("value") for text in root.iter("Text")}
    data = json.loads((folder / "label_studio" / "anna.json").read_text("utf-8"))[0]["data"]
    assert shown == {"$a", "$b"} and set(data) == {"dxmatch_id", "a", "b"}
    objects = {text.get("name") for text in root.iter("Text")}
    controls = [*root.iter("Choices"), *root.iter("TextArea")]
    assert {control.get("toName") for control in controls} <= objects
    assert [choice.get("value") for choice in root.iter("Choice")] == ["yes", "no", "unsure"]
    # JSON-MIN puts the answers beside the data, under the names of the tags.
    assert not {control.get("name") for control in controls} & {*data, "id", "annotator"}
