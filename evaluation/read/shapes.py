"""Which of the shapes a table has: what each column holds, and where the lists are."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, Open, Remedy, plain, quoted
from ...files.tables import Table
from . import names as known
from .findings import first_few
from .headings import WAYS, check_models, numbered, standing_twice
from .lists import as_text
from .names import ANSWER, FINAL, PREDICTIONS, RANK, REFERENCE, folded, says, says_what_it_holds

LONG, NUMBERED, CELLS, REFERENCES = (
    "a row for each case, rater and rank", "a column for each rank", "a list in each cell", "right answers alone",
)  # fmt: skip
_ROWS_PER_VALUE, _WORDS = 2, 5
"""A text column of short values, one for two rows and more, none of which is a right answer, is a group of cases, not a model's answers."""
_FLAGS = known.words("yes no true false y n t f x 0 1 0.0 1.0 correct incorrect right wrong hit miss")
_OF_A_DIAGNOSIS = {RANK, "diagnosis", "icd10", "severity", "relation", PREDICTIONS}
Lists = Mapping[str, list[str]]


class Shape(NamedTuple):
    """The shape of a table.

    kind : one of the above. names : our name of a column -> the table's, of what is read beside the lists. lists : whose -> its columns; ""
    is nobody's. right : the columns of right answers. said : in one line. unread : columns whose names do not say what they hold, and that
    nothing was read from.
    """

    table: Table
    kind: str
    names: dict[str, str]
    lists: Lists
    right: list[str]
    said: str
    unread: list[str]


def shape_of(table: Table, given: Mapping[str, list[str]], by: Collection[str] = ()) -> Shape:
    """The shape of a table.

    given : the option `columns`; it goes before what the names of columns say. by : columns of the case.

    Raises
    ------
    InputError
        Where it has none that is known, with what it looks like; where nothing tells whose a list is, or of which case.
    """
    names, right = named(table, given)
    kind, lists = _chosen(table, names, given) or _told(table, names, given, {*by, *right})
    listed = [column for columns in lists.values() for column in columns]
    # codes and degrees are of one diagnosis, and a column with a model's name says who it is
    left = {*_OF_A_DIAGNOSIS, *([] if "" in lists else ["rater"])} if listed else {PREDICTIONS}
    names = {ours: name for ours, name in names.items() if name not in listed and ours not in left}
    if kind in (NUMBERED, CELLS) and "" in table.names:  # the index that pandas writes
        names.setdefault("case_id", "")
    others = [name for name in table.names if name.strip() and name not in {*names.values(), *listed, *right, *by}]
    if kind == LONG and {"rater", "case_id"} <= names.keys():
        others = []  # what else such a table holds is of no weight
    open_ = (name for name in others if not says_what_it_holds(name, table.names))
    said = [
        f"{kind}{f' of {len(lists)} models' if len(lists) > 1 else ''}{f' ({first_few(map(plain, listed), 4)})' if listed else ''}",
        *(f"{ours} in {_in_words(name)}" for ours, name in names.items() if folded(name) != ours),
        *([f"right answers in {first_few(map(plain, right), 4)}"] if len(right) > 1 else []),
        *([f"not read: {first_few(map(plain, others), 4)}"] if others else []),
    ]
    unread = [name for name in open_ if _has_letters(_values(table, name))]
    right = [] if REFERENCE not in names else right if len(right) > 1 else [names[REFERENCE]]
    shape = Shape(table, kind, names, lists, right, "; ".join(said), unread)
    if not given and kind != REFERENCES and "" in (lists or {"": []}):
        _check_told(shape)
    return shape


def _in_words(name: str) -> str:
    return quoted(name) if name.strip() else "a column without a name"


def named(table: Table, given: Mapping[str, list[str]]) -> tuple[dict[str, str], list[str]]:
    """Our name of a column -> the table's; the columns of right answers, of which each may hold one ("reference_dx_1", "reference_dx_2").

    Raises
    ------
    InputError
        Where several columns may hold the right answers.
    """
    names = known.columns_by_name(table.names, given)
    said = names.pop(REFERENCE, None)
    could = [name for name in table.names if name not in names.values() or name == said]
    # "correct", of yes and no, is no right answer
    could = [name for name in could if says(name, REFERENCE) and not _are_flags(_values(table, name))]
    right = given.get(REFERENCE) or known.surest(could, REFERENCE)
    if REFERENCE not in given and len({re.sub(r"\d+", "", folded(name)) for name in right}) > 1:
        problem = f"the columns {', '.join(map(quoted, right))} may each hold the right answers"
        allowed = f"the option 'columns': reference={plain(right[0])}, or reference={','.join(map(plain, right))} for all of them"
        raise InputError(problem, source=table.source, allowed=allowed, got=table.names)
    return names | ({REFERENCE: right[0]} if right else {}), right


def _chosen(table: Table, names: dict[str, str], given: Mapping[str, list[str]]) -> tuple[str, Lists] | None:
    """Where the option names the columns with the answers."""
    ranks, lists = given.get(RANK, []), given.get(PREDICTIONS, [])
    columns = ranks if len(ranks) > 1 else lists
    for ours in [ours for ours, name in names.items() if name in columns]:
        del names[ours]
    of = {"": columns} if columns is ranks else numbered(columns)
    if columns and sum(map(len, of.values())) == len(columns):
        return NUMBERED, of
    return (CELLS, {"": columns} if len(columns) == 1 else {name: [name] for name in columns}) if columns else None


