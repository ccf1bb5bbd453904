"""Whatever holds lists, a file, several, a folder, a frame, Python objects -> one table in the long form."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, quoted
from ...files.invisible import visible, visible_names
from ...files.json_records import SUFFIXES as JSON_SUFFIXES
from ...files.json_records import as_text, read_json, records_as_columns
from ...files.reading import Reading
from ...files.tables import Table, read_table
from .answer_table import table_of_answers
from .case_names import other_spellings, told_spellings
from .formats.answer import Answer
from .formats.registry import FORMATS, read_answers, recognised
from .frames import with_index
from .long import Long, long_of
from .names import ANSWER, OTHER_NAMES, PREDICTIONS, RANK, ROLES_OF_COLUMNS, check_columns, folded
from .right_answers import RightAnswers, joined, right_answers
from .shapes import REFERENCES, of_sheet, shape_of

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".eval")
MODEL = "model"
"""The name of the one rater whom nothing names."""
_LISTS = (
    "a column for each model or rank, a column of lists, or rows with rater, rank and diagnosis; the option 'columns' names those with "
    "the answers (predictions=COLUMN,COLUMN for one of each model, rank=COLUMN,COLUMN for one of each rank)"
)
_HOLDS_LISTS = frozenset((PREDICTIONS, ANSWER, "models", *OTHER_NAMES[PREDICTIONS]))
_OF_A_RECORD = frozenset(("reference", *OTHER_NAMES["reference"], *_HOLDS_LISTS)) - {"models"}
_OF_AN_ANSWER = re.compile(
    r"diagnos|differential|answer|text|rank|name|icd|reason|content|confidence|prob", re.IGNORECASE
)
_FIELDS = ("case_id", "model", "diagnoses", "text", "references")
_RECORDED = "None, or one object or a list of objects with case_id, model, diagnoses (a list) or text, and references (a text or a list)"
_PARTS_APART = re.compile(r"(?<=[_\-. ])|(?=[_\-. ])")


@dataclass(frozen=True)
class Piece:
    """table : of any shape. model : who answered, where the table names none; "" where nothing says.

    given : what its columns are known to hold, as the option `columns` says it. said : what it was, where it was no table.
    """

    table: Table
    model: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""


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
    source, references = with_index(source, given), with_index(references, given)
    right = None if references is None else _right_answers(references, reading, given, by)
    paths = _paths(source)
    name = reading.format or ""
    if not name and not given and reading.record is None:  # columns named by hand go before a format that is recognised
        formats = {"" if (found := recognised(path)) is None else found.name for path in paths}
        name = formats.pop() if len(formats) == 1 else ""
    if name and not paths:
        raise InputError(
            f"the format {name!r} is of files or folders", allowed="their paths", got=type(source).__name__
        )
    answers = None
    if reading.record is not None:
        answers = [a for one in paths or [source] for a in _recorded(one, reading.record, reading.encoding)]
    elif name:
        answers = [answer for path in paths for answer in read_answers(path, name)]
    elif isinstance(source, list | tuple) and source and all(isinstance(one, Answer) for one in source):
        answers = source
    if answers is not None:
        long = _of_answers(answers, ", ".join(map(str, paths)) or "answers", FORMATS[name].title if name else "answers")
    else:
        longs, right = _of_tables(source, paths, right, given, by, reading, broken)
        long = (
            longs[0]
            if len(longs) == 1
            else _together(longs, str(source) if len(paths) > 1 and _is_path(source) else "")
        )
    return long if right is None else joined(long, right)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _paths(source: Any) -> list[Path]:
    """The paths that are meant; [] for anything else, as for a list of answers in words."""
    if _is_path(source):
        return [Path(source)]
    if not isinstance(source, list | tuple) or not source or not all(map(_is_path, source)):
        return []
    paths = [Path(one) for one in source]
    named = all(isinstance(one, os.PathLike) for one in source)
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
) -> tuple[list[Long], RightAnswers | None]:  # fmt: skip
    """The long form of each table of lists. Of several files one may hold the right answers alone."""
    files: list[Any] = [file for path in paths for file in (_files_in(path) if path.is_dir() else [path])]
    found = []
    tables: list[Table] = []
    for one in files or [source]:
        try:
            pieces = _pieces(one, reading.encoding, right, broken)
        except InputError as error:
            if broken is None or len(files) < 2:
                raise
            broken.append(error)
            continue
        for piece in pieces:
            tables.append(piece.table)
            # of several tables each has some of the columns that are named
            known = (
                given
                if len(files) < 2
                else {o: n for o, n in given.items() if not isinstance(n, str) or n in piece.table.names}
            )
            shape = shape_of(piece.table, {**piece.given, **known}, by)
            if shape.kind != REFERENCES:
                found.append((one, piece, replace(shape, said=piece.said or shape.said)))
            elif len(files) < 2:
                raise _no_lists(piece.table)
            elif right is not None:
                raise InputError("right answers twice", source=str(one), allowed=f"those of {right.source} alone")
            else:
                right = right_answers(piece.table, known, by)
    if not found:
        raise _no_lists(tables[-1]) if tables else (broken or [InputError("no file", source=str(source))])[0]
    answered = list(dict.fromkeys(one for one, _, _ in found)) if files else []
    models = (
        _what_differs([path.name.removesuffix(path.suffix) for path in answered]) if files else [MODEL] * len(found)
    )
    named = [piece.model or models[answered.index(one) if files else 0] for one, piece, _ in found]
    longs = [
        long_of(piece.table, shape, visible(name), by, reading.separator)
        for name, (_, piece, shape) in zip(named, found, strict=True)
    ]
    return longs, right


def _no_lists(table: Table) -> InputError:
    problem = f"right answers, but no lists{of_sheet(table)}"
    return InputError(problem, source=table.source, allowed=_LISTS, got=table.names)


def _what_differs(names: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin or end with: run_gpt4_out, run_claude_out are gpt4 and claude."""
    parts = [_PARTS_APART.split(name) for name in names]
    start, end = (len(os.path.commonprefix([part[::step] for part in parts])) for step in (1, -1))
    short = ["".join(part[start : len(part) - end]).strip("_-. ") for part in parts]
    return short if all(short) and len(set(short)) == len(short) else list(names)


