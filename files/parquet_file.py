"""Parquet files: opened with checksums verified, their footers held against themselves, their texts held to UTF-8."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InputError, ReadingWarning
from .parquet_footer import Footer, has_page_checksums, read_footer

NO_CHECKSUMS = (
    "A Parquet file that is read has no checksums of its pages: a byte that was changed in it may pass unnoticed. Files written with "
    "write_page_checksum=True (pyarrow, pandas) have them, and so has every one that dxmatch writes."
)


def read_parquet(path: Path, dictionaries: Sequence[str] = ()) -> pa.Table:
    """A Parquet file as a table, every page held against its checksum.

    Parameters
    ----------
    path
        The file.
    dictionaries
        Columns of strings to read as dictionary arrays.

    Raises
    ------
    InputError
        Where the file is damaged or cannot be read, and for a text that is not UTF-8.
    """
    with parquet_errors(path), open_parquet(path, dictionaries) as file:
        warn_of_no_checksums(path, check_parquet(file, path))
        try:
            table = file.read(use_threads=not dictionaries)
        except pa.ArrowInvalid as error:
            raise _unreadable(file, path, error) from None
        if len(table) != file.metadata.num_rows:
            raise damaged(path, f"{len(table):,} rows where its footer says {file.metadata.num_rows:,}")
        check_values(table, path)
        return table


def open_parquet(path: Path, dictionaries: Sequence[str] = ()) -> pq.ParquetFile:
    """The file with the checksums of its pages verified as they are read; `dictionaries` are read as dictionary arrays.

    Without a memory map: a file that is cut while it is read gives an error, not the death of the process. What its `metadata`
    say of row groups is not to be asked for: `parquet_footer` says why.
    """
    return pq.ParquetFile(path, read_dictionary=list(dictionaries), page_checksum_verification=True, pre_buffer=False)


@contextmanager
def parquet_errors(path: Path) -> Iterator[None]:
    """Turns what pyarrow and the system say of a file that cannot be read into an `InputError` that names it."""
    try:
        yield
    except pa.ArrowMemoryError as error:
        # A number that is wrong in a damaged file asks for any memory.
        raise InputError(
            f"out of memory ({error}): the Parquet file is too large for this machine, or damaged", source=str(path)
        ) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, pa.ArrowException):
            raise InputError(f"the file could not be read ({os.strerror(error.errno)})", source=str(path)) from error
        raise damaged(path, error) from None


def check_parquet(file: pq.ParquetFile, path: Path) -> Footer:
    """Holds the parts of a footer against each other: nothing in the format guards it, where checksums guard the pages.

    Errors: `InputError` where it cannot be read, the rows of the groups do not add up, or a column has another name or number
    of values in one place than in another.
    """
    schema, rows = file.metadata.schema, 0
    try:
        footer = read_footer(path)
    except ValueError as error:
        raise damaged(path, error) from None
    for number, group in enumerate(footer.groups):
        rows += group.rows
        if len(group.columns) != len(schema):
            raise damaged(path, f"{len(group.columns)} columns in row group {number}, {len(schema)} in the schema")
        for index, chunk in enumerate(group.columns):
            column = schema.column(index)
            if chunk.path != column.path:
                raise damaged(path, f"a column is {chunk.path!r} in row group {number}, {column.path!r} in the schema")
            if column.max_repetition_level == 0 and chunk.values != group.rows:
                raise damaged(path, f"{chunk.values:,} values of {column.path!r} in the {group.rows:,} rows of group {number}")  # fmt: skip
    if rows != file.metadata.num_rows:
        raise damaged(path, f"{rows:,} rows in its groups, {file.metadata.num_rows:,} in all")
    return footer


def warn_of_no_checksums(path: Path, footer: Footer) -> None:
    """Says that pages have no checksums; once for all files, as Python's warnings come once for a place and a text."""
    if not has_page_checksums(path, footer):
        warnings.warn(NO_CHECKSUMS, ReadingWarning, stacklevel=1)


def check_values(table: pa.Table, path: Path, first_row: int = 1) -> None:
    """Refuses a text that is not UTF-8, in lists and dictionaries too, and arrays that cannot be right.

    first_row : of the table in the file, from 1.

    Errors: `InputError`, with the row and the column.
    """
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            for row, value in enumerate(column, first_row):
                try:
                    value.as_py()
                except UnicodeDecodeError as text:
                    raise _not_utf8(path, name, row=row, got=text.object) from None
            raise damaged(path, error) from None


def _unreadable(file: pq.ParquetFile, path: Path, error: pa.ArrowInvalid) -> InputError:
    """Dictionaries whose codes are not of 32 bits (pandas' categories) are checked while they are read, without a row."""
    for name in file.schema_arrow.names if "UTF8" in str(error) else ():
        try:
            file.read([name])
        except pa.ArrowInvalid:
            return _not_utf8(path, name)
    return damaged(path, error)


def _not_utf8(path: Path, column: str, **where: Any) -> InputError:
    allowed = "UTF-8, as all texts in Parquet are"
    return InputError("a text that is not UTF-8", source=str(path), column=column, allowed=allowed, **where)


def without_views(table: pa.Table) -> pa.Table:
    """Columns of string views as large strings: Arrow 26 neither takes nor compares views."""
    fields = [one.with_type(pa.large_string()) if pa.types.is_string_view(one.type) else one for one in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata))


def damaged(path: str | os.PathLike[str], why: object) -> InputError:
    """Of a Parquet file that cannot be read, with the first line of the reason. Raises `MemoryError` where it is want of memory."""
    line = (str(why).splitlines() or [""])[0]
    if "Resource temporarily unavailable" in line or "Cannot allocate memory" in line:  # a thread that is not started
        raise MemoryError(line)
    return InputError(f"the Parquet file is damaged ({line[:200]})", source=os.fspath(path))
