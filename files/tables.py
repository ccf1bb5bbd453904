"""Tables in and out: files by suffix; pandas, polars and Arrow frames through narwhals."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import SET_ASIDE, InputError, ReadingWarning, warn
from ..settings import for_spreadsheets
from .atomic import whole_file
from .json_records import JSON_SUFFIXES, read_json
from .parquet_file import read_parquet
from .table import Problems, Table, of_columns, of_frame, records_as_columns
from .text_files import read_delimited, suffix_of, without_formulas
from .wording import counted
from .workbook import check_fits, read_workbook, split_sheet, write_workbook

StrPath = str | os.PathLike[str]
SUFFIXES = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet")
"""Of what is written; what is read may also be .json, and texts packed as .gz."""
_READ = "a .csv, .tsv, .jsonl, .json, .parquet or .xlsx file (another kind of spreadsheet: save it as .xlsx)"


def read_table(source: Any, encoding: str | None = None, *, set_aside: bool | None = None) -> Table:
    """A file by its suffix; a pandas, polars or Arrow frame (a lazy one is collected); a list of dicts, one a row; or a dict of columns.

    CSV and TSV values stay text as typed ("007" is not 7), the cells of a workbook become text as they look; a CSV may be separated
    by commas, semicolons or tabs. `lists.xlsx#Cases` names a sheet, else the first is read, with a warning where there are more.
    Elsewhere a column with values of several kinds is one of texts. Rows without a value are left out, with a warning where others follow; of
    a table of one column they are blanks.

    encoding : of a text file that is not UTF-8, as "cp1252".
    set_aside : what is `broken` in the file stays in `Table.broken`, for `sound_rows`; else the first of them is an error, which with False
        says that it could be set aside.

    Errors: `InputError` for a file that is absent, empty, of another encoding or kind than told, or damaged.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        table = _read_file(Path(source), encoding)
        if table.broken and not (set_aside and len(table)):
            raise table.broken[0] if set_aside is None else table.broken[0].with_remedy(SET_ASIDE)
    elif isinstance(source, Mapping):
        table = Table(of_columns(source, "dict"), "dict", 0)
    elif isinstance(source, list | tuple) and (not source or isinstance(source[0], Mapping)):
        table = Table(records_as_columns(source, "records"), "records", 0)
    else:
        frame, data, mixed = of_frame(source)
        table = Table(data, "data frame", 0, frame, mixed=mixed)
    if len(table) == 0:
        raise InputError("the table has no rows", source=table.source, allowed="at least one row")
    for name in (name for name in table.names if table.names.count(name) > 1):
        problem = "two columns of one name" if name else "two columns without a name"
        allowed = "a name for each column, in the first row: no title above it; of two header rows each cell of the first is merged over its columns"
        row = table.first_row - 1 if table.first_row > 1 else None
        raise InputError(problem, source=table.source, row=row, allowed=allowed, got=name or table.names)
    return table


def _read_file(path: Path, encoding: str | None) -> Table:
    source, (path, sheet) = os.fspath(path), split_sheet(path)
    suffix = check_file(path)
    if suffix == ".parquet":
        return Table(read_parquet(path), source, 1)
    broken = list[InputError]()
    if suffix in (".csv", ".tsv", ".xlsx"):
        if suffix == ".xlsx":
            data, header_row, rows, source = read_workbook(path, sheet)
        else:
            data, header_row, rows, broken = read_delimited(path, suffix, encoding)
        below = np.arange(header_row + 1, rows.max(initial=header_row))
        if len(blank := below[~np.isin(below, [*rows.tolist(), *(error.row or 0 for error in broken)])]):
            told = f"{source}: {counted(len(blank), 'row')} without a value left out, the first is row {blank[0]}."
            warn(f"{told} The others keep their numbers.", ReadingWarning)
        return Table(data, source, header_row + 1, rows=rows, broken=tuple(broken))
    found = [*objects_in(path, encoding, broken)]
    rows = [row for row, _ in found]
    data = records_as_columns([one for _, one in found], source, rows)
    return Table(data, source, 1, rows=np.array(rows, np.int64), broken=tuple(broken))


def check_file(path: Path) -> str:
    """The suffix of a file of a table that is there. Errors: `InputError`."""
    suffix = suffix_of(path)
    if path.is_file() and suffix in (*SUFFIXES, ".json"):
        return suffix
    unknown = f"a file of an unknown kind ({suffix})" if path.is_file() else "no such file"
    allowed = _READ if suffix or path.is_dir() else f"{_READ}, or a folder where one is taken"
    raise InputError("a folder" if path.is_dir() else unknown, source=str(path), allowed=allowed)


