"""A table of any shape -> rows of the long form: one for each case, rater and rank, and one for each right answer, told apart by their role."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.invisible import visible
from ...files.table import as_text
from ...files.tables import Table
from .cells import check_commas, is_blank, list_cell
from .findings import first_few
from .lists import FINAL, REFERENCE, cell_text
from .names import ANSWER, COLUMNS, PREDICTIONS, RANK, UNREAD_ANSWER, folded
from .shapes import LONG, NUMBERED, REFERENCES, Shape, named

ROW, FILE, COLUMN, GIVEN, IN_WORDS, ONCE = "_row", "_file", "_column", "_given", "_in_words", "_once"
"""Further columns: the number of the row for its reader, its file, and the column of the file that it was read from; whether a row without a
diagnosis is an empty list; the answer in words that a list was read from, or none could be, in its first row; of a right answer that is the
only one which its column has of a case, the place of the column among those of right answers."""
_OF_WIDE = ("rater", "role", "category")  # what a row of several diagnoses says of each of them
_BLANKS = frozenset(["", "null", "na", "n/a", "nan", "none", "#n/a", "<na>", "nil"])  # of optional cells
NO_ROWS = pa.schema([  # the columns that every row has
    *((name, pa.large_string()) for name in ("case_id", "rater", "role", RANK, "diagnosis", IN_WORDS)), (ROW, pa.int64()),
    *((name, pa.dictionary(pa.int32(), pa.large_string())) for name in (FILE, COLUMN)), (GIVEN, pa.bool_()), (ONCE, pa.int8()),
])  # fmt: skip
Codes = NDArray[np.int64]


def coded(column: Any, optional: bool = True) -> tuple[Codes, list[str]]:
    """Codes (-1 for a blank) into the unlike texts of a column, in order of appearance. optional : NULL, NA, nan and none are blank, too."""
    encoded = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    encoded = encoded.dictionary_encode().unify_dictionaries().combine_chunks()
    index = dict[str, int]()
    texts = map(cell_text, encoded.dictionary.to_pylist())
    said = [text if not optional or text.casefold() not in _BLANKS else "" for text in texts]
    number = [index.setdefault(text, len(index)) if text else -1 for text in said]
    codes = pc.fill_null(encoded.indices, len(number)).to_numpy(zero_copy_only=False)
    return np.array([*number, -1], np.int64)[codes], list(index)


def _texts(column: Any) -> Any:
    """A column as texts: whole numbers without a point, cells that are lists, as right answers may be, as JSON."""
    column = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    if pa.types.is_nested(column.type):
        return pa.array(map(as_text, column.to_pylist()), pa.large_string())
    if pa.types.is_floating(column.type) and pc.all(pc.equal(column, pc.floor(column))).as_py():
        column = column.cast(pa.int64())
    return column.cast(pa.large_string())


def _constant(text: str, n: int) -> pa.Array:
    """A column that says one thing."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text], pa.large_string()))


def _taken(table: Table, columns: Mapping[str, Any], at: Any = None) -> dict[str, Any]:
    """Columns in all or some rows of a table, with the number and file of each row."""
    one = _constant(table.source, len(table))
    files = one if table.sources is None else pa.array(table.sources, pa.large_string()).dictionary_encode()
    every = {**columns, ROW: pa.array(table.row_numbers()), FILE: files}
    return every if at is None else {name: column.take(pa.array(at)) for name, column in every.items()}


