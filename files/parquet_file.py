"""Parquet files: opened with checksums verified, their footers held against themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InputError


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
        Where the file is damaged or cannot be read.
    """
    with parquet_errors(path), open_parquet(path, dictionaries) as file:
        check_parquet(file, path)
        table = file.read(use_threads=not dictionaries)
        if len(table) != file.metadata.num_rows:
            raise damaged(path, f"{len(table):,} rows where its footer says {file.metadata.num_rows:,}")
        return table


def open_parquet(path: Path, dictionaries: Sequence[str] = ()) -> pq.ParquetFile:
    """The file with the checksums of its pages verified as they are read; `dictionaries` are read as dictionary arrays.

    Without a memory map: a file that is cut while it is read gives an error, not the death of the process.
    """
    return pq.ParquetFile(path, read_dictionary=list(dictionaries), page_checksum_verification=True, pre_buffer=False)


@contextmanager
def parquet_errors(path: Path) -> Iterator[None]:
    """Turns what pyarrow and the system say of a file that cannot be read into an `InputError` that names it."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, pa.ArrowException):
            raise InputError(f"the file could not be read ({os.strerror(error.errno)})", source=str(path)) from error
        raise damaged(path, error) from None


def check_parquet(file: pq.ParquetFile, path: str | os.PathLike[str]) -> None:
    """Holds the parts of a footer against each other: nothing in the format guards it, where checksums guard the pages.

    Errors: `InputError` where the rows of the groups do not add up, or a column has another name or number of values in
    one place than in another.
    """
    metadata, schema = file.metadata, file.metadata.schema
    rows = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        rows += group.num_rows
        if group.num_columns != len(schema):
            raise damaged(path, f"{group.num_columns} columns in row group {number}, {len(schema)} in the schema")
        for index in range(group.num_columns):
            chunk, column = group.column(index), schema.column(index)
            if chunk.path_in_schema != column.path:
                raise damaged(
                    path, f"a column is {chunk.path_in_schema!r} in row group {number}, {column.path!r} in the schema"
                )
            if column.max_repetition_level == 0 and chunk.num_values != group.num_rows:
                raise damaged(
                    path,
                    f"{chunk.num_values:,} values of {column.path!r} in the {group.num_rows:,} rows of group {number}",
                )
    if rows != metadata.num_rows:
        raise damaged(path, f"{rows:,} rows in its groups, {metadata.num_rows:,} in all")


def damaged(path: str | os.PathLike[str], why: object) -> InputError:
    """Of a Parquet file that cannot be read, with the first line of the reason."""
    line = (str(why).splitlines() or [""])[0]
    return InputError(f"the Parquet file is damaged ({line[:200]})", source=os.fspath(path))