def objects_in(
    source: Any, encoding: str | None = None, broken: list[InputError] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON file, or the rows of another table, each with its number. broken : as of `read_json`.

    Errors: `InputError` for what is no object.
    """
    if isinstance(source, str | os.PathLike) and suffix_of(Path(source)) in JSON_SUFFIXES:
        held, lines = read_json(Path(source), encoding, broken)
        records = held if isinstance(held, list) else [held]
        rows = lines or range(1, len(records) + 1)
    else:
        table = read_table(source, encoding)
        records, rows = table.data.to_pylist(), table.row_numbers().tolist()
    for row, record in zip(rows, records, strict=True):
        if not isinstance(record, dict):
            raise InputError("not an object", source=str(source), row=row, allowed="{key: value}", got=record)
        yield row, record


def required_columns(path: StrPath, *names: str) -> Iterator[tuple[Any, ...]]:
    """The rows of these columns of a file. Raises `InputError` for a missing one."""
    table = read_table(path)
    for name in names:
        table.require(name)
    return zip(*map(table.column, names), strict=True)


def write_table(data: pa.Table, path: StrPath, *, spreadsheet: bool | None = None) -> Path:
    """Writes `data` by the suffix of `path`, whole or not at all; Parquet with page checksums.

    spreadsheet : whether, in CSV and TSV, no text may run as a formula, as of `without_formulas`; None as configured.

    Errors: `InputError` for another suffix, `DxmatchError` where it cannot be written.
    """
    return write_tables([data], path, spreadsheet=spreadsheet)


def write_tables(tables: Iterable[pa.Table], path: StrPath, *, spreadsheet: bool | None = None) -> Path:
    """`write_table` of one table after another (at least one, all of the same columns), without holding them together."""
    target = Path(path)
    suffix = check_output(target)
    plain = suffix in (".csv", ".tsv") and (for_spreadsheets() if spreadsheet is None else spreadsheet)
    rest = map(without_formulas, tables) if plain else iter(tables)
    first = next(rest)
    with whole_file(target) as temporary:
        every = chain([first], rest)
        if suffix == ".xlsx":
            write_workbook(pa.concat_tables(every), temporary, str(target))
        elif suffix == ".jsonl":
            with temporary.open("w", encoding="utf-8") as handle:
                for batch in chain.from_iterable(table.to_batches(max_chunksize=65_536) for table in every):
                    handle.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())
        elif suffix == ".parquet":
            with pq.ParquetWriter(temporary, first.schema, write_page_checksum=True) as writer:
                for table in every:
                    writer.write_table(table)
        else:
            options = pa_csv.WriteOptions(delimiter="\t" if suffix == ".tsv" else ",", quoting_style="needed")
            with pa_csv.CSVWriter(temporary, first.schema, write_options=options) as writer:
                for batch in chain.from_iterable(map(pa.Table.to_batches, every)):
                    if len(batch):  # for one without rows pyarrow 23 writes the header again
                        writer.write_batch(batch)
    return target


def check_output(path: StrPath, rows: int = 0) -> str:
    """The suffix of an output file, checked before any long work begins.

    rows : how many there will be, where that is known, since a workbook holds only so many.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError("an output of an unknown kind", source=str(path), allowed=", ".join(SUFFIXES), got=suffix)
    if not Path(path).parent.is_dir():
        raise InputError("the folder for the output is absent", source=str(path), allowed="an existing folder")
    if suffix == ".xlsx":
        check_fits(rows, str(path))
    return suffix


def check_apart(outputs: Iterable[StrPath | None], inputs: Iterable[Any] = ()) -> None:
    """Raises `InputError` where two outputs are one file, or an output is a file that is read; what is no path is passed over."""
    written = [Path(path) for path in outputs if path is not None]
    read = [split_sheet(Path(path))[0] for path in inputs if isinstance(path, str | os.PathLike) and path]
    for place, path in enumerate(written):
        if path.resolve() in map(Path.resolve, written[:place]):
            problem = "one file for two outputs, of which one would be lost"
            raise InputError(problem, source=str(path), allowed="a file for each")
        if path.exists() and any(one.exists() and one.samefile(path) for one in read):
            raise InputError("the output is the input, which would be lost", source=str(path), allowed="another file")


def with_columns(data: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """`data` with columns set; one of the same name is replaced in place."""
    for name, values in columns.items():
        array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
        at = data.column_names.index(name) if name in data.column_names else -1
        data = data.append_column(name, array) if at < 0 else data.set_column(at, name, array)
    return data


def write_rejects(table: Table, reasons: Mapping[int, str], path: StrPath, broken: Sequence[InputError] = ()) -> None:
    """The refused rows of `table`, with `rejected_row` (their number) and `rejected_because`, to a file of their own; `rejected_file` where it may differ.

    broken : what could not be read as rows, a line or a file each.
    """
    rows = sorted(reasons)
    told = [(table.row_number(i), table.source_of(i), reasons[i]) for i in rows]
    told += [(error.row, error.source, error.finding) for error in broken]
    number, file, why = zip(*told, strict=True)
    cells = table.data.take(pa.array([*rows, *[None] * len(broken)], pa.int64()))
    files = {"rejected_file": file} if table.sources is not None or broken else {}
    write_table(with_columns(cells, {"rejected_row": number, **files, "rejected_because": why}), path)


def sound_rows(table: Table, problems: Problems, rejects: StrPath | None) -> NDArray[np.bool_]:
    """bool[n]: the rows without a problem; the others, and the lines that are `broken`, are written to `rejects`, with a warning.

    Raises `InputError`: the first problem where `rejects` is None, or where no row is left.
    """
    if not (aside := len(problems) + len(table.broken)):
        return np.ones(len(table), bool)
    if rejects is None:
        raise (problems[min(problems)] if problems else table.broken[0]).with_remedy(SET_ASIDE)
    write_rejects(table, {row: error.finding for row, error in problems.items()}, rejects, table.broken)
    warn(f"{counted(aside, 'row')} set aside in {rejects}.")
    sound = np.isin(np.arange(len(table)), [*problems], invert=True)
    if not sound.any():
        raise InputError(f"every row ({aside:,}) was refused; see {rejects}", source=table.source)
    return sound
