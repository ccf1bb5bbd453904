"""Tables in and out: files by suffix; pandas, polars and Arrow frames through narwhals."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import SET_ASIDE, InputError, Open, ReadingWarning, Remedy
from ..settings import for_spreadsheets
from .atomic import whole_file
from .columns import Read, is_text, of_columns, of_frame, pandas_frame, records_as_columns
from .delimited import read_delimited, without_formulas
from .did_you_mean import hint, nearest
from .encodings import check_encoding, suffix_of
from .json_records import read_records
from .parquet_file import read_parquet
from .workbook import read_workbook, split_sheet
from .workbook_writer import check_fits, write_workbook

T = TypeVar("T")

SUFFIXES = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet")
"""Of what is written; what is read may also be .json, and texts packed as .gz."""
_READ = "a .csv, .tsv, .jsonl, .json, .parquet or .xlsx file (another kind of spreadsheet: save it as .xlsx)"


@dataclass(frozen=True)
class Table:
    """Columns with the place they came from, so that an error can name the row as its reader sees it.

    `first_row` is the number of the first record: 2 in a CSV (the header is row 1), 1 in JSONL and Parquet,
    0 in a data frame. Where the rows do not simply count on from there, `rows` (int64[n]) are their numbers.
    Of a table put together from several files, `sources` (n of them) says where each row came from.
    """

    data: pa.Table
    source: str
    first_row: int
    frame: nw.DataFrame[Any] | None = None
    rows: NDArray[np.int64] | None = None
    sources: Sequence[str] | None = None
    note: str = ""
    """What was read, where there was a choice, in a sentence: which sheet of a workbook."""
    in_memory: bool = False
    """Made of lists or dicts."""
    warnings: tuple[str, ...] = ()
    """What is doubtful in what was read, a sentence each."""
    broken: tuple[InputError, ...] = ()
    """Lines that are no rows, where `read_table` was told to set them aside."""
    mixed: frozenset[str] = frozenset()
    """Columns of a frame whose values are of several kinds: texts here, they come back as they were."""

    def __len__(self) -> int:
        return self.data.num_rows

    @property
    def names(self) -> list[str]:
        return self.data.column_names

    def row_number(self, index: int) -> int:
        return self.first_row + int(index) if self.rows is None else int(self.rows[index])

    def row_numbers(self) -> NDArray[np.int64]:
        """int64[n]: `row_number` of every row."""
        return np.arange(self.first_row, self.first_row + len(self)) if self.rows is None else self.rows

    def source_of(self, index: int) -> str:
        """The file that holds a row."""
        return self.source if self.sources is None else self.sources[index]

    def filter(self, kept: NDArray[np.bool_]) -> Table:
        """The rows where bool[n] is true, with the numbers they had."""
        sources = None if self.sources is None else [self.sources[i] for i in np.flatnonzero(kept).tolist()]
        return replace(self, data=self.data.filter(pa.array(kept)), rows=self.row_numbers()[kept], sources=sources)

    def column(self, name: str) -> list[Any]:
        """The values of a column; None where it is blank."""
        return self.data.column(name).to_pylist()

    def native(self, data: pa.Table) -> Any:
        """`data` as its caller keeps tables: a frame of the kind that came; pandas where lists or dicts came and it is installed; else Arrow."""
        made = to_native(data, pandas_frame() if self.in_memory else self.frame)
        if self.frame is not None and self.frame.implementation.is_pandas():
            kept = slice(None) if self.rows is None else self.rows
            for name in (name for name in self.mixed if name in made.columns):
                made[name] = self.frame.get_column(name).to_native().iloc[kept].to_numpy()
            if self.rows is not None:
                made.index = self.frame.to_native().index[self.rows]
        return made

    def require(self, name: str, purpose: str = "", *, option: str | None = None) -> None:
        """Errors: `InputError` where the column is missing, with the nearest of those present.

        option : the parameter that gives the column another name, for the remedy.
        """
        self.require_named({option or "": name}, purpose)

    def require_named(self, columns: Mapping[str, str], purpose: str) -> None:
        """`require` of the columns that several parameters name; the remedy names all that are missing."""
        missing = {option: name for option, name in columns.items() if name not in self.names}
        if not missing:
            return
        name, named = next(iter(missing.values())), {
            option: nearest(name, self.names) or Open("COLUMN") for option, name in missing.items() if option
        }  # fmt: skip
        raise InputError(
            f"the column {name!r}{f' ({purpose})' if purpose else ''} is missing{hint(name, self.names)}{f'. {self.note}' if self.note else ''}",
            source=self.source, allowed=f"a column {name!r}", got=self.names,
            remedy=Remedy(f"names the column{'s' if len(named) > 1 else ''}", **named) if named else None,
        )  # fmt: skip

    def text(self, name: str) -> pa.ChunkedArray:
        """A column as strings; blank and white space are null.

        Errors: `InputError` where the column holds something other than text, with the first such row.
        """
        column = self.data.column(name)
        kind = column.type
        if pa.types.is_null(kind):
            return column.cast(pa.string())
        if not is_text(kind):
            first = next((i for i, value in enumerate(column.to_pylist()) if value is not None), 0)
            raise self.error("a value that is not text", first, name, allowed="text", got=column[first].as_py())
        trimmed = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
        return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.large_string()), trimmed)

    def required_text(self, name: str) -> pa.ChunkedArray:
        """`text`, with a blank refused."""
        values = self.text(name)
        if values.null_count:
            raise self.blank(values.is_null().index(True).as_py(), name)
        return values

    def blank(self, index: int, column: str) -> InputError:
        """The error of a diagnosis that is blank."""
        return self.error("the diagnosis is blank", index, column, allowed="a diagnosis in words")

    def error(self, problem: str, index: int, column: str, **details: Any) -> InputError:
        return InputError(problem, source=self.source_of(index), row=self.row_number(index), column=column, **details)

    def parsed(
        self, column: str, parse: Callable[[Any], T], problem: str, allowed: str, problems: dict[int, InputError]
    ) -> list[T | None]:
        """Each value of a column as `parse` reads it; None, and an error in `problems`, where it raises.

        parse : raises `TypeError`, `ValueError` or `LookupError` for a value that cannot be right.
        """
        out: list[T | None] = []
        for row, value in enumerate(self.column(column)):
            try:
                out.append(parse(value))
            except (TypeError, ValueError, LookupError):
                out.append(None)
                problems.setdefault(row, self.error(problem, row, column, allowed=allowed, got=value))
        return out

    def sound_rows(
        self, problems: Mapping[int, InputError], rejects: str | os.PathLike[str] | None
    ) -> NDArray[np.bool_]:
        """bool[n]: the rows without a problem; the others, and the lines that are `broken`, are written to `rejects`.

        Raises `InputError`: the first problem where `rejects` is None, or where no row is left.
        """
        sound = np.ones(len(self), bool)
        if not problems and not self.broken:
            return sound
        if rejects is None:
            raise (problems[min(problems)] if problems else self.broken[0]).with_remedy(SET_ASIDE)
        write_rejects(self, {row: error.finding for row, error in problems.items()}, rejects, self.broken)
        sound[list(problems)] = False
        if not sound.any():
            every = f"every row ({len(self) + len(self.broken):,}) was refused; see {os.fspath(rejects)}"
            raise InputError(every, source=self.source)
        return sound


def read_table(source: Any, encoding: str | None = None, *, set_aside: bool = False) -> Table:
    """A file by its suffix; a pandas, polars or Arrow frame (a lazy one is collected); a list of dicts, one a row; or a dict of columns.

    CSV and TSV values stay text as typed ("007" is not 7), the cells of a workbook become text as they look; a CSV may be separated
    by commas, semicolons or tabs. `lists.xlsx#Cases` names a sheet, else the first is read, and `note` says so where there are more.
    Elsewhere a column with values of several kinds is one of texts.

    encoding : of a text file that is not UTF-8, as "cp1252".
    set_aside : what is `broken` in the file stays in `Table.broken`, for `Table.sound_rows`; else the first of them is an error.

    Errors: `InputError` for a file that is absent, empty, of another encoding or kind than told, or damaged.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        read = _read_file(Path(source), encoding)
        if read.broken and not (set_aside and len(read.data)):
            raise read.broken[0].of_row_alone()
        called = read.source or os.fspath(source)
        table = Table(read.data, called, read.first_row, rows=read.rows, note=read.note, broken=tuple(read.broken))
    elif isinstance(source, Mapping):
        table = Table(of_columns(source, "dict"), "dict", 0, in_memory=True)
    elif isinstance(source, list | tuple) and (not source or isinstance(source[0], Mapping)):
        table = Table(records_as_columns(source, "records"), "records", 0, in_memory=True)
    else:
        frame, data, mixed = of_frame(source)
        table = Table(data, "data frame", 0, frame, mixed=mixed)
    if len(table) == 0:
        raise InputError(f"the table has no rows{f'. {table.note}' if table.note else ''}", source=table.source, allowed="at least one row")  # fmt: skip
    [(name, times)] = Counter(table.names).most_common(1)
    if times > 1:
        problem = "two columns of one name" if name else "two columns without a name"
        allowed = "a name for each column, in the first row; a title above the header must go"
        raise InputError(problem, source=table.source, row=max(table.first_row - 1, 0) or None, allowed=allowed, got=name or table.names)  # fmt: skip
    return table


