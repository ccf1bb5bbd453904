"""Parquet files as input: found, their footers checked, their rows read with checksums verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InputError
from ..files.parquet_file import check_parquet, damaged, open_parquet
from ..files.table_files import check_file

if TYPE_CHECKING:
    from .plan import Chunk

_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
_DICTIONARY_BYTES = 4
"""Bytes a row, uncompressed, below which a column must be stored as a dictionary and its codes: a string takes 4 and itself."""


@dataclass(frozen=True)
class Source:
    """One Parquet file. groups : the rows of each row group. modified : nanoseconds. footer : its SHA-256."""

    path: Path
    size: int
    modified: int
    footer: str
    schema: pa.Schema
    groups: tuple[int, ...]

    @classmethod
    def open(cls, path: Path) -> Source:
        """Errors: `InputError` for a file that is no Parquet file, is cut, or whose footer cannot be right."""
        if check_file(path) != ".parquet":
            raise InputError("not Parquet", source=str(path), allowed="a .parquet file, or a folder of them")
        with unreadable_told(path):
            status = path.stat()
            with open_parquet(path) as file:
                check_parquet(file, path)
                metadata, schema = file.metadata, file.schema_arrow
            groups = tuple(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))
            footer = _footer(path, status.st_size)
        if repeated := {name for name in schema.names if schema.names.count(name) > 1}:
            raise InputError("two columns of one name", source=str(path), allowed="each name once", got=min(repeated))
        return cls(path, status.st_size, status.st_mtime_ns, hashlib.sha256(footer).hexdigest(), schema, groups)

    def check_texts(self, columns: Sequence[str]) -> None:
        """Errors: `InputError` where one of the columns is missing or holds something other than text."""
        from ..files.tables import Table

        for name in columns:
            Table(pa.Table.from_batches([], self.schema), str(self.path), 1).require(name, "a diagnosis")
            kind = self.schema.field(name).type
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            if not any(is_text(kind) for is_text in _TEXTS):
                raise self._no_text(name)

    def _no_text(self, name: str) -> InputError:
        row, got = 1, None
        with unreadable_told(self.path), open_parquet(self.path) as file:
            for batch in file.iter_batches(columns=[name]):
                values = batch.column(0)
                if values.null_count < len(values):
                    at = values.is_valid().index(True).as_py()
                    row, got = row + at, values[at].as_py()
                    break
                row += len(values)
        return InputError("a value that is not text", source=str(self.path), row=row, column=name, allowed="text", got=got)  # fmt: skip


def _footer(path: Path, size: int) -> bytes:
    with path.open("rb") as handle:
        handle.seek(size - 8)
        length = int.from_bytes(handle.read(4), "little")
        handle.seek(size - 8 - length)
        return handle.read()


def find_sources(source: Path) -> list[Source]:
    """The Parquet file, or those of the folder in the order of their names (".…" and "_…" are no data).

    Errors: `InputError`.
    """
    if not source.is_dir():
        return [Source.open(source)]
    with unreadable_told(source):
        paths = sorted(p for p in source.iterdir() if p.suffix.lower() == ".parquet" and p.name[0] not in "._")
    if not paths:
        raise InputError("a folder without a .parquet file", source=str(source), allowed="Parquet files of the same columns")  # fmt: skip
    return [Source.open(path) for path in paths]


@contextmanager
def unreadable_told(path: Path) -> Iterator[None]:
    """Turns what pyarrow and the system say of a file that cannot be read into an `InputError` that names it."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, pa.ArrowException):
            raise InputError(f"the file could not be read ({os.strerror(error.errno)})", source=str(path)) from error
        raise damaged(path, error) from None


def read_rows(chunk: Chunk, texts: Sequence[str], columns: Sequence[str]) -> pa.Table:
    """The rows of a chunk; those of `columns` that are in `texts` too as dictionary arrays of strings.

    Errors: `InputError` where the file is damaged or holds fewer rows than its footer says.
    """
    low, high = chunk.groups
    with unreadable_told(chunk.path), open_parquet(chunk.path) as file:
        stored = _stored_as_dictionaries(file.metadata, texts, low, high)
    with unreadable_told(chunk.path), open_parquet(chunk.path, stored) as file:
        whole = sum(file.metadata.row_group(group).num_rows for group in range(low, high + 1))
        wanted = list(columns)
        if chunk.rows == whole:
            table = file.read_row_groups(list(range(low, high + 1)), columns=wanted, use_threads=False)
        else:
            table = _slice(file, chunk, wanted)
        if len(table) != chunk.rows:
            raise damaged(chunk.path, f"{len(table):,} rows where its footer says {chunk.rows:,}")
        return with_dictionaries(table, [name for name in texts if name in columns])


def _slice(file: pq.ParquetFile, chunk: Chunk, columns: list[str]) -> pa.Table:
    """A slice of a row group that is too large for a chunk: what comes before it is read and dropped, batch by batch."""
    kept, row, end = [], 0, chunk.skip + chunk.rows
    batches = file.iter_batches(1 << 17, row_groups=[chunk.groups[0]], columns=columns, use_threads=False)
    for batch in batches:
        low, high = max(chunk.skip - row, 0), min(end - row, len(batch))
        if low < high:
            kept.append(batch.slice(low, high - low))
        row += len(batch)
        if row >= end:
            break
    if not kept:
        raise damaged(chunk.path, f"no rows where its footer says {chunk.rows:,}")
    return pa.Table.from_batches(kept)


def with_dictionaries(table: pa.Table, texts: Sequence[str]) -> pa.Table:
    """The same table with each column of `texts` as one dictionary array."""
    for name in texts:
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, as_dictionary(table.column(at)))
    return table


def as_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of texts as one dictionary array of large strings with int32 codes.

    Errors: `pyarrow.ArrowInvalid` for a text that is not UTF-8.
    """
    chunks = []
    for chunk in column.chunks:
        if not pa.types.is_dictionary(chunk.type):
            # Encoded as it came: only the different texts are worth a cast.
            plain = pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)
            chunk = (chunk if plain else chunk.cast(pa.large_string())).dictionary_encode()
        codes, values = chunk.indices.cast(pa.int32()), chunk.dictionary.cast(pa.large_string())
        chunks.append(pa.DictionaryArray.from_arrays(codes, values))
    kind = pa.dictionary(pa.int32(), pa.large_string())
    whole = chunks[0] if len(chunks) == 1 else pa.chunked_array(chunks, kind).unify_dictionaries().combine_chunks()
    whole.dictionary.validate(full=True)
    return pa.chunked_array([whole])


def _stored_as_dictionaries(metadata: pq.FileMetaData, texts: Sequence[str], low: int, high: int) -> list[str]:
    """Those of `texts` that are stored as dictionaries throughout: only these are read faster as such.

    A writer gives up a dictionary that grows too large in the middle of a row group. pyarrow then needs microseconds a
    value to make one dictionary of both kinds of page, and a tenth of that to read strings and encode them.
    """
    stored = []
    for name in texts:
        size = rows = 0
        for number in range(low, high + 1):
            group = metadata.row_group(number)
            for column in (group.column(i) for i in range(group.num_columns)):
                if column.path_in_schema == name:
                    size += column.total_uncompressed_size if column.has_dictionary_page else np.inf
                    rows += group.num_rows
        if rows and size < _DICTIONARY_BYTES * rows:
            stored.append(name)
    return stored
