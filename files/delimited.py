"""CSV and TSV, as spreadsheets and programs write them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from ..errors import InputError
from .columns import Read, named_columns, rows_with_values
from .counted import counted
from .encodings import utf8_of

_BLOCK = 1 << 24
_LONGEST = 1 << 16


def read_delimited(path: Path, suffix: str, encoding: str | None, *, set_aside: bool = False) -> Read:
    """A CSV or TSV file; all values are text as typed, a blank one is null.

    A row is a record with its number as a spreadsheet shows it: the header is row 1, blank lines are counted, a line break in a quoted
    value is not. Rows without any value are left out, but in a table of one column, where a blank is a value.
    set_aside : rows with more or fewer values than columns go into `broken`; else the first of them is an error.
    Errors: `InputError`, with the row.
    """
    return _File(path, suffix, utf8_of(path, encoding), set_aside).read()


class _File:
    def __init__(self, path: Path, suffix: str, raw: bytes, set_aside: bool) -> None:
        self.source, self.set_aside, self.broken = str(path), set_aside, list[InputError]()
        first = raw[: raw.find(b"\n") + 1]
        # A first line `sep=;` is for Excel, and no row.
        said = re.fullmatch(rb"sep=(.)\r?\n", first, re.IGNORECASE)
        self.raw = raw[len(first) :] if said else raw
        self.delimiter = said[1].decode() if said else _delimiter(next(filter(str.strip, self._lines()), ""), suffix)

    def _lines(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(self.raw), "utf-8", newline="")

    def read(self) -> Read:
        header_row, header = next(((row, one) for row, one in self._records() if any(map(str.strip, one))), (0, []))
        if not header:
            raise InputError("no header", source=self.source, allowed="the names of the columns in the first row")
        data, ragged = self._by_arrow(header_row, len(header))
        numbers = np.arange(len(data)) + header_row + 1
        if ragged or not _well_quoted(self.raw, self.delimiter):
            numbers = np.array(self._rows_of_width(header_row, len(header)), np.int64)
        kept = rows_with_values(data)
        named = named_columns(header, data, self.source, header_row)
        if kept is not None:
            named, numbers = named.filter(pa.array(kept)), numbers[kept]
        return Read(named, header_row + 1, numbers if kept is not None or ragged else None, broken=self.broken)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Each record with its row, blank ones too. Errors: `InputError` for a quote out of place, with the row of its record."""
        row, reader = 0, csv.reader(self._lines(), delimiter=self.delimiter, strict=True)
        try:
            for row, record in enumerate(reader, start=1):
                yield row, record
        except csv.Error as problem:
            long = "field limit" in str(problem)
            raise InputError(
                f"a value of more than {csv.field_size_limit():,} characters" if long else f"a quote that is not closed as it should be ({problem})",
                source=self.source, row=row + 1, allowed='a value with quotes in it as "say ""x""", a quote at its end',
            ) from None  # fmt: skip

    def _by_arrow(self, header_row: int, width: int) -> tuple[pa.Table, bool]:
        """The rows below the header under numbered columns, blank lines among them; whether rows of another width were left out."""
        names = [str(i) for i in range(width)]
        ragged = False

        def note(_: pa_csv.InvalidRow) -> str:
            nonlocal ragged
            ragged = True
            return "skip"

        try:
            data = pa_csv.read_csv(
                pa.BufferReader(self.raw),
                read_options=pa_csv.ReadOptions(
                    column_names=names, block_size=_BLOCK, skip_rows_after_names=header_row
                ),
                parse_options=pa_csv.ParseOptions(
                    delimiter=self.delimiter,
                    newlines_in_values=True,
                    ignore_empty_lines=False,
                    invalid_row_handler=note,
                ),
                convert_options=pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:  # a value that is longer than a block
            raise InputError(f"no rows of values ({error})", source=self.source) from None
        return data, ragged

    def _rows_of_width(self, header_row: int, width: int) -> list[int]:
        """The rows that `_by_arrow` reads, found record by record, strict on quotes; others of values go into `broken`, or are an error."""
        rows = list[int]()
        for row, record in self._records():
            if row <= header_row:
                continue
            if not record or len(record) == width:
                rows.append(row)
            elif len(record) > 1 or record[0].strip():
                error = InputError(
                    f"{counted(len(record), 'value')} in a table of {counted(width, 'column')}",
                    source=self.source, row=row, got=record,
                    allowed=f"as many as in the header, row {header_row}; quote a value that holds {self.delimiter!r}",
                )  # fmt: skip
                if not self.set_aside:
                    raise error.of_row_alone()
                self.broken.append(error)
        return rows


def _well_quoted(raw: bytes, delimiter: str) -> bool:
    """Whether every quote opens a value, closes one, or is doubled within one: Arrow drops any other without a word."""
    text = np.frombuffer(b"\n" + raw + b"\n", np.uint8)
    at = np.flatnonzero(text == ord('"'))
    before, after = text[at[0::2] - 1], text[at[1::2] + 1]
    ends = np.frombuffer(f'{delimiter}\r\n"'.encode(), np.uint8)
    return len(at) % 2 == 0 and bool(np.isin(before, ends).all() and np.isin(after, ends).all())


def _delimiter(line: str, suffix: str) -> str:
    """What separates the columns of a first line: tabs in a .tsv; in a .csv a comma or a semicolon, whichever parts more; else what there is."""
    columns = {each: len(next(csv.reader([line[:_LONGEST]], delimiter=each), [])) for each in ",;\t"}
    usual = "\t" if suffix == ".tsv" else max(",;", key=columns.__getitem__)
    return usual if columns[usual] > 1 else max(columns, key=lambda each: (columns[each], each == usual))
