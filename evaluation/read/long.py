"""A table of any shape -> the long form: one row for each case, rater and rank."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import quoted
from ...files.table import as_text
from ...files.tables import Table
from .cells import LIST, SEPARATORS, UNREAD, commas_ask, is_blank, list_cells
from .names import ANSWER, COLUMNS, MORE, RANK, UNREAD_ANSWER, folded, words
from .shapes import BY_ROW, LONG, NUMBERED, Shape

NO_LIST, IN_WORDS, COLUMN, RIGHT = "_no_list", "_in_words", "_column", "_right"
"""Further columns of the long form: whether a row stands for no list at all, blank or unread; the answer in words that a list was read from,
or none could be, in the first row of it; the user's column that a row was read from, where it is one of several, or of another table; the
role of a right answer that was kept apart."""
_SCORES = words("score scores probability prob confidence likelihood")


@dataclass(frozen=True)
class Long:
    """table : the rows, columns by our names, those of the cases that were asked for, and `NO_LIST`, `IN_WORDS`, `COLUMN` and `RIGHT` where there are such.

    own : our name of a column -> the user's. columns : all of the user's own. recognised : in one line, what the input was read as.
    warnings : what belongs above the figures. named : whether a column names the cases. asked : whether `dxmatch ask` may have written it.
    """

    table: Table
    own: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    recognised: str = ""
    warnings: tuple[str, ...] = ()
    named: bool = True
    asked: bool = False

    def column_of(self, ours: str, row: int) -> str:
        """What the column of a cell is called in the user's own table."""
        said = self.table.data[COLUMN][row].as_py() if COLUMN in self.table.names else None
        of_lists = ours == "diagnosis" or (ours in ("rater", RANK) and ours not in self.own)
        return said if said and of_lists else self.own.get(ours, ours)


def unique(column: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """Codes (-1 for null) into the unique values of a column."""
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    encoded = column.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    if pa.types.is_null(encoded.type):
        return np.full(len(column), -1), []
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), encoded.dictionary.to_pylist()


