"""Which columns of a table of cases hold what, and under which names the others go into the lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..errors import InputError, Open, OptionError, Remedy, quoted
from ..evaluation.read.formats import clinbench_hpb
from ..evaluation.read.names import ANSWER, FINAL, OTHER_NAMES, columns_by_name, columns_named, folded
from ..files.json_records import as_text
from ..files.tables import Table

CASE_ID, TEXT = "case_id", "text"
TEXTS = (
    "vignette", "case_vignette", "case_text", "note", "clinical_note", "admission_note", "chat", "messages", "conversation", "dialogue",
    "dialog", "transcript", "case_description", "case_presentation", "case_report", "full_text", "question", "description", "presentation",
    "history", "input", "prompt",
)  # fmt: skip
"""Names of the column with the text, beside "text", the surer first; as `folded` writes them."""
_CASE = "case"
"""The name of a column with the texts only where another column names the cases."""
OURS = ("case_id", "rater", "rank", "diagnosis", "model", "prompt", "repeat", "unread", ANSWER)
"""The columns of the lists that are made here."""

_OF_THE_RIGHT_ANSWER = {"icd10": "reference_icd10", "severity": "reference_severity"}
"""Columns that are one diagnosis's in a table of lists; in a table of cases they can only be the right answer's."""


@dataclass(frozen=True)
class CaseColumns:
    """case_id : None where the cases are numbered. text : one column or several. notes : sentences on what was taken for what."""

    case_id: str | None
    text: tuple[str, ...]
    notes: tuple[str, ...] = ()


def columns_of(table: Table, given: Mapping[str, Any] | None) -> CaseColumns:
    """By the option `columns`, else by the names that are known.

    Raises
    ------
    InputError
        Where no column is known to hold the texts; for a column in `given` that the table lacks.
    OptionError
        For a key in `given` other than case_id and text.
    """
    given = dict(given or {})
    for ours in given:
        if ours not in (CASE_ID, TEXT):
            raise OptionError("columns", f"names for {CASE_ID} and {TEXT}", ours)
    named = {name: given[name] for name in given if name == CASE_ID}
    if TEXT in given:
        text, notes = tuple(columns_named(given[TEXT], table.names, table.source)), list[str]()
        if not text:
            raise OptionError("columns", f"at least one column for {TEXT}", given[TEXT])
    else:
        text, notes = _texts(table, named)
    rest = [name for name in table.names if name not in text or name in named.values()]
    case_id = columns_by_name(rest, named, table.source).get(CASE_ID)
    if case_id is None or case_id in text:
        case_id = None
        notes.append(
            f"No column names the cases, so they are numbered from 1; the option 'columns' names one ({CASE_ID})."
        )
    return CaseColumns(case_id, text, tuple(notes))


def _texts(table: Table, named: Mapping[str, Any]) -> tuple[tuple[str, ...], list[str]]:
    """The columns that hold the texts by their names, and what is said of it."""
    by_fold = {folded(name): name for name in table.names if name not in named.values()}
    if {clinbench_hpb.INFO, clinbench_hpb.RIGHT} <= by_fold.keys():
        parts = (
            name for fold, name in by_fold.items() if fold == clinbench_hpb.INFO or clinbench_hpb.TESTS.fullmatch(fold)
        )
        return tuple(parts), []
    known = [by_fold[name] for name in (TEXT, *TEXTS) if name in by_fold]
    others = [name for fold, name in by_fold.items() if fold != _CASE]
    if not known and _CASE in by_fold and CASE_ID in columns_by_name(others, named, table.source):
        known = [by_fold[_CASE]]
    if not known:
        raise InputError(
            "no column is known by its name to hold the texts of the cases", source=table.source,
            allowed="a column 'text', 'note', 'vignette' or 'chat', or its name in the option 'columns'", got=table.names,
            remedy=Remedy("names it", columns={TEXT: Open("COLUMN")}),
        )  # fmt: skip
    told = f"The text of a case is read from {quoted(known[0])} (not {', '.join(map(quoted, known[1:]))}); the option 'columns' may name others ({TEXT})."
    return (known[0],), [told] if known[1:] else []


def carried(data: pa.Table, columns: CaseColumns) -> tuple[pa.Table, list[str]]:
    """The other columns under the names that they have in the lists, and sentences on those that change theirs.

    A diagnosis, code or severity beside a case is that of its right answer, so "diagnosis" or "answer" becomes "reference" where
    no other column is known to be that. A name that the lists need for themselves gets "case_" before it. Lists and objects become JSON.
    """
    kept: list[str] = [name for name in data.column_names if name != columns.case_id and name not in columns.text]
    taken = {*OURS, *kept}
    right = _OF_THE_RIGHT_ANSWER
    known = columns_by_name(kept, {}, "cases").get("reference")
    if known is None or folded(known) in (FINAL, *OTHER_NAMES[FINAL]):
        # a final diagnosis may stand beside a set of right answers
        by_fold = {folded(name): name for name in reversed(kept)}
        first = next(
            (name for name in ("diagnosis", ANSWER, *OTHER_NAMES["diagnosis"]) if name in by_fold), "diagnosis"
        )
        right = {**right, first: "reference"}
    out: dict[str, Any] = {}
    said = []
    for name in kept:
        fold = folded(name)
        new = right.get(fold, name)
        if (new != name and new in taken) or (new == name and (name in OURS or fold in ("relation", "rater", "role"))):
            new = f"case_{name}"
        while new != name and new in taken:
            new += "_"
        taken.add(new)
        if new != name:
            said.append(f"The column {quoted(name)} of the cases is {quoted(new)} in the lists.")
        column = data.column(name)
        nested = pa.types.is_nested(column.type)
        out[new] = pa.array([as_text(value) for value in column.to_pylist()], pa.string()) if nested else column
    return pa.table(out) if out else pa.table({"none": pa.nulls(len(data))}).select([]), said
