"""Whatever holds lists, a file, several, a folder, a frame, Python objects -> tables -> one table in the long form."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...errors import InputError
from ...files.invisible import visible, visible_names
from ...files.json_records import SUFFIXES as JSON_SUFFIXES
from ...files.json_records import read_json
from ...files.reading import Reading
from ...files.table import Table, as_text, records_as_columns
from ...files.tables import read_table
from .formats.answer import Answer
from .formats.registry import FORMATS, read_answers, recognised
from .joining import joined, right_of, together
from .long import Long, long_of
from .names import ANSWER, KNOWN, OTHER_NAMES, PREDICTIONS, check_columns, folded
from .shapes import REFERENCES, Shape, of_sheet, shape_of

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".eval")
MODEL = "model"
"""The name of the one rater whom nothing names."""
_LISTS = (
    "a column for each model or rank, a column of lists, or rows with rater, rank and diagnosis; the option 'columns' names those with "
    "the answers (predictions=COLUMN,COLUMN for one of each model, rank=COLUMN,COLUMN for one of each rank)"
)
_OBJECTS = "objects with a case each, {case: list}, {model: {case: list}}, or lists in the order of the right answers"
_RECORDED = "None, or one object or a list of objects with case_id, model, diagnoses (a list) or text, and references (a text or a list)"
_WORDS = re.compile(r"(?<=[_\-. ])|(?=[_\-. ])")
_HOLDS_LISTS = frozenset((PREDICTIONS, ANSWER, *OTHER_NAMES[PREDICTIONS]))
_OF_A_RECORD = frozenset(("reference", *OTHER_NAMES["reference"], *_HOLDS_LISTS))
_OF_AN_ANSWER = re.compile(
    r"diagnos|differential|answer|text|rank|name|icd|reason|content|confidence|prob", re.IGNORECASE
)


class Piece(NamedTuple):
    """A table of any shape. model : who answered, where the table names nobody. title : of its published format."""

    table: Table
    model: str
    title: str = ""


def long_form(
    source: Any, references: Any, reading: Reading, by: Collection[str], broken: list[InputError] | None
) -> Long:
    """The long form of whatever holds lists, with the right answers that are kept apart. The parameters are those of `read_lists`.

    broken : where lines that are no JSON go; None raises the first.
    """
    given = check_columns(reading.columns)
    pieces, found, right = _pieces(source, reading, given, by, broken), list[tuple[Piece, Shape]](), list[Long]()
    for piece in pieces:
        names = piece.table.names
        own = {
            ours: name for ours, name in given.items() if len(pieces) == 1 or not isinstance(name, str) or name in names
        }
        shape = shape_of(piece.table, own, by)
        if shape.kind != REFERENCES:
            found.append((piece, shape))
        elif references is None:  # of several files one may hold them
            right.append(right_of(piece.table, own, by))
    if not found:
        table = pieces[-1].table
        raise InputError(
            f"right answers, but no lists{of_sheet(table)}", source=table.source, allowed=_LISTS, got=table.names
        )
    if references is not None:
        texts = {ours: name for ours, name in given.items() if isinstance(name, str)}
        apart = _pieces(references, replace(reading, format=None, record=None), texts, by)
        right = [right_of(one.table, texts, by) for one in apart]
    names = list(dict.fromkeys(piece.model for piece, _ in found))
    models = dict(zip(names, _what_differs(names), strict=True))
    longs = [
        long_of(
            one.table, replace(shape, said=one.title or shape.said), visible(models[one.model]), by, reading.separator
        )
        for one, shape in found
    ]
    lists = together(longs, str(source) if _is_path(source) else "")
    return joined(lists, together(right)) if right else lists


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


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


def _what_differs(names: list[str]) -> list[str]:
    """Names without the words that all of them begin or end with: run_gpt4_out, run_claude_out are gpt4 and claude."""
    parts = [_WORDS.split(name) for name in names]
    for step in (1, -1):
        while all(parts) and len({part[::step][0] for part in parts}) == 1:
            parts = [part[::step][1:][::step] for part in parts]
    short = ["".join(part) for part in parts]
    return short if all(short) and len(set(short)) == len(short) else names


def _pieces(
    source: Any, reading: Reading, given: Mapping[str, Any], by: Collection[str], broken: list[InputError] | None = None
) -> list[Piece]:
    """The tables in whatever came, names as they look."""
    paths, name, found = _paths(source), reading.format or "", list[Piece]()
    if not name and not given and reading.record is None:  # columns named by hand go before a format that is recognised
        formats = {recognised(path) for path in paths}
        name = formats.pop() if len(formats) == 1 else ""
    if name and not paths:
        allowed, got = "their paths", type(source).__name__
        raise InputError(f"the format {name!r} is of files or folders", allowed=allowed, got=got)
    if name or reading.record is not None:
        held = [read_answers(path, name) if name else [*_recorded(path, reading)] for path in paths or [source]]
        title, shown = FORMATS[name].TITLE if name else "answers", ", ".join(map(str, paths)) or "answers"
        found = [Piece(one, MODEL, title) for one in held if isinstance(one, Table)]
        found += _of_answers([one for of in held if not isinstance(of, Table) for one in of], shown, title, by)
    else:
        files = [file for path in paths for file in (_files_in(path) if path.is_dir() else [path])]
        for one in files or [source]:
            model = one.name.removesuffix(one.suffix) if isinstance(one, Path) else MODEL
            found += _of_one(one, model, reading.encoding, broken)
    return [one._replace(table=visible_names(one.table)) for one in found]


def _of_one(source: Any, model: str, encoding: str | None, broken: list[InputError] | None) -> list[Piece]:
    """The tables in one file, frame or object."""
    source, pandas = source.tolist() if isinstance(source, np.ndarray) else source, sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.Series | pandas.DataFrame):
        plain_index = isinstance(source.index, pandas.RangeIndex | pandas.MultiIndex)
        if isinstance(source, pandas.Series):
            source = source.tolist() if plain_index else source.to_dict()
        elif not plain_index:  # as its index is written into a file
            source = source.reset_index(names="")
    if isinstance(source, Mapping | list | tuple):
        return _of_objects(source, "data", model)
    if _is_path(source) and Path(source).suffix.lower() in JSON_SUFFIXES:
        value, rows = read_json(Path(source), encoding, broken)
        if rows == []:
            raise InputError("no line of it could be read", source=str(source), allowed="one JSON object a line")
        return _of_objects(value, str(source), model, 1, rows)
    table = read_table(source, encoding, set_aside=broken is not None)
    if broken is not None:
        broken += table.broken
    if table.frame is not None and (table.mixed or any(map(pa.types.is_struct, table.data.schema.types))):
        return [Piece(_of_records(table.frame.rows(named=True), "data frame"), model)]
    return [Piece(replace(table, broken=()), model)]


def _of_objects(
    value: Any, source: str, model: str, first_row: int = 0, rows: Sequence[int] | None = None
) -> list[Piece]:
    """A list of objects, one for each case; {case: list}; {model: {case: list}}; {model: objects}; {column: values}; lists in an order, of one model or of each."""
    if isinstance(value, list | tuple) and value:
        if all(isinstance(one, Mapping) for one in value):
            return [Piece(_of_records(value, source, first_row, rows), model)]
        if all(isinstance(one, list | tuple | str) or one is None for one in value):
            records = [{"": str(at), PREDICTIONS: one} for at, one in enumerate(value, 1)]
            return [Piece(_of_records(records, source), model)]
    if not isinstance(value, Mapping) or not value:
        empty, got = ": the object is empty" if value == {} else "", value or type(value).__name__
        raise InputError(f"no lists of diagnoses{empty}", source=source, allowed=_OBJECTS, got=got)
    of = {str(as_text(key)): one.tolist() if isinstance(one, np.ndarray) else one for key, one in value.items()}
    lists = all(isinstance(one, list | tuple) for one in of.values())
    if lists and len({*map(len, of.values())}) == 1 and sum(folded(key) in KNOWN for key in of) > 1:
        return [
            Piece(
                _of_records([dict(zip(of, cells, strict=True)) for cells in zip(*of.values(), strict=True)], source),
                model,
            )
        ]
    if lists and all(one and all(isinstance(part, Mapping) for part in one) for one in of.values()):
        return [
            Piece(_of_records([{"rater": key, **record} for key, one in of.items() for record in one], source), model)
        ]
    key_of_case = "case_id"
    if lists and all(
        isinstance(part, list | tuple) for one in of.values() for part in one
    ):  # in the order of the right answers
        of, key_of_case = {key: {str(at): part for at, part in enumerate(one, 1)} for key, one in of.items()}, ""
    if not all(isinstance(one, Mapping) for one in of.values()):
        return [Piece(_of_records([{"case_id": key, PREDICTIONS: one} for key, one in of.items()], source), model)]
    keys = [str(as_text(key)) for one in of.values() for key in one]
    if any(folded(key) in _OF_A_RECORD for key in keys):
        return [Piece(_of_records([{"case_id": key, **record} for key, record in of.items()], source), model)]
    # a model without any answer is one that is missing everywhere
    said = [(who, key, one) for who, held in of.items() for key, one in (held or dict.fromkeys(keys[:1])).items()]
    records = [{key_of_case: str(as_text(key)), "rater": who, PREDICTIONS: one} for who, key, one in said]
    return [Piece(_of_records(records, source), model)]


def _of_records(
    records: Iterable[Mapping[str, Any]], source: str, first_row: int = 0, rows: Sequence[int] | None = None
) -> Table:
    """Objects as rows; one with {"predictions": {model: list}} becomes a row for each model."""
    flat, numbers = list[dict[str, Any]](), list[int]()
    for at, record in enumerate(records):
        nested = {
            key: one for key, one in record.items() if isinstance(one, Mapping) and folded(str(key)) in _HOLDS_LISTS
        }
        of_models = next(
            (key for key, one in nested.items() if one and not any(_OF_AN_ANSWER.search(str(name)) for name in one)),
            None,
        )
        cells = {str(key): _answer(one) for key, one in record.items() if key != of_models or of_models is None}
        models = (
            [{}]
            if of_models is None
            else [{"rater": str(who), PREDICTIONS: _answer(one)} for who, one in record[of_models].items()]
        )
        flat += [cells | one for one in models]
        numbers += [first_row + at if rows is None else rows[at]] * len(models)
    return Table(
        records_as_columns(flat, source, first_row, numbers), source, first_row, rows=np.array(numbers, np.int64)
    )


def _answer(value: Any) -> Any:
    """A list of names as it is, anything deeper as JSON."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) or one is None for one in value):
        return list(value)
    return as_text(value) if isinstance(value, Mapping | list | tuple) else value


