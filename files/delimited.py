"""CSV and TSV, as spreadsheets and programs write them."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ..errors import InputError
from .columns import Read, is_text, named_columns
from .counted import counted
from .encodings import utf8_of

_BLOCK = 1 << 24
_LONGEST = 1 << 16


def read_delimited(path: Path, suffix: str, encoding: str | None) -> Read:
    """A CSV or TSV file; all values are text as typed, a blank one is null.

    A row is a record with its number as a spreadsheet shows it: the header is row 1, blank lines are counted, a line break in a quoted
    value is not. Rows without any value are left out, but in a table of one column, where a blank is a value; those with more or fewer
    values than columns are `broken`.
    Errors: `InputError`, with the row.
    """
    source, raw = str(path), utf8_of(path, encoding)
    # A first line `sep=;` is for Excel, and no row.
    said = re.match(rb"sep=(.)\r?\n", raw, re.IGNORECASE)
    raw = raw[said.end() :] if said else raw
    delimiter = said[1].decode() if said else _delimiter(next(filter(str.strip, _lines(raw)), ""), suffix)
    records = _records(raw, delimiter, source)
    header_row, header = next(((row, one) for row, one in records if any(map(str.strip, one))), (0, []))
    if not header:
        raise InputError("no header", source=source, allowed="the names of the columns in the first row")
    data, broken = _by_arrow(raw, delimiter, header_row, len(header)), list[InputError]()
    if data is None:
        rows, cells = list[int](), list[list[str]]()
        for row, record in records:
            if not record or len(record) == len(header):
                rows.append(row)
                cells.append(record or [""] * len(header))
            elif len(record) > 1 or record[0].strip():
                broken.append(InputError(
                    f"{counted(len(record), 'value')} in a table of {counted(len(header), 'column')}", source=source, row=row, got=record,
                    allowed=f"as many as in the header, row {header_row}; quote a value that holds {delimiter!r}",
                ))  # fmt: skip
        numbers = np.array(rows, np.int64)
        data = pa.table({str(i): pa.array([row[i] or None for row in cells], pa.string()) for i in range(len(header))})
    else:
        numbers = np.arange(header_row + 1, header_row + 1 + len(data))
    data = named_columns(header, data)
    if data.num_columns > 1 and all(column.null_count for column in data.columns):
        filled = ~np.logical_and.reduce([column.is_null().to_numpy() for column in data.columns])
        data, numbers = data.filter(pa.array(filled)), numbers[filled]
    return Read(data, header_row + 1, numbers, broken=broken)


def _lines(raw: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(raw), "utf-8", newline="")


def _records(raw: bytes, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with its row, blank ones too. Errors: `InputError` for a quote out of place, with the row of its record."""
    row = 0
    try:
        for row, record in enumerate(csv.reader(_lines(raw), delimiter=delimiter, strict=True), start=1):
            yield row, record
    except csv.Error as problem:
        raise InputError(
            f"a quote that is not closed as it should be ({problem})", source=source, row=row + 1,
            allowed='a value with quotes in it as "say ""x""", a quote at its end',
        ) from None  # fmt: skip


def _by_arrow(raw: bytes, delimiter: str, header_row: int, width: int) -> pa.Table | None:
    """The rows below the header under numbered columns, blank lines among them; None where one is not well quoted or of another width."""
    names = [str(i) for i in range(width)]
    if not _well_quoted(raw, delimiter):
        return None
    try:
        return pa_csv.read_csv(
            pa.BufferReader(raw),
            read_options=pa_csv.ReadOptions(column_names=names, block_size=_BLOCK, skip_rows_after_names=header_row),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
            ),
        )
    except pa.ArrowInvalid:
        return None


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


_RUNS, _NUMBER = r"^[=+\-@\t\r]", r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$"


def without_formulas(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before every text, and every name of a column, that a spreadsheet would run.

    Such a text begins with =, +, -, @, a tab or a line break, and is no plain number. "-ve culture" becomes "'-ve culture": the text
    is no longer what came, so this is for reading in a spreadsheet and not for reading back.
    """

    def marked(column: pa.ChunkedArray) -> pa.ChunkedArray:
        texts = column.cast(pa.large_string())
        runs = pc.and_not(pc.match_substring_regex(texts, _RUNS), pc.match_substring_regex(texts, _NUMBER))
        quoted = pc.binary_join_element_wise(pa.scalar("'", texts.type), texts, pa.scalar("", texts.type))
        return pc.if_else(runs, quoted, texts)

    names = marked(pa.chunked_array([table.column_names], pa.string())).to_pylist()
    columns = [marked(column) if is_text(column.type) else column for column in table.columns]
    return pa.table(columns, names=names).replace_schema_metadata(table.schema.metadata)
