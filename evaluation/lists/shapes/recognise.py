"""Which shape a table has: what each column holds, and where the lists are."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import InputError
from ....files.tables import Table
from .names import (
    ANSWER,
    PREDICTIONS,
    RANK,
    columns_by_name,
    columns_named,
    folded,
    known_as,
    numbered,
    several_named,
)

LONG, BY_ROW, NUMBERED, CELLS, REFERENCES = "long", "by row", "numbered", "cells", "references"
PLAIN = "a row for each case, rater and rank"
_FEW, _OF_MANY = 12, 30
"""A text column of so few values in so many rows is a group of cases, not a model's answers."""
_SHOWN = 4


@dataclass(frozen=True)
class Shape:
    """kind : LONG, a row for each rank; BY_ROW, the same without ranks; NUMBERED, a column for each rank; CELLS, a list in a cell;
    REFERENCES, right answers alone.

    names : our name of a column -> the table's. lists : whose -> its columns; "" is nobody's. said : in one line.
    """

    kind: str
    names: Mapping[str, str]
    lists: Mapping[str, list[str]]
    said: str


def shape_of(table: Table, given: Mapping[str, Any], by: Collection[str] = ()) -> Shape:
    """The shape of a table.

    given : the option `columns`; it goes before what the names of columns say. by : columns of the case.

    Raises
    ------
    InputError
        Where it has none that is known, with what it looks like.
    """
    names = columns_by_name(table.names, given, table.source)
    if by_rank := RANK in given and several_named(given[RANK], table.names):
        chosen = columns_named(given[RANK], table.names, table.source)
    elif PREDICTIONS in given:
        chosen = columns_named(given[PREDICTIONS], table.names, table.source)
    else:
        chosen = []
    if chosen:
        for ours in [ours for ours, name in names.items() if name in chosen]:
            del names[ours]
        names.pop("diagnosis", None)
        names.pop(RANK, None)
        return _shape(table, NUMBERED, names, {"": chosen}) if by_rank else _of_chosen(table, names, chosen)
    _sort_out(names, given, table)
    if "rank" in names and "diagnosis" in names:
        return _shape(table, LONG, names, {})
    others = [name for name in table.names if name not in {*names.values(), *by}]
    ranks = numbered([*others, *(names[ours] for ours in ("diagnosis", PREDICTIONS, "rank") if ours in names)])
    if ranks:
        for ours in [ours for ours, name in names.items() if any(name in columns for columns in ranks.values())]:
            del names[ours]
        if "" in ranks and len(ranks) > 1:
            ranks = {"": ranks[""]}
        return _shape(table, NUMBERED, names, ranks, others)
    if PREDICTIONS in names:
        column = names.pop(PREDICTIONS)
        return _shape(
            table, CELLS, names, {"" if "rater" in names else column: [column]}, others, one="rater" not in names
        )
    if "diagnosis" in names:
        return _shape(table, BY_ROW, names, {})
    models = [name for name in others if _may_be_answers(table, name)]
    if models and "rater" not in names:
        return _shape(table, CELLS, names, {name: [name] for name in models}, others)
    if "reference" in names and "case_id" in names:
        return _shape(table, REFERENCES, names, {})
    raise _unrecognised(table, names)


def _of_chosen(table: Table, names: dict[str, str], chosen: list[str]) -> Shape:
    """The shape where the option names the columns with the answers."""
    ranks = numbered(chosen)
    if ranks and sum(map(len, ranks.values())) == len(chosen):
        return _shape(table, NUMBERED, names, ranks)
    if "rater" in names and len(chosen) == 1:
        return _shape(table, CELLS, names, {"": chosen})
    names.pop("rater", None)
    return _shape(table, CELLS, names, {name: [name] for name in chosen}, one=len(chosen) == 1)


