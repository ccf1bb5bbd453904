"""What experts get and what they return: tables of a, b and `label_<expert>`; a pair is the same in either order. Exports of Label Studio become such tables."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError, OptionError
from ..files.pair_labels import LABELLED_AT, Key, key_of
from ..files.tables import Table, read_table, write_table
from ..files.text_files import utf8_of

SHEETS, STUDIO = "sheets", "label_studio"
"""Folders of a suggestion."""
PREFIX = "label_"
INSTRUCTIONS = (Path(__file__).parent / "INSTRUCTIONS.md").read_text("utf-8")
CONFIG = (Path(__file__).parent / "label_studio.xml").read_text("utf-8")
_CHOICE = "same_disease"
Returned = tuple[Table, dict[Key, int]]
"""A table of answers, and in which row each pair stands."""


def questions(pairs: pa.Table, expert: str, seed: int) -> pa.Table:
    """Shuffles the order and the sides of the pairs for one expert: a and b."""
    own = int.from_bytes(hashlib.sha256(expert.encode()).digest()[:8], "big")
    rng = np.random.default_rng([seed, own])
    turned = pa.array(rng.random(len(pairs)) < 0.5)
    a, b = (pc.if_else(turned, pairs[one], pairs[other]) for one, other in (("b", "a"), ("a", "b")))
    return pa.table({"a": a, "b": b}).take(rng.permutation(len(pairs)))


def write_sheet(asked: pa.Table, column: str, path: Path) -> None:
    """Writes the pairs with an empty column to fill."""
    blank = pa.nulls(len(asked), pa.string())
    write_table(asked.append_column(column, blank).append_column("comment", blank), path, spreadsheet=True)


def read_answers(source: Path | Table, encoding: str | None = None) -> Returned:
    """Reads a table of answers, and in which row each pair stands: of a file that answers are appended to, the last one.

    Errors: `InputError` for a diagnosis that is missing, and a pair twice elsewhere.
    """
    table = read_table(source, encoding)
    for name in ("a", "b"):
        table.require(name, "a diagnosis")
    rows: dict[Key, int] = {}
    for row, (a, b) in enumerate(zip(*(table.required_text(name).to_pylist() for name in ("a", "b")), strict=True)):
        if LABELLED_AT in table.names:
            rows.pop(key_of(a, b), None)
        if rows.setdefault(key_of(a, b), row) != row:
            raise table.error("a pair twice", row, "a", allowed="each pair once, in either order", got=a)
    return table, rows


class _Annotation(msgspec.Struct):
    result: list[dict[str, Any]]
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool | None = None


class _Pair(msgspec.Struct):
    a: str
    b: str


class _Task(msgspec.Struct):
    data: _Pair
    annotations: list[_Annotation]


def read_export(path: Path, annotators: Mapping[str, str]) -> Table:
    """Reads an export of Label Studio (JSON, https://labelstud.io/guide/export) as a table of answers; what was skipped is blank.

    annotators : Label Studio's user id or e-mail address -> expert.

    Errors: `InputError` for another file, and two answers of one person to a task; `OptionError` for a person who stands for no expert.
    """
    try:
        tasks = msgspec.json.decode(utf8_of(path), type=list[_Task])
    except msgspec.MsgspecError as error:
        raise InputError(
            f"no export of this suggestion ({error})", source=str(path), allowed="an export of Label Studio as JSON"
        ) from None
    rows: list[dict[str, str]] = []
    for number, task in enumerate(tasks, 1):
        said = {"a": task.data.a, "b": task.data.b}
        for annotation in task.annotations:
            choices = [one["value"]["choices"] for one in annotation.result if one.get("from_name") == _CHOICE]
            if annotation.was_cancelled or not choices:
                continue
            who = annotation.completed_by
            person = str((who.get("email") or who.get("id")) if isinstance(who, dict) else who)
            if person not in annotators:
                raise OptionError("annotators", f"a name for each person in {path}, {{{person!r}: NAME}}", annotators)
            column = PREFIX + annotators[person]
            if column in said:
                raise InputError(
                    f"two answers of {annotators[person]} to one task", source=str(path), row=number, allowed="one"
                )
            said[column] = ", ".join(word for words in choices for word in words)
        rows.append(said)
    columns = dict.fromkeys(name for row in rows for name in row)
    data = {name: pa.array([row.get(name) for row in rows], pa.string()) for name in columns}
    return Table(pa.table(data), str(path), 1)
