"""A table of a known shape -> the long form."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.json_records import as_text
from ...files.tables import Table
from .cells import LIST, SEPARATORS, UNREAD, commas_ask, is_blank, list_cells
from .long import MODEL_GROUP, OF_THE_REFERENCE, Long
from .names import ANSWER, UNREAD_ANSWER, folded
from .recognise import BY_ROW, CELLS, LONG, NUMBERED, Shape
from .told import codes_of

_SCORES = frozenset(("score", "scores", "probability", "prob", "confidence", "likelihood"))
OF_THE_CASE = (*OF_THE_REFERENCE, "category", "role")


def long_of(table: Table, shape: Shape, model: str, by: Collection[str] = (), separator: str | None = None) -> Long:
    """model : the rater's name where the table names none. by : columns of the case to keep. separator : as in `read_lists`."""
    names = dict(shape.names)
    if "case_id" not in names:
        numbers = pa.array(np.arange(1, len(table) + 1)).cast(pa.string())
        table, names["case_id"] = _with(table, "case_id", numbers)
    if shape.kind in (LONG, BY_ROW) and "rater" not in names:
        table, names["rater"] = _with(table, "rater", pa.array([model]).take(pa.array(np.zeros(len(table), np.int64))))
    table = _lists_as_text(table, names)
    warnings: tuple[str, ...] = ()
    if shape.kind == BY_ROW:
        case, rater = (codes_of(table, names[ours]) for ours in ("case_id", "rater"))
        rank = _order_within(case, rater)
        if rank.max(initial=1) == 1:
            # each its one row: a cell may hold a whole list
            cells = replace(shape, kind=CELLS, lists={"": [names.pop("diagnosis")]}, names=names)
            return _spread(table, cells, model, by, separator)
        _check_scores(table, case, rater, rank)
        table, names["rank"] = _with(table, "rank", pa.array(rank))
        warnings = ("There is no column with ranks: the order of the rows was taken for them.",)
    if shape.kind in (LONG, BY_ROW):
        unread = _unread(table, names)
        in_words = {**unread, **_whole_answers(table, names)}
        return Long(table, names, shape.said, warnings, unread, bool(unread), in_words=in_words)
    return _spread(table, replace(shape, names=names), model, by, separator)


def _unread(table: Table, names: Mapping[str, str]) -> dict[int, str | None]:
    """Row -> the answer that no list could be read from, in a column "unread" beside a blank rank and diagnosis.

    It came, so it is an empty list: a list that is missing has no row in such a table.
    """
    if UNREAD_ANSWER not in table.names:
        return {}
    cells = zip(*(table.column(name) for name in (UNREAD_ANSWER, names["rank"], names["diagnosis"])), strict=True)
    return {
        row: text
        for row, (text, *ranked) in enumerate(cells)
        if isinstance(text, str) and text.strip() and all(cell is None or is_blank(str(cell)) for cell in ranked)
    }


def _whole_answers(table: Table, names: Mapping[str, str]) -> dict[int, str]:
    """The one row of a list with the whole answer that it was read from, in a column "answer" beside the column "unread" -> that answer.

    Where a list has it in several rows it is none: so stands a right answer in such a table.
    """
    if not {UNREAD_ANSWER, ANSWER} <= set(table.names) or ANSWER in names.values():
        return {}
    cells = table.column(ANSWER)
    found = {row: text for row, text in enumerate(cells) if isinstance(text, str) and text.strip()}
    case, rater = (codes_of(table, names[ours]) for ours in ("case_id", "rater"))
    lists = {(case[row], rater[row]) for row in found}
    return found if len(lists) == len(found) else {}


def _spread(table: Table, shape: Shape, model: str, by: Collection[str], separator: str | None) -> Long:
    """The rows of lists that stand in cells, or with a rank in each column."""
    whose = list(shape.lists)
    parts = [
        _numbered(table, columns) if shape.kind == NUMBERED else _cells(table, columns[0], separator)
        for columns in shape.lists.values()
    ]
    row = np.concatenate([part[0] for part in parts])
    rater = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    rank = np.concatenate([part[1] for part in parts])
    diagnosis = pa.concat_arrays([part[2] for part in parts])
    unread: dict[int, str | None] = {}
    in_words: dict[int, str] = {}
    start = 0
    for part in parts:
        unread.update({start + at: text for at, text in part[3].items()})
        in_words.update({start + at: text for at, text in part[4].items()})
        start += len(part[0])

    order = np.lexsort((rank, rater, row))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    take = pa.array(row[order])
    data: dict[str, Any] = {"case_id": table.data.column(shape.names["case_id"]).take(take)}
    names = {ours: ours for ours in ("case_id", "rater", "rank", "diagnosis")}
    if "rater" in shape.names:
        data["rater"] = table.data.column(shape.names["rater"]).take(take)
    else:
        data["rater"] = pa.DictionaryArray.from_arrays(
            pa.array(rater[order], pa.int32()), pa.array([name or model for name in whose])
        )
    data["rank"] = pa.array(np.maximum(rank[order], 0), mask=rank[order] < 0)
    data["diagnosis"] = diagnosis.take(pa.array(order))
    # a row with the answers of several models is of no group
    of_rater = (MODEL_GROUP,) if "rater" in shape.names or len(whose) == 1 else ()
    for ours in (*OF_THE_CASE, *of_rater):
        if ours in shape.names:
            data[ours] = table.data.column(shape.names[ours]).take(take)
            names[ours] = ours
    for name in by:
        if name in table.names and name not in data:
            data[name] = table.data.column(name).take(take)
    files = table.sources
    sources = None if files is None else [str(files[i]) for i in row[order].tolist()]
    long = Table(
        pa.table(data),
        table.source,
        table.first_row,
        table.frame,
        rows=table.row_numbers()[row[order]],
        sources=sources,
    )
    columns = [column for group in shape.lists.values() for column in group]
    commas = [text for part in parts for text in part[5]]
    several = "1 cell holds a comma and is" if len(commas) == 1 else f"{len(commas):,} cells hold commas and are"
    whole = (
        (f"{several} one diagnosis each ({quoted(commas[0])}); the option 'separator' parts them.",) if commas else ()
    )
    twice: dict[int, InputError] = {}
    for at, error in _twice(table, shape.names).items():
        twice[int(np.searchsorted(row[order], at))] = error
    first = np.cumsum([0, *map(len, shape.lists.values())])[:-1]
    of = first[rater] + (np.maximum(rank - 1, 0) if shape.kind == NUMBERED else 0)
    return Long(
        long,
        names,
        shape.said,
        whole,
        unread={int(place[at]): text for at, text in unread.items()},
        cells=(of[order].astype(np.int32), columns),
        own=shape.names,
        twice=twice,
        in_words={int(place[at]): text for at, text in in_words.items()},
    )


def _twice(table: Table, names: Mapping[str, str]) -> dict[int, InputError]:
    """The error of each second row of one case, or of one case and rater."""
    case = codes_of(table, names["case_id"])
    rater = codes_of(table, names["rater"]) if "rater" in names else np.zeros(len(case), np.int64)
    _, firsts, of = np.unique(np.stack([case, rater]), axis=1, return_index=True, return_inverse=True)
    again = np.flatnonzero((firsts[of] < np.arange(len(case))) & (case >= 0) & (rater >= 0))
    out: dict[int, InputError] = {}
    for row in again.tolist():
        first = int(firsts[of[row]])
        who = f" by {quoted(table.data.column(names['rater'])[row].as_py())}" if "rater" in names else ""
        name = table.data.column(names["case_id"])[row].as_py()
        problem = f"a second answer{who} to the case {quoted(name)} (the first is in row {table.row_number(first)})"
        allowed = "one row for each case" + (" and rater" if who else "")
        out[row] = table.error(problem, row, names["case_id"], allowed=allowed)
    return out


_Part = tuple[NDArray[np.int64], NDArray[np.int64], pa.Array, dict[int, str | None], dict[int, str], list[str]]
"""The row of the table and the rank of each entry (-1 of a list without any), the diagnoses, the answers that are no list, those in words, and cells whose comma parts nothing."""


def _cells(table: Table, column: str, separator: str | None) -> _Part:
    cells = list_cells(table.data.column(column), separator)
    open_, of = np.flatnonzero(cells.commas).tolist(), int(np.count_nonzero(cells.status == LIST))
    if separator is None and commas_ask(len(open_), of):
        problem = f"{len(open_):,} of {of:,} cells hold commas, and nothing else parts them"
        raise table.error(problem, open_[0], column, allowed=SEPARATORS, got=cells.text(open_[0]))
    held = np.maximum(cells.lengths, 1)
    row = np.repeat(np.arange(len(table)), held)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(held) - held, held) + 1
    empty = np.repeat(cells.lengths == 0, held)
    rank[empty] = -1
    places = np.cumsum(~empty) - 1
    diagnosis = (
        cells.diagnoses.take(pa.array(np.where(empty, 0, places), mask=empty))
        if len(cells.diagnoses)
        else pa.nulls(len(row), pa.large_string())
    )
    status = cells.status[row]
    unread = {
        at: cells.text(int(row[at])) if status[at] == UNREAD else None for at in np.flatnonzero(status != LIST).tolist()
    }
    first = np.cumsum(held) - held
    in_words = {int(first[i]): cells.text(i) for i in np.flatnonzero(cells.in_words).tolist()}
    told = [] if separator is not None else [cells.text(at) for at in open_]
    return row, rank, diagnosis, unread, in_words, told


def _numbered(table: Table, columns: list[str]) -> _Part:
    texts = [pc.cast(_plain(table.data.column(name)), pa.large_string()) for name in columns]
    blank = np.array([[text is None or is_blank(text) for text in column.to_pylist()] for column in texts])
    row, rank = np.nonzero(~blank.T)
    flat = pa.concat_arrays([chunk for column in texts for chunk in column.chunks])
    diagnosis = flat.take(pa.array(rank * len(table) + row))
    none = np.flatnonzero(blank.all(0))
    unread: dict[int, str | None] = {len(row) + i: None for i in range(len(none))}
    return (
        np.concatenate([row, none]),
        np.concatenate([rank + 1, np.full(len(none), -1)]),
        pa.concat_arrays([diagnosis, pa.nulls(len(none), pa.large_string())]),
        unread,
        {},
        [],
    )


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _lists_as_text(table: Table, names: Mapping[str, str]) -> Table:
    """Cells of the right answers that are lists, or of several kinds, as JSON."""
    for ours in (*OF_THE_REFERENCE, "icd10"):
        if ours in names and pa.types.is_nested(table.data.column(names[ours]).type):
            texts = pa.array([as_text(value) for value in table.column(names[ours])], pa.string())
            at = table.names.index(names[ours])
            table = replace(table, data=table.data.set_column(at, names[ours], texts))
    return table


def _order_within(case: NDArray[np.int64], rater: NDArray[np.int64]) -> NDArray[np.int64]:
    """From 1, the place of each row among those of its case and rater."""
    order = np.lexsort((rater, case))
    starts = np.append(True, (case[order][1:] != case[order][:-1]) | (rater[order][1:] != rater[order][:-1]))
    first = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    out = np.empty(len(order), np.int64)
    out[order] = np.arange(len(order)) - first + 1
    return out


def _check_scores(table: Table, case: NDArray[np.int64], rater: NDArray[np.int64], rank: NDArray[np.int64]) -> None:
    """Refuses rows without ranks that stand in another order than a column beside them says the diagnoses have.

    Raises
    ------
    InputError
        At the first row whose score is above that of the row before it in its list.
    """
    for name in (name for name in table.names if folded(name) in _SCORES):
        values = np.array([_number(value) for value in table.column(name)])
        order = np.lexsort((rank, rater, case))
        before, after = order[:-1], order[1:]
        same = (case[before] == case[after]) & (rater[before] == rater[after])
        wrong = after[same & (values[after] > values[before])]
        if len(wrong):
            problem = (
                f"there is no column with ranks, and the rows of a list are not in the order of the column {name!r}"
            )
            allowed = "a column 'rank', or the rows of each list in their order, the likeliest first"
            raise table.error(problem, int(wrong.min()), name, allowed=allowed)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def _with(table: Table, name: str, values: Any) -> tuple[Table, str]:
    """The table with one column more, under a name that is free."""
    while name in table.names:
        name += "_"
    return replace(table, data=table.data.append_column(name, values)), name