def _recorded(source: Any, reading: Reading) -> Iterator[Answer]:
    """Yields what the user's own function says of each row of a table, or of each object of a JSON file.

    Raises
    ------
    InputError
        For what is no answer, with the row that it was made of.
    """
    if _is_path(source) and Path(source).suffix.lower() in JSON_SUFFIXES:
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


def _of_answers(answers: Sequence[Answer], source: str, title: str, by: Collection[str]) -> list[Piece]:
    """Answers of a published format, or of the user's own function: a table of the lists, and one of right answers alone."""
    found = list[Piece]()
    for of_lists in (True, False):
        held = [one for one in answers if (one.model is not None) == of_lists]
        records = [
            {"case_id": one.case_id, "reference": [*one.references] or None, **{n: v for n, v in one.more.items() if n in by or not of_lists}}
            # an answer that says nothing came, and is an empty list
            | ({"rater": one.model, PREDICTIONS: one.text or as_text([] if one.text == "" else one.diagnoses)} if of_lists else {})
            for one in held
        ]  # fmt: skip
        rows, files = np.array([one.row for one in held], np.int64), [str(one.source) for one in held]
        table = Table(records_as_columns(records, source), source, 1, rows=rows, sources=files)
        found += [Piece(table, MODEL, title)] if held else []
    return found
