"""Files as tables: CSV, TSV, JSONL and Parquet by suffix, and what is wrong with one that cannot be read."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from ..errors import InputError
from .parquet_file import read_parquet

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
_ALLOWED_FILES = "a .csv, .tsv, .jsonl or .parquet file, in UTF-8"
_MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive or an Excel workbook; save it as CSV UTF-8",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save it as CSV UTF-8",
    b"%PDF": "a PDF",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"\x93NUM": "a NumPy array",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
}


def read_file(path: Path) -> tuple[pa.Table, int]:
    """The table in a file, by its suffix, and the number that its first record has for a reader (2 under a CSV's header).

    CSV and TSV values stay text as typed. Errors: `InputError`, with the row where there is one.
    """
    source, suffix = str(path), check_file(path)
    try:
        if suffix == ".parquet":
            return read_parquet(path), 1
        if suffix == ".jsonl":
            return _read_jsonl(path, source), 1
        return _read_delimited(path, suffix, source), 2
    except OSError as error:
        raise InputError(f"the file could not be read ({error.strerror or error})", source=source) from error


def check_file(path: Path) -> str:
    """The suffix of a file that begins as its suffix says. Errors: `InputError`."""
    source, suffix = str(path), path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError("a file of an unknown kind", source=source, allowed=_ALLOWED_FILES, got=path.suffix)
    if not path.is_file():
        raise InputError("no such file", source=source, allowed=_ALLOWED_FILES)
    try:
        with path.open("rb") as handle:
            head = handle.read(4096)
    except OSError as error:
        raise InputError(f"the file could not be read ({error.strerror or error})", source=source) from error
    if not head.strip():
        raise InputError("the file is empty", source=source, allowed="a header and at least one row")
    _check_kind(head, suffix, source)
    return suffix


def _check_kind(head: bytes, suffix: str, source: str) -> None:
    for magic, kind in _MAGIC.items():
        if head.startswith(magic) and not (suffix == ".parquet" and magic == b"PAR1"):
            raise InputError(f"the file is {kind}", source=source, allowed=f"what its suffix {suffix} says")
    if suffix == ".parquet":
        if not head.startswith(b"PAR1"):
            raise InputError(
                "the file is not Parquet", source=source, allowed="what its suffix .parquet says", got=head[:12]
            )
        return
    if b"\0" in head:
        raise InputError("the file is not text", source=source, allowed=f"what its suffix {suffix} says")
    looks_json = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b'{"')
    if looks_json != (suffix == ".jsonl"):
        kind = "JSON" if looks_json else "not JSON lines"
        raise InputError(f"the file is {kind}", source=source, allowed=f"what its suffix {suffix} says", got=head[:40])


def _undecodable(path: Path, source: str, first_row: int) -> InputError:
    with path.open("rb") as handle:
        for number, line in enumerate(handle):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                bad = line[max(0, error.start - 10) : error.end + 10]
                return InputError(
                    "text that is not UTF-8", source=source, row=number + first_row, allowed="UTF-8", got=bad
                )
    return InputError("text that is not UTF-8", source=source, allowed="UTF-8")


def _read_delimited(path: Path, suffix: str, source: str) -> pa.Table:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            line = handle.readline()
            delimiter = "\t" if suffix == ".tsv" else ";" if ";" in line and "," not in line else ","
            if suffix == ".tsv" and "\t" not in line and "," in line:
                raise InputError(
                    "the columns are separated by commas", source=source, allowed="tabs, as its suffix .tsv says"
                )
            if suffix == ".csv" and "\t" in line and "," not in line and ";" not in line:
                raise InputError(
                    "the columns are separated by tabs", source=source, allowed="commas, as its suffix .csv says"
                )
            handle.seek(0)
            header = next(csv.reader(handle, delimiter=delimiter))
    except UnicodeDecodeError:
        raise _undecodable(path, source, 1) from None
    blank = [i + 1 for i, name in enumerate(header) if not name.strip()]
    repeated = [name for name in header if header.count(name) > 1]
    if blank or repeated:
        raise InputError(
            f"column {blank[0]} has no name" if blank else "two columns of one name",
            source=source, row=1, allowed="each column named, each name once", got=header if blank else repeated[0],
        )  # fmt: skip
    try:
        return pa_csv.read_csv(
            path,
            read_options=pa_csv.ReadOptions(column_names=header, skip_rows=0, block_size=1 << 24),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        ).slice(1)
    except pa.ArrowInvalid as error:
        raise _delimited_problem(path, source, delimiter, len(header), error) from None


def _delimited_problem(path: Path, source: str, delimiter: str, width: int, error: Exception) -> InputError:
    """The row that Arrow could not read, found again with the slow reader."""
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            for number, record in enumerate(csv.reader(handle, delimiter=delimiter, strict=True), start=1):
                if record and len(record) != width:
                    return InputError(
                        f"{len(record)} values in a table of {width} columns",
                        source=source, row=number, allowed=f"{width} values; quote a value that holds {delimiter!r}", got=record,
                    )  # fmt: skip
    except UnicodeDecodeError:
        return _undecodable(path, source, 1)
    except csv.Error as problem:
        return InputError(f"the file is damaged ({problem})", source=source, allowed="closed quotes, one record a line")
    return InputError(f"the file is damaged ({error})", source=source)


def _read_jsonl(path: Path, source: str) -> pa.Table:
    columns: dict[str, list[Any]] = {}
    rows = 0
    with path.open("rb") as handle:
        for number, line in enumerate(handle, start=1):
            if not line.strip():
                raise InputError("a blank line", source=source, row=number, allowed="one JSON object a line")
            try:
                record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except UnicodeDecodeError:
                raise _undecodable(path, source, 1) from None
            except (json.JSONDecodeError, RecursionError) as error:
                raise InputError(
                    f"a line that is not JSON ({error})",
                    source=source,
                    row=number,
                    allowed="one JSON object a line",
                    got=line[:60],
                ) from None
            if not isinstance(record, dict):
                raise InputError(
                    "a line that is not an object", source=source, row=number, allowed='{"a": …, "b": …}', got=record
                )
            for name, value in record.items():
                columns.setdefault(name, [None] * rows).append(value)
            rows += 1
            for values in columns.values():
                if len(values) < rows:
                    values.append(None)
    return pa.table({name: _jsonl_column(name, values, source) for name, values in columns.items()})


def _jsonl_column(name: str, values: list[Any], source: str) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
        kind = type(next(value for value in values if value is not None))
        odd = next(
            (i for i, value in enumerate(values) if value is not None and type(value) is not kind), len(values) - 1
        )
        raise InputError(
            "a value of another kind than those before it",
            source=source, row=odd + 1, column=name, allowed=kind.__name__, got=values[odd],
        ) from None  # fmt: skip
