"""Parquet files as input: found, their footers checked, cut into chunks, the rows of a chunk read with checksums verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ..errors import InputError
from ..features.interning import by_first_appearance
from ..files.parquet_file import check_values, damaged, open_parquet, parquet_errors, rows_of_groups
from ..files.tables import check_file

_TAIL = 8
"""Bytes at the end of a Parquet file: the length of its footer, and its mark."""


@dataclass(frozen=True)
class State:
    """A file as it was when the job began. modified : nanoseconds. inode : its number on the drive, as one machine sees it."""

    path: Path
    size: int
    modified: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> State:
        status = path.stat()
        return cls(path, status.st_size, status.st_mtime_ns, status.st_ino)

    def check(self, *, here: bool) -> None:
        """Errors: `InputError` where the file has another size or time of change now, or, `here`, is another one."""
        with parquet_errors(self.path):
            now = State.of(self.path)
        if (now if here else replace(now, inode=self.inode)) != self:
            raise InputError(
                "it was changed or replaced while it was scored", source=str(self.path),
                allowed="input that stays as it is until the result is there",
            )  # fmt: skip


@dataclass(frozen=True)
class Source:
    """One Parquet file. footer : SHA-256 of its footer."""

    state: State
    schema: pa.Schema
    rows: int
    footer: str

    @property
    def path(self) -> Path:
        return self.state.path

    @classmethod
    def open(cls, path: Path) -> Source:
        """Reads and checks the footer.

        Raises
        ------
        InputError
            For a file that is no Parquet file, is cut, or whose footer cannot be right.
        """
        if check_file(path) != ".parquet":
            raise InputError("not Parquet", source=str(path), allowed="a .parquet file, or a folder of them")
        with parquet_errors(path):
            state = State.of(path)  # before it is opened: what takes its place then is noticed
            with open_parquet(path) as file:
                schema, rows = file.schema_arrow, file.metadata.num_rows
                if sum(rows_of_groups(file)) != rows:
                    raise damaged(path, f"not the {rows:,} rows in its groups that it has in all")
        if repeated := {name for name in schema.names if schema.names.count(name) > 1}:
            raise InputError("two columns of one name", source=str(path), allowed="each name once", got=min(repeated))
        return cls(state, schema, rows, _digest_of_footer(path))


@dataclass(frozen=True)
class Chunk:
    """Rows of one file, which are scored, written and, after a failure, done again together.

    number : from 0, in the order of the input. first : its first row in the file, from 0.
    """

    number: int
    path: Path
    first: int
    rows: int

    @property
    def place(self) -> str:
        """For errors; rows count from 1, as a reader counts them."""
        return f"{self.path}, rows {self.first + 1:,} to {self.first + self.rows:,}"


def find_sources(source: Path) -> list[Source]:
    """The Parquet file, or those of the folder in the order of their names (".…" and "_…" are no data).

    Raises
    ------
    InputError
        For a folder without such a file, a file that is damaged, and files of different columns.
    """
    if not source.is_dir():
        return [Source.open(source)]
    first, *others = sources = [Source.open(path) for path in parquet_files(source)]
    for other in others:
        if difference := _difference(first.schema, other.schema):
            raise InputError(f"its columns differ from those of {first.path.name}: {difference}", source=str(other.path))  # fmt: skip
    return sources


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder by name, hidden ones left out. Raises `InputError` where there is none."""
    with parquet_errors(folder):
        paths = sorted(p for p in folder.iterdir() if p.suffix.lower() == ".parquet" and p.name[0] not in "._")
    if not paths:
        raise InputError(
            "a folder without a .parquet file",
            source=str(folder), allowed="one file with pairs, or a folder of .parquet files of the same columns",
        )  # fmt: skip
    return paths


def cut_chunks(sources: Sequence[Source], max_rows: int) -> tuple[Chunk, ...]:
    """Every row once, in order, `max_rows` at a time; no chunk spans two files."""
    places = [(source, first) for source in sources for first in range(0, source.rows, max_rows)]
    return tuple(
        Chunk(number, source.path, first, min(max_rows, source.rows - first))
        for number, (source, first) in enumerate(places)
    )


def read_rows(chunk: Chunk, columns: Sequence[str], texts: Sequence[str]) -> pa.Table:
    """The rows of a chunk.

    Parameters
    ----------
    columns
        Which, in that order.
    texts
        Those of `columns` that come as one dictionary array (int32 codes, large strings), the texts in the order in
        which they appear, whatever way they are stored.

    Raises
    ------
    InputError
        Where the file is damaged or holds fewer rows than its footer said.
    """
    with parquet_errors(chunk.path):
        with open_parquet(chunk.path) as file:
            groups, skip = _groups(rows_of_groups(file), chunk)
            batches = file.iter_batches(chunk.rows, row_groups=groups, columns=list(columns), use_threads=False)
            kept = list(_cut(batches, skip, chunk.rows))
        if (rows := sum(map(len, kept))) != chunk.rows:
            raise damaged(chunk.path, f"{rows:,} rows where its footer says {chunk.rows:,}")
        table = pa.Table.from_batches(kept)
        check_values(table, chunk.path)
        for name in texts:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, pa.chunked_array([compact(as_dictionary(table.column(at)))]))
    return table.select(list(columns))


def as_dictionary(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of texts as one dictionary array of large strings with int32 codes.

    Raises
    ------
    pyarrow.ArrowInvalid
        For a text that is not UTF-8.
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
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    whole.dictionary.validate(full=True)
    return whole


def compact(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same texts, with a dictionary of none but those, in the order in which they appear."""
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    new, old = by_first_appearance(codes, len(column.dictionary))
    missing = new < 0 if column.indices.null_count else None
    return pa.DictionaryArray.from_arrays(pa.array(new, mask=missing), column.dictionary.take(pa.array(old)))


def _digest_of_footer(path: Path) -> str:
    """SHA-256, in hexadecimal digits."""
    with path.open("rb") as file:
        file.seek(-_TAIL, os.SEEK_END)
        file.seek(-_TAIL - int.from_bytes(file.read(4), "little"), os.SEEK_END)
        return hashlib.sha256(file.read()).hexdigest()


def _groups(rows: Sequence[int], chunk: Chunk) -> tuple[list[int], int]:
    """Of row groups of so many rows those that a chunk has rows of, and how many rows of the first come before it."""
    groups, skip, begin = list[int](), 0, 0
    for number, count in enumerate(rows):
        end = begin + count
        if begin < chunk.first + chunk.rows and end > chunk.first:
            skip = skip if groups else chunk.first - begin
            groups.append(number)
        begin = end
    return groups, skip


def _cut(batches: Iterator[pa.RecordBatch], skip: int, rows: int) -> Iterator[pa.RecordBatch]:
    """`rows` rows after the first `skip`; what follows is not read."""
    for batch in batches:
        part = batch.slice(skip, rows)
        skip, rows = max(skip - len(batch), 0), rows - len(part)
        if len(part):
            yield part
        if not rows:
            return


def _difference(expected: pa.Schema, got: pa.Schema) -> str:
    if expected.names != got.names:
        missing, more = set(expected.names) - set(got.names), set(got.names) - set(expected.names)
        if not missing and not more:
            return "they stand in another order"
        words = [f"{which} {', '.join(sorted(names))}" for which, names in (("without", missing), ("with", more)) if names]  # fmt: skip
        return "; ".join(words)
    kinds = [(a.name, a.type, b.type) for a, b in zip(expected, got, strict=True) if a.type != b.type]
    return ", ".join(f"{name} is {here}, not {there}" for name, there, here in kinds)
