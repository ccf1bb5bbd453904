"""Whatever holds lists, a file, several, a folder, a frame, Python objects -> tables -> one table in the long form."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, quoted
from ...files.invisible import visible, visible_names
from ...files.json_records import SUFFIXES as JSON_SUFFIXES
from ...files.json_records import read_json
from ...files.reading import Reading
from ...files.table import Table
from ...files.tables import objects_in, read_table
from .findings import SHOWN, first_few
from .formats.answer import Answer
from .formats.registry import FORMATS, read_answers, recognised
from .headings import WAYS
from .lists import FINAL, REFERENCE
from .long import FILE, ROW, coded, list_rows, right_rows
from .names import check_columns, columns_named, listed
from .records import of_answers, of_records, records_in
from .shapes import REFERENCES, of_sheet, shape_of

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".eval")
MODEL = "model"
"""The name of the one rater whom nothing names."""
_LISTS = f"a column for each model or rank, a column of lists, or rows with rater, rank and diagnosis; {WAYS}"
_RECORDED = "None, or one object or a list of objects with case_id, model, diagnoses (a list) or text, and references (a text or a list)"
_PATH = (str, os.PathLike)


class Long(NamedTuple):
    """Lists and right answers as they were read.

    table : the long form. own : our name of a column -> the user's. columns : all of the user's own. recognised : in one line, what the
    input was read as. told : sentences on what is doubtful.
    """

    table: Table
    own: dict[str, str]
    columns: list[str]
    recognised: str
    told: list[str]


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

    Raises
    ------
    InputError
        For what holds no lists; for right answers that have no case in common with them.
    """
    given, told = check_columns(reading.columns), list[str]()
    apart = replace(reading, format=None, record=None)
    pieces = _pieces(source, reading, given, by, broken)
    beside = [] if references is None else _pieces(references, apart, given, by)
    for ours, name in given.items():
        if not any(ours in _of_table(given, one.table) for one in (*pieces, *beside)):
            columns_named(name, pieces[0].table.names, pieces[0].table.source, ours)
    shapes = [(one, shape_of(one.table, _of_table(given, one.table), by)) for one in pieces]
    found = [(one, shape) for one, shape in shapes if shape.kind != REFERENCES]  # of several files one may hold them
    right = beside or [one for one, shape in shapes if shape.kind == REFERENCES]
    if not found:
        table = pieces[-1].table
        problem = f"right answers, but no lists{of_sheet(table)}"
        raise InputError(problem, source=table.source, allowed=_LISTS, got=table.names)
    rows = [list_rows(shape, visible(one.model), by, reading.separator, told) for one, shape in found]
    files = list(dict.fromkeys(one.table.source for one, _ in found))
    called = str(source) if isinstance(source, _PATH) else first_few(files, 4)
    kinds = dict.fromkeys(f"{one.title}; {shape.said}" if one.title else shape.said for one, shape in found)
    said = (f"{len(files)} files, " if len(files) > 1 else "") + " or ".join([*kinds][:2])
    if right:
        apart_rows = [right_rows(one.table, _of_table(given, one.table), by) for one in right]
        where = ", ".join(dict.fromkeys(one.table.source for one in right))
        unnamed = [called] * (not all(shape.names.get("case_id", "").strip() for _, shape in found))
        unnamed += [where] * (not all(of for _, of in apart_rows))
        rows = _joined(rows, [of for of, _ in apart_rows], where, unnamed, told)
        said = f"{said}; right answers from {where}"
    data = pa.concat_tables(rows, promote_options="default")
    sources = data[FILE].to_pylist() if len(data[FILE].unique()) > 1 else None
    own = dict(set.intersection(*({*shape.names.items()} for _, shape in found)))
    columns = dict.fromkeys(name for one in (*pieces, *right) for name in one.table.names)
    table = Table(data, called, 1, rows=data[ROW].to_numpy(), sources=sources)
    return Long(table, own, list(columns), said, list(dict.fromkeys(told)))


def _joined(
    rows: Sequence[pa.Table], right: Sequence[pa.Table], where: str, unnamed: Sequence[str], told: list[str]
) -> list[pa.Table]:
    """Rows with right answers that were kept apart in the place of those that stand beside the lists."""
    roles = pa.array([REFERENCE, FINAL], pa.large_string())
    out = [one.filter(pc.invert(pc.is_in(pc.utf8_lower(one["role"]), roles))) for one in rows]
    if sum(map(len, out)) < sum(map(len, rows)):
        told.append(f"The right answers of {where} were taken, not those beside the lists.")
    cases, known = (
        dict.fromkeys(name for one in of for name in coded(one["case_id"], False)[1]) for of in (out, right)
    )
    problem, allowed = "", ""
    if known.keys().isdisjoint(cases):
        problem = "no case of the lists has a right answer by its name"
        allowed = (
            f"the names of the lists' cases: {first_few(map(quoted, cases))}; the same names in both files, or the column that holds them named in the option "
            "'columns' (case_id=COLUMN); of objects the model stands outside, {model: {case: list}}"
        )
    elif unnamed and known.keys() != cases.keys():
        many = f"{len(known):,} beside {len(cases):,}"
        problem = f"no column names the cases of {unnamed[0]}, and the two have not the same ones ({many})"
        allowed = "a column with a name that holds the cases, in both"
    if problem:
        raise InputError(problem, source=where, allowed=allowed, got=[*known][:SHOWN])
    return [*out, *right]


