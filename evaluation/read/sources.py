"""Whatever holds lists, a file, several, a folder, a frame, Python objects -> one table in the long form."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError
from ...files.invisible import visible, visible_names
from ...files.json_records import SUFFIXES as JSON_SUFFIXES
from ...files.json_records import read_json, records_as_columns
from ...files.reading import Reading
from ...files.tables import Table, read_table
from .answer_table import table_of_answers, table_of_references
from .case_names import other_spellings, told_spellings
from .formats.answer import Answer
from .formats.registry import FORMATS, read_answers, recognised
from .frames import with_index
from .long import COLUMNS, MORE, OF_THE_REFERENCE, Long
from .names import check_columns, columns_by_name
from .objects import Piece, by_model, pieces_of
from .recognise import PLAIN, REFERENCES, of_sheet, shape_of
from .recorded import recorded
from .right import RightAnswers, joined, right_answers
from .spread import long_of
from .told import check_told

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx")
LOGS = (".eval",)
MODEL = "model"
"""The name of the one rater whom nothing names."""
_SHOWN = 4
_LISTS = (
    "a column for each model or rank, a column of lists, or rows with rater, rank and diagnosis; the option 'columns' names those with "
    "the answers (predictions=COLUMN,COLUMN for one of each model, rank=COLUMN,COLUMN for one of each rank)"
)


def long_form(
    source: Any,
    references: Any = None,
    reading: Reading = Reading(),
    by: Collection[str] = (),
    broken: list[InputError] | None = None,
) -> Long:
    """The long form of whatever holds lists. The parameters are those of `read_lists`.

    broken : where lines that are no JSON go, and of several files those that cannot be read; None raises the first.
    """
    given, by = check_columns(reading.columns), [visible(name) for name in by]
    reading = replace(reading, columns=given)
    source, references = with_index(source, given), with_index(references, given)
    right = None if references is None else _right_answers(references, reading, by)
    given_paths = [Path(source)] if _is_path(source) else _given_paths(source)
    if reading.record is not None:
        answers = [a for one in given_paths or [source] for a in recorded(one, reading.record, reading.encoding)]
        long = _of_format(answers, ", ".join(map(str, given_paths)) or "data", "")
        return long if right is None else joined(long, right)
    # columns that are named by hand go before a format that is recognised
    name = reading.format or ("" if given else _common_format(given_paths))
    if name:
        if not given_paths:
            raise InputError(
                f"the format {name!r} is of files or folders", allowed="their paths", got=type(source).__name__
            )
        answers = [answer for path in given_paths for answer in read_answers(path, name)]
        long = _of_format(answers, ", ".join(map(str, given_paths)), name)
        return long if right is None else joined(long, right)
    paths = [file for path in given_paths for file in (_files_in(path) if path.is_dir() else [path])]
    if paths:
        return _of_files(paths, str(source) if _is_path(source) else "", right, reading, by, broken)
    if isinstance(source, list | tuple) and source and all(isinstance(one, Answer) for one in source):
        long = _of_format(source, "answers", "")
        return long if right is None else joined(long, right)
    cases, in_order = _names_and_order(right)
    longs = [
        _long(replace(piece, given={**piece.given, **given}), piece.model or MODEL, by, reading.separator)
        for piece in _pieces(source, reading.encoding, cases, in_order, broken)
    ]
    long = _together(longs, "") if len(longs) > 1 else longs[0]
    return long if right is None else joined(long, right)


def _names_and_order(right: RightAnswers | None) -> tuple[list[str], int | None]:
    """The names of the cases that have right answers, or how many there are in order."""
    if right is None:
        return [], None
    return ([], len(right.cases)) if right.in_order else (right.cases, None)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _given_paths(source: Any) -> list[Path]:
    """Of a list of paths, the paths; [] for anything else, as for a list of answers in words."""
    if not isinstance(source, list | tuple) or not source or not all(map(_is_path, source)):
        return []
    paths = [Path(one) for one in source]
    named = all(isinstance(one, os.PathLike) for one in source)
    return paths if named or all(path.suffix.lower() in (*SUFFIXES, *LOGS) for path in paths) else []


def _common_format(paths: Sequence[Path]) -> str:
    """The format of others that all of these are in; "" for none."""
    found = [recognised(path) for path in paths]
    names = {"" if one is None else one.name for one in found}
    return names.pop() if len(names) == 1 else ""


def _files_in(folder: Path) -> list[Path]:
    found = sorted(
        path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and not path.name.startswith((".", "~"))
    )
    if not found:
        raise InputError(
            "the folder holds no table", source=str(folder), allowed=f"files that end in {', '.join(SUFFIXES)}"
        )
    return found


def _pieces(
    source: Any,
    encoding: str | None,
    cases: Collection[str] = (),
    in_order: int | None = None,
    broken: list[InputError] | None = None,
) -> list[Piece]:
    """The tables in one file, frame or object, names as they look. broken : where lines that are no object go; None raises the first."""
    pieces = _pieces_as_written(source, encoding, cases, in_order, broken)
    return [replace(piece, table=visible_names(piece.table), model=visible(piece.model)) for piece in pieces]


def _pieces_as_written(
    source: Any,
    encoding: str | None,
    cases: Collection[str],
    in_order: int | None,
    broken: list[InputError] | None,
) -> list[Piece]:
    if isinstance(source, Mapping | list | tuple):
        return pieces_of(source, "data", cases=cases, in_order=in_order)
    if not (_is_path(source) and Path(source).suffix.lower() in JSON_SUFFIXES):
        return [by_model(Piece(_table(source, encoding, broken)))]
    value, rows = read_json(Path(source), encoding, broken)
    if rows == []:
        raise InputError("no line of it could be read", source=str(source), allowed="one JSON object a line")
    return pieces_of(value, str(source), first_row=1, rows=rows, cases=cases, in_order=in_order)


def _table(source: Any, encoding: str | None, broken: list[InputError] | None) -> Table:
    """Of a frame whose cells are texts here and lists there, too."""
    try:
        table = read_table(source, encoding, set_aside=broken is not None)
        if broken is not None:
            broken += table.broken
        if table.mixed and table.frame is not None:
            return Table(records_as_columns(table.frame.rows(named=True), "data frame"), "data frame", 0, table.frame)
        return replace(table, broken=())
    except InputError:
        if _is_path(source):
            raise
        try:
            frame = nw.from_native(source, eager_only=True, pass_through=True)
        except nw.exceptions.DuplicateError:
            frame = None
        if not isinstance(frame, nw.DataFrame) or not len(frame):
            raise
        return Table(records_as_columns(frame.rows(named=True), "data frame"), "data frame", 0, frame)


def _long(piece: Piece, model: str, by: Collection[str], separator: str | None) -> Long:
    """model : the rater's name where the table names none."""
    shape = shape_of(piece.table, piece.given, by)
    if shape.kind == REFERENCES:
        raise _no_lists(piece.table)
    check_told(piece.table, shape, piece.given)
    long = long_of(piece.table, replace(shape, said=piece.said or shape.said), visible(model), by, separator)
    notes = (*([piece.table.note] if piece.table.note else []), *piece.table.warnings)
    return replace(
        long,
        warnings=(*notes, *shape.warnings, *long.warnings),
        guessed=shape.said != PLAIN and not piece.said,
        columns=() if piece.said else tuple(piece.table.names),
        sheets=piece.table.note,
    )


