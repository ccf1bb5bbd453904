"""Whatever holds lists, a file, several, a folder, a frame, Python objects -> one table in the long form."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, plain, quoted
from ...files.invisible import visible, visible_names
from ...files.json_records import SUFFIXES as JSON_SUFFIXES
from ...files.json_records import as_text, read_json, records_as_columns
from ...files.reading import Reading
from ...files.tables import Table, read_table
from .case_names import other_spellings, told_spellings
from .formats.answer import Answer
from .formats.registry import FORMATS, read_answers, recognised
from .frames import with_index
from .long import NO_LIST, Long, long_of
from .names import PREDICTIONS, check_columns
from .objects import Piece, of_objects, of_records
from .right_answers import RightAnswers, joined, right_answers
from .shapes import REFERENCES, of_sheet, shape_of

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".eval")
MODEL = "model"
"""The name of the one rater whom nothing names."""
_LISTS = (
    "a column for each model or rank, a column of lists, or rows with rater, rank and diagnosis; the option 'columns' names those with "
    "the answers (predictions=COLUMN,COLUMN for one of each model, rank=COLUMN,COLUMN for one of each rank)"
)
_RECORDED = "None, or one object or a list of objects with case_id, model, diagnoses (a list) or text, and references (a text or a list)"
_WORDS = re.compile(r"(?<=[_\-. ])|(?=[_\-. ])")


def long_form(
    source: Any,
    references: Any = None,
    reading: Reading = Reading(),
    by: Collection[str] = (),
    broken: list[InputError] | None = None,
) -> Long:
    """The long form of whatever holds lists. The parameters are those of `read_lists`.

    broken : where lines that are no JSON go; None raises the first.
    """
    given, by = check_columns(reading.columns), [visible(name) for name in by]
    source, references = with_index(source, given), with_index(references, given)
    right = None if references is None else _right_answers(references, reading, given, by)
    paths = _paths(source)
    name = reading.format or ""
    if not name and not given and reading.record is None:  # columns named by hand go before a format that is recognised
        formats = {recognised(path) for path in paths}
        name = formats.pop() if len(formats) == 1 else ""
    if name and not paths:
        raise InputError(
            f"the format {name!r} is of files or folders", allowed="their paths", got=type(source).__name__
        )
    if reading.record is not None or name:
        of_record = [answer for one in paths or [source] for answer in _recorded(one, reading)] if not name else []
        held = [read_answers(path, name) for path in paths] if name else [of_record]
        tables = [one for one in held if isinstance(one, Table)]
        answers = [answer for one in held if not isinstance(one, Table) for answer in one]
        shown, title = ", ".join(map(str, paths)) or "answers", FORMATS[name].title if name else "answers"
        longs = [Long(visible_names(table), recognised=title) for table in tables]
        longs += [_of_answers(answers, shown, title, by, reading.separator)] if answers else []
        long = longs[0] if len(longs) == 1 else _together(longs, shown)
    else:
        long, right = _of_tables(source, paths, right, given, by, reading, broken)
    return long if right is None else joined(long, right)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _is_json(value: Any) -> bool:
    return _is_path(value) and Path(value).suffix.lower() in JSON_SUFFIXES


def _paths(source: Any) -> list[Path]:
    """The paths that are meant; [] for anything else, as for a list of answers in words."""
    many = source if isinstance(source, list | tuple) else [source]
    if not all(map(_is_path, many)):
        return []
    paths = [Path(one) for one in many]
    named = many is not source or all(isinstance(one, os.PathLike) for one in many)
    return paths if named or all(path.suffix.lower() in SUFFIXES for path in paths) else []


def _files_in(folder: Path) -> list[Path]:
    found = [
        path for path in sorted(folder.iterdir()) if path.suffix.lower() in SUFFIXES[:-1] and path.name[0] not in ".~"
    ]
    if not found:
        allowed = f"files that end in {', '.join(SUFFIXES[:-1])}"
        raise InputError("the folder holds no table", source=str(folder), allowed=allowed)
    return found


def _of_tables(
    source: Any, paths: Sequence[Path], right: RightAnswers | None, given: Mapping[str, Any], by: Collection[str], reading: Reading, broken: list[InputError] | None,
) -> tuple[Long, RightAnswers | None]:  # fmt: skip
    """The long form of all tables of lists. Of several files one may hold the right answers alone."""
    files: list[Any] = [file for path in paths for file in (_files_in(path) if path.is_dir() else [path])]
    called = [(file, file.name.removesuffix(file.suffix)) for file in files] or [(source, MODEL)]
    pieces = [(name, piece) for one, name in called for piece in _pieces(one, reading.encoding, right, broken)]
    found = []
    for name, piece in pieces:
        own = given if len(pieces) == 1 else _of_this(given, piece.table)
        shape = shape_of(piece.table, {**piece.given, **own}, by)
        if shape.kind != REFERENCES:
            found.append((name, piece, replace(shape, said=piece.said or shape.said)))
        elif len(pieces) > 1 and right is None:
            right = right_answers(piece.table, own, by)
        else:
            raise _no_lists(piece.table)
    if not found:
        raise _no_lists(pieces[-1][1].table)
    names = list(dict.fromkeys(name for name, *_ in found))
    models = dict(zip(names, _what_differs(names), strict=True))
    longs = [
        long_of(piece.table, shape, visible(piece.model or models[name]), by, reading.separator)
        for name, piece, shape in found
    ]
    return longs[0] if len(longs) == 1 else _together(longs, str(source) if _is_path(source) else ""), right


def _of_this(given: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """The part of the option `columns` that names columns of this of several tables."""
    return {ours: name for ours, name in given.items() if not isinstance(name, str) or name in table.names}


def _no_lists(table: Table) -> InputError:
    problem = f"right answers, but no lists{of_sheet(table)}"
    return InputError(problem, source=table.source, allowed=_LISTS, got=table.names)


def _what_differs(names: list[str]) -> list[str]:
    """Names without the words that all of them begin or end with: run_gpt4_out, run_claude_out are gpt4 and claude."""
    parts = [_WORDS.split(name) for name in names]
    for step in (1, -1):
        while all(parts) and len({part[::step][0] for part in parts}) == 1:
            parts = [part[::step][1:][::step] for part in parts]
    short = ["".join(part) for part in parts]
    return short if all(short) and len(set(short)) == len(short) else names


def _pieces(
    source: Any, encoding: str | None, right: RightAnswers | None = None, broken: list[InputError] | None = None
) -> list[Piece]:
    """The tables in one file, frame or object, names as they look. broken : where lines that are no object go; None raises the first."""
    cases, in_order = (right.cases, right.in_order) if right is not None else ([], False)
    if isinstance(source, Mapping | list | tuple):
        pieces = of_objects(source, "data", cases=cases, in_order=in_order)
    elif _is_json(source):
        value, rows = read_json(Path(source), encoding, broken)
        if rows == []:
            raise InputError("no line of it could be read", source=str(source), allowed="one JSON object a line")
        pieces = of_objects(value, str(source), 1, rows, cases, in_order)
    else:
        pieces = [_of_a_table(source, encoding, broken)]
    return [replace(piece, table=visible_names(piece.table), model=visible(piece.model)) for piece in pieces]


def _of_a_table(source: Any, encoding: str | None, broken: list[InputError] | None) -> Piece:
    """Of a file or frame; of a frame whose cells are texts here and lists or objects there, too."""
    try:
        table = read_table(source, encoding, set_aside=broken is not None)
    except InputError:
        frame = None
        with suppress(nw.exceptions.DuplicateError):  # two columns of one name: said already
            frame = None if _is_path(source) else nw.from_native(source, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or not len(frame):
            raise
        return of_records(frame.rows(named=True), "data frame")
    if broken is not None:
        broken += table.broken
    if table.frame is not None and (table.mixed or any(map(pa.types.is_struct, table.data.schema.types))):
        return of_records(table.frame.rows(named=True), "data frame")
    return Piece(replace(table, broken=()))


def _right_answers(value: Any, reading: Reading, given: Mapping[str, Any], by: Collection[str]) -> RightAnswers:
    """Right answers that are kept apart: {case: answer or answers}, a list in the order of the lists, or a table of any shape."""
    given = {ours: name for ours, name in given.items() if isinstance(name, str)}
    if _is_path(value) and not Path(value).suffix and not Path(value).exists():
        allowed = "a file or folder; a column of the lists is named by the option 'columns' (reference=COLUMN)"
        raise InputError("no file of references is called so", allowed=allowed, got=str(value))
    source = str(value) if _is_path(value) else "references"
    if _is_path(value) and not given and (name := recognised(Path(value))):
        held = read_answers(Path(value), name)
        return right_answers(held, {}, by) if isinstance(held, Table) else _references_of(held, source, by)
    if _is_json(value):
        value = read_json(Path(value), reading.encoding).value
    objects = isinstance(value, Mapping | list | tuple)
    (piece, *_) = of_objects(value, source) if objects else [_of_a_table(value, reading.encoding, None)]
    right = right_answers(visible_names(piece.table), {"reference": PREDICTIONS, **given} if piece.said else given, by)
    return replace(right, in_order=piece.said == "lists in order")


def _recorded(source: Any, reading: Reading) -> Iterator[Answer]:
    """Yields what the user's own function says of each row of a table, or of each object of a JSON file.

    Raises
    ------
    InputError
        For what is no answer, with the row that it was made of.
    """
    if _is_json(source):
        held, rows = read_json(Path(source), reading.encoding)
        records = held if isinstance(held, list) else [held]
        numbers = rows or range(1, len(records) + 1)
    else:
        table = read_table(source, reading.encoding)
        records, numbers = table.data.to_pylist(), table.row_numbers().tolist()
    for row, one in zip(numbers, records, strict=True):
        made = reading.record(one) if reading.record else None
        for answer in [] if made is None else made if isinstance(made, list | tuple) else [made]:
            try:
                right = answer.get("references") or ()
                told = {"model": None, **answer, "references": (right,) if isinstance(right, str) else tuple(right)}
                yield Answer(**{**told, "case_id": str(answer["case_id"])}, source=str(source), row=row)
            except (AttributeError, KeyError, TypeError):
                problem = "the option 'record' made no answer"
                raise InputError(problem, source=str(source), row=row, allowed=_RECORDED, got=answer) from None


def _of_answers(answers: Sequence[Answer], source: str, title: str, by: Collection[str], separator: str | None) -> Long:
    """Answers of a published format, or of the user's own function."""
    lists = [answer for answer in answers if answer.model is not None]
    records = [
        {name: one.more.get(name) for name in by}
        # an answer that says nothing came, and is an empty list
        | {"case_id": one.case_id, "rater": one.model, PREDICTIONS: one.text or as_text([] if one.text == "" else one.diagnoses)}
        for one in lists
    ]  # fmt: skip
    files, numbers = [str(one.source) for one in lists], np.array([one.row for one in lists], np.int64)
    table = visible_names(Table(records_as_columns(records, source), source, 1, rows=numbers, sources=files))
    given = {"case_id": "case_id", "rater": "rater", PREDICTIONS: [PREDICTIONS]}
    long = long_of(table, replace(shape_of(table, given, by), said=title), MODEL, by, separator)
    long = replace(long, own={}, columns=())
    if any(one.references for one in answers):
        long = joined(long, _references_of(answers, source, by))
    return replace(long, recognised=title)


