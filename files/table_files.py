"""Files as tables: CSV, TSV, JSON, JSONL, Excel and Parquet by suffix, and what is wrong with one that cannot be read."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import InputError, Remedy
from . import encoded_twice
from .columns import Read
from .delimited import read_delimited
from .encodings import check_encoding, likely_encoding, marked_encoding
from .json_records import read_lines, read_records
from .parquet_file import read_parquet, without_views
from .workbook import read_workbook, split_sheet

SUFFIXES = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet")
"""Of what is written; what is read may also be .json."""
READ_SUFFIXES = (*SUFFIXES, ".json")
_ALLOWED_FILES = "a .csv, .tsv, .jsonl, .json, .xlsx or .parquet file"
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_OWN_MAGIC = {".parquet": b"PAR1", ".xlsx": _ZIP}
_MAGIC = {
    b"PAR1": "a Parquet file",
    _ZIP: "a zip archive or an Excel workbook; name a workbook .xlsx",
    b"\x1f\x8b": "a gzip archive",
    _OLE: "an Excel workbook of the old kind, or one with a password; save it as .xlsx without one",
    b"%PDF": "a PDF",
    b"\x93NUM": "a NumPy array",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
}
_OTHER_SPREADSHEETS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
_PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z")
_KINDS = {".parquet": "Parquet", ".xlsx": "an Excel workbook"}


def read_file(path: Path, encoding: str | None = None, *, set_aside: bool = False) -> Read:
    """The table in a file, by its suffix. `lists.xlsx#Cases` is a sheet of a workbook.

    CSV and TSV values stay text as typed. Errors: `InputError`, with the row where there is one.

    encoding : of a text file that is not UTF-8.
    set_aside : lines of JSON that are no object, and rows of a CSV with more or fewer values than columns, go into `broken`; else the first of them is an error.
    """
    check_encoding(encoding)
    path, sheet = split_sheet(path)
    suffix = check_file(path, encoding)
    read = _read(path, suffix, sheet, encoding, set_aside=set_aside)
    return read._replace(warnings=(*read.warnings, *encoded_twice.warnings_of(read.data, read.source or str(path))))


def _read(path: Path, suffix: str, sheet: str | None, encoding: str | None, *, set_aside: bool) -> Read:
    try:
        if suffix == ".parquet":
            return Read(without_views(read_parquet(path)), 1)
        if suffix == ".xlsx":
            return read_workbook(path, sheet)
        if suffix == ".json":
            return read_records(path, encoding, set_aside=set_aside)
        if suffix == ".jsonl":
            return read_lines(path, encoding, set_aside=set_aside)
        return read_delimited(path, suffix, encoding, set_aside=set_aside)
    except OSError as error:
        raise InputError(f"the file could not be read ({error.strerror or error})", source=str(path)) from error


def check_file(path: Path, encoding: str | None = None) -> str:
    """The suffix of a file that begins as its suffix says. Errors: `InputError`."""
    source, suffix = str(path), path.suffix.lower()
    if path.is_dir():
        raise InputError("a folder", source=source, allowed=_ALLOWED_FILES)
    if suffix not in READ_SUFFIXES:
        first = "; save it as .xlsx" if suffix in _OTHER_SPREADSHEETS else "; unpack it" if suffix in _PACKED else ""
        allowed = f"{_ALLOWED_FILES}{first}"
        problem = "a file of an unknown kind" if path.exists() else "no such file, and its name is none of a table"
        raise InputError(problem, source=source, allowed=allowed, got=path.suffix)
    if not path.is_file():
        raise InputError("no such file", source=source, allowed=_ALLOWED_FILES)
    try:
        with path.open("rb") as handle:
            head = handle.read(4096)
    except OSError as error:
        raise InputError(f"the file could not be read ({error.strerror or error})", source=source) from error
    if not head.strip():
        raise InputError("the file is empty", source=source, allowed="a header and at least one row")
    _check_kind(head, suffix, source, marked_encoding(head) or encoding)
    return suffix


def _check_kind(head: bytes, suffix: str, source: str, encoding: str | None) -> None:
    as_suffix = f"what its suffix {suffix} says"
    for magic, kind in _MAGIC.items():
        if head.startswith(magic) and _OWN_MAGIC.get(suffix) != magic:
            raise InputError(f"the file is {kind}", source=source, allowed=as_suffix)
    if suffix in _OWN_MAGIC:
        if not head.startswith(_OWN_MAGIC[suffix]):
            raise InputError(f"the file is not {_KINDS[suffix]}", source=source, allowed=as_suffix, got=head[:12])
        return
    if b"\0" in head and encoding is None:
        likely = likely_encoding(head)
        remedy = None if likely is None else Remedy("reads the file", encoding=likely)
        raise InputError("the file is not text", source=source, allowed=as_suffix, remedy=remedy)
    text = head.decode(encoding or "utf-8", "ignore").lstrip("\ufeff")
    looks_json = re.match(r'\s*\{\s*["}]', text) is not None
    if suffix != ".json" and looks_json != (suffix == ".jsonl"):
        kind = "JSON" if looks_json else "not JSON lines"
        raise InputError(f"the file is {kind}", source=source, allowed=as_suffix, got=text[:40])