def _pieces(
    source: Any, encoding: str | None, right: RightAnswers | None = None, broken: list[InputError] | None = None
) -> list[Piece]:
    """The tables in one file, frame or object, names as they look. broken : where lines that are no object go; None raises the first."""
    if isinstance(source, Mapping | list | tuple):
        pieces = _of_objects(source, "data", right)
    elif _is_path(source) and Path(source).suffix.lower() in JSON_SUFFIXES:
        value, rows = read_json(Path(source), encoding, broken)
        if rows == []:
            raise InputError("no line of it could be read", source=str(source), allowed="one JSON object a line")
        pieces = _of_objects(value, str(source), right, 1, rows)
    else:
        table = _table(source, encoding, broken)
        nested = [f.name for f in table.data.schema if folded(f.name) in _HOLDS_LISTS and pa.types.is_struct(f.type)]
        records = table.data.to_pylist() if nested else []
        pieces = [_of_records(records, table.source, table.first_row, table.row_numbers()) if nested else Piece(table)]
    return [replace(piece, table=visible_names(piece.table), model=visible(piece.model)) for piece in pieces]


def _table(source: Any, encoding: str | None, broken: list[InputError] | None) -> Table:
    """Of a frame whose cells are texts here and lists there, too."""
    try:
        table = read_table(source, encoding, set_aside=broken is not None)
        frame = table.frame if table.mixed else None
    except InputError:
        frame = None if _is_path(source) else nw.from_native(source, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or not len(frame):
            raise
        table = Table(pa.table({}), "data frame", 0)
    if broken is not None:
        broken += table.broken
    if frame is not None:
        table = Table(records_as_columns(frame.rows(named=True), "data frame"), "data frame", 0, frame)
    return replace(table, broken=())


def _of_objects(
    value: Any, source: str, right: RightAnswers | None = None, first_row: int = 0, rows: Sequence[int] | None = None
) -> list[Piece]:
    """An object of lists as tables.

    value : a list of objects, one for each case; {case: list}; {model: {case: list}}, or {case: {model: list}} where the right answers
        tell so; {model: objects}; {column: values}; lists in the order of the right answers, of one model or of each.

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(value, list | tuple) and value:
        if all(isinstance(one, Mapping) for one in value):
            return [_of_records(value, source, first_row, rows)]
        if all(isinstance(one, list | tuple | str) or one is None for one in value):
            return [_in_order(value, source, "", right)]
    elif isinstance(value, Mapping) and value:
        return _of_mapping({str(as_text(key)): one for key, one in value.items()}, source, right, first_row, rows)
    raise InputError(
        "no lists of diagnoses" + (": the object is empty" if value == {} else ""), source=source,
        allowed="objects with a case each, {case: list}, {model: {case: list}}, or lists in the order of the right answers",
        got=type(value).__name__ if value else value,
    )  # fmt: skip


def _of_mapping(
    value: dict[str, Any], source: str, right: RightAnswers | None, first_row: int, rows: Sequence[int] | None
) -> list[Piece]:
    inner = list(value.values())
    sizes = {len(one) if isinstance(one, list | tuple | np.ndarray) else -1 for one in inner}
    known = [
        key
        for key in value
        if folded(key) in ROLES_OF_COLUMNS or any(folded(key) in names for names in OTHER_NAMES.values())
    ]
    if len(known) > 1 and len(sizes) == 1 and -1 not in sizes:
        records = [dict(zip(value, values, strict=True)) for values in zip(*inner, strict=True)]
        return [Piece(Table(records_as_columns(records, source), source, 0))]
    if all(isinstance(one, list) and one and all(isinstance(part, Mapping) for part in one) for one in inner):
        return [_of_records(one, source, first_row, rows, model) for model, one in value.items()]
    if all(isinstance(one, Mapping) for one in inner):
        keys = dict.fromkeys(str(as_text(key)) for one in inner for key in one)
        if any(folded(key) in _OF_A_RECORD for key in keys):
            return [_of_records([{"case_id": key, **record} for key, record in value.items()], source)]
        cases = set(right.cases) if right is not None else set()
        by_case = len(cases & value.keys()) > len(cases & keys.keys())
        found = [(str(as_text(key)), outer, answer) for outer, one in value.items() for key, answer in one.items()]
        # a model without any answer is one that is missing everywhere
        found += [(next(iter(keys)), model, None) for model, one in value.items() if keys and not one and not by_case]
        records = [
            {"case_id": model if by_case else case, "rater": case if by_case else model, PREDICTIONS: _answer(answer)}
            for case, model, answer in found
        ]
        return [_known(records, source, "", f"lists by {'case and model' if by_case else 'model and case'}")]
    if right is not None and right.in_order and all(isinstance(one, list | tuple) for one in inner):
        return [_in_order(one, source, model, right) for model, one in value.items()]
    return [
        _known(
            [{"case_id": case, PREDICTIONS: _answer(answer)} for case, answer in value.items()],
            source,
            "",
            "lists by case",
        )
    ]


def _known(records: list[dict[str, Any]], source: str, model: str, said: str) -> Piece:
    names = {name: name for name in records[0] if name != PREDICTIONS} if records else {}
    return Piece(
        Table(records_as_columns(records, source), source, 0), model, {**names, PREDICTIONS: [PREDICTIONS]}, said
    )


def _of_records(
    records: Sequence[Mapping[str, Any]], source: str, first_row: int = 0, rows: Any = None, model: str = ""
) -> Piece:
    """Objects as rows; {"predictions": {model: list}} becomes a column for each model."""
    models: dict[str, None] = {}
    flat = []
    for record in records:
        out: dict[str, Any] = {}
        for key, value in record.items():
            if (
                folded(str(key)) in _HOLDS_LISTS
                and isinstance(value, Mapping)
                and not any(_OF_AN_ANSWER.search(str(one)) for one in value)
            ):
                out |= {str(name): _answer(answer) for name, answer in value.items()}
                models |= dict.fromkeys(map(str, value))
            else:
                out[str(key)] = _answer(value) if isinstance(value, Mapping) else value
        flat.append(out)
    numbers = None if rows is None else np.array(rows, np.int64)
    table = Table(records_as_columns(flat, source, first_row, numbers), source, first_row, rows=numbers)
    return Piece(table, model, {PREDICTIONS: list(models)} if models else {})


def _answer(value: Any) -> Any:
    """A list of names as it is, anything deeper as JSON."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) or one is None for one in value):
        return list(value)
    return value if value is None or isinstance(value, str) else as_text(value)


def _in_order(answers: Sequence[Any], source: str, model: str, right: RightAnswers | None) -> Piece:
    if right is not None and right.in_order and len(answers) != len(right.cases):
        whose = f" of {quoted(model)}" if model else ""
        problem = f"{len(answers):,} lists{whose} beside {len(right.cases):,} right answers in order"
        raise InputError(problem, source=source, allowed="as many of the one as of the other")
    return _known(
        [{"case_id": str(i), PREDICTIONS: _answer(answer)} for i, answer in enumerate(answers, 1)],
        source,
        model,
        "lists in order",
    )


def _right_answers(value: Any, reading: Reading, given: Mapping[str, Any], by: Collection[str]) -> RightAnswers:
    """Right answers that are kept apart: {case: answer or answers}, a list in the order of the lists, or a table of any shape."""
    given = {ours: name for ours, name in given.items() if isinstance(name, str)}
    if _is_path(value) and not Path(value).suffix and not Path(value).exists():
        allowed = "a file or folder; a column of the lists is named by the option 'columns' (reference=COLUMN)"
        raise InputError("no file of references is called so", allowed=allowed, got=str(value))
    source, in_order = str(value) if _is_path(value) else "references", False
    if _is_path(value) and not given and recognised(value) is not None:
        told = {answer.case_id: answer for answer in reversed(read_answers(value)) if answer.references}
        if not told:
            raise InputError("no right answers in it", source=source)
        value = [
            {"case_id": a.case_id, "reference": "\n".join(a.references), **a.more} for a in reversed(told.values())
        ]
    elif _is_path(value) and Path(value).suffix.lower() in JSON_SUFFIXES:
        value = read_json(Path(value), reading.encoding).value
    if (
        isinstance(value, Mapping)
        and not all(isinstance(one, Mapping) for one in value.values())
        and not isinstance(value.get("case_id"), list)
    ):
        value = [{"case_id": case, "reference": as_text(answer)} for case, answer in value.items()]
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], Mapping):
        value, in_order = [{"case_id": str(i), "reference": as_text(answer)} for i, answer in enumerate(value, 1)], True
    if isinstance(value, Mapping) and all(isinstance(one, Mapping) for one in value.values()):
        value = [{"case_id": case, **one} for case, one in value.items()]
    if isinstance(value, list) and value:
        value = Table(records_as_columns(value, source), source, 0)
    table = replace(_table(value, reading.encoding, None))
    return replace(right_answers(visible_names(table), given, by), in_order=in_order)