def _references_of(answers: Iterable[Answer], source: str, by: Collection[str]) -> RightAnswers:
    """The right answers among these, with what is told of their cases. Raises `InputError` where those of a case are told in two ways."""
    first: dict[str, Answer] = {}
    for answer in answers:
        known = first.setdefault(answer.case_id, answer) if answer.references else answer
        if set(known.references) != set(answer.references):
            problem = f"the right answers of case {quoted(answer.case_id)} differ from those in {known.source}"
            allowed, got = "; ".join(map(plain, known.references)), "; ".join(answer.references)
            raise InputError(problem, source=str(answer.source), row=answer.row or None, allowed=allowed, got=got)
    if not first:
        raise InputError("no right answers in it", source=source)
    records = [{"case_id": case, "reference": [*one.references], **one.more} for case, one in first.items()]
    return right_answers(Table(records_as_columns(records, source), source, 1), {}, by)


def _together(longs: Sequence[Long], source: str) -> Long:
    """Tables of several files as one; each row keeps its file and its number there."""
    known: dict[str, None] = {}
    warnings = [text for long in longs for text in long.warnings]
    parts = []
    for long in longs:
        columns = zip(long.table.names, long.table.data.columns, strict=True)
        data = pa.table({name: column if name == NO_LIST else _as_texts(column) for name, column in columns})
        names = {str(name) for name in pc.unique(data["case_id"]).to_pylist() if name}
        if found := other_spellings(names, known):
            warnings.insert(0, told_spellings(found, long.table.source))
            cases = pa.array([found.get(name, name) for name in data["case_id"].to_pylist()], pa.large_string())
            data = data.set_column(data.column_names.index("case_id"), "case_id", cases)
        known |= dict.fromkeys(found.get(name, name) for name in names)
        parts.append(data)
    files = list(dict.fromkeys(long.table.source for long in longs))
    shown = source or ", ".join(files[:4]) + (", …" if len(files) > 4 else "")
    rows, sources = (
        np.concatenate([long.table.row_numbers() for long in longs]),
        [long.table.source for long in longs for _ in range(len(long.table))],
    )
    said = " or ".join(list(dict.fromkeys(long.recognised for long in longs))[:2])
    return Long(
        Table(pa.concat_tables(parts, promote_options="default"), shown, 1, rows=rows, sources=sources),
        own={ours: name for ours, name in longs[0].own.items() if all(long.own.get(ours) == name for long in longs)},
        columns=tuple(dict.fromkeys(name for long in longs for name in long.columns)),
        recognised=f"{len(files)} files, {said}" if len(files) > 1 else said, warnings=tuple(dict.fromkeys(warnings)),
    )  # fmt: skip


def _as_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) and pc.all(pc.equal(column, pc.floor(column))).as_py():
        column = column.cast(pa.int64())
    return column.cast(pa.large_string())
