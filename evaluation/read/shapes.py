"""Which of the shapes a table has: what each column holds, and where the lists are."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, Open, Remedy, plain, quoted
from ...files.tables import Table
from . import names as known
from .names import ANSWER, FINAL, PREDICTIONS, RANK, UNREAD_ANSWER, column_in_words, folded, says_what_it_holds

LONG, BY_ROW, NUMBERED, CELLS, REFERENCES = "long", "by row", "numbered", "cells", "references"
_SAID = {
    LONG: "a row for each case, rater and rank",
    BY_ROW: "a row for each diagnosis, the likeliest first",
    NUMBERED: "a column for each rank",
    CELLS: "a list in each cell",
    REFERENCES: "right answers alone",
}
_ROWS_PER_VALUE, _WORDS = 2, 5
"""A text column of short values, one for two rows and more, none of which is a right answer, is a group of cases, not a model's answers."""
_FLAGS = known.words("yes no true false y n t f x 0 1 0.0 1.0 correct incorrect right wrong hit miss")
_DIFFERENTIAL = re.compile(r"diff?eren|ddx", re.IGNORECASE)
_WHICH = {"rater": "which is the model", "case_id": "which is the case"}
_ALLOWED = "columns case_id, rater, rank and diagnosis, a column for each model or rank, or a column of lists; their names in the option 'columns'"
_SHOWN = 4
Lists = Mapping[str, list[str]]


@dataclass(frozen=True)
class Shape:
    """kind : LONG, a row for each rank; BY_ROW, the same without ranks; NUMBERED, a column for each rank; CELLS, a list in a cell;
    REFERENCES, right answers alone.

    names : our name of a column -> the table's. lists : whose -> its columns; "" is nobody's. said : in one line.

    unread : columns whose names do not say what they hold, and that nothing was read from.
    """

    kind: str
    names: Mapping[str, str]
    lists: Lists
    said: str
    unread: tuple[str, ...] = ()


def shape_of(table: Table, given: Mapping[str, Any], by: Collection[str] = ()) -> Shape:
    """The shape of a table.

    given : the option `columns`; it goes before what the names of columns say. by : columns of the case.

    Raises
    ------
    InputError
        Where it has none that is known, with what it looks like; where nothing tells whose a list is, or of which case.
    """
    names = known.columns_by_name(table.names, given, table.source)
    if "reference" in names and "reference" not in given and _are_flags(_values(table, names["reference"])):
        # "correct", of yes and no, is no right answer
        others = [name for name in table.names if name != names["reference"]]
        names = known.columns_by_name(others, given, table.source)
    kind, lists = _chosen(table, names, given) or _told(table, names, given, by)
    listed = [column for columns in lists.values() for column in columns]
    # codes and degrees are of one diagnosis, and a column with a model's name says who it is
    left = (
        {RANK, "diagnosis", "icd10", "severity", "relation", *([] if "" in lists else ["rater"])} if listed else set()
    )
    names = {ours: name for ours, name in names.items() if name not in listed and ours not in {PREDICTIONS, *left}}
    if "case_id" not in names and kind in (NUMBERED, CELLS):
        names |= known.unnamed_cases(table.names)
    others = [name for name in table.names if name.strip() and name not in {*names.values(), *listed, *by}]
    if kind in (LONG, BY_ROW) and {"rater", "case_id"} <= names.keys():
        others = []  # what else such a table holds is of no weight
    held = {name: _values(table, name) for name in others if not says_what_it_holds(name, table.names)}
    unread = tuple(name for name, values in held.items() if any(map(_has_letters, values)))
    of = f" of {len(lists)} models" if len(lists) > 1 else ""
    said = [
        f"{_SAID[kind]}{of}" + (f" ({_shown(listed)})" if listed else ""),
        *(f"{ours} in {column_in_words(name)}" for ours, name in names.items() if folded(name) != ours),
        *([f"not read: {_shown(others)}"] if others else []),
    ]
    shape = Shape(kind, names, lists, "; ".join(said), unread)
    if not given and kind != REFERENCES:
        _check_told(table, shape)
    return shape


def _shown(names: Collection[str]) -> str:
    return ", ".join(map(plain, [*names][:_SHOWN])) + (", …" if len(names) > _SHOWN else "")


def _chosen(table: Table, names: dict[str, str], given: Mapping[str, Any]) -> tuple[str, Lists] | None:
    """Where the option names the columns with the answers."""
    by_rank = RANK in given and known.several_named(given[RANK], table.names)
    if not by_rank and not given.get(PREDICTIONS):
        return None
    columns = known.columns_named(given[RANK if by_rank else PREDICTIONS], table.names, table.source)
    for ours in [ours for ours, name in names.items() if name in columns]:
        del names[ours]
    ranks = {"": columns} if by_rank else known.numbered(columns)
    if sum(map(len, ranks.values())) == len(columns):
        return NUMBERED, ranks
    return CELLS, {"": columns} if len(columns) == 1 else {name: [name] for name in columns}