def _sort_out(names: dict[str, str], given: Mapping[str, Any], table: Table) -> None:
    """Settles what a name alone does not: "answer" and "diagnosis" may be the model's or the right one."""
    by_fold = {folded(name): name for name in table.names}
    free_answer = by_fold.get(ANSWER) if by_fold.get(ANSWER) not in names.values() else None
    if free_answer is not None:
        ours = "reference" if PREDICTIONS in names or "reference" in names else PREDICTIONS
        if ours == "reference" and "reference" in names:
            ours = PREDICTIONS
        if ours not in names:
            names[ours] = free_answer
    if "rank" in names:
        # beside ranks a list of synonyms for "differential" is one diagnosis a row
        if "diagnosis" not in names and PREDICTIONS in names:
            names["diagnosis"] = names.pop(PREDICTIONS)
        return
    if "diagnosis" in names and "diagnosis" not in given and "reference" not in names:
        others = [n for n in table.names if n not in names.values()]
        if PREDICTIONS in names or numbered(others) or (
            "rater" not in names and any(_may_be_answers(table, name) for name in others)
        ):  # fmt: skip
            names["reference"] = names.pop("diagnosis")


def _may_be_answers(table: Table, name: str) -> bool:
    """Whether a column may hold a model's answers: texts or lists, not of the few values of a group, under no name that says otherwise."""
    if known_as(name):
        return False
    column = table.data.column(name)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_struct(kind):
        return True
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return False
    values = pc.unique(column).drop_null()
    if len(table) >= _OF_MANY and len(values) <= _FEW:
        return False
    sample = [text for text in values.slice(0, 200).to_pylist() if text and text.strip()]
    return bool(sample) and any(any(map(str.isalpha, text)) for text in sample) and not all(map(_is_number, sample))


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _shape(
    table: Table,
    kind: str,
    names: dict[str, str],
    lists: dict[str, list[str]],
    others: Collection[str] = (),
    *,
    one: bool = False,
) -> Shape:
    """one : the name of the column is no model's name."""
    if one:
        (columns,) = lists.values()
        lists = {"": columns}
    columns = [column for group in lists.values() for column in group]
    names = {ours: name for ours, name in names.items() if name not in columns}
    if kind in (NUMBERED, CELLS):
        for ours in ("rank", "diagnosis", "icd10", "severity", "relation"):
            names.pop(ours, None)
        if "" not in lists:
            names.pop("rater", None)
    return Shape(kind, names, lists, _said(kind, names, lists, [n for n in others if n not in columns]))


def _said(kind: str, names: Mapping[str, str], lists: Mapping[str, list[str]], unread: list[str]) -> str:
    columns = [column for group in lists.values() for column in group]
    many = f"{len(lists)} models" if len(lists) > 1 else "one model"
    what = {
        LONG: PLAIN,
        BY_ROW: "a row for each diagnosis, the likeliest first",
        NUMBERED: f"a column for each rank ({_shown(columns)})" + (f" of {many}" if "" not in lists else ""),
        CELLS: f"{many} in one column each ({_shown(columns)})"
        if "" not in lists
        else f"a list in each cell of {columns[0]!r}"
        if columns
        else "",
        REFERENCES: "right answers alone",
    }[kind]
    where = [f"{ours} in {name!r}" for ours, name in names.items() if folded(name) != ours]
    out = [what, *where]
    if "case_id" not in names:
        out.append("cases numbered by row")
    if unread:
        out.append(f"not read: {_shown(unread)}")
    return "; ".join(out)


def _shown(names: Collection[str]) -> str:
    listed = ", ".join(list(names)[:_SHOWN])
    return f"{listed}, …" if len(names) > _SHOWN else listed


def _unrecognised(table: Table, names: Mapping[str, str]) -> InputError:
    held = ", ".join(f"{ours} in {name!r}" for ours, name in names.items()) or "no column that is known by its name"
    if "rank" in names or "rater" in names:
        looks, want = "one row for each diagnosis", "columns={'diagnosis': …}"
    elif "case_id" in names:
        looks, want = "one row for each case", "columns={'predictions': […], 'reference': …}"
    else:
        looks, want = "no lists of diagnoses", "columns={'case_id': …, 'rater': …, 'rank': …, 'diagnosis': …}"
    return InputError(
        f"no column holds diagnoses; it looks like {looks} ({held})",
        source=table.source,
        allowed=f"columns case_id, rater, rank and diagnosis, a column for each model or rank, or a column of lists; the option "
        f"'columns' says which is which ({want})",
        got=table.names,
    )
