"""Parquet files: opened with checksums verified, their texts held to UTF-8."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InputError


def read_parquet(path: Path, dictionaries: Sequence[str] = ()) -> pa.Table:
    """A Parquet file as a table, every page held against its checksum, where it has one.

    dictionaries : columns of texts to read as dictionary arrays.

    Raises
    ------
    InputError
        Where the file is damaged or cannot be read, and for a text that is not UTF-8.
    """
    with parquet_errors(path), open_parquet(path, dictionaries) as file:
        table = file.read(use_threads=not dictionaries)
        if not len(table) == sum(rows_of_groups(file)) == file.metadata.num_rows:
            raise damaged(path, f"{len(table):,} rows where its footer says {file.metadata.num_rows:,}")
        check_values(table, path)
        return _without_views(table)


def open_parquet(path: Path, dictionaries: Sequence[str] = ()) -> pq.ParquetFile:
    """The file with the checksums of its pages verified as they are read.

    Without a memory map: a file that is cut while it is read gives an error, not the death of the process. Its `metadata`
    are not to be asked for a column of a row group: there one wrong byte in a footer ends the process (pyarrow 26).
    """
    return pq.ParquetFile(path, read_dictionary=list(dictionaries), page_checksum_verification=True, pre_buffer=False)


def rows_of_groups(file: pq.ParquetFile) -> list[int]:
    """How many rows the footer says that each row group has."""
    return [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]


@contextmanager
def parquet_errors(path: Path) -> Iterator[None]:
    """Turns what pyarrow and the system say of a file that cannot be read into an `InputError` that names it."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError) as error:
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, pa.ArrowException):
            raise InputError(f"the file could not be read ({os.strerror(error.errno)})", source=str(path)) from error
        raise damaged(path, error) from None


def check_values(table: pa.Table, path: Path) -> None:
    """Refuses a text that is not UTF-8, in lists and dictionaries too, and arrays that cannot be right. Errors: `InputError`, with the column."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            raise damaged(path, f"column {name!r}: {error}") from None


def _without_views(table: pa.Table) -> pa.Table:
    """Columns of string views as large strings: Arrow 26 neither takes nor compares views."""
    fields = [one.with_type(pa.large_string()) if pa.types.is_string_view(one.type) else one for one in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata))


def damaged(path: str | os.PathLike[str], why: object) -> InputError:
    """Of a Parquet file that cannot be read, with the first line of the reason."""
    return InputError(f"the Parquet file is damaged ({str(why).partition(chr(10))[0][:200]})", source=os.fspath(path))
