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
from .names import (
    ANSWER,
    FINAL,
    OTHER_NAMES,
    PREDICTIONS,
    RANK,
    UNREAD_ANSWER,
    about_another,
    check_told_apart,
    column_in_words,
    columns_by_name,
    columns_named,
    folded,
    known_as,
    numbered,
    several_named,
)

LONG, BY_ROW, NUMBERED, CELLS, REFERENCES = "long", "by row", "numbered", "cells", "references"
_ROWS_PER_VALUE, _WORDS = 2, 5
"""A text column of short values, one for two rows and more, none of which is a right answer, is a group of cases, not a model's answers."""
_FLAGS = frozenset(["yes", "no", "true", "false", "y", "n", "t", "f", "x", "0", "1", "0.0", "1.0", "correct", "incorrect", "right", "wrong", "hit", "miss"])
_DIFFERENTIAL = re.compile(r"diff?eren|ddx", re.IGNORECASE)
_SHOWN = 4


@dataclass(frozen=True)
class Shape:
    """kind : LONG, a row for each rank; BY_ROW, the same without ranks; NUMBERED, a column for each rank; CELLS, a list in a cell;
    REFERENCES, right answers alone.

    names : our name of a column -> the table's. lists : whose -> its columns; "" is nobody's. said : in one line.

    unread : columns whose names do not say what they hold, and that nothing was read from.
    """

    kind: str
    names: Mapping[str, str]
    lists: Mapping[str, list[str]]
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
    names = columns_by_name(table.names, given, table.source)
    if "reference" in names and "reference" not in given and _are_flags(_values(table, names["reference"])):
        # "correct", of yes and no, is no right answer
        names = columns_by_name([name for name in table.names if name != names["reference"]], given, table.source)
    chosen = next((ours for ours in (RANK, PREDICTIONS) if ours in given and (ours == PREDICTIONS or several_named(given[RANK], table.names))), "")  # fmt: skip
    kind, lists = _chosen(table, names, given, chosen) if chosen else _told(table, names, given, by)
    listed = [column for columns in lists.values() for column in columns]
    apart = kind in (NUMBERED, CELLS)
    of_lists = {"rank", "diagnosis", "icd10", "severity", "relation"} | (set() if "" in lists else {"rater"})
    names = {
        o: name
        for o, name in names.items()
        if name not in listed and not (apart and o in of_lists) and o != PREDICTIONS
    }
    others = [name for name in table.names if name not in {*names.values(), *listed, *by} and name.strip()]
    unread = tuple(
        name
        for name in others
        if not (known_as(name) or about_another(name, table.names)) and any(map(_has_letters, _values(table, name)))
    )
    shape = Shape(kind, names, lists, _said(kind, names, lists, others), unread)
    if not given and kind != REFERENCES:
        _check_told(table, shape)
    return shape


def _chosen(
    table: Table, names: dict[str, str], given: Mapping[str, Any], ours: str
) -> tuple[str, dict[str, list[str]]]:
    """Where the option names the columns with the answers."""
    columns = columns_named(given[ours], table.names, table.source)
    for other in [other for other, name in names.items() if name in columns]:
        del names[other]
    if ours == RANK:
        return NUMBERED, {"": columns}
    ranks = numbered(columns)
    if ranks and sum(map(len, ranks.values())) == len(columns):
        return NUMBERED, ranks
    return CELLS, {"": columns} if len(columns) == 1 else {name: [name] for name in columns}


def _told(
    table: Table, names: dict[str, str], given: Mapping[str, Any], by: Collection[str]
) -> tuple[str, dict[str, list[str]]]:
    """Where names and cells tell them."""
    _settle(table, names, given)
    others = [name for name in table.names if name not in {*names.values(), *by}]
    if RANK in names and "diagnosis" in names:
        return LONG, {}
    ranks = numbered([*others, *(names[ours] for ours in ("diagnosis", PREDICTIONS, RANK) if ours in names)])
    if ranks:
        ranks = {"": ranks[""]} if "" in ranks else ranks
        for ours in [ours for ours, name in names.items() if any(name in columns for columns in ranks.values())]:
            del names[ours]
        return NUMBERED, ranks
    models = [] if "rater" in names else _models(table, names, others)
    if (column := names.get(PREDICTIONS)) is not None:
        if (
            models
            and _DIFFERENTIAL.search(column)
            and PREDICTIONS not in given
            and ("reference" not in names or _is_final(names))
        ):
            raise InputError(
                f"the column {column!r} may hold the right answers beside a final one, or a model's", source=table.source,
                allowed=f"the option 'columns': reference={column} and final=COLUMN, or predictions=COLUMN,COLUMN for the models", got=table.names,
            )  # fmt: skip
        return CELLS, {"": [column]}
    if "diagnosis" in names:
        return BY_ROW, {}
    if models:
        check_told_apart(models, table.source)
        return CELLS, {name: [name] for name in models}
    if "reference" in names and "case_id" in names:
        return REFERENCES, {}
    raise _unrecognised(table, names)


def _is_final(names: Mapping[str, str]) -> bool:
    """Whether the right answer goes by the name of a final one."""
    return folded(names["reference"]) in OTHER_NAMES[FINAL]


def _settle(table: Table, names: dict[str, str], given: Mapping[str, Any]) -> None:
    """Settles what a name alone does not: "answer" and "diagnosis" may be the model's or the right one."""
    by_fold = {folded(name): name for name in table.names}
    if UNREAD_ANSWER in by_fold and {RANK, "diagnosis"} <= names.keys():
        return  # lists of `dxmatch ask`: the answer is what they were read from
    answer = by_fold.get(ANSWER)
    if answer is not None and answer not in names.values():
        ours = "reference" if PREDICTIONS in names and "reference" not in names else PREDICTIONS
        names.setdefault(ours, answer)
    if RANK in names:
        # beside ranks a list of synonyms for "differential" is one diagnosis a row
        if "diagnosis" not in names and PREDICTIONS in names:
            names["diagnosis"] = names.pop(PREDICTIONS)
    elif "diagnosis" in names and "diagnosis" not in given and "reference" not in names:
        others = [name for name in table.names if name not in names.values()]
        if PREDICTIONS in names or numbered(others) or (
            "rater" not in names and _models(table, names | {"reference": names["diagnosis"]}, others)
        ):  # fmt: skip
            names["reference"] = names.pop("diagnosis")


def _models(table: Table, names: Mapping[str, str], others: Collection[str]) -> list[str]:
    """Those of the other columns that hold a model's answers each; one that is blank is a model that failed."""
    right = {text.casefold() for text in _values(table, names["reference"])} if "reference" in names else set[str]()
    may = [name for name in others if name.strip() and not (known_as(name) or about_another(name, others))]
    return [name for name in may if _are_answers(_values(table, name), len(table), right)]


def _are_answers(values: list[str], rows: int, right: Collection[str]) -> bool:
    """Whether a column of a name that is not known holds a model's answers: texts that do not group the cases.

    values : its unlike texts, none of a column of lists. right : the right answers, folded.
    """
    if not values:
        return True
    if not any(map(_has_letters, values)) or _are_flags(values):
        return False
    few = 1 < len(values) <= rows // _ROWS_PER_VALUE
    plain_words = all(len(text.split()) <= _WORDS and not re.search(r"[\n;|\[{]", text) for text in values)
    return not (few and plain_words and right.isdisjoint(text.casefold() for text in values))


def _values(table: Table, name: str) -> list[str]:
    """The unlike texts of a column that are not blank; of lists, and what else is no text, none."""
    column = table.data.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type):
        return []
    values = pc.unique(column).drop_null().to_pylist()
    return [text for value in values if value == value and (text := str(value).strip())]


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, text)) and text.casefold() != "nan"


def _are_flags(values: list[str]) -> bool:
    return bool(values) and all(text.casefold() in _FLAGS for text in values)


def _check_told(table: Table, shape: Shape) -> None:
    """Refuses lists of several models, or cases, that would become one: nothing is pooled in silence."""
    names, own = shape.names, shape.kind in (NUMBERED, CELLS) and "" not in shape.lists
    lacks = [ours for ours in ("rater", "case_id") if ours not in names and not (own and ours == "rater")]
    size = {name: len(set(table.column(name))) for name in shape.unread}
    could = sorted((name for name in size if size[name] < len(table)), key=size.__getitem__)
    keys = [names[ours] for ours in ("case_id", *([RANK] if shape.kind == LONG else [])) if ours in names]
    again = len(table) > table.data.group_by(keys).aggregate([]).num_rows if keys else False
    if lacks == ["rater"]:
        pooled = again and could
    elif lacks == ["case_id"]:
        pooled = not own and len(table) > 1
    else:
        pooled = lacks and (len(could) > 1 or (shape.kind == LONG and again))
    if not pooled:
        return
    which = ", and ".join({"rater": "which is the model", "case_id": "which is the case"}[ours] for ours in lacks)
    may = f"; it may be {' or '.join(map(quoted, could))}" if could else ""
    raise InputError(
        f"no column is known that says {which}{may}",
        source=table.source, allowed=f"the names in the option 'columns' ({', '.join(f'{ours}=COLUMN' for ours in lacks)}), or of any column where there is none", got=table.names,
    )  # fmt: skip


def _said(kind: str, names: Mapping[str, str], lists: Mapping[str, list[str]], unread: list[str]) -> str:
    columns = [column for group in lists.values() for column in group]
    many = f"{len(lists)} models" if len(lists) > 1 else "one model"
    what = {
        LONG: "a row for each case, rater and rank",
        BY_ROW: "a row for each diagnosis, the likeliest first",
        NUMBERED: f"a column for each rank ({_shown(columns)})" + (f" of {many}" if "" not in lists else ""),
        CELLS: f"{many} in one column each ({_shown(columns)})" if "" not in lists else f"a list in each cell of {', '.join(map(column_in_words, columns))}",
        REFERENCES: "right answers alone",
    }[kind]  # fmt: skip
    out = [what, *(f"{ours} in {column_in_words(name)}" for ours, name in names.items() if folded(name) != ours)]
    out += ["cases numbered by row"] if "case_id" not in names else []
    return "; ".join([*out, f"not read: {_shown(unread)}"] if unread else out)


def _shown(names: Collection[str]) -> str:
    return ", ".join(map(plain, [*names][:_SHOWN])) + (", …" if len(names) > _SHOWN else "")


def of_sheet(table: Table) -> str:
    """What to add to an error where the workbook has other sheets."""
    return f". {table.note.rstrip('.')}" if table.note else ""


def _unrecognised(table: Table, names: Mapping[str, str]) -> InputError:
    held = (
        ", ".join(f"{ours} in {column_in_words(name)}" for ours, name in names.items())
        or "no column that is known by its name"
    )
    looks, open_ = "no lists of diagnoses", ("case_id", "rater", "rank", "diagnosis")
    if RANK in names or "rater" in names:
        looks, open_ = "one row for each diagnosis", ("diagnosis",)
    elif "case_id" in names:
        looks, open_ = "one row for each case", (PREDICTIONS, "reference")
    return InputError(
        f"no column holds diagnoses; it looks like {looks} ({held}){of_sheet(table)}", source=table.source,
        allowed="columns case_id, rater, rank and diagnosis, a column for each model or rank, or a column of lists", got=table.names,
        remedy=Remedy("says which is which", columns={name: Open("COLUMN") for name in open_}),
    )  # fmt: skip
