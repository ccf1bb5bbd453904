"""CSV and TSV, as spreadsheets and programs write them."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ..errors import InputError
from .columns import Read, named_columns, rows_with_values
from .counted import counted
from .encodings import not_utf8, utf8_of

if TYPE_CHECKING:
    from _csv import _reader as _Reader

_LINE_BREAK = re.compile("\r\n|\r|\n")
_PIECE = 1 << 24
_BATCH = 1 << 16
_DELIMITERS = {";": "semicolons", "\t": "tabs", ",": "commas"}


class _Dialect(NamedTuple):
    delimiter: str
    said: bool
    """A first line `sep=;`, which Excel writes and reads, and counts as no row."""


class _Spread(NamedTuple):
    """A record of several lines: its row, its first and its last line."""

    row: int
    first: int
    last: int


def read_delimited(path: Path, suffix: str, encoding: str | None, *, set_aside: bool = False) -> Read:
    """A CSV or TSV file; all values are text as typed, a blank one is null.

    A row is a record with its number as a spreadsheet shows it: the header is row 1, blank lines are counted, a line break in a quoted
    value is not. Rows without any value are left out, but in a table of one column, where a blank is a value. Of values over
    several lines, where a stray quote may have swallowed rows, `warnings` tells.
    set_aside : rows with more or fewer values than columns go into `broken`; else the first of them is an error.
    Errors: `InputError`, with the row.
    """
    file = _File(path, suffix, utf8_of(path, encoding, _row_of), set_aside)
    try:
        return file.read()
    except UnicodeDecodeError:
        raise not_utf8(path, _row_of) from None
    except csv.Error as problem:
        raise file.unclosed(problem) from None


def _row_of(text: str) -> int:
    """The row that the last character of a text stands in."""
    text = text.lstrip("\ufeff")
    said = text.startswith("sep=")
    lines = text.split("\n", 2)
    header = lines[1] if said and len(lines) > 1 else lines[0]
    delimiter = text[4:5] if said else max(_DELIMITERS, key=header.count)
    try:
        return max(
            1,
            sum(1 for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
            - said
            + text.endswith(("\n", "\r")),
        )
    except csv.Error:
        return text.count("\n") + 1


class _File:
    def __init__(self, path: Path, suffix: str, content: bytes | None, set_aside: bool) -> None:
        """content : the text in UTF-8, where the file itself is in another encoding."""
        self.path, self.suffix, self.content, self.set_aside = path, suffix, content, set_aside
        self.source = str(path)
        self.dialect = _Dialect("\t" if suffix == ".tsv" else ",", False)

    def read(self) -> Read:
        with self._open() as handle:
            first = handle.readline()
            line = first if first.strip() else next(filter(str.strip, handle), "")
            self.dialect = _dialect(line, self.suffix, self.source, first=line is first)
        header_row, header, start = self._header()
        if not header:
            raise InputError("no header", source=self.source, allowed="the names of the columns in the first row")
        self.header_row, self.spread, self.broken = header_row, list[_Spread](), list[InputError]()
        lines, quotes = self._counted_from(start)
        try:
            data = self._table(len(header), start)
        except pa.ArrowInvalid:
            data = None
        # Without a quote or a line break in a value, each line is a row; else the slow reader says how many there are.
        if data is not None and (len(data) != lines or quotes % 2 or _suspicious(data)):
            data = data if len(data) == sum(1 for _ in self._rows(len(header))) else None
        if data is None:
            data = self._table_of_rows(len(header))
        kept = rows_with_values(data)
        data = named_columns(header, data, self.source, header_row)
        if kept is None:
            return Read(data, header_row + 1, warnings=self._told(), broken=self.broken)
        rows = np.flatnonzero(kept) + header_row + 1
        return Read(data.filter(pa.array(kept)), header_row + 1, rows, warnings=self._told(), broken=self.broken)

    def unclosed(self, problem: csv.Error) -> InputError:
        """The error of a quote that is not closed, or closed in the middle of a value, with the row where it opens; and of a value that no cell is."""
        row = 1
        with contextlib.suppress(csv.Error):
            for _ in self._records():
                row += 1
        if "field limit" in str(problem):
            longest = f"{csv.field_size_limit():,} characters"
            return InputError(
                f"a value of more than {longest}",
                source=self.source, row=row, allowed=f"at most {longest}; is a quote not closed there?",
            )  # fmt: skip
        return InputError(
            f"a quote that is not closed as it should be ({problem})",
            source=self.source, row=row, allowed='a value with quotes in it as "say ""x"""',
        )  # fmt: skip

    def _raw(self) -> io.BufferedReader | io.BytesIO:
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)

    def _open(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(self._raw(), encoding="utf-8-sig", newline="")

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Each record with its row, blank ones too."""
        with self._open() as handle:
            if self.dialect.said:
                handle.readline()
            yield from enumerate(self._reader(handle), start=1)

    def _reader(self, lines: Iterable[str]) -> _Reader:
        return csv.reader(lines, delimiter=self.dialect.delimiter, strict=True)

    def _header(self) -> tuple[int, list[str], int]:
        """The first record with a value, its row, and the byte after it."""
        with self._raw() as raw:
            read = len(codecs.BOM_UTF8) if raw.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0

        def counted_lines(handle: Iterable[str]) -> Iterator[str]:
            nonlocal read
            for line in handle:
                read += len(line.encode())
                yield line

        with self._open() as handle:
            lines = counted_lines(handle)
            if self.dialect.said:
                next(lines)
            for row, record in enumerate(self._reader(lines), start=1):
                if any(map(str.strip, record)):
                    return row, record, read
        return 0, [], read

    def _counted_from(self, start: int) -> tuple[int, int]:
        """How many lines, and how many quotes, there are from a byte on. Errors: `InputError` for a NUL anywhere."""
        lines = quotes = at = 0
        last = b"\n"
        with self._raw() as raw:
            while piece := raw.read(_PIECE):
                if b"\0" in piece:
                    raise self._nul(at + piece.index(b"\0"))
                after = piece[max(start - at, 0) :]
                at += len(piece)
                if after:
                    quotes += after.count(b'"')
                    returns = after.count(b"\r")
                    lines += after.count(b"\n") + returns
                    if returns or last == b"\r":
                        lines -= after.count(b"\r\n") + (last == b"\r" and after.startswith(b"\n"))
                    last = after[-1:]
        return lines + (last not in b"\r\n"), quotes

    def _nul(self, at: int) -> InputError:
        with self._raw() as raw:
            row = _row_of(raw.read(at).decode("utf-8", "replace"))
        return InputError("a NUL character", source=self.source, row=row, allowed="text; is the file damaged?")

    def _table(self, width: int, start: int) -> pa.Table:
        """Every row from a byte on under numbered columns, blank lines among them."""
        names = [str(i) for i in range(width)]
        with pa.OSFile(str(self.path)) if self.content is None else pa.BufferReader(self.content) as handle:
            handle.seek(start)
            return pa_csv.read_csv(
                handle,
                read_options=pa_csv.ReadOptions(column_names=names, block_size=_PIECE),
                parse_options=pa_csv.ParseOptions(
                    delimiter=self.dialect.delimiter, newlines_in_values=True, ignore_empty_lines=False
                ),
                convert_options=pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )

    def _rows(self, width: int) -> Iterator[list[str]]:
        """The records below the header as the slow reader sees them, [] for a blank line; notes in `spread` those
        with a value that may have swallowed rows.

        A record of another width is noted in `broken` and left out, where such are set aside. Errors: else `InputError`, with the row.
        """
        self.spread, self.broken = [], []
        with self._open() as handle:
            said = self.dialect.said
            if said:
                handle.readline()
            reader = self._reader(handle)
            line = 0
            for row, record in enumerate(reader, start=1):
                first, line = line + 1, reader.line_num
                if row <= self.header_row:
                    continue
                if line > first and _holds_rows(record, self.dialect.delimiter):
                    self.spread.append(_Spread(row, first + said, line + said))
                if len(record) != width:
                    if len(record) > 1 or "".join(record).strip():
                        error = InputError(
                            f"{counted(len(record), 'value')} in a table of {counted(width, 'column')}",
                            source=self.source, row=row, got=record,
                            allowed=f"as many as in the header, row {self.header_row}; quote a value that holds {self.dialect.delimiter!r}",
                        )  # fmt: skip
                        if not self.set_aside:
                            raise error.of_row_alone()
                        self.broken.append(error)
                    record = []
                yield record

    def _table_of_rows(self, width: int) -> pa.Table:
        """`_table` by the slow reader."""
        schema = pa.schema([(str(i), pa.string()) for i in range(width)])
        pieces = []
        rows = self._rows(width)
        while batch := [[value or None for value in row] or [None] * width for row in islice(rows, _BATCH)]:
            columns = [pa.array(column, pa.string()) for column in zip(*batch, strict=True)]
            pieces.append(pa.table(columns, schema=schema))
        return pa.concat_tables(pieces) if pieces else schema.empty_table()

    def _told(self) -> tuple[str, ...]:
        """A sentence on `spread`."""
        if not self.spread:
            return ()
        spread = self.spread
        row, first, last = max(spread, key=lambda one: one.last - one.first)
        many = f"{counted(len(spread), 'value')} over several lines that look like rows, the longest in row {row:,}, lines {first:,} to {last:,}"
        return (f"{self.source}: {many}. If a quote is not closed there, rows are lost in it.",)


def _holds_rows(record: list[str], delimiter: str) -> bool:
    """Whether a value is what two stray quotes make of rows: the end of one, whole ones, and the beginning of one."""
    for column, value in enumerate(record):
        first, *lines = _LINE_BREAK.split(value)
        after, before = len(record) - 1 - column, column
        whole = [line.count(delimiter) for line in lines[:-1] if line]
        if (
            lines
            and first.count(delimiter) == after
            and lines[-1].count(delimiter) == before
            and {*whole} <= {after + before}
        ):
            return True
    return False


def _dialect(line: str, suffix: str, source: str, *, first: bool) -> _Dialect:
    """Of the first line that is not blank. first : it is the first of all."""
    told = line.rstrip("\r\n")
    if first and told.lower().startswith("sep=") and len(told) == 5:
        return _Dialect(told[4], True)
    columns = {each: len(next(csv.reader([line], delimiter=each), [])) for each in _DELIMITERS}
    wanted = "\t" if suffix == ".tsv" else ","
    if suffix == ".csv" and columns[";"] > columns[","]:
        wanted = ";"
    found = max(columns, key=lambda each: (columns[each], each == wanted))
    if columns[wanted] == 1 and columns[found] > 1:
        raise InputError(
            f"the columns are separated by {_DELIMITERS[found]}",
            source=source, allowed=f"{_DELIMITERS[wanted]}, as its suffix {suffix} says" + ("; or name it .tsv" if found == "\t" else ""),
        )  # fmt: skip
    return _Dialect(wanted, False)


def _suspicious(data: pa.Table) -> bool:
    """Whether a value holds a quote or a line break: what is left where a quote was not closed."""
    return any(pc.any(pc.match_substring_regex(column, '["\r\n]')).as_py() for column in data.columns)
