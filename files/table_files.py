"""Files as tables: CSV, TSV, JSON, JSONL, Excel and Parquet by suffix, and what is wrong with one that cannot be read."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from .columns import Read
from .delimited import read_delimited
from .encodings import check_encoding, suffix_of
from .json_records import read_records
from .parquet_file import read_parquet, without_views
from .workbook import read_workbook, split_sheet

SUFFIXES = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet")
"""Of what is written; what is read may also be .json, and texts packed as .gz."""
READ_SUFFIXES = (*SUFFIXES, ".json")
_ALLOWED_FILES = "a .csv, .tsv, .jsonl, .json, .xlsx or .parquet file"
_SPREADSHEETS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")


def read_file(path: Path, encoding: str | None = None) -> Read:
    """The table in a file, by its suffix. `lists.xlsx#Cases` is a sheet of a workbook.

    CSV and TSV values stay text as typed. Lines of JSON that are no object, and rows of a CSV with more or fewer values than columns, are `broken`.
    Errors: `InputError`, with the row where there is one.

    encoding : of a text file that is not UTF-8.
    """
    check_encoding(encoding)
    path, sheet = split_sheet(path)
    suffix = check_file(path)
    if suffix == ".parquet":
        return Read(without_views(read_parquet(path)), 1)
    if suffix == ".xlsx":
        return read_workbook(path, sheet)
    if suffix in (".json", ".jsonl"):
        return read_records(path, encoding)
    return read_delimited(path, suffix, encoding)


def check_file(path: Path) -> str:
    """The suffix of a file of a table that is there. Errors: `InputError`."""
    source, suffix = str(path), suffix_of(path)
    if path.is_dir():
        raise InputError("a folder", source=source, allowed=_ALLOWED_FILES)
    if suffix not in READ_SUFFIXES:
        allowed = _ALLOWED_FILES + ("; save it as .xlsx" if suffix in _SPREADSHEETS else "")
        problem = "a file of an unknown kind" if path.exists() else "no such file, and its name is none of a table"
        raise InputError(problem, source=source, allowed=allowed, got=path.suffix)
    if not path.is_file():
        raise InputError("no such file", source=source, allowed=_ALLOWED_FILES)
    if not path.stat().st_size:
        raise InputError("the file is empty", source=source, allowed="a header and at least one row")
    return suffix