def _recorded(source: Any, record: Callable[[Mapping[str, Any]], Any], encoding: str | None) -> Iterator[Answer]:
    """Yields what the user's own function says of each row of a table, or of each object of a JSON file.

    Raises
    ------
    InputError
        For what is no answer, with the row that it was made of.
    """
    if _is_path(source) and Path(source).suffix.lower() in JSON_SUFFIXES:
        held, rows = read_json(Path(source), encoding)
        records = held if isinstance(held, list) else [held]
        numbers = rows or range(1, len(records) + 1)
    else:
        table = read_table(source, encoding)
        records, numbers = table.data.to_pylist(), table.row_numbers().tolist()
    for row, one in zip(numbers, records, strict=True):
        made = record(one)
        for answer in [] if made is None else made if isinstance(made, list | tuple) else [made]:
            if not isinstance(answer, Mapping) or not {*answer} <= {*_FIELDS} or answer.get("case_id") is None:
                problem = "the option 'record' made no answer"
                raise InputError(problem, source=str(source), row=row, allowed=_RECORDED, got=answer)
            right = answer.get("references") or ()
            yield Answer(
                str(answer["case_id"]), answer.get("model"), diagnoses=answer.get("diagnoses"), text=answer.get("text"),
                references=(right,) if isinstance(right, str) else tuple(right), source=str(source), row=row,
            )  # fmt: skip


