"""Label Studio: a task file for each expert, the labelling configuration, and its exports read back.

Formats as documented: tasks under https://labelstud.io/guide/tasks, exports (JSON and JSON_MIN) under
https://labelstud.io/guide/export. A task carries its id as `dxmatch_id`: Label Studio gives tasks numbers of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import InputError
from ..files.atomic import read_text, whole_file
from ..files.pair_labels import BLANK
from ..files.tables import Table
from .sheet import UNSURE, Answered, check_unchanged

FOLDER = "label_studio"
CHOICE = "same_disease"
CONFIG = (Path(__file__).parent / "label_studio.xml").read_text("utf-8")
_ALLOWED_FILE = "an export of Label Studio as JSON or JSON-MIN"


def write_tasks(asked: pa.Table, path: Path) -> None:
    tasks = [{"data": task} for task in asked.rename_columns(["dxmatch_id", "a", "b"]).to_pylist()]
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(tasks, ensure_ascii=False, indent=1), "utf-8")


def read_export(
    path: Path, key: pa.Table, annotators: Mapping[str, str], expert: str | None = None
) -> dict[str, Answered]:
    """Each expert's answers in an export.

    annotators : Label Studio's user id or e-mail address -> expert.
    expert : whose the whole export is; then one person alone may have answered, and `annotators` is not looked at.

    A skipped task is a blank, and so is one that the export lacks (it leaves out what nobody has annotated).

    Errors: `InputError`, with the task's place in the file, for a file of another form, a task that was not asked about,
    changed diagnoses, an answer that is no choice, a person who stands for no expert, two answers of one person.
    """
    asked = {row["id"]: row for row in key.select(["id", "a", "b"]).to_pylist()}
    table = Table(pa.table({}), str(path), 1)
    said: dict[str, dict[str, str | None]] = {}
    people: set[str] = set()
    for index, identity, sides, person, answer in _annotations(path):
        if identity not in asked:
            raise table.error(
                "a task that was not asked about", index, "dxmatch_id", allowed="an id of the key", got=identity
            )
        check_unchanged(table, index, sides, asked[identity])
        people.add(person)
        if expert is not None and len(people) > 1:
            raise InputError(
                f"answers of more than one person in the export of {expert}",
                source=str(path), allowed="one person, or each given an expert with --annotator", got=sorted(people),
            )  # fmt: skip
        who = annotators.get(person) if expert is None else expert
        if who is None:
            raise table.error(
                "a person who stands for no expert", index, "completed_by",
                allowed=", ".join(sorted(annotators)) or "--annotator ID=NAME for each", got=person,
            )  # fmt: skip
        given = said.setdefault(who, {})
        if given.get(identity) is not None and answer is not None:
            raise table.error(f"two answers of {who} to one task", index, CHOICE, allowed="one", got=identity)
        given[identity] = answer or given.get(identity)
    if not said:
        raise InputError("no annotation in the export", source=str(path), allowed=_ALLOWED_FILE)
    return {who: _answered(asked, given) for who, given in said.items()}


def _answered(asked: Mapping[str, Any], given: Mapping[str, str | None]) -> Answered:
    words = {identity: given.get(identity) for identity in asked}
    answers = {
        identity: BLANK if word is None or word == UNSURE else int(word == "yes") for identity, word in words.items()
    }
    blank = sum(word is None for word in words.values())
    return Answered(answers, sum(word == UNSURE for word in words.values()), blank)


def _annotations(path: Path) -> Iterator[tuple[int, str, tuple[str, str], str, str | None]]:
    """What each person said of each task: the task's place, from 0, its id and sides, their id or e-mail address, the answer.

    The answer is None where they skipped.
    """
    try:
        tasks = json.loads(read_text(path))
    except ValueError as error:
        raise InputError(f"the file is not JSON ({error})", source=str(path), allowed=_ALLOWED_FILE) from None
    if not isinstance(tasks, list):
        raise InputError("the file is no list of tasks", source=str(path), allowed=_ALLOWED_FILE)
    for row, task in enumerate(tasks, start=1):
        whole = isinstance(task, dict) and isinstance(task.get("data"), dict)
        data = task["data"] if whole else task
        if not isinstance(data, dict) or not all(isinstance(data.get(name), str) for name in ("dxmatch_id", "a", "b")):
            raise InputError(
                "not a task of this suggestion", source=str(path), row=row,
                allowed='an object with "dxmatch_id", "a" and "b"', got=task,
            )  # fmt: skip
        here = (row - 1, data["dxmatch_id"], (data["a"], data["b"]))
        if whole:
            for annotation in _list(path, row, task, "annotations"):
                yield *here, *_annotation(path, row, annotation)
        elif CHOICE in task:
            yield *here, _person(task.get("annotator")), _choice(path, row, [task[CHOICE]])


def _annotation(path: Path, row: int, annotation: Any) -> tuple[str, str | None]:
    if not isinstance(annotation, dict):
        raise InputError("an annotation that is no object", source=str(path), row=row, got=annotation)
    person = _person(annotation.get("completed_by"))
    if annotation.get("was_cancelled"):
        return person, None
    choices = []
    for region in _list(path, row, annotation, "result"):
        if isinstance(region, dict) and region.get("from_name") == CHOICE:
            value = region.get("value")
            choices += (
                value["choices"] if isinstance(value, dict) and isinstance(value.get("choices"), list) else [value]
            )
    return person, _choice(path, row, choices)


def _list(path: Path, row: int, holder: Mapping[str, Any], name: str) -> list[Any]:
    value = holder.get(name)
    if not isinstance(value, list):
        raise InputError(f"{name!r} is no list", source=str(path), row=row, allowed=_ALLOWED_FILE, got=value)
    return value


def _choice(path: Path, row: int, choices: list[Any]) -> str | None:
    if not choices:
        return None
    if len(choices) > 1 or choices[0] not in ("yes", "no", "unsure"):
        raise InputError(
            "an answer that is not known", source=str(path), row=row, column=CHOICE, allowed="one of yes, no, unsure",
            got=choices if len(choices) > 1 else choices[0],
        )  # fmt: skip
    return choices[0]


def _person(completed_by: Any) -> str:
    """A user's id; their e-mail address where the export has the user as an object that says it."""
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return str(completed_by)