def constant(text: str, n: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


def as_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without dictionary; cells that are lists, as right answers may be, as JSON."""
    if pa.types.is_nested(column.type):
        return pa.chunked_array([pa.array(map(as_text, column.to_pylist()), pa.large_string())])
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if (
        pa.types.is_floating(kind) and pc.all(pc.equal(column, pc.floor(column))).as_py()
    ):  # beside whole numbers in another file
        kind = pa.int64()
    return column.cast(pa.large_string() if pa.types.is_string(kind) else kind)


def long_of(table: Table, shape: Shape, model: str, by: Collection[str] = (), separator: str | None = None) -> Long:
    """model : the rater's name where the table names none. by : columns of the case to keep. separator : as in `read_lists`."""
    own = table.data.column
    data = {
        ours: as_texts(own(name)) if pa.types.is_nested(own(name).type) else own(name)
        for ours, name in shape.names.items()
        if ours in COLUMNS
    }
    data |= {name: own(name) for name in by if name in table.names and name not in data}
    data.setdefault("case_id", pa.array(np.arange(1, len(table) + 1)).cast(pa.string()))
    warnings = [*([table.note] if table.note else []), *table.warnings]
    if shape.unread:
        shown = ", ".join(map(quoted, shape.unread[:4])) + (", …" if len(shape.unread) > 4 else "")
        warnings.append(f"Nothing was read from {shown}; the option 'columns' says what a column holds.")
    kind, lists = shape.kind, shape.lists
    if kind == BY_ROW:
        keys = [unique(data[ours])[0] for ours in ("case_id", "rater") if ours in data]
        rank = _ranks_by_order(table, keys)
        if max(rank) > 1:
            kind, data[RANK] = LONG, pa.array(rank)
            warnings.append("There is no column with ranks: the order of the rows was taken for them.")
        else:  # each its one row: a cell may hold a whole list
            lists = {"": [shape.names["diagnosis"]]}
            del data["diagnosis"]
    rows = table
    if kind == LONG:
        # rows that are set aside are shown whole
        ours = {name: one for one, name in shape.names.items()}
        data = {ours.get(name, name): data.get(ours.get(name, name), own(name)) for name in table.names} | data
        data = data if "rater" in data else data | {"rater": constant(model, len(table))}
        data |= _answers_beside(table, data)
    else:
        rows, data = _spread(table, data, kind, lists, model, separator, warnings)
    named = bool(shape.names.get("case_id", "").strip())
    return Long(
        replace(rows, data=pa.table(data)),
        shape.names,
        tuple(table.names),
        shape.said,
        tuple(warnings),
        named,
        kind == LONG,
    )


def _answers_beside(table: Table, data: Mapping[str, Any]) -> dict[str, Any]:
    """What `dxmatch ask` writes beside lists: answers that are unread, in rows without rank and diagnosis, and whole answers of lists."""
    if UNREAD_ANSWER not in table.names:
        return {}
    unread, whole = (
        table.column(name) if name in table.names else [None] * len(table) for name in (UNREAD_ANSWER, ANSWER)
    )
    cells = zip(unread, *(data[ours].to_pylist() for ours in (RANK, "diagnosis")), strict=True)
    none = [bool(text) and all(is_blank(as_text(cell) or "") for cell in ranked) for text, *ranked in cells]
    words = [text if no else answer for no, text, answer in zip(none, unread, whole, strict=True)]
    return {NO_LIST: pa.array(none), IN_WORDS: pa.array([text or None for text in words], pa.large_string())}


def _spread(
    table: Table, data: Mapping[str, Any], kind: str, lists: Mapping[str, list[str]], model: str, separator: str | None, warnings: list[str],
) -> tuple[Table, dict[str, Any]]:  # fmt: skip
    """The rows of lists that stand in cells, or with a rank in each column."""
    parts: list[pa.Table] = []
    for at, (whose, columns) in enumerate(lists.items()):
        part = _numbered(table, columns) if kind == NUMBERED else _cells(table, columns[0], separator, warnings)
        at_all = pa.array(np.full(len(part), at))
        parts.append(part.append_column("rater", constant(whose or model, len(part))).append_column("part", at_all))
    rows = pa.concat_tables(parts).unify_dictionaries()
    rows = rows.sort_by([("row", "ascending"), ("part", "ascending"), (RANK, "ascending")])
    row = rows["row"].to_numpy()
    # codes and degrees are of one diagnosis
    kept = {ours: column.take(rows["row"]) for ours, column in data.items() if ours not in (RANK, *MORE[:-1])}
    made = {name: rows[name] for name in ("rater", RANK, "diagnosis", NO_LIST, IN_WORDS, COLUMN)}
    sources = None if table.sources is None else [table.sources[i] for i in row.tolist()]
    return replace(table, rows=table.row_numbers()[row], sources=sources), made | kept


def _cells(table: Table, column: str, separator: str | None, warnings: list[str]) -> pa.Table:
    cells = list_cells(table.data.column(column), separator)
    open_, of = np.flatnonzero(cells.commas).tolist(), int(np.count_nonzero(cells.status == LIST))
    if separator is None and commas_ask(len(open_), of):
        problem = f"{len(open_):,} of {of:,} cells hold commas, and nothing else parts them"
        raise table.error(problem, open_[0], column, allowed=SEPARATORS, got=cells.text(open_[0]))
    if open_ and separator is None:
        many = "1 cell holds a comma and is" if len(open_) == 1 else f"{len(open_):,} cells hold commas and are"
        warnings.append(
            f"{many} one diagnosis each ({quoted(cells.text(open_[0]))}); the option 'separator' parts them."
        )
    held = np.maximum(cells.lengths, 1)
    first = np.cumsum(held) - held
    empty = np.repeat(cells.lengths == 0, held)
    rank = np.arange(len(empty)) - np.repeat(first, held) + 1
    words = np.full(len(empty), None, object)
    for i in np.flatnonzero(cells.in_words | (cells.status == UNREAD)).tolist():
        words[first[i]] = cells.text(i)
    places = pa.array(np.maximum(np.cumsum(~empty) - 1, 0), mask=empty)
    diagnosis = cells.diagnoses.take(places) if len(cells.diagnoses) else pa.nulls(len(empty), pa.large_string())
    row = np.repeat(np.arange(len(table)), held)
    return _part(
        row, pa.array(rank, mask=empty), diagnosis, cells.status[row] != LIST, words, constant(column, len(row))
    )


def _numbered(table: Table, columns: Sequence[str]) -> pa.Table:
    texts = [pc.cast(table.data.column(name), pa.large_string()).combine_chunks() for name in columns]
    there = np.array([[text is not None and not is_blank(text) for text in column.to_pylist()] for column in texts])
    none = np.asarray(~there.any(0))
    row, rank = np.nonzero((there | (none & (np.arange(len(columns))[:, None] == 0))).T)
    diagnosis = pa.concat_arrays(texts).take(pa.array(rank * len(table) + row, mask=none[row]))
    of = pa.DictionaryArray.from_arrays(pa.array(rank.astype(np.int32)), pa.array(columns))
    return _part(row, pa.array(rank + 1, mask=none[row]), diagnosis, none[row], np.full(len(row), None, object), of)


def _part(
    row: NDArray[np.int64], rank: Any, diagnosis: Any, no_list: NDArray[np.bool_], words: Any, column: Any
) -> pa.Table:
    """The entries of the lists in some cells. row : of the table. words : the answer in words, in the first row of its list."""
    data = {"row": row, RANK: rank, "diagnosis": diagnosis.cast(pa.large_string()), NO_LIST: no_list}
    return pa.table(data | {IN_WORDS: pa.array(words, pa.large_string()), COLUMN: column})


def _ranks_by_order(table: Table, keys: Sequence[NDArray[np.int64]]) -> list[int]:
    """From 1, the place of each row among those of its list.

    Raises
    ------
    InputError
        Where the rows of a list stand in another order than a column of scores says: at the first above the one before it.
    """
    lists, counts = [*zip(*(key.tolist() for key in keys), strict=True)], Counter[tuple[int, ...]]()
    for name in (name for name in table.names if folded(name) in _SCORES):
        last = dict[tuple[int, ...], float]()
        for row, (of, score) in enumerate(zip(lists, map(_number, table.column(name)), strict=True)):
            if score > last.get(of, np.inf):
                problem = (
                    f"there is no column with ranks, and the rows of a list are not in the order of the column {name!r}"
                )
                allowed = "a column 'rank', or the rows of each list in their order, the likeliest first"
                raise table.error(problem, row, name, allowed=allowed)
            last[of] = score
    ranks = list[int]()
    for of in lists or [()] * len(table):
        counts[of] += 1
        ranks.append(counts[of])
    return ranks


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan
