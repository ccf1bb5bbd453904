"""A table of any shape -> the long form: one row for each case, rater and rank."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.json_records import as_text
from ...files.tables import Table
from .cells import LIST, SEPARATORS, UNREAD, commas_ask, is_blank, list_cells
from .names import ANSWER, COLUMNS, MODEL_GROUP, MORE, RANK, UNREAD_ANSWER, folded
from .shapes import BY_ROW, NUMBERED, Shape

_SCORES = frozenset(("score", "scores", "probability", "prob", "confidence", "likelihood"))


@dataclass(frozen=True)
class Long:
    """table : the rows, columns by our names, and those of the cases that were asked for.

    written : the user's own rows, where they are those of `table`. own : our name of a column -> the user's. cells : of lists in cells, for each row a number of `listed`, the user's columns; else None.
    recognised : in one line, what the input was read as. warnings : what belongs above the figures.
    columns : all of the user's own. sheets : which sheet of a workbook was read, where there are others.
    unread : rows that stand for no list at all -> the answer that none could be read from, or None where there was no answer.
        Such a row, and one that stands for an empty list, has neither rank nor diagnosis.
    unread_is_empty : whether such an answer is an empty list even where missing lists are out of a rater's figures.
    in_words : the first row of a list that was read from an answer in words -> that answer, and all of `unread`.
    twice : the first row of a list whose case stands a second time -> the error.
    """

    table: Table
    written: Table | None = None
    own: Mapping[str, str] = field(default_factory=dict)
    cells: NDArray[np.int32] | None = None
    listed: tuple[str, ...] = ()
    recognised: str = ""
    warnings: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    sheets: str = ""
    unread: Mapping[int, str | None] = field(default_factory=dict)
    unread_is_empty: bool = False
    in_words: Mapping[int, str] = field(default_factory=dict)
    twice: Mapping[int, InputError] = field(default_factory=dict)

    def column_of(self, ours: str, row: int) -> str:
        """What the column of a cell is called in the user's own table."""
        if self.cells is not None and self.cells[row] >= 0 and ours not in self.own:
            return self.listed[self.cells[row]] if ours in ("rater", RANK, "diagnosis") else ours
        return self.own.get(ours, ours)


def long_of(table: Table, shape: Shape, model: str, by: Collection[str] = (), separator: str | None = None) -> Long:
    """model : the rater's name where the table names none. by : columns of the case to keep. separator : as in `read_lists`."""
    data = {ours: _texts_of_lists(table, name) for ours, name in shape.names.items() if ours in COLUMNS}
    data |= {name: table.data.column(name) for name in by if name in table.names and name not in data}
    if "case_id" not in data:
        data["case_id"] = pa.array(np.arange(1, len(table) + 1)).cast(pa.string())
    warnings = (*([table.note] if table.note else []), *table.warnings)
    if shape.unread:
        shown = ", ".join(map(quoted, shape.unread[:4])) + (", …" if len(shape.unread) > 4 else "")
        warnings += (f"Nothing was read from {shown}; the option 'columns' says what a column holds.",)
    long = Long(
        replace(table, data=pa.table(data)), own=shape.names, recognised=shape.said, warnings=warnings, columns=tuple(table.names), sheets=table.note
    )  # fmt: skip
    if shape.kind == BY_ROW:
        keys = [unique(data[ours])[0] for ours in ("case_id", "rater") if ours in data]
        rank = _order_within(keys)
        if rank.max(initial=1) > 1:
            _check_scores(table, keys, rank)
            data[RANK] = pa.array(rank)
            warnings += ("There is no column with ranks: the order of the rows was taken for them.",)
        else:  # each its one row: a cell may hold a whole list
            shape = replace(shape, lists={"": [shape.names["diagnosis"]]})
            del data["diagnosis"]
    if RANK not in data or "diagnosis" not in data:
        return _spread(long, table, data, shape, model, separator)
    data.setdefault("rater", _constant(model, len(table)))
    unread = _unread(table, data)
    return replace(
        long, table=replace(table, data=pa.table(data)), written=table, warnings=warnings, unread=unread, unread_is_empty=bool(unread), in_words={**unread, **_whole_answers(table, data)}
    )  # fmt: skip


def _constant(text: str, n: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


def _texts_of_lists(table: Table, name: str) -> pa.ChunkedArray:
    """A column; cells that are lists, as right answers may be, as JSON."""
    column = table.data.column(name)
    return (
        pa.chunked_array([pa.array(map(as_text, column.to_pylist()), pa.string())])
        if pa.types.is_nested(column.type)
        else column
    )


def unique(column: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """Codes (-1 for null) into the unique values of a column."""
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    encoded = column.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    if pa.types.is_null(encoded.type):
        return np.full(len(column), -1), []
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), encoded.dictionary.to_pylist()


def _unread(table: Table, data: Mapping[str, Any]) -> dict[int, str | None]:
    """Row -> the answer that no list could be read from, in a column "unread" beside a blank rank and diagnosis.

    It came, so it is an empty list: a list that is missing has no row in such a table.
    """
    if UNREAD_ANSWER not in table.names:
        return {}
    cells = zip(table.column(UNREAD_ANSWER), *(data[ours].to_pylist() for ours in (RANK, "diagnosis")), strict=True)
    return {
        row: text
        for row, (text, *ranked) in enumerate(cells)
        if isinstance(text, str) and text.strip() and all(cell is None or is_blank(str(cell)) for cell in ranked)
    }


def _whole_answers(table: Table, data: Mapping[str, Any]) -> dict[int, str]:
    """The one row of a list with the whole answer that it was read from, in a column "answer" beside the column "unread" -> that answer.

    Where a list has it in several rows it is none: so stands a right answer in such a table.
    """
    if not {UNREAD_ANSWER, ANSWER} <= set(table.names):
        return {}
    found = {row: text for row, text in enumerate(table.column(ANSWER)) if isinstance(text, str) and text.strip()}
    case, rater = (unique(data[ours])[0] for ours in ("case_id", "rater"))
    return found if len({(case[row], rater[row]) for row in found}) == len(found) else {}


class _Part(NamedTuple):
    """The row of the table and the rank of each entry (-1 of a list without any), the diagnoses, the answers that are no list, those in words, and cells whose comma parts nothing."""

    row: NDArray[np.int64]
    rank: NDArray[np.int64]
    diagnosis: pa.Array
    unread: dict[int, str | None]
    in_words: dict[int, str]
    commas: list[str]


def _spread(long: Long, table: Table, data: dict[str, Any], shape: Shape, model: str, separator: str | None) -> Long:
    """The rows of lists that stand in cells, or with a rank in each column."""
    several = shape.kind == NUMBERED
    parts = [
        _numbered(table, columns) if several else _cells(table, columns[0], separator)
        for columns in shape.lists.values()
    ]
    row, rank = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    rater = np.repeat(np.arange(len(parts)), [len(part.row) for part in parts])
    order = np.lexsort((rank, rater, row))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    starts = np.cumsum([0, *(len(part.row) for part in parts)]).tolist()

    def placed(texts: Sequence[Mapping[int, Any]]) -> dict[int, Any]:
        return {
            int(place[start + at]): text for start, of in zip(starts, texts, strict=False) for at, text in of.items()
        }

    # codes and degrees are of one diagnosis; a row with the answers of several models is of no group
    left = {RANK, *MORE[:-1], *([] if "rater" in data or len(parts) == 1 else [MODEL_GROUP])}
    take = pa.array(row[order])
    out = {ours: column.take(take) for ours, column in data.items() if ours not in left}
    whose = pa.array([name or model for name in shape.lists])
    out.setdefault("rater", pa.DictionaryArray.from_arrays(pa.array(rater[order], pa.int32()), whose))
    out[RANK] = pa.array(np.maximum(rank[order], 0), mask=rank[order] < 0)
    out["diagnosis"] = pa.concat_arrays([part.diagnosis for part in parts]).take(pa.array(order))
    sources = None if table.sources is None else [table.sources[i] for i in row[order].tolist()]
    warnings = list(long.warnings)
    if commas := [text for part in parts for text in part.commas]:
        many = "1 cell holds a comma and is" if len(commas) == 1 else f"{len(commas):,} cells hold commas and are"
        warnings.append(f"{many} one diagnosis each ({quoted(commas[0])}); the option 'separator' parts them.")
    first = np.cumsum([0, *map(len, shape.lists.values())])[:-1]
    return replace(
        long, table=replace(table, data=pa.table(out), rows=table.row_numbers()[row[order]], sources=sources), warnings=tuple(warnings),
        cells=(first[rater] + (np.maximum(rank - 1, 0) if several else 0))[order].astype(np.int32),
        listed=tuple(column for columns in shape.lists.values() for column in columns),
        unread=placed([part.unread for part in parts]), in_words=placed([part.in_words for part in parts]),
        twice={int(np.searchsorted(row[order], at)): error for at, error in _twice(table, data, shape.names).items()},
    )  # fmt: skip


def _twice(table: Table, data: Mapping[str, Any], names: Mapping[str, str]) -> dict[int, InputError]:
    """The error of each second row of one case, or of one case and rater."""
    keys = [unique(data[ours])[0] for ours in ("case_id", "rater") if ours in data]
    _, firsts, of = np.unique(np.stack(keys), axis=1, return_index=True, return_inverse=True)
    again = np.flatnonzero((firsts[of] < np.arange(len(table))) & np.all(np.stack(keys) >= 0, axis=0))
    out: dict[int, InputError] = {}
    for row in again.tolist():
        first = table.row_number(int(firsts[of[row]]))
        case, *rater = (quoted(data[ours][row].as_py()) for ours in ("case_id", "rater") if ours in data)
        who = f" by {rater[0]}" if rater else ""
        problem = f"a second answer{who} to the case {case} (the first is in row {first})"
        allowed = "one row for each case" + (" and rater" if who else "")
        out[row] = table.error(problem, row, names.get("case_id", "case_id"), allowed=allowed)
    return out


def _cells(table: Table, column: str, separator: str | None) -> _Part:
    cells = list_cells(table.data.column(column), separator)
    open_, of = np.flatnonzero(cells.commas).tolist(), int(np.count_nonzero(cells.status == LIST))
    if separator is None and commas_ask(len(open_), of):
        problem = f"{len(open_):,} of {of:,} cells hold commas, and nothing else parts them"
        raise table.error(problem, open_[0], column, allowed=SEPARATORS, got=cells.text(open_[0]))
    held = np.maximum(cells.lengths, 1)
    first = np.cumsum(held) - held
    row = np.repeat(np.arange(len(table)), held)
    empty = np.repeat(cells.lengths == 0, held)
    rank = np.where(empty, -1, np.arange(len(row)) - np.repeat(first, held) + 1)
    # behind all diagnoses one that is blank, for lists without any
    at = np.where(empty, len(cells.diagnoses), np.cumsum(~empty) - 1)
    diagnosis = pa.concat_arrays([cells.diagnoses, pa.nulls(1, cells.diagnoses.type)]).take(pa.array(at))
    status = cells.status[row]
    texts = {
        at: cells.text(int(row[at])) if status[at] == UNREAD else None for at in np.flatnonzero(status != LIST).tolist()
    }
    in_words = {int(first[i]): cells.text(i) for i in np.flatnonzero(cells.in_words).tolist()}
    return _Part(row, rank, diagnosis, texts, in_words, [] if separator else [cells.text(at) for at in open_])


def _numbered(table: Table, columns: list[str]) -> _Part:
    texts = [pc.cast(table.data.column(name), pa.large_string()).combine_chunks() for name in columns]
    blank = np.array([[text is None or is_blank(text) for text in column.to_pylist()] for column in texts])
    row, rank = np.nonzero(~blank.T)
    none = np.flatnonzero(blank.all(0))
    diagnosis = pa.concat_arrays(texts).take(pa.array(rank * len(table) + row))
    return _Part(
        np.concatenate([row, none]), np.concatenate([rank + 1, np.full(len(none), -1)]),
        pa.concat_arrays([diagnosis, pa.nulls(len(none), pa.large_string())]), {len(row) + i: None for i in range(len(none))}, {}, [],
    )  # fmt: skip


def _order_within(keys: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """From 1, the place of each row among those of equal keys."""
    order = np.lexsort([*reversed(keys)])
    starts = np.append(True, np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0))
    first = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    out = np.empty(len(order), np.int64)
    out[order] = np.arange(len(order)) - first + 1
    return out


def _check_scores(table: Table, keys: Sequence[NDArray[np.int64]], rank: NDArray[np.int64]) -> None:
    """Refuses rows without ranks that stand in another order than a column beside them says the diagnoses have.

    Raises
    ------
    InputError
        At the first row whose score is above that of the row before it in its list.
    """
    for name in (name for name in table.names if folded(name) in _SCORES):
        values = np.array([_number(value) for value in table.column(name)])
        order = np.lexsort((rank, *keys))
        before, after = order[:-1], order[1:]
        same = np.all([key[before] == key[after] for key in keys], axis=0)
        wrong = after[same & (values[after] > values[before])]
        if len(wrong):
            problem = (
                f"there is no column with ranks, and the rows of a list are not in the order of the column {name!r}"
            )
            raise table.error(
                problem,
                int(wrong.min()),
                name,
                allowed="a column 'rank', or the rows of each list in their order, the likeliest first",
            )


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan
