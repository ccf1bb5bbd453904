"""CSV and TSV, as spreadsheets and programs write them."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ..errors import InputError
from .columns import Read, named_columns, rows_with_values
from .counted import counted
from .encodings import not_utf8, utf8_of

_DELIMITERS = {";": "semicolons", "\t": "tabs", ",": "commas"}


class _Dialect(NamedTuple):
    delimiter: str
    said: bool
    """A first line `sep=;`, which Excel writes and reads, and counts as no row."""


def read_delimited(path: Path, suffix: str, encoding: str | None) -> Read:
    """A CSV or TSV file; all values are text as typed, a blank one is null.

    A row is a record with its number as a spreadsheet shows it: the header is row 1, blank lines are counted, a line break in a quoted
    value is not. Rows without any value are left out, but in a table of one column, where a blank is a value.
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
            self.dialect = _dialect(handle.readline(), self.suffix, self.source)
        header_row, header = next(
            ((row, record) for row, record in self._records() if any(map(str.strip, record))), (0, [])
        )
        if not header:
            raise InputError("no header", source=self.source, allowed="the names of the columns in the first row")
        self.header_row = header_row
        try:
            data = self._table(header).slice(header_row)
        except pa.ArrowInvalid as error:
            self._check_records(len(header))
            raise InputError(f"the file is damaged ({error})", source=self.source) from None
        if _suspicious(data):
            self._check_records(len(header))
        kept = rows_with_values(data)
        data = named_columns(header, data, self.source, header_row)
        if kept is None:
            return Read(data, header_row + 1)
        return Read(data.filter(pa.array(kept)), header_row + 1, np.flatnonzero(kept) + header_row + 1)

    def unclosed(self, problem: csv.Error) -> InputError:
        """The error of a quote that is not closed, or closed in the middle of a value, with the row where it opens."""
        row = 1
        with contextlib.suppress(csv.Error):
            for _ in self._records():
                row += 1
        return InputError(
            f"a quote that is not closed as it should be ({problem})",
            source=self.source, row=row, allowed='a value with quotes in it as "say ""x"""',
        )  # fmt: skip

    def _open(self) -> io.TextIOWrapper:
        raw = self.path.open("rb") if self.content is None else io.BytesIO(self.content)
        return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Each record with its row, blank ones too."""
        with self._open() as handle:
            if self.dialect.said:
                handle.readline()
            yield from enumerate(csv.reader(handle, delimiter=self.dialect.delimiter, strict=True), start=1)

    def _table(self, header: list[str]) -> pa.Table:
        """Every row under numbered columns, the header and blank lines among them."""
        names = [str(i) for i in range(len(header))]
        return pa_csv.read_csv(
            self.path if self.content is None else pa.BufferReader(self.content),
            read_options=pa_csv.ReadOptions(column_names=names, skip_rows=int(self.dialect.said), block_size=1 << 24),
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

    def _check_records(self, width: int) -> None:
        """Reads with the slow reader, which sees what the fast one passes over, and knows the row."""
        for row, record in self._records():
            if record and len(record) != width:
                raise InputError(
                    f"{counted(len(record), 'value')} in a table of {counted(width, 'column')}",
                    source=self.source, row=row, got=record,
                    allowed=f"as many as in the header, row {self.header_row}; quote a value that holds {self.dialect.delimiter!r}",
                )  # fmt: skip


def _dialect(line: str, suffix: str, source: str) -> _Dialect:
    told = line.rstrip("\r\n")
    if told.lower().startswith("sep=") and len(told) == 5:
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