def _no_lists(table: Table) -> InputError:
    problem = f"right answers, but no lists{of_sheet(table)}"
    return InputError(problem, source=table.source, allowed=_LISTS, got=table.names)


def _of_files(
    paths: Sequence[Path],
    source: str,
    right: RightAnswers | None,
    reading: Reading,
    by: Collection[str],
    broken: list[InputError] | None,
) -> Long:
    """Lists in one file or in several; of several, one may hold the right answers alone."""
    given = reading.columns or {}
    lists: list[tuple[Path, Piece, Mapping[str, Any]]] = []
    cases, in_order = _names_and_order(right)
    tables: list[Table] = []
    for path in paths:
        try:
            pieces = _pieces(path, reading.encoding, cases, in_order, broken)
        except InputError as error:
            if broken is None or len(paths) == 1:
                raise
            broken.append(error)
            continue
        for piece in pieces:
            tables.append(piece.table)
            known = {**piece.given, **(given if len(paths) == 1 else _of_this(given, piece.table))}
            if shape_of(piece.table, known, by).kind != REFERENCES:
                lists.append((path, piece, known))
            elif right is None:
                right = right_answers(path, piece.table, known, by)
            else:
                raise InputError("right answers twice", source=str(path), allowed=f"those of {right.source} alone")
    answered = list(dict.fromkeys(path for path, _, _ in lists))
    models = dict(zip(answered, _what_differs([path.name.removesuffix(path.suffix) for path in answered]), strict=True))
    longs = [
        _long(replace(piece, given=known), piece.model or models[path], by, reading.separator)
        for path, piece, known in lists
    ]
    if not longs:
        raise _no_lists(tables[-1]) if tables else (broken or [InputError("no file", source=source)])[0]
    long = _together(longs, source) if len(paths) > 1 or len(longs) > 1 else longs[0]
    return long if right is None else joined(long, right)


