"""Which shape a table has: what each column holds, and where the lists are."""

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
from .long import FINAL
from .names import (
    ANSWER,
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
PLAIN = "a row for each case, rater and rank"
_FEWEST_ROWS, _ROWS_PER_VALUE, _WORDS = 6, 3, 5
"""A text column of short values, one for three rows and more, none of which is a right answer, is a group of cases, not a model's answers."""
_TRUE_DIFFERENTIAL = re.compile(
    r"(?:true|reference|gold|correct|actual|truth|right|expected).*(?:diff?eren|ddx)", re.IGNORECASE
)
_FLAGS = frozenset(
    [
        "yes",
        "no",
        "true",
        "false",
        "y",
        "n",
        "t",
        "f",
        "x",
        "0",
        "1",
        "0.0",
        "1.0",
        "correct",
        "incorrect",
        "right",
        "wrong",
        "hit",
        "miss",
    ]
)
_MARKS_OF_LISTS = re.compile(r"[\n;|\[{]")
_SHOWN = 4
_BLANKS = 4
"""Ways to leave a cell blank, at most."""


@dataclass(frozen=True)
class Shape:
    """kind : LONG, a row for each rank; BY_ROW, the same without ranks; NUMBERED, a column for each rank; CELLS, a list in a cell;
    REFERENCES, right answers alone.

    names : our name of a column -> the table's. lists : whose -> its columns; "" is nobody's. said : in one line.

    unread : columns whose names do not say what they hold, and that nothing was read from. warnings : what belongs above the figures.
    """

    kind: str
    names: Mapping[str, str]
    lists: Mapping[str, list[str]]
    said: str
    unread: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def shape_of(table: Table, given: Mapping[str, Any], by: Collection[str] = ()) -> Shape:
    """The shape of a table.

    given : the option `columns`; it goes before what the names of columns say. by : columns of the case.

    Raises
    ------
    InputError
        Where it has none that is known, with what it looks like.
    """
    names = columns_by_name(table.names, given, table.source)
    if "reference" in names and "reference" not in given and _are_flags(_values(table, names["reference"])):
        # "correct", of yes and no, is no right answer
        names = columns_by_name([name for name in table.names if name != names["reference"]], given, table.source)
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
    others = [name for name in table.names if name not in {*names.values(), *by}]
    if "rank" in names and "diagnosis" in names:
        return _shape(table, LONG, names, {}, others)
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
        return _shape(table, BY_ROW, names, {}, others)
    models = [] if "rater" in names else _models(table, names, others)
    if models:
        check_told_apart(models, table.source)
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
    if UNREAD_ANSWER in by_fold and {"rank", "diagnosis"} <= names.keys():
        return  # lists of `dxmatch ask`: the answer is what they were read from
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
            "rater" not in names and _models(table, names | {"reference": names["diagnosis"]}, others)
        ):  # fmt: skip
            names["reference"] = names.pop("diagnosis")
    _settle_differential(names, given, table)


def _settle_differential(names: dict[str, str], given: Mapping[str, Any], table: Table) -> None:
    """A differential diagnosis beside a final one and the lists of models is the set of right answers."""
    if "reference" in given:
        return
    right = names.get("reference")
    own = [name for name in table.names if name not in names.values() and _TRUE_DIFFERENTIAL.search(name)]
    if len(own) == 1 and FINAL not in names and (right is None or folded(right) in OTHER_NAMES[FINAL]):
        names |= {"reference": own[0]} | ({} if right is None else {FINAL: right})
        return
    if PREDICTIONS not in names or PREDICTIONS in given:
        return
    if FINAL not in names and (right is None or folded(right) not in OTHER_NAMES[FINAL]):
        return
    others = [name for name in table.names if name not in names.values()]
    if (FINAL in names and right is not None) or not _models(table, names, others):
        return
    if right is not None:
        names[FINAL] = right
    names["reference"] = names.pop(PREDICTIONS)


def _models(table: Table, names: Mapping[str, str], others: Collection[str]) -> list[str]:
    """Those of the other columns that hold a model's answers each.

    Beside such, a column that is blank, or the same in every row, is that of a model that failed.
    """
    right = _values(table, names["reference"]) if "reference" in names else []
    known = {" ".join(text.casefold().split()) for text in right}
    may = {name: _values(table, name) for name in others if not (known_as(name) or about_another(name, others))}
    found = [name for name in may if _are_answers(table, name, may[name], known)]
    lists = [name for name in found if 2 * sum(map(_is_list, may[name])) > len(may[name])]
    if lists:  # beside lists, single words that return from case to case are a group: an organ, a ward
        found = [
            name for name in found if name in lists or 2 * len(may[name]) > len(table) or known & _folded(may[name])
        ]
    dull = [
        name
        for name, held in may.items()
        if not held or (len(held) == 1 and _has_letters(held[0]) and not _are_flags(held))
    ]
    return [name for name in may if name in found or (name in dull and found)]


def _is_list(text: str) -> bool:
    return _MARKS_OF_LISTS.search(text) is not None


def _folded(texts: Collection[str]) -> set[str]:
    return {" ".join(text.casefold().split()) for text in texts}


def _values(table: Table, name: str) -> list[str]:
    """The unlike texts of a column that are not blank; of lists, and what else is no text, none."""
    column = table.data.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type):
        return []
    values = pc.unique(column).drop_null().to_pylist()
    return [text for value in values if value == value and (text := str(value).strip())]


def _are_answers(table: Table, name: str, values: list[str], right: Collection[str]) -> bool:
    """Whether a column of a name that is not known holds a model's answers: lists, or texts that do not group the cases.

    values : its unlike texts. right : the right answers, folded.
    """
    kind = table.data.schema.field(name).type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_struct(kind):
        return True
    if not any(map(_has_letters, values)) or all(map(_is_number, values)) or _are_flags(values):
        return False
    return not _are_groups(table, name, values, right)


def _are_groups(table: Table, name: str, values: list[str], right: Collection[str]) -> bool:
    rows = len(table) - table.data.column(name).null_count
    return (
        rows >= _FEWEST_ROWS
        and 1 < len(values) * _ROWS_PER_VALUE <= rows + _ROWS_PER_VALUE - 1
        and all(len(text.split()) <= _WORDS and not _MARKS_OF_LISTS.search(text) for text in values)
        and not any(" ".join(text.casefold().split()) in right for text in values)
    )


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def _are_flags(values: list[str]) -> bool:
    return bool(values) and all(text.casefold() in _FLAGS for text in values)


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
    left = [name for name in others if name not in columns]
    if kind in (LONG, BY_ROW) and "rater" in names and "case_id" in names:
        # what else such a table holds is of no weight
        left = []
    unread = tuple(
        name
        for name in left
        if not (known_as(name) or about_another(name, table.names)) and any(map(_has_letters, _values(table, name)))
    )
    return Shape(kind, names, lists, _said(kind, names, lists, left), unread, _warnings(table, lists, unread))


def _warnings(table: Table, lists: Mapping[str, list[str]], unread: Collection[str]) -> tuple[str, ...]:
    """What may be wrong: columns that nothing was read from and whose names do not say why, models without or with one answer."""
    said = []
    if unread:
        what = [f"{quoted(name)} ({len(_values(table, name)):,} different values)" for name in list(unread)[:_SHOWN]]
        more = ", …" if len(unread) > _SHOWN else ""
        said.append(f"Nothing was read from {', '.join(what)}{more}; the option 'columns' says what a column holds.")
    for model, columns in lists.items():
        kinds = [table.data.schema.field(name).type for name in columns]
        if not model or len(table) < 2 or any(map(pa.types.is_nested, kinds)):
            continue
        if any(len(pc.unique(table.data.column(name))) > _BLANKS for name in columns):
            continue
        values = [_values(table, name) for name in columns]
        if not any(values):
            said.append(f"{quoted(model)} holds no answer in any case.")
        elif len(values) == 1 and len(values[0]) == 1 and not table.data.column(columns[0]).null_count:
            said.append(f"{quoted(model)} holds the same answer in every case: {quoted(values[0][0])}.")
    return tuple(said)


def _said(kind: str, names: Mapping[str, str], lists: Mapping[str, list[str]], unread: list[str]) -> str:
    columns = [column for group in lists.values() for column in group]
    many = f"{len(lists)} models" if len(lists) > 1 else "one model"
    what = {
        LONG: PLAIN,
        BY_ROW: "a row for each diagnosis, the likeliest first",
        NUMBERED: f"a column for each rank ({_shown(columns)})" + (f" of {many}" if "" not in lists else ""),
        CELLS: f"{many} in one column each ({_shown(columns)})"
        if "" not in lists
        else f"a list in each cell of {column_in_words(columns[0])}"
        if columns
        else "",
        REFERENCES: "right answers alone",
    }[kind]
    where = [f"{ours} in {column_in_words(name)}" for ours, name in names.items() if folded(name) != ours]
    out = [what, *where]
    if "case_id" not in names:
        out.append("cases numbered by row")
    if named := [name for name in unread if name.strip()]:
        out.append(f"not read: {_shown(named)}")
    return "; ".join(out)


def _shown(names: Collection[str]) -> str:
    listed = ", ".join(map(plain, list(names)[:_SHOWN]))
    return f"{listed}, …" if len(names) > _SHOWN else listed


def of_sheet(table: Table) -> str:
    """What to add to an error where the workbook has other sheets."""
    return f". {table.note.rstrip('.')}" if table.note else ""


def _unrecognised(table: Table, names: Mapping[str, str]) -> InputError:
    held = (
        ", ".join(f"{ours} in {column_in_words(name)}" for ours, name in names.items())
        or "no column that is known by its name"
    )
    if "rank" in names or "rater" in names:
        looks, open_ = "one row for each diagnosis", ("diagnosis",)
    elif "case_id" in names:
        looks, open_ = "one row for each case", (PREDICTIONS, "reference")
    else:
        looks, open_ = "no lists of diagnoses", ("case_id", "rater", "rank", "diagnosis")
    return InputError(
        f"no column holds diagnoses; it looks like {looks} ({held}){of_sheet(table)}",
        source=table.source,
        allowed="columns case_id, rater, rank and diagnosis, a column for each model or rank, or a column of lists",
        got=table.names,
        remedy=Remedy("says which is which", columns={name: Open("COLUMN") for name in open_}),
    )
