"""Whatever holds lists, a file, several, a folder, a frame, Python objects -> tables -> one table in the long form."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, OptionError, quoted
from ...files.invisible import visible_names
from ...files.json_records import JSON_SUFFIXES, read_json
from ...files.reading import Reading
from ...files.table import Table
from ...files.tables import objects_in, read_table, with_columns
from ...files.text_files import suffix_of
from ...files.workbook import split_sheet
from .findings import SHOWN, first_few
from .formats.answer import Answer
from .formats.registry import FORMATS, read_answers, recognised
from .headings import WAYS
from .lists import FINAL, REFERENCE
from .long import FILE, ROW, coded, right_shape, rows_of
from .names import check_columns, columns_named, listed
from .records import of_answers, of_records, records_in
from .shapes import REFERENCES, shape_of

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".eval")
_LISTS = f"a column for each model or rank, a column of lists, or rows with rater, rank and diagnosis; {WAYS}"
_RECORDED = "None, or one object or a list of objects with case_id, model, diagnoses (a list) or text, and references (a text or a list)"


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


def long_form(
    source: Any,
    references: Any,
    reading: Reading,
    by: Collection[str],
    broken: list[InputError] | None,
    read_as: Mapping[str, str],
) -> Long:
    """The long form of whatever holds lists, with the right answers that are kept apart. The parameters are those of `read_lists`.

    broken : where lines that are no JSON go; None raises the first.

    Raises
    ------
    InputError
        For what holds no lists; for right answers that have no case in common with them.
    """
    given, told = check_columns(reading.columns), list[str]()
    tables, title = _tables(source, reading, given, by, broken)
    alike = replace(reading, format=None, record=None)
    beside = [] if references is None else _tables(references, alike, given, by)[0]
    for ours, name in given.items():
        if not any(ours in _of_table(given, table) for table in (*tables, *beside)):
            columns_named(name, tables[0].names, tables[0].source, ours)
    shapes = [shape_of(table, _of_table(given, table), by) for table in tables]
    found = [shape for shape in shapes if shape.kind != REFERENCES]  # of several files one may hold the right answers
    apart = beside or [shape.table for shape in shapes if shape.kind == REFERENCES]
    right = [right_shape(table, _of_table(given, table)) for table in apart]
    if not found:
        problem, table = "right answers, but no lists", tables[-1]
        raise InputError(problem, source=table.source, allowed=_LISTS, got=table.names)
    rows = [rows_of(shape, by, reading.separator, told, read_as) for shape in found]
    files = list(dict.fromkeys(shape.table.source for shape in found))
    where = ", ".join(dict.fromkeys(shape.table.source for shape in right))
    called = str(source) if isinstance(source, str | os.PathLike) else first_few(files, 4)
    kinds = " or ".join([*dict.fromkeys(shape.said for shape in found)][:2])
    said = (f"{len(files)} files, " if len(files) > 1 else "") + (f"{title}; " if title else "") + kinds
    if right:
        apart_rows = [rows_of(shape, by, None, told) for shape in right]
        before, roles = sum(map(len, rows)), pa.array([REFERENCE, FINAL], pa.large_string())
        rows = [one.filter(pc.invert(pc.is_in(pc.utf8_lower(one["role"]), roles))) for one in rows]
        if sum(map(len, rows)) < before:
            told.append(f"The right answers of {where} were taken, not those beside the lists.")
        said_in = ([name for one in of for name in coded(one["case_id"], False)[1]] for of in (rows, apart_rows))
        cases, known = map(dict.fromkeys, said_in)
        unnamed = [shape for shape in (*found, *right) if not shape.names.get("case_id", "").strip()]
        disjoint = known.keys().isdisjoint(cases)
        if disjoint or (unnamed and known.keys() != cases.keys()):
            problem = f"no column names the cases of {(unnamed or found)[0].table.source}, and the two have not the same ones ({len(known):,} beside {len(cases):,})"
            allowed = (
                f"the names of the lists' cases: {first_few(map(quoted, cases))}; the same names in both files, or the column that holds them named in the "
                "option 'columns' (case_id=COLUMN); of objects the model stands outside, {model: {case: list}}"
            )
            problem = "no case of the lists has a right answer by its name" if disjoint else problem
            raise InputError(problem, source=where, allowed=allowed, got=[*known][:SHOWN])
        if any("case_id" not in shape.names and shape.table.first_row for shape in unnamed):
            told.append("No column names the cases: rows were joined in order; 'columns' (case_id=…) names one.")
        rows, said = [*rows, *apart_rows], f"{said}; right answers from {where}"
    data = pa.concat_tables(rows, promote_options="default")
    data = with_columns(data, {"diagnosis": data["diagnosis"].dictionary_encode()})  # once, for all that look it up
    sources = data[FILE].to_pylist() if len(data[FILE].unique()) > 1 else None
    own = dict(set.intersection(*({*shape.names.items()} for shape in found)))
    columns = dict.fromkeys(name for table in (*tables, *beside) for name in table.names)
    table = Table(data, called, 1, rows=data[ROW].to_numpy(), sources=sources)
    return Long(table, own, list(columns), said, list(dict.fromkeys(told)))


def _of_table(given: Mapping[str, Any], table: Table) -> dict[str, list[str]]:
    """The option `columns` as far as it names columns of a table."""
    named = {ours: listed(name, table.names) for ours, name in given.items()}
    return {ours: columns for ours, columns in named.items() if {*columns} <= {*table.names}}


def _paths(source: Any) -> list[Path]:
    """The paths that are meant; [] for anything else, as for a list of answers in words."""
    many = source if isinstance(source, list | tuple) else [source]
    paths = [Path(one) for one in many] if all(isinstance(one, str | os.PathLike) for one in many) else []
    sure = many is not source or all(isinstance(one, os.PathLike) for one in many)
    return paths if sure or all(suffix_of(split_sheet(path)[0]) in SUFFIXES for path in paths) else []


def _files_of(path: Path) -> list[Path]:
    """The file itself, or those of a folder that may be tables, by name."""
    if not path.is_dir():
        return [path]
    suffixes = SUFFIXES[:-1]
    found = [file for file in sorted(path.iterdir()) if suffix_of(file) in suffixes and file.name[0] not in ".~"]
    if not found:
        allowed = f"files that end in {', '.join(suffixes)}"
        raise InputError("the folder holds no table", source=str(path), allowed=allowed)
    return found


def _tables(
    source: Any, reading: Reading, given: Mapping[str, Any], by: Collection[str], broken: list[InputError] | None = None
) -> tuple[list[Table], str]:
    """The tables in whatever came, names as they look, and the title of their format."""
    paths, name = _paths(source), reading.format or ""
    if not name and not given and reading.record is None:  # columns named by hand go before a format that is recognised
        formats = {recognised(path) for path in paths}
        name = formats.pop() if len(formats) == 1 else ""
    if name and reading.record is not None:
        raise OptionError("record", "left out beside a format", reading.record)
    if name and not paths:
        problem, got = f"the format {name!r} is of files or folders", type(source).__name__
        raise InputError(problem, allowed="their paths", got=got)
    if name or reading.record is not None:
        held = [read_answers(one, name) if name else _recorded(one, reading) for one in paths or [source]]
        title, called = FORMATS[name].TITLE if name else "answers", ", ".join(map(str, paths)) or "data"
        tables = [one for one in held if isinstance(one, Table)]
        answers = [one for of in held if not isinstance(of, Table) for one in of]
        tables += [of_answers(answers, called, by)] if answers else []
        if not tables:
            raise InputError("the option 'record' made no answer of anything", source=called, allowed=_RECORDED)
    else:
        title, files = "", [file for path in paths for file in _files_of(path)]
        tables = [_table(one, reading.encoding, broken) for one in files or [source]]
    return [*map(visible_names, tables)], title


def _table(source: Any, encoding: str | None, broken: list[InputError] | None) -> Table:
    """The table in one file, frame or object."""
    pandas = sys.modules.get("pandas")
    index = source.index if pandas and isinstance(source, pandas.Series | pandas.DataFrame) else None
    if pandas and index is not None and not isinstance(index, pandas.RangeIndex | pandas.MultiIndex):
        # as its index is written into a file
        source = source.to_dict() if isinstance(source, pandas.Series) else source.reset_index(names="")
    if hasattr(source, "tolist"):
        source = source.tolist()
    if isinstance(source, Mapping | list | tuple):
        return of_records(records_in(source, "data"), "data", count())
    if isinstance(source, Path) and suffix_of(source) in JSON_SUFFIXES:
        value, rows = read_json(source, encoding, broken)
        return of_records(records_in(value, str(source)), str(source), rows or count(1))
    table = read_table(source, encoding, set_aside=broken is not None)
    if broken is not None:
        broken += table.broken
    if table.frame is not None and (table.mixed or any(map(pa.types.is_struct, table.data.schema.types))):
        return of_records(table.frame.rows(named=True), "data frame", count())
    return table


def _recorded(source: Any, reading: Reading) -> list[Answer]:
    """What the user's own function says of each row of a table, or of each object of a JSON file.

    Raises
    ------
    InputError
        For what is no answer, with the row that it was made of.
    """
    out, called = list[Answer](), str(source) if isinstance(source, Path) else "data"
    for row, made in objects_in(source, reading.encoding):
        try:
            made = reading.record(made) if reading.record else None
            for told in made if isinstance(made, list | tuple) else [] if made is None else [made]:
                whose = "model" if {"diagnoses", "text"} & told.keys() else None
                of = {"model": whose, **told, "case_id": str(told["case_id"])}
                out.append(Answer(**of, source=called, row=row))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            problem = f"the option 'record' made no answer ({type(error).__name__}: {error})"
            raise InputError(problem, source=called, row=row, allowed=_RECORDED, got=made) from error
    return out