def _of_answers(answers: Sequence[Answer], source: str, title: str) -> Long:
    """Answers of a published format, or as objects."""
    table = visible_names(table_of_answers(answers, source))
    blank = table.data.column("diagnosis").is_null()
    ranks = pc.if_else(blank, pa.scalar(None, pa.string()), table.data.column(RANK))
    table = replace(table, data=table.data.set_column(table.names.index(RANK), RANK, ranks))
    unread, in_words = (
        {i: text for i, text in enumerate(table.column(name) if name in table.names else []) if text is not None}
        for name in ("unread", "in_words")
    )
    return Long(table, recognised=title, unread=unread, in_words={**in_words, **unread})


def _together(longs: Sequence[Long], source: str) -> Long:
    """Tables of several files as one; each row keeps its file and its number there."""
    known: dict[str, None] = {}
    warnings = list(dict.fromkeys(text for long in longs for text in long.warnings))
    parts, listed, cells = [], list[str](), []
    for long in longs:
        data = pa.table(
            {name: _as_texts(column) for name, column in zip(long.table.names, long.table.data.columns, strict=True)}
        )
        names = [name for name in pc.unique(data["case_id"]).to_pylist() if name]
        if found := other_spellings(names, known):
            warnings.insert(0, told_spellings(found, long.table.source))
            cases = pa.array([found.get(name, name) for name in data["case_id"].to_pylist()], pa.large_string())
            data = data.set_column(data.column_names.index("case_id"), "case_id", cases)
        known |= dict.fromkeys(found.get(name, name) for name in names)
        parts.append(data)
        of = np.full(len(data), -1) if long.cells is None else long.cells
        cells.append(np.where(of < 0, -1, of + len(listed)))
        listed += long.listed
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    files = list(dict.fromkeys(long.table.source for long in longs))
    table = Table(
        pa.concat_tables(parts, promote_options="default"), source or ", ".join(files[:4]) + (", …" if len(files) > 4 else ""), 1,
        rows=np.concatenate([long.table.row_numbers() for long in longs]), sources=[long.table.source for long in longs for _ in range(len(long.table))],
    )  # fmt: skip

    def placed(name: str) -> dict[int, Any]:
        return {
            start + row: one
            for start, long in zip(starts, longs, strict=False)
            for row, one in getattr(long, name).items()
        }

    many = f"{len(files)} files, " if len(files) > 1 else ""
    return Long(
        table, own={o: n for o, n in longs[0].own.items() if all(long.own.get(o) == n for long in longs)}, cells=np.concatenate(cells).astype(np.int32),
        listed=tuple(listed), recognised=many + " or ".join(list(dict.fromkeys(long.recognised for long in longs))[:2]), warnings=tuple(warnings),
        columns=tuple(dict.fromkeys(name for long in longs for name in long.columns)), sheets=" ".join(dict.fromkeys(long.sheets for long in longs if long.sheets)),
        unread=placed("unread"), unread_is_empty=all(long.unread_is_empty for long in longs if long.unread), in_words=placed("in_words"), twice=placed("twice"),
    )  # fmt: skip


def _as_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) and pc.all(pc.equal(column, pc.floor(column))).as_py():
        column = column.cast(pa.int64())
    return column.cast(pa.large_string())
