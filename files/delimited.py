"""CSV and TSV, as spreadsheets and programs write them."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import codecs
import contextlib
import csv
import io
from collections.abc import Iterable, Iterator
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

_PIECE = 1 << 24
_BATCH = 1 << 16
_DELIMITERS = {";": "semicolons", "\t": "tabs", ",": "commas"}


class _Dialect(NamedTuple):
    delimiter: str
    said: bool
    """A first line `sep=;`, which Excel writes and reads, and counts as no row."""


def read_delimited(path: Path, suffix: str, encoding: str | None) -> Read:
    """A CSV or TSV file; all values are text as typed, a blank one is null.

    A row is a record with its number as a spreadsheet shows it: the header is row 1, blank lines are counted, a line break in a quoted
    value is not. Rows without any value are left out, but in a table of one column, where a blank is a value. Of values that span
    several lines, where a stray quote may have swallowed rows, `warnings` tells.
    Errors: `InputError`, with the row.
    """
    file = _File(path, suffix, utf8_of(path, encoding, _row_of))
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
    def __init__(self, path: Path, suffix: str, content: bytes | None) -> None:
        """content : the text in UTF-8, where the file itself is in another encoding."""
        self.path, self.suffix, self.content = path, suffix, content
        self.source = str(path)

    def read(self) -> Read:
        with self._open() as handle:
            first = handle.readline()
            line = first if first.strip() else next(filter(str.strip, handle), "")
            self.dialect = _dialect(line, self.suffix, self.source, first=line is first)
        header_row, header, start = self._header()
        if not header:
            raise InputError("no header", source=self.source, allowed="the names of the columns in the first row")
        self.header_row, warnings = header_row, ()
        lines = self._lines_from(start)
        try:
            data = self._table(len(header), start)
        except pa.ArrowInvalid:
            data = None
        # Without a quote or a line break in a value, each line is a row.
        if data is None or len(data) != lines or _suspicious(data):
            data, warnings = self._table_of_records(header)
        kept = rows_with_values(data)
        data = named_columns(header, data, self.source, header_row)
        if kept is None:
            return Read(data, header_row + 1, warnings=warnings)
        rows = np.flatnonzero(kept) + header_row + 1
        return Read(data.filter(pa.array(kept)), header_row + 1, rows, warnings=warnings)

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

    def _raw(self) -> io.BufferedIOBase:
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

    def _lines_from(self, start: int) -> int:
        """How many lines begin at a byte or after it. Errors: `InputError` for a NUL anywhere."""
        lines = at = 0
        last = b"\n"
        with self._raw() as raw:
            while piece := raw.read(_PIECE):
                if b"\0" in piece:
                    raise self._nul(at + piece.index(b"\0"))
                after = piece[max(start - at, 0) :]
                at += len(piece)
                if after:
                    returns = after.count(b"\r")
                    lines += after.count(b"\n") + returns
                    if returns or last == b"\r":
                        lines -= after.count(b"\r\n") + (last == b"\r" and after.startswith(b"\n"))
                    last = after[-1:]
        return lines + (last not in b"\r\n")

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

    def _table_of_records(self, header: list[str]) -> tuple[pa.Table, tuple[str, ...]]:
        """The same with the slow reader, which knows rows and lines, and what is to be said of them."""
        width = len(header)
        schema = pa.schema([(str(i), pa.string()) for i in range(width)])
        blank: list[str | None] = [None] * width
        pieces, batch, spread = [], [], []
        with self._open() as handle:
            if self.dialect.said:
                handle.readline()
            reader = self._reader(handle)
            line = 0
            for row, record in enumerate(reader, start=1):
                first, line = line + 1, reader.line_num
                if row <= self.header_row:
                    continue
                if line > first:
                    spread.append((row, first + self.dialect.said, line + self.dialect.said))
                if len(record) == width:
                    batch.append([value or None for value in record])
                elif len(record) < 2 and not "".join(record).strip():
                    batch.append(blank)
                else:
                    raise InputError(
                        f"{counted(len(record), 'value')} in a table of {counted(width, 'column')}",
                        source=self.source, row=row, got=record,
                        allowed=f"as many as in the header, row {self.header_row}; quote a value that holds {self.dialect.delimiter!r}",
                    )  # fmt: skip
                if len(batch) == _BATCH:
                    pieces.append(_columns(batch, schema))
                    batch = []
        return pa.concat_tables([*pieces, _columns(batch, schema)]), self._told(spread)

    def _told(self, spread: list[tuple[int, int, int]]) -> tuple[str, ...]:
        """A sentence on records that span several lines: row, first and last line of each."""
        if not spread:
            return ()
        row, first, last = max(spread, key=lambda one: one[2] - one[1])
        many = f"{counted(len(spread), 'row')} with a value that spans lines, the longest of them row {row:,}, lines {first:,} to {last:,}"
        return (f"{self.source}: {many}. If that is not meant, a quote is not closed there and rows are lost in it.",)


def _columns(rows: list[list[str | None]], schema: pa.Schema) -> pa.Table:
    values = zip(*rows, strict=True) if rows else [[] for _ in schema]
    return pa.table([pa.array(column, pa.string()) for column in values], schema=schema)


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
            source=source, allowed=f"{_DELIMITERS[wanted]}, as its suffix {suffix} says",
        )  # fmt: skip
    return _Dialect(wanted, False)


def _suspicious(data: pa.Table) -> bool:
    """Whether a value holds a quote or a line break: what is left where a quote was not closed."""
    return any(pc.any(pc.match_substring_regex(column, '["\r\n]')).as_py() for column in data.columns)