def rows_of(
    shape: Shape, by: Collection[str], separator: str | None, told: list[str], read_as: Mapping[str, str] = {}
) -> pa.Table:
    """The rows of the lists, by the file's name, or "model", where the table names no rater, and of the right answers.

    by : columns of the case to keep. separator : as in `read_lists`. told : sentences on what is doubtful, of which there may be more.
    read_as : an answer -> what it is read as.

    Raises
    ------
    InputError
        Where nothing tells what commas part.
    """
    table, kind, names, whose = shape.table, shape.kind, shape.names, shape.lists
    told += table.warnings
    if shape.unread:
        unread = first_few(map(quoted, shape.unread), 4)
        told.append(f"Nothing was read from {unread}; what is a model's, the option 'columns' says (predictions=…).")
    nobody = visible(Path(table.source).stem) if table.first_row else "model"  # rows of no file count from 0
    case = table.data[names["case_id"]] if "case_id" in names else pa.array(range(1, len(table) + 1))
    people = [name for name in table.names if not {"patient", "subject", "mrn"}.isdisjoint(folded(name).split("_"))]
    for name in (name for name in people if name not in {*names.values(), *by}):
        if 1 < (m := pc.count_distinct(table.data[name]).as_py()) < (n := len(case.unique())):
            said = f"The {n:,} cases are of {m:,} in {quoted(name)}: those of one are not independent, so intervals and p are too sure; the option 'cluster' ({name}) draws them together."
            told.append(said)
    of_case = {name: _texts(table.data[name]) for name in by if name in table.names} | {"case_id": _texts(case)}
    parts, held = list[pa.Table](), {ours: names[ours] for ours in _OF_WIDE if ours in names}
    if kind == LONG:  # rows are shown whole where they are set aside
        held = {name: name for name in table.names if name not in {*names.values(), *COLUMNS}} | names
    data = {
        ours: table.text(name) if ours == "diagnosis" else _texts(table.data[name])
        for ours, name in held.items()
        if ours not in of_case
    } | of_case
    for who, columns in ({"": []} if kind == LONG else whose).items():
        if kind == LONG:
            of = _unread(data)
        else:
            of = _numbered(table, columns) if kind == NUMBERED else _cells(table, columns[0], separator, told, read_as)
        of |= _taken(table, data, of.pop("row", None))
        of.setdefault("rater", _constant(who or nobody, len(of["diagnosis"])).cast(pa.large_string()))
        parts.append(pa.table(of))
    for role, columns in ((REFERENCE, shape.right), (FINAL, [names[FINAL]] if FINAL in names else [])):
        parts += _right(shape, role, columns, of_case)
    rows = pa.concat_tables([NO_ROWS.empty_table(), *parts], promote_options="default")
    if kind == LONG or "rater" not in names:
        return rows
    # a row without rater and list holds right answers alone
    said = [rows[name].is_valid() for name in ("rater", "role", "diagnosis", IN_WORDS)]
    return rows.filter(reduce(pc.or_kleene, said, rows[GIVEN]))


def _unread(data: Mapping[str, Any]) -> dict[str, Any]:
    """Of rows of diagnoses which are answers in words: `dxmatch ask` writes those that are unread beside lists, without rank and diagnosis, and whole answers of lists."""
    if UNREAD_ANSWER not in data:
        return {}
    is_list, unread = np.maximum(coded(data[RANK])[0], coded(data["diagnosis"])[0]) >= 0, data[UNREAD_ANSWER]
    given = pc.or_(pa.array(is_list), pc.equal(pc.coalesce(unread, ""), ""))
    whole = data.get(ANSWER, pa.scalar(None, pa.large_string()))
    return {GIVEN: given, IN_WORDS: pc.if_else(given, whole, unread)}


def _cells(
    table: Table, column: str, separator: str | None, told: list[str], read_as: Mapping[str, str]
) -> dict[str, Any]:
    """Rows of lists that stand in cells: one for each diagnosis, and one for a cell without any."""
    values = table.column(column)
    said = [read_as.get(value, value) if isinstance(value, str) else value for value in values]
    cells = [list_cell(value, separator) for value in said]
    open_ = {i: values[i] for i, cell in enumerate(cells) if cell.has_commas and separator is None}
    told += check_commas(open_, sum(one.names is not None or one.has_commas for one in cells), "cells", table, column)
    lengths = np.array([len(cell.names or [None]) for cell in cells], np.int64)
    row, before = np.repeat(np.arange(len(cells)), lengths), np.repeat(np.cumsum(lengths) - lengths, lengths)
    rank = np.arange(1, len(row) + 1) - before
    in_words = [str(value) if cell.in_words else None for value, cell in zip(values, cells, strict=True)]
    empty = np.array([not cell.names for cell in cells], bool)[row]
    return {
        "row": row, RANK: _texts(pa.array(rank, mask=empty)),
        "diagnosis": pa.array([name for cell in cells for name in cell.names or [None]], pa.large_string()),
        GIVEN: pa.array([cell.names is not None for cell in cells], pa.bool_()).take(pa.array(row)),
        IN_WORDS: pa.array(in_words, pa.large_string()).take(pa.array(row, mask=rank > 1)), COLUMN: _constant(column, len(row)),
    }  # fmt: skip