def _read_file(path: Path, encoding: str | None) -> Read:
    check_encoding(encoding)
    path, sheet = split_sheet(path)
    suffix = check_file(path)
    if suffix == ".parquet":
        return Read(read_parquet(path), 1)
    if suffix == ".xlsx":
        return read_workbook(path, sheet)
    return read_records(path, encoding) if suffix.startswith(".json") else read_delimited(path, suffix, encoding)


def check_file(path: Path) -> str:
    """The suffix of a file of a table that is there. Errors: `InputError`."""
    suffix = suffix_of(path)
    if path.is_dir():
        raise InputError("a folder", source=str(path), allowed=_READ)
    if suffix not in (*SUFFIXES, ".json"):
        problem = "a file of an unknown kind" if path.exists() else "no such file, and its name is none of a table"
        raise InputError(problem, source=str(path), allowed=_READ, got=path.suffix)
    if not path.is_file():
        raise InputError("no such file", source=str(path), allowed=_READ)
    if not path.stat().st_size:
        raise InputError("the file is empty", source=str(path), allowed="a header and at least one row")
    return suffix


def tell(warned: Iterable[str]) -> None:
    """Gives what is doubtful in a file as warnings of Python."""
    for text in warned:
        warnings.warn(text, ReadingWarning, stacklevel=3)