def _told(table: Table, names: dict[str, str], given: Mapping[str, Any], by: Collection[str]) -> tuple[str, Lists]:
    """Where names and cells tell them."""
    _settle(table, names, given)
    others = [name for name in table.names if name not in {*names.values(), *by}]
    if RANK in names and "diagnosis" in names:
        return LONG, {}
    ranks = known.numbered([*others, *(names[ours] for ours in ("diagnosis", PREDICTIONS, RANK) if ours in names)])
    if ranks:
        return NUMBERED, {"": ranks[""]} if "" in ranks else ranks
    models = [] if "rater" in names else _models(table, names, others)
    if (column := names.get(PREDICTIONS)) is not None:
        final = "reference" not in names or folded(names["reference"]) in known.OTHER_NAMES[FINAL]
        if models and final and _DIFFERENTIAL.search(column):
            problem = f"the column {column!r} may hold the right answers beside a final one, or a model's"
            raise InputError(problem, source=table.source, allowed=known.WAYS, got=table.names)
        return CELLS, {"": [column]}
    if "diagnosis" in names:
        return BY_ROW, {}
    if models:
        # a list is no rank
        one_each = [name for name in models if not pa.types.is_nested(table.data.column(name).type)]
        known.check_told_apart(one_each, table.source)
        return CELLS, {name: [name] for name in models}
    if "reference" in names and "case_id" in names:
        return REFERENCES, {}
    raise _unrecognised(table, names)


def _settle(table: Table, names: dict[str, str], given: Mapping[str, Any]) -> None:
    """Settles what a name alone does not: "answer" and "diagnosis" may be the model's or the right one."""
    by_fold = {folded(name): name for name in table.names}
    if UNREAD_ANSWER in by_fold and {RANK, "diagnosis"} <= names.keys():
        return  # lists of `dxmatch ask`: the answer is what they were read from
    if (answer := by_fold.get(ANSWER)) is not None and answer not in names.values():
        names.setdefault("reference" if PREDICTIONS in names and "reference" not in names else PREDICTIONS, answer)
    if RANK in names:
        # beside ranks a list of synonyms for "differential" is one diagnosis a row
        if "diagnosis" not in names and PREDICTIONS in names:
            names["diagnosis"] = names.pop(PREDICTIONS)
    elif "diagnosis" in names and "diagnosis" not in given and "reference" not in names:
        others = [name for name in table.names if name not in names.values()]
        right = names | {"reference": names["diagnosis"]}
        if PREDICTIONS in names or known.numbered(others) or ("rater" not in names and _models(table, right, others)):
            names["reference"] = names.pop("diagnosis")


def _models(table: Table, names: Mapping[str, str], others: Collection[str]) -> list[str]:
    """Those of the other columns that hold a model's answers each: texts that do not group the cases; one that is blank is a model that failed."""
    right = {text.casefold() for text in _values(table, names["reference"])} if "reference" in names else set[str]()
    found = []
    for name in (name for name in others if name.strip() and not says_what_it_holds(name, others)):
        values = _values(table, name)
        words = all(len(text.split()) <= _WORDS and not re.search(r"[\n;|\[{]", text) for text in values)
        few = 1 < len(values) <= len(table) // _ROWS_PER_VALUE
        if (few and words and right.isdisjoint(text.casefold() for text in values)) or _are_flags(values):
            continue
        if not values or any(map(_has_letters, values)):
            found.append(name)
    return found


def _values(table: Table, name: str) -> list[str]:
    """The unlike texts of a column that are not blank; of lists, and what else is no text, none."""
    column = table.data.column(name)
    if pa.types.is_nested(column.type):
        return []
    values = pc.unique(
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    ).to_pylist()
    return [text for value in values if value is not None and value == value and (text := str(value).strip())]


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def _are_flags(values: list[str]) -> bool:
    return bool(values) and all(text.casefold() in _FLAGS for text in values)


def _check_told(table: Table, shape: Shape) -> None:
    """Refuses lists of several models, or cases, that would become one: nothing is pooled in silence."""
    names, own = shape.names, shape.kind in (NUMBERED, CELLS) and "" not in shape.lists
    lacks = [ours for ours in _WHICH if ours not in names and not (own and ours == "rater")]
    if not lacks or own:
        return
    size = {name: len(set(table.column(name))) for name in shape.unread}
    could = sorted((name for name in size if size[name] < len(table)), key=size.__getitem__)
    keys = [names[ours] for ours in ("case_id", *([RANK] if shape.kind == LONG else [])) if ours in names]
    again = bool(keys) and table.data.group_by(keys).aggregate([]).num_rows < len(table)
    pooled = again or len(could) > 1
    if len(lacks) == 1:
        pooled = again and bool(could) if lacks == ["rater"] else len(table) > 1
    if pooled:
        may = f"; it may be {' or '.join(map(quoted, could))}" if could else ""
        which, named = ", and ".join(map(_WHICH.__getitem__, lacks)), ", ".join(f"{ours}=COLUMN" for ours in lacks)
        allowed = f"their names in the option 'columns' ({named}), or that of any column where there is none"
        problem = f"no column is known that says {which}{may}"
        raise InputError(problem, source=table.source, allowed=allowed, got=table.names)


def of_sheet(table: Table) -> str:
    """What to add to an error where the workbook has other sheets."""
    return f". {table.note.rstrip('.')}" if table.note else ""


def _unrecognised(table: Table, names: Mapping[str, str]) -> InputError:
    held = ", ".join(f"{ours} in {column_in_words(name)}" for ours, name in names.items()) or "none"
    wanted = ["diagnosis"] if RANK in names or "rater" in names else ["case_id", "reference", PREDICTIONS]
    missing = {ours: Open("COLUMN") for ours in wanted if ours not in names}
    return InputError(
        f"no column holds diagnoses; known by their names are: {held}{of_sheet(table)}",
        source=table.source,
        allowed=_ALLOWED,
        got=table.names,
        remedy=Remedy("says which is which", columns=missing),
    )