def _numbered(table: Table, columns: Sequence[str]) -> dict[str, Any]:
    """Rows of lists with a rank in each column; a row for each that is not there."""
    texts = [_texts(table.data.column(name)).combine_chunks() for name in columns]
    cells = [coded(column, optional=False) for column in texts]
    there = np.array([np.array([*(not is_blank(text) for text in held), False])[codes] for codes, held in cells])
    none = np.asarray(~there.any(0))
    row, rank = np.nonzero((there | (none & (np.arange(len(columns))[:, None] == 0))).T)
    return {
        "row": row, RANK: _texts(pa.array(rank + 1, mask=none[row])), GIVEN: pa.array(~none[row]),
        "diagnosis": pa.concat_arrays(texts).take(pa.array(rank * len(table) + row, mask=none[row])),
        COLUMN: pa.DictionaryArray.from_arrays(pa.array(rank.astype(np.int32)), pa.array(columns, pa.large_string())),
    }  # fmt: skip


def _right(shape: Shape, role: str, columns: Sequence[str], of_case: Mapping[str, Any]) -> list[pa.Table]:
    """Rows of right answers, unlike ones once; codes and severities go with the first column.

    Beside lists, and where a table names raters without ranks, each row of a case says the same; else each says another.
    """
    table, names = shape.table, shape.names
    once = shape.kind != REFERENCES or ("rater" in names and RANK not in names)
    more = {ours: names[f"{role}_{ours}"] for ours in ("icd10", "severity") if f"{role}_{ours}" in names}
    of, beside, out = [("diagnosis", name) for name in columns], [*more.items()], list[pa.Table]()
    groups = [[one] for one in (*of, *beside)] if once else [[*of[:1], *beside], *([one] for one in of[1:])]
    for group in filter(None, groups):
        cells = {ours: _texts(table.data[name]) for ours, name in group} | dict(of_case)
        rows = pa.table(cells | {"row": np.arange(len(table))}).group_by([*cells], use_threads=False)
        made = _taken(table, cells, np.sort(rows.aggregate([("row", "min")])["row_min"].to_numpy()))
        n, place = len(made["case_id"]), of.index(group[0]) if group[0] in of else 0
        same = pa.repeat(pa.scalar(place if once else None, pa.int8()), n)
        said = {"role": _constant(role, n).cast(pa.large_string()), COLUMN: _constant(group[0][1], n), ONCE: same}
        out.append(pa.table(made | said))
    return out


def right_shape(table: Table, given: Mapping[str, list[str]]) -> Shape:
    """The shape of a table of right answers alone. given : the option `columns`, as far as it is of this table.

    Raises
    ------
    InputError
        Where no column holds right answers.
    """
    names, right = named(table, given)
    if "case_id" not in names and RANK not in names and "" in table.names:
        names["case_id"] = ""  # the index that pandas writes
    answer = {folded(name): name for name in table.names}.get(ANSWER)
    others = [name for name in table.names if name != names.get("case_id")]
    alone = others if len(others) == 1 and FINAL not in names else []
    if not right and {"rater", RANK} <= names.keys() and len(table.data[names["rater"]].unique()) > 1:
        problem, allowed = "ranked lists of several raters, and no right answers", "a column 'reference'"
        raise InputError(problem, source=table.source, allowed=allowed, got=table.names)
    right = right or [*filter(None, [names.get(PREDICTIONS), names.get("diagnosis"), answer, *alone])][:1]
    if all(table.data[name].null_count == len(table) for name in [*right, *filter(None, [names.get(FINAL)])]):
        problem, allowed = "no column holds right answers", "a column 'reference', or its name in the option 'columns'"
        raise InputError(problem, source=table.source, allowed=allowed, got=table.names)
    codes = {f"{REFERENCE}_{ours}": names[ours] for ours in ("icd10", "severity") if ours in names}
    return Shape(table, REFERENCES, codes | names, {}, right, REFERENCES, [])
