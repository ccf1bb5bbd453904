"""Which columns of a table of cases hold what, and under which names the others go into the lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..errors import InputError, Open, OptionError, Remedy, quoted
from ..evaluation.lists.shapes.long import FINAL
from ..evaluation.lists.shapes.names import ANSWER, OTHER_NAMES, columns_by_name, columns_named, folded
from ..files.did_you_mean import hint
from ..files.json_records import as_text
from ..files.tables import Table

CASE_ID, TEXT = "case_id", "text"
TEXTS = (
    "vignette", "case_vignette", "case_text", "note", "clinical_note", "admission_note", "chat", "messages", "conversation", "dialogue",
    "dialog", "transcript", "case_description", "case_presentation", "case_report", "full_text", "question", "description", "presentation",
    "history", "input", "prompt", "case",
    "fallvignette", "fallbeschreibung", "fallbericht", "anamnese", "notiz", "arztbrief", "gesprach", "frage",
    "texte", "observation", "conversation_medicale", "cas_clinique", "texto", "vineta", "nota", "caso_clinico", "historia", "testo", "vignetta",
    "anamnesi", "storia",
)  # fmt: skip
"""Names of the column with the text, beside "text", the surer first; as `folded` writes them."""
OURS = ("case_id", "rater", "rank", "diagnosis", "model", "prompt", "repeat", "unread", ANSWER)
"""The columns of the lists that are made here."""

_OF_THE_RIGHT_ANSWER = {"icd10": "reference_icd10", "severity": "reference_severity"}
"""Columns that are one diagnosis's in a table of lists; in a table of cases they can only be the right answer's."""
_WORDS_OF_A_TEXT = 12
_CLINBENCH, _ITS_TESTS = "patient_info", re.compile(r"(?:laboratory|blood|imaging)_\w+|question")


@dataclass(frozen=True)
class CaseColumns:
    """case_id : None where the cases are numbered. text : one column or several. notes : sentences on what was taken for what."""

    case_id: str | None
    text: tuple[str, ...]
    notes: tuple[str, ...] = ()


def columns_of(table: Table, given: Mapping[str, Any] | None) -> CaseColumns:
    """By the option `columns`, else by the names that are known, else the one column of long texts.

    Raises
    ------
    InputError
        Where no column, or more than one, may hold the texts; for a column in `given` that the table lacks.
    OptionError
        For a key in `given` other than case_id and text.
    """
    given = dict(given or {})
    for ours in given:
        if ours not in (CASE_ID, TEXT):
            raise OptionError("columns", f"names for {CASE_ID} and {TEXT}", ours)
    text = _chosen_texts(table, given[TEXT]) if TEXT in given else None
    if CASE_ID in given:
        case_id: str | None = given[CASE_ID]
        if case_id not in table.names:
            problem = f"the column {case_id!r} is missing ({CASE_ID}){hint(str(case_id), table.names)}"
            raise InputError(problem, source=table.source, allowed="a column of the table", got=table.names)
    else:
        case_id = _named_id(table, text or ())
    if text is None:
        text, notes = _text(table, case_id)
    else:
        notes = []
    if case_id is not None and case_id in text:
        case_id = None
    if case_id is None:
        notes.append(
            f"No column names the cases, so they are numbered from 1; the option 'columns' names one ({CASE_ID})."
        )
    return CaseColumns(case_id, text, tuple(notes))


def _chosen_texts(table: Table, given: Any) -> tuple[str, ...]:
    names = tuple(columns_named(given, table.names, table.source))
    if not names:
        raise OptionError("columns", f"at least one column for {TEXT}", given)
    return names


def _named_id(table: Table, texts: tuple[str, ...]) -> str | None:
    """The surest name of those there. "case" is the text where another column names the case and none is known to hold texts."""
    by_fold = {folded(name): name for name in table.names if name not in texts}
    known = [name for name in (CASE_ID, *OTHER_NAMES[CASE_ID]) if name in by_fold]
    if not texts and len(known) > 1 and not any(name in by_fold for name in (TEXT, *TEXTS) if name != "case"):
        known = [name for name in known if name != "case"]
    for name in known:
        if not _holds_texts(table, by_fold[name]):
            return by_fold[name]
    return None


def _text(table: Table, case_id: str | None) -> tuple[tuple[str, ...], list[str]]:
    by_fold = {folded(name): name for name in table.names if name != case_id}
    if {_CLINBENCH, "diagnosis"} <= by_fold.keys():
        # the parts of a case of ClinBench-HPB
        return tuple(name for fold, name in by_fold.items() if fold == _CLINBENCH or _ITS_TESTS.fullmatch(fold)), []
    known = [by_fold[name] for name in (TEXT, *TEXTS) if name in by_fold]
    if known:
        rivals = [name for name in table.names if name not in (case_id, known[0]) and _holds_texts(table, name)]
        others = f" (not {', '.join(map(quoted, rivals))})" if rivals else ""
        told = [
            f"The text of a case is read from {quoted(known[0])}{others}; the option 'columns' may name others ({TEXT})."
        ]
        return (known[0],), told if rivals else []
    long = [name for name in table.names if name != case_id and _holds_texts(table, name)]
    if len(long) == 1:
        return (long[0],), [f"The text of a case is read from {quoted(long[0])}, the one column of long texts."]
    which = f"several may: {', '.join(map(quoted, long))}" if long else "none is known by its name or holds long texts"
    raise InputError(
        f"no column can be told to hold the texts of the cases ({which})", source=table.source,
        allowed="a column 'text', 'note', 'vignette' or 'chat', or its name in the option 'columns'", got=table.names,
        remedy=Remedy("names it", columns={TEXT: Open("COLUMN")}),
    )  # fmt: skip


def _holds_texts(table: Table, name: str) -> bool:
    """Whether half of the cells that are not blank hold a dozen words or a chat."""
    kind = table.data.schema.field(name).type
    if pa.types.is_nested(kind):
        return pa.types.is_list(kind) and pa.types.is_struct(kind.value_type)
    cells = [value for value in table.column(name) if isinstance(value, str) and value.strip()]
    return sum(len(value.split()) >= _WORDS_OF_A_TEXT for value in cells) * 2 > len(cells)


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
