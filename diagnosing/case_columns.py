"""Which columns of a table of cases hold what, and under which names the others go into the lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..errors import InputError, OptionError, quoted
from ..evaluation.read.names import ANSWER, FINAL, REFERENCE, TEXTS, columns_by_name, columns_named, folded, says
from ..files.table import as_text
from ..files.tables import Table

CASE_ID, TEXT = "case_id", "text"
_NOT_OF_A_CASE = (
    CASE_ID, "rater", "rank", "diagnosis", "model", "prompt", "repeat", "unread", ANSWER, "role", "relation", "icd10", "severity",
)  # fmt: skip
"""The columns of the lists that are made here, or that evaluate reads as said of a list or a diagnosis in it."""


def columns_of(table: Table, given: Mapping[str, Any] | None) -> tuple[str | None, list[str]]:
    """The column with the names of the cases, None where they are numbered, and those with their texts: by the option `columns`, else by the names that are known.

    Raises
    ------
    InputError
        Where no column is known to hold the texts, or several may, none of them called "text"; for a column in `given` that the table lacks.
    OptionError
        For a key in `given` other than case_id and text.
    """
    if unknown := [ours for ours in given or {} if ours not in (CASE_ID, TEXT)]:
        raise OptionError("columns", f"names for {CASE_ID} and {TEXT}", unknown[0])
    named = {ours: columns_named(name, table.names, table.source, ours) for ours, name in (given or {}).items()}
    known = [name for name in table.names if folded(name) in TEXTS.split() and [name] != named.get(CASE_ID)]
    text = named.get(TEXT) or ([TEXT] if TEXT in known else known)
    if len(text) != 1 and not named.get(TEXT):
        may = (
            f"the columns {', '.join(map(quoted, text))} may each hold"
            if text
            else "no column is known by its name to hold"
        )
        raise InputError(
            f"{may} the texts of the cases", source=table.source,
            allowed="one column 'text', 'note', 'vignette' or 'chat', or names in the option 'columns'",
            got=table.names, remedy=f"the option 'columns' ({TEXT}=COLUMN) names it",
        )  # fmt: skip
    case = columns_by_name([name for name in table.names if name not in text]).get(CASE_ID)
    return named.get(CASE_ID, [case])[0], text


def carried(data: pa.Table, taken: Sequence[str | None]) -> tuple[pa.Table, list[str]]:
    """The columns that are not taken, under the names that they have in the lists, and sentences on those that change theirs.

    A diagnosis, code or severity beside a case is that of its right answer, so "diagnosis" or "answer" becomes "reference" where
    no other column is known to be that. A name that the lists need for themselves gets "case_" before it. Lists and objects become JSON.
    """
    rest = [name for name in data.column_names if name not in taken]
    # a final diagnosis may stand beside a set of right answers
    known = {"diagnosis": ANSWER, **columns_by_name([name for name in rest if not says(name, FINAL)])}
    right = {
        known.get(ours): name
        for ours, name in (("diagnosis", REFERENCE), ("icd10", "reference_icd10"), ("severity", "reference_severity"))
        if name not in known
    }
    new = {name: right.get(name, f"case_{name}") for name in rest if name in right or folded(name) in _NOT_OF_A_CASE}
    for name in new:
        while new[name] in rest:
            new[name] += "_"
    columns = {name: data.column(name) for name in rest}
    more = {
        new.get(name, name): pa.array(map(as_text, one.to_pylist()), pa.string())
        if pa.types.is_nested(one.type)
        else one
        for name, one in columns.items()
    }
    return pa.table(more), [
        f"The column {quoted(name)} of the cases is {quoted(to)} in the lists." for name, to in new.items()
    ]