def _of_this(given: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """The part of the option `columns` that names columns of this of several tables."""
    return {ours: name for ours, name in given.items() if not isinstance(name, str) or name in table.names}


def _right_answers(value: Any, reading: Reading, by: Collection[str]) -> RightAnswers:
    if isinstance(value, RightAnswers):
        return value
    of_this = {ours: name for ours, name in (reading.columns or {}).items() if isinstance(name, str)}
    if _is_path(value) and not Path(value).suffix and not Path(value).exists():
        raise InputError(
            "no file of references is called so",
            allowed="a file or folder; a column of the lists is named by the option 'columns' (reference=COLUMN)",
            got=str(value),
        )
    if _is_path(value) and not of_this and recognised(value) is not None:
        return right_answers(value, table_of_references(read_answers(value), str(value)), {}, by)
    if _is_path(value) and Path(value).suffix.lower() in JSON_SUFFIXES:
        held, rows = read_json(Path(value), reading.encoding)
        if isinstance(held, Mapping) and all(isinstance(one, str | list) or one is None for one in held.values()):
            return replace(right_answers(held, None, of_this, by), source=str(value))
        (piece,) = pieces_of(held, str(value), first_row=1, rows=rows)
        return right_answers(value, piece.table, of_this, by)
    if isinstance(value, Mapping) and value and all(isinstance(one, Mapping) for one in value.values()):
        value = [{"case_id": case, **one} for case, one in value.items()]
    if isinstance(value, list | tuple) and value and all(isinstance(one, Mapping) for one in value):
        (piece,) = pieces_of(value, "references")
        return right_answers(value, piece.table, of_this, by)
    if _is_path(value):
        return right_answers(value, read_table(value, reading.encoding), of_this, by)
    return right_answers(value, None, of_this, by)


def _what_differs(names: Sequence[str]) -> list[str]:
    """Names without what all of them begin or end with, up to whole words: run_gpt4_out, run_claude_out are gpt4 and claude."""
    if len(names) < 2:
        return list(names)
    start = _common_start(names)
    end = _common_start([name[::-1] for name in names])[::-1]
    start = start[: max((i + 1 for i, sign in enumerate(start) if sign in "_-. "), default=0)]
    end = end[min((i for i, sign in enumerate(end) if sign in "_-. "), default=len(end)) :]
    short = [name[len(start) : len(name) - len(end)] for name in names]
    return short if all(short) and len(set(short)) == len(short) else list(names)


def _common_start(names: Sequence[str]) -> str:
    alike = takewhile(lambda signs: len(set(signs)) == 1, zip(*names, strict=False))
    return "".join(signs[0] for signs in alike)


def _together(longs: Sequence[Long], source: str) -> Long:
    """Tables of several files as one; each row keeps its file and its number there."""
    longs, spelt = _one_spelling(longs)
    kept = [ours for ours in COLUMNS if any(ours in long.names for long in longs)]
    ours = {name: name for name in kept}
    more = dict.fromkeys(
        name for long in longs for name in long.table.names if name not in {*long.names.values()} and name not in kept
    )
    parts = [
        pa.table(
            {name: _text_column(long.table, long.names.get(name)) for name in kept}
            | {name: _text_column(long.table, name if name in long.table.names else None) for name in more}
        )
        for long in longs
    ]
    files = list(dict.fromkeys(long.table.source for long in longs))
    sources = [file for long in longs for file in ([long.table.source] * len(long.table))]
    rows = np.concatenate([long.table.row_numbers() for long in longs])
    unread: dict[int, str | None] = {}
    in_words: dict[int, str] = {}
    twice: dict[int, InputError] = {}
    start = 0
    for long in longs:
        unread.update({start + row: text for row, text in long.unread.items()})
        in_words.update({start + row: text for row, text in long.in_words.items()})
        twice.update({start + row: error for row, error in long.twice.items()})
        start += len(long.table)
    warnings = (*spelt, *dict.fromkeys(text for long in longs for text in long.warnings))
    said = list(dict.fromkeys(long.recognised for long in longs))
    name = source or ", ".join(files[:_SHOWN]) + (", …" if len(files) > _SHOWN else "")
    table = Table(pa.concat_tables(parts), name, 1, rows=rows, sources=sources)
    many = f"{len(files)} files, " if len(files) > 1 else ""
    columns: list[str] = []
    codes = []
    for long in longs:
        of, held = long.cells or (np.full(len(long.table), -1), [])
        codes.append(np.where(of < 0, -1, of + len(columns)).astype(np.int32))
        columns += held
    cells = (np.concatenate(codes), columns) if columns else None
    guessed = any(long.guessed for long in longs)
    first = longs[0].own
    return Long(
        table,
        ours,
        f"{many}{' or '.join(said[:2])}",
        warnings,
        unread,
        bool(unread) and all(long.unread_is_empty for long in longs if long.unread),
        cells,
        guessed,
        columns=tuple(dict.fromkeys(name for long in longs for name in long.columns)),
        own={ours: name for ours, name in first.items() if all(long.own.get(ours) == name for long in longs)},
        sheets=" ".join(dict.fromkeys(long.sheets for long in longs if long.sheets)),
        twice=twice,
        in_words=in_words,
    )


def _one_spelling(longs: Sequence[Long]) -> tuple[list[Long], list[str]]:
    """The same with the names of cases as the first table writes them, and what was said of it."""
    known: dict[str, None] = {}
    out, said = [], []
    for long in longs:
        texts = _text_column(long.table, long.names["case_id"])
        names: list[str] = [name for name in pc.unique(texts).to_pylist() if name]
        found = other_spellings(names, known)
        if found:
            said.append(told_spellings(found, long.table.source))
            at = long.table.names.index(long.names["case_id"])
            cases = pa.chunked_array(
                [pa.array([found.get(name, name) for name in texts.to_pylist()], pa.large_string())]
            )
            long = replace(
                long, table=replace(long.table, data=long.table.data.set_column(at, long.names["case_id"], cases))
            )
        known.update(dict.fromkeys(found.get(name, name) for name in names))
        out.append(long)
    return out, said


def _text_column(table: Table, name: str | None) -> pa.ChunkedArray:
    """A column as texts; null where there is none."""
    if name is None:
        return pa.chunked_array([pa.nulls(len(table), pa.large_string())])
    column = table.data.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) and pc.all(pc.equal(column, pc.floor(column))).as_py():
        column = column.cast(pa.int64())
    return column.cast(pa.large_string())


def _of_format(answers: Any, source: str, name: str) -> Long:
    """Answers of a published format, or as objects."""
    table = visible_names(table_of_answers(answers, source))
    blank = table.data.column("diagnosis").is_null()
    texts = table.column("unread") if "unread" in table.names else []
    at = table.names.index("rank")
    ranks = pc.if_else(blank, pa.scalar(None, pa.string()), table.data.column("rank"))
    table = replace(table, data=table.data.set_column(at, "rank", ranks))
    names = columns_by_name([name for name in table.names if name in (*COLUMNS, *OF_THE_REFERENCE, *MORE)], {}, source)
    title = FORMATS[name].title if name in FORMATS else "answers"
    unread = {i: text for i, text in enumerate(texts) if text is not None}
    words = table.column("in_words") if "in_words" in table.names else []
    in_words = {i: text for i, text in enumerate(words) if text is not None}
    return Long(table, names, title, unread=unread, in_words={**in_words, **unread})