def _told(
    table: Table, names: dict[str, str], given: Mapping[str, list[str]], apart: Collection[str]
) -> tuple[str, Lists]:
    """Where names and cells tell them: "answer" and "diagnosis" may be the model's or the right one. apart : columns that hold no lists."""
    twice = standing_twice(table.names)
    for ours in [ours for ours in ("diagnosis", PREDICTIONS) if names.get(ours) in twice and ours not in given]:
        del names[ours]
    answer = next((name for name in table.names if folded(name) == ANSWER and name not in names.values()), "")
    open_ = [answer, names.pop("diagnosis", "")]
    if RANK in names and (each := open_[1] or names.pop(PREDICTIONS, "") or answer):
        names["diagnosis"] = each
        return LONG, {}
    others = [name for name in table.names if name not in {*names.values(), *open_, *apart}]
    ranks = numbered(
        [name for name in (*others, *open_, *map(names.get, (PREDICTIONS, RANK))) if name and name not in twice]
    )
    models = [] if "rater" in names else _models(table, names.get(REFERENCE, open_[1]), others)
    for name in open_:  # the model's, or, beside what is, the right one
        if name and not any(name in columns for columns in ranks.values()):
            is_right = REFERENCE not in names and "diagnosis" not in given and (PREDICTIONS in names or ranks or models)
            names.setdefault(REFERENCE if is_right else PREDICTIONS, name)
    if ranks:
        return NUMBERED, {"": ranks[""]} if "" in ranks else ranks
    is_right = not names.keys().isdisjoint((REFERENCE, FINAL))
    if (column := names.get(PREDICTIONS)) is not None:
        if models and REFERENCE not in names and re.search(r"(?i)diff?eren|ddx", column):
            problem = f"the column {column!r} may hold the right answers beside a final one, or a model's"
            raise InputError(problem, source=table.source, allowed=WAYS, got=table.names)
        return CELLS, {"": [column]}
    if models:
        # a list is no rank
        one_each = [name for name in models if not pa.types.is_nested(table.data.column(name).type)]
        check_models(one_each, is_right, table.source)
        return CELLS, {name: [name] for name in models}
    if "case_id" in names and is_right:
        return REFERENCES, {}
    held = ", ".join(f"{ours} in {_in_words(name)}" for ours, name in names.items()) or "none"
    wanted = ["diagnosis"] if RANK in names or "rater" in names else ["case_id", REFERENCE, PREDICTIONS]
    raise InputError(
        f"no column holds diagnoses; known by their names are: {held}{of_sheet(table)}", source=table.source, got=table.names,
        allowed="columns case_id, rater, rank and diagnosis, a column for each model or rank, or a column of lists; their names in the option 'columns'",
        remedy=Remedy("says which is which", columns={ours: Open("COLUMN") for ours in wanted if ours not in names}),
    )  # fmt: skip


def _models(table: Table, right_ones: str | None, others: Collection[str]) -> list[str]:
    """Those of the other columns that hold a model's answers each: texts that do not group the cases; one that is blank is a model that failed."""
    right, found = {text.casefold() for text in _values(table, right_ones)}, list[str]()
    for name in (name for name in others if name.strip() and not says_what_it_holds(name, others)):
        values = _values(table, name)
        short = all(len(text.split()) <= _WORDS and not re.search(r"[\n;|\[{]", text) for text in values)
        few = 0 < len(values) <= len(table) // _ROWS_PER_VALUE
        of_case = few and short and right.isdisjoint(text.casefold() for text in values)
        if not of_case and not _are_flags(values) and (not values or _has_letters(values)):
            found.append(name)
    return found


def _values(table: Table, name: str | None) -> list[str]:
    """The unlike texts of a column that are not blank; of lists, and what else is no text, none."""
    column = table.data.column(name) if name else pa.chunked_array([[]], pa.string())
    if pa.types.is_nested(column.type):
        return []
    values = pc.unique(column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column)
    return [text for value in values.to_pylist() if (text := as_text(value))]


def _has_letters(texts: Sequence[str]) -> bool:
    return any(any(map(str.isalpha, text)) for text in texts)


def _are_flags(values: Sequence[str]) -> bool:
    return bool(values) and all(text.casefold() in _FLAGS for text in values)


def _check_told(shape: Shape) -> None:
    """Refuses lists of several cases that would become one case each; a second list by one rater is refused row by row."""
    table, names = shape.table, shape.names
    could = [name for name in shape.unread if len(set(table.column(name))) < len(table)]
    if "case_id" not in names and (len(could) > 1 or ("rater" in names and len(table) > 1)):
        may = f"; it may be {' or '.join(map(quoted, could))}" if could else ""
        allowed = "its name in the option 'columns' (case_id=COLUMN), or that of any column where there is none"
        problem = f"no column is known that says which is the case{may}"
        raise InputError(problem, source=table.source, allowed=allowed, got=table.names)


def of_sheet(table: Table) -> str:
    """What to add to an error where the workbook has other sheets."""
    return f". {table.note.rstrip('.')}" if table.note else ""
