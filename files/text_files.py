"""Text files: in UTF-8, UTF-16 with its mark, or the encoding that the user names, `.gz` unpacked; CSV and TSV, as spreadsheets and programs write them."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from ..errors import InputError, OptionError, quoted
from .table import is_text, named_columns
from .wording import counted

_WESTERN = "cp1252"
"""Of the encodings that a file may be in without saying so the commonest: Excel's in Western Europe and America."""
_CELL_END = re.compile(rb"[\r\n\t,;\"]")


def suffix_of(path: Path) -> str:
    """What tells the kind of a file: of `answers.csv.gz` the suffix before .gz."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path).suffix.lower()


def utf8_of(path: Path, encoding: str | None = None) -> bytes:
    """The text of a file in UTF-8, without a byte order mark.

    Such a mark goes before `encoding`, and so does UTF-8 where the bytes are UTF-8 beyond ASCII: no other encoding
    of words gives such bytes.

    Errors: `OptionError` for a name that no encoding of text has; `InputError` for a file that cannot be read, that is in another encoding or holds a NUL character, with its line.
    """
    source = str(path)
    try:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if path.suffix.lower() == ".gz" else raw
    except FileNotFoundError:
        raise InputError("no such file", source=source) from None
    except (OSError, EOFError, zlib.error) as error:
        problem = f"the file could not be read ({getattr(error, 'strerror', None) or error})"
        raise InputError(problem, source=source) from error
    name = "UTF-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else encoding or "UTF-8"
    if name == encoding and not raw.isascii() and b"\0" not in raw and _decodes(raw, "UTF-8"):
        name = "UTF-8"
    try:
        text = raw.decode(name)
    except (LookupError, TypeError):
        raise OptionError("encoding", "the name of a text encoding, as cp1252, latin-1 or utf-16", encoding) from None
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        before, after = _CELL_END.split(raw[max(0, at - 20) : at])[-1], _CELL_END.split(raw[at : at + 20])[0]
        word, row, remedy = before + after, len(raw[: at + 1].splitlines()), ""
        problem, allowed = f"text that is not {name}", f"{name}, or the name of its encoding"
        if name != _WESTERN and _decodes(raw, _WESTERN):
            problem += f"; in {_WESTERN} it reads {quoted(word.decode(_WESTERN))}"
            remedy = f"the option 'encoding' ({_WESTERN}) reads the file"
        raise InputError(problem, source=source, row=row, allowed=allowed, got=word, remedy=remedy) from None
    raw = raw if name == "UTF-8" and text[:1] != "\ufeff" else text.lstrip("\ufeff").encode()
    if b"\0" in raw:
        allowed = "text; the file may be of another kind, or damaged"
        raise InputError(
            "a NUL character", source=source, row=len(raw[: raw.index(b"\0") + 1].splitlines()), allowed=allowed
        )
    return raw


def _decodes(raw: bytes, name: str) -> bool:
    try:
        return bool(raw.decode(name)) or not raw
    except UnicodeError:
        return False


def read_delimited(
    path: Path, suffix: str, encoding: str | None
) -> tuple[pa.Table, int, NDArray[np.int64], list[InputError]]:
    """A CSV or TSV file: columns, the row of their names, the number of each row, and the lines that are no rows.

    All values are text as typed, a blank one is null.

    A row is a record with its number as a spreadsheet shows it: the header is row 1, blank lines are counted, a line break in a quoted
    value is not. Rows without any value are left out, but in a table of one column, where a blank is a value; those with more or fewer
    values than columns are no rows.

    Errors: `InputError`, with the row.
    """
    source, raw = str(path), utf8_of(path, encoding)
    delimiter = _delimiter(re.split(rb"[\r\n]", raw.lstrip(b" \r\n"), maxsplit=1)[0].decode(), suffix)
    records = _records(raw, delimiter, source)
    header_row, header = next(((row, one) for row, one in records if any(map(str.strip, one))), (0, []))
    if not header:
        raise InputError("the file is empty", source=source, allowed="the names of the columns in the first row")
    data, broken = _by_arrow(raw, delimiter, header_row, len(header)), list[InputError]()
    if data is None:
        rows, cells = list[int](), list[list[str]]()
        for row, record in records:
            if not record or len(record) == len(header):
                rows.append(row)
                cells.append(record or [""] * len(header))
            elif len(record) > 1 or record[0].strip():
                problem = f"{counted(len(record), 'value')} in a table of {counted(len(header), 'column')}"
                allowed = f"as many as in the header, row {header_row}; quote a value that holds {delimiter!r}"
                broken.append(InputError(problem, source=source, row=row, allowed=allowed, got=record))
        numbers = np.array(rows, np.int64)
        data = pa.table({str(i): pa.array([row[i] or None for row in cells], pa.string()) for i in range(len(header))})
    else:
        numbers = np.arange(header_row + 1, header_row + 1 + len(data))
    data = named_columns(header, data)
    if data.num_columns > 1 and all(column.null_count for column in data.columns):
        filled = ~np.logical_and.reduce([column.is_null().to_numpy() for column in data.columns])
        data, numbers = data.filter(pa.array(filled)), numbers[filled]
    return data, header_row, numbers, broken


def _records(raw: bytes, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with its row, blank ones too. Errors: `InputError` for a quote out of place, with the row of its record."""
    row, lines = 0, io.TextIOWrapper(io.BytesIO(raw), "utf-8", newline="")
    try:
        for row, record in enumerate(csv.reader(lines, delimiter=delimiter, strict=True), start=1):
            yield row, record
    except csv.Error as problem:
        said = f"a quote that is not closed as it should be ({problem})"
        allowed = 'quotes in a value as "say ""x""", a quote at its end'
        raise InputError(said, source=source, row=row + 1, allowed=allowed) from None


def _by_arrow(raw: bytes, delimiter: str, header_row: int, width: int) -> pa.Table | None:
    """The rows below the header under numbered columns, blank lines among them; None where one is of another width, or where a quote
    neither opens a value, closes one, nor is doubled within one: Arrow drops such a quote without a word.
    """
    text = np.frombuffer(b"\n" + raw + b"\n", np.uint8)
    at, ends = np.flatnonzero(text == ord('"')), np.frombuffer(f'{delimiter}\r\n"'.encode(), np.uint8)
    if len(at) % 2 or not np.isin(text[at[0::2] - 1], ends).all() or not np.isin(text[at[1::2] + 1], ends).all():
        return None
    names = [str(i) for i in range(width)]
    types = dict.fromkeys(names, pa.string())
    try:
        return pa_csv.read_csv(
            pa.BufferReader(raw),
            pa_csv.ReadOptions(column_names=names, block_size=1 << 24, skip_rows_after_names=header_row),
            pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False),
            pa_csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True),
        )
    except pa.ArrowInvalid:
        return None


def _delimiter(line: str, suffix: str) -> str:
    """What separates the columns of a first line: tabs in a .tsv; in a .csv a comma or a semicolon, whichever parts more; else what there is."""
    columns = {each: len(next(csv.reader([line[: 1 << 16]], delimiter=each), [])) for each in ",;\t"}
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
        return pc.if_else(
            runs, pc.binary_join_element_wise(pa.scalar("'", texts.type), texts, pa.scalar("", texts.type)), texts
        )

    names = marked(pa.chunked_array([table.column_names], pa.string())).to_pylist()
    columns = [marked(column) if is_text(column.type) else column for column in table.columns]
    return pa.table(columns, names=names).replace_schema_metadata(table.schema.metadata)
