"""Which columns of a table of cases hold what, and under which names the others go into the lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..errors import InputError, Open, OptionError, Remedy, quoted
from ..evaluation.read.names import ANSWER, FINAL, TEXTS, columns_by_name, columns_named, folded, says
from ..files.table import as_text
from ..files.tables import Table

CASE_ID, TEXT = "case_id", "text"
OURS = (CASE_ID, "rater", "rank", "diagnosis", "model", "prompt", "repeat", "unread", ANSWER)
"""The columns of the lists that are made here."""
_OF_A_LIST = ("role", "relation", "icd10", "severity")
"""Columns that evaluate reads as said of a list or a diagnosis in it."""


@dataclass(frozen=True)
class CaseColumns:
    """case_id : None where the cases are numbered. text : one column or several."""

    case_id: str | None
    text: tuple[str, ...]


def columns_of(table: Table, given: Mapping[str, Any] | None) -> CaseColumns:
    """By the option `columns`, else by the names that are known.

    Raises
    ------
    InputError
        Where no column is known to hold the texts, or several may, none of them called "text"; for a column in `given` that the table lacks.
    OptionError
        For a key in `given` other than case_id and text.
    """
    given = dict(given or {})
    for ours in given:
        if ours not in (CASE_ID, TEXT):
            raise OptionError("columns", f"names for {CASE_ID} and {TEXT}", ours)
    if TEXT in given:
        text = tuple(columns_named(given[TEXT], table.names, table.source))
        if not text:
            raise OptionError("columns", f"at least one column for {TEXT}", given[TEXT])
    else:
        known = [name for name in table.names if folded(name) in TEXTS.split() and name != given.get(CASE_ID)]
        text = (TEXT,) if TEXT in table.names else tuple(known)
        if len(text) != 1:
            problem = "no column is known by its name to hold the texts of the cases"
            if text:
                problem = f"the columns {', '.join(map(quoted, text))} may each hold the texts of the cases"
            raise InputError(
                problem, source=table.source, allowed="one column 'text', 'note', 'vignette' or 'chat', or names in the option 'columns'",
                got=table.names, remedy=Remedy("names it", columns={TEXT: Open("COLUMN")}),
            )  # fmt: skip
    if CASE_ID in given:
        return CaseColumns(columns_named(given[CASE_ID], table.names, table.source, CASE_ID)[0], text)
    return CaseColumns(columns_by_name([name for name in table.names if name not in text]).get(CASE_ID), text)


def carried(data: pa.Table, columns: CaseColumns) -> tuple[pa.Table, list[str]]:
    """The other columns under the names that they have in the lists, and sentences on those that change theirs.

    A diagnosis, code or severity beside a case is that of its right answer, so "diagnosis" or "answer" becomes "reference" where
    no other column is known to be that. A name that the lists need for themselves gets "case_" before it. Lists and objects become JSON.
    """
    rest = [name for name in data.column_names if name != columns.case_id and name not in columns.text]
    # a final diagnosis may stand beside a set of right answers
    known = columns_by_name([name for name in rest if not says(name, FINAL)])
    known.setdefault("diagnosis", ANSWER)
    new = {name: f"case_{name}" for name in rest if folded(name) in (*OURS, *_OF_A_LIST)}
    for ours, right in (("diagnosis", "reference"), ("icd10", "reference_icd10"), ("severity", "reference_severity")):
        if known.get(ours) in rest and right not in known:
            new[known[ours]] = right
    for name in new:
        while new[name] in rest:
            new[name] += "_"
    more = data.select(rest).rename_columns([new.get(name, name) for name in rest])
    for at, field in enumerate(more.schema):
        if pa.types.is_nested(field.type):
            more = more.set_column(at, field.name, pa.array(map(as_text, more.column(at).to_pylist()), pa.string()))
    return more, [f"The column {quoted(name)} of the cases is {quoted(to)} in the lists." for name, to in new.items()]