def _of_table(given: Mapping[str, Any], table: Table) -> dict[str, list[str]]:
    """The option `columns` as far as it names columns of a table."""
    named = {ours: listed(name, table.names) for ours, name in given.items()}
    return {ours: columns for ours, columns in named.items() if {*columns} <= {*table.names}}


def _paths(source: Any) -> list[Path]:
    """The paths that are meant; [] for anything else, as for a list of answers in words."""
    many = source if isinstance(source, list | tuple) else [source]
    paths = [Path(one) for one in many] if all(isinstance(one, _PATH) for one in many) else []
    sure = many is not source or all(isinstance(one, os.PathLike) for one in many)
    return paths if sure or all(path.suffix.lower() in SUFFIXES for path in paths) else []


def _files_in(folder: Path) -> list[Path]:
    suffixes = SUFFIXES[:-1]
    found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in suffixes and path.name[0] not in ".~"]
    if not found:
        allowed = f"files that end in {', '.join(suffixes)}"
        raise InputError("the folder holds no table", source=str(folder), allowed=allowed)
    return found


def _pieces(
    source: Any, reading: Reading, given: Mapping[str, Any], by: Collection[str], broken: list[InputError] | None = None
) -> list[Piece]:
    """The tables in whatever came, names as they look."""
    paths, name, found = _paths(source), reading.format or "", list[Piece]()
    if not name and not given and reading.record is None:  # columns named by hand go before a format that is recognised
        formats = {recognised(path) for path in paths}
        name = formats.pop() if len(formats) == 1 else ""
    if name and not paths:
        problem, got = f"the format {name!r} is of files or folders", type(source).__name__
        raise InputError(problem, allowed="their paths", got=got)
    if name or reading.record is not None:
        held = [read_answers(path, name) if name else _recorded(path, reading) for path in paths or [source]]
        title, called = FORMATS[name].TITLE if name else "answers", ", ".join(map(str, paths)) or "answers"
        tables = [one for one in held if isinstance(one, Table)]
        tables += of_answers([one for of in held if not isinstance(of, Table) for one in of], called, by)
        found = [Piece(one, MODEL, title) for one in tables]
    for one in [] if found else paths or [source]:
        for file in _files_in(one) if isinstance(one, Path) and one.is_dir() else [one]:
            model = file.name.removesuffix(file.suffix) if isinstance(file, Path) else MODEL
            found.append(Piece(_table(file, reading.encoding, broken), model))
    return [one._replace(table=visible_names(one.table)) for one in found]


def _is_json(source: Any) -> bool:
    return isinstance(source, _PATH) and Path(source).suffix.lower() in JSON_SUFFIXES


def _table(source: Any, encoding: str | None, broken: list[InputError] | None) -> Table:
    """The table in one file, frame or object."""
    source, pandas = source.tolist() if isinstance(source, np.ndarray) else source, sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.Series | pandas.DataFrame):
        plain_index = isinstance(source.index, pandas.RangeIndex | pandas.MultiIndex)
        if isinstance(source, pandas.Series):
            source = source.tolist() if plain_index else source.to_dict()
        elif not plain_index:  # as its index is written into a file
            source = source.reset_index(names="")
    if isinstance(source, Mapping | list | tuple):
        return of_records(records_in(source, "data"), "data")
    if _is_json(source):
        value, rows = read_json(Path(source), encoding, broken)
        if rows == []:
            raise InputError("no line of it could be read", source=str(source), allowed="one JSON object a line")
        return of_records(records_in(value, str(source)), str(source), 1, rows)
    table = read_table(source, encoding, set_aside=broken is not None)
    if broken is not None:
        broken += table.broken
    if table.frame is not None and (table.mixed or any(map(pa.types.is_struct, table.data.schema.types))):
        return of_records(table.frame.rows(named=True), "data frame")
    return replace(table, broken=())


def _recorded(source: Any, reading: Reading) -> list[Answer]:
    """What the user's own function says of each row of a table, or of each object of a JSON file.

    Raises
    ------
    InputError
        For what is no answer, with the row that it was made of.
    """
    out = list[Answer]()
    for row, one in objects_in(source, reading.encoding):
        made = reading.record(one) if reading.record else None
        for told in made if isinstance(made, list | tuple) else [] if made is None else [made]:
            try:
                of = {"model": None, **told, "case_id": str(told["case_id"])}
                out.append(Answer(**of, source=str(source), row=row))
            except (AttributeError, KeyError, TypeError):
                problem = "the option 'record' made no answer"
                raise InputError(problem, source=str(source), row=row, allowed=_RECORDED, got=told) from None
    return out