def required_columns(path: str | os.PathLike[str], *names: str) -> Iterator[tuple[Any, ...]]:
    """The rows of these columns of a file. Raises `InputError` for a missing one."""
    table = read_table(path)
    for name in names:
        table.require(name)
    return zip(*map(table.column, names), strict=True)


def write_table(data: pa.Table, path: str | os.PathLike[str], *, spreadsheet: bool | None = None) -> Path:
    """Writes `data` by the suffix of `path`, whole or not at all; Parquet with page checksums.

    spreadsheet : whether, in CSV and TSV, no text may run as a formula, as of `without_formulas`; None as configured.

    Errors: `InputError` for another suffix, `DxmatchError` where it cannot be written.
    """
    return write_tables([data], path, spreadsheet=spreadsheet)


def write_tables(tables: Iterable[pa.Table], path: str | os.PathLike[str], *, spreadsheet: bool | None = None) -> Path:
    """`write_table` of one table after another (at least one, all of the same columns), without holding them together."""
    target = Path(path)
    suffix = check_output(target)
    plain = suffix in (".csv", ".tsv") and (for_spreadsheets() if spreadsheet is None else spreadsheet)
    rest = map(without_formulas, tables) if plain else iter(tables)
    first = next(rest)
    with whole_file(target) as temporary:
        every = chain([first], rest)
        if suffix == ".xlsx":
            write_workbook(every, first.schema, temporary, str(target))
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


def check_output(path: str | os.PathLike[str], rows: int = 0, columns: int = 0) -> str:
    """The suffix of an output file, checked before any long work begins.

    rows, columns : how many there will be, where that is known, since a workbook holds only so many.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError("an output of an unknown kind", source=str(path), allowed=", ".join(SUFFIXES), got=suffix)
    if not Path(path).parent.is_dir():
        raise InputError("the folder for the output is absent", source=str(path), allowed="an existing folder")
    if suffix == ".xlsx":
        check_fits(rows, columns, str(path))
    return suffix


def check_keeps_input(source: str | os.PathLike[str], *outputs: str | os.PathLike[str] | None) -> None:
    """Raises `InputError` where an output would replace the file that is read."""
    read = split_sheet(Path(source))[0]
    for path in outputs:
        if path is not None and Path(path).exists() and read.exists() and read.samefile(path):
            raise InputError("the output is the input, which would be lost", source=str(path), allowed="another file")


def check_apart(
    outputs: Sequence[str | os.PathLike[str] | None], inputs: Sequence[str | os.PathLike[str] | None] = ()
) -> None:
    """Raises `InputError` where two outputs are one file, or an output is a file that is read."""
    given = [Path(path).resolve() for path in outputs if path is not None]
    if twice := next((path for i, path in enumerate(given) if path in given[:i]), None):
        problem = "one file for two outputs, of which one would be lost"
        raise InputError(problem, source=str(twice), allowed="a file for each")
    for path in inputs:
        if path is not None:
            check_keeps_input(path, *outputs)


def to_native(data: pa.Table, like: nw.DataFrame[Any] | None) -> Any:
    """`data` as the kind of frame that came in (an Arrow table where a file did)."""
    if like is None or like.implementation.is_pyarrow():
        return data
    return nw.from_arrow(data, backend=like.implementation).to_native()


def with_columns(data: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """`data` with columns set; one of the same name is replaced in place."""
    for name, values in columns.items():
        array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
        at = data.column_names.index(name) if name in data.column_names else -1
        data = data.append_column(name, array) if at < 0 else data.set_column(at, name, array)
    return data


def write_rejects(
    table: Table, reasons: Mapping[int, str], path: str | os.PathLike[str], broken: Sequence[InputError] = ()
) -> None:
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
