"""Which of the shapes a table has: what each column holds, and where the lists are."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, plain, quoted
from ...files.tables import Table
from .findings import first_few
from .headings import WAYS, check_models, numbered
from .lists import cell_text
from .names import ANSWER, ASIDE, FINAL, PREDICTIONS, RANK, REFERENCE, columns_by_name, folded, known_as, says, surest

LONG, NUMBERED, CELLS, REFERENCES = (
    "a row for each case, rater and rank", "a column for each rank", "a list in each cell", "right answers alone",
)  # fmt: skip
_FLAGS = "yes no true false y n t f x 0 1 0.0 1.0 correct incorrect right wrong hit miss"
Lists = Mapping[str, list[str]]
_OF_A_DIAGNOSIS = {RANK, "diagnosis", "icd10", "severity", "relation", PREDICTIONS}


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


def shape_of(table: Table, given: Lists, by: Collection[str]) -> Shape:
    """The shape of a table.

    given : the option `columns`; it goes before what the names of columns say. by : columns of the case.

    Raises
    ------
    InputError
        Where it has none that is known, with what it looks like; where nothing tells whose a list is, or of which case.
    """
    names, right = named(table, given)
    kind, lists = _lists(table, names, given, {*by, *right})
    listed = [column for columns in lists.values() for column in columns]
    # codes and degrees are of one diagnosis, and a column with a model's name says who it is
    left = {*_OF_A_DIAGNOSIS, *([] if "" in lists else ["rater"])} if listed else {PREDICTIONS}
    names = {ours: name for ours, name in names.items() if name not in listed and ours not in left}
    if kind in (NUMBERED, CELLS) and "" in table.names:  # the index that pandas writes
        names.setdefault("case_id", "")
    others = [name for name in table.names if name.strip() and name not in {*names.values(), *listed, *right, *by}]
    said = [
        f"{kind}{f' of {len(lists)} models' if len(lists) > 1 else ''}{f' ({first_few(map(plain, listed), 4)})' if listed else ''}",
        *(f"{ours} in {quoted(name)}" for ours, name in names.items() if folded(name) != ours),
        *([f"right answers in {first_few(map(plain, right), 4)}"] if len(right) > 1 else []),
        *([f"not read: {first_few(map(plain, others), 4)}"] if others else []),
    ]
    open_ = [name for name in others if known_as(name).keys().isdisjoint((ASIDE, "case_id"))]
    unread = [name for name in open_ if (of := _values(table, name)) and _may_name(of)]
    could = [name for name in unread if len(set(table.column(name))) < len(table)]
    # lists of several cases would become one case each; a second list by one rater is refused row by row
    nobodys = not given and len(table) > 1 and "case_id" not in names and (not lists or "" in lists)
    if nobodys and (len(could) > 1 or "rater" in names):
        may = f"; it may be {' or '.join(map(quoted, could))}" if could else ""
        allowed = "its name in the option 'columns' (case_id=COLUMN), or that of any column where there is none"
        problem = f"no column is known that says which is the case{may}"
        raise InputError(problem, source=table.source, allowed=allowed, got=table.names)
    right = [] if REFERENCE not in names else right or [names[REFERENCE]]
    return Shape(table, kind, names, lists, right, "; ".join(said), unread)


def named(table: Table, given: Lists) -> tuple[dict[str, str], list[str]]:
    """Our name of a column -> the table's; the columns of right answers, of which each may hold one ("reference_dx_1", "reference_dx_2").

    Raises
    ------
    InputError
        Where several columns may hold the right answers.
    """
    names = columns_by_name(table.names, given)
    names.pop(REFERENCE, None)
    taken = {*names.values(), *given.get(PREDICTIONS, [])}
    could = [name for name in table.names if name not in taken and says(name, REFERENCE)]
    # "correct", of yes and no, is no right answer
    right = given.get(REFERENCE) or surest([name for name in could if _may_name(_values(table, name), True)], REFERENCE)
    if REFERENCE not in given and len({re.sub(r"\d+", "", folded(name)) for name in right}) > 1:
        problem = f"the columns {', '.join(map(quoted, right))} may each hold the right answers"
        allowed = f"the option 'columns': reference={plain(right[0])}, or reference={','.join(map(plain, right))} for all of them"
        raise InputError(problem, source=table.source, allowed=allowed, got=table.names)
    return names | ({REFERENCE: right[0]} if right else {}), right


def _lists(table: Table, names: dict[str, str], given: Lists, apart: Collection[str]) -> tuple[str, Lists]:
    """Where the lists are: where the option says so, else by names and cells; "answer" and "diagnosis" may be the model's or the right one.

    apart : columns that hold no lists.
    """
    if len(ranks := given.get(RANK, [])) > 1:
        return NUMBERED, {"": ranks}
    if chosen := given.get(PREDICTIONS):
        of = numbered(chosen)
        each = {name: [name] for name in chosen} if len(chosen) > 1 else {"": chosen}
        return (NUMBERED, of) if sum(map(len, of.values())) == len(chosen) else (CELLS, each)
    for name in table.names:
        first = re.sub(r"(?<=\D)\.\d+$", "", name)  # pandas calls a second "DDx" "DDx.1"
        if first in {*table.names} - {name} and known_as(first).keys() <= {"diagnosis", PREDICTIONS}:
            problem = f"two columns of one name, {quoted(first)} and {quoted(name)}"
            raise InputError(problem, source=table.source, allowed=WAYS, got=table.names)
    answer = next((name for name in table.names if folded(name) == ANSWER and name not in names.values()), "")
    open_ = [answer, names.pop("diagnosis", "")]
    if RANK in names and (each := open_[1] or names.pop(PREDICTIONS, "") or answer):
        names["diagnosis"] = each
        return LONG, {}
    others = [name for name in table.names if name not in {*names.values(), *open_, *apart}]
    ranks = numbered(others)
    models = [] if "rater" in names else _models(table, names.get(REFERENCE, open_[1]), others)
    for name in filter(None, open_):  # the model's, or, beside what is, the right one
        beside = REFERENCE not in names and "diagnosis" not in given and (PREDICTIONS in names or ranks or models)
        names.setdefault(REFERENCE if beside else PREDICTIONS, name)
    if ranks:
        return NUMBERED, {"": ranks[""]} if "" in ranks else ranks
    if column := names.get(PREDICTIONS):
        if models and REFERENCE not in names and re.search(r"(?i)diff?eren|ddx", column):
            problem = f"the column {column!r} may hold the right answers beside a final one, or a model's"
            raise InputError(problem, source=table.source, allowed=WAYS, got=table.names)
        return CELLS, {"": [column]}
    is_right = not names.keys().isdisjoint((REFERENCE, FINAL))
    if models:  # a list is no rank
        one_each = [name for name in models if not pa.types.is_nested(table.data.column(name).type)]
        check_models(one_each, is_right, table.source)
        return CELLS, {name: [name] for name in models}
    if "case_id" in names and is_right:
        return REFERENCES, {}
    held = ", ".join(f"{ours} in {quoted(name)}" for ours, name in names.items()) or "none"
    wanted = ["diagnosis"] if RANK in names or "rater" in names else ["case_id", REFERENCE, PREDICTIONS]
    raise InputError(
        f"no column holds diagnoses; known by their names are: {held}", source=table.source, got=table.names,
        allowed="columns case_id, rater, rank and diagnosis, a column for each model or rank, or a column of lists; their names in the option 'columns'",
        remedy=f"the option 'columns' ({' '.join(f'{ours}=COLUMN' for ours in wanted if ours not in names)}) says which is which",
    )  # fmt: skip


def _models(table: Table, right_ones: str, others: Collection[str]) -> list[str]:
    """Those of the other columns that hold a model's answers each: texts that do not group the cases; one that is blank is a model that failed."""
    right, found = {*map(str.casefold, _values(table, right_ones) if right_ones else [])}, list[str]()
    for name in (name for name in others if name.strip() and not known_as(name)):
        values = _values(table, name)
        short = all(len(text.split()) < 6 and not re.search(r"[\n;|\[{]", text) for text in values)
        few = 0 < 2 * len(values) <= len(table) - table.data.column(name).null_count
        of_case = short and few and right.isdisjoint(map(str.casefold, values))
        if not of_case and _may_name(values):
            found.append(name)
    return found


def _values(table: Table, name: str) -> list[str]:
    """The unlike texts of a column that are not blank; of lists, and what else is no text, none."""
    column = table.data.column(name)
    values = [] if pa.types.is_nested(column.type) else pc.unique(column).to_pylist()
    return [text for value in values if (text := cell_text(value))]


def _may_name(values: Sequence[str], numbers: bool = False) -> bool:
    """Whether values may be diagnoses: not yes and no, and not numbers alone where these may be none; of a model that failed there are none."""
    words = numbers or any(map(str.isalpha, "".join(values)))
    return not values or (words and not {*map(str.casefold, values)} <= {*_FLAGS.split()})
