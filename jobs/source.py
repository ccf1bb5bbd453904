"""Parquet files as input: found, their footers checked, cut into chunks, the rows of a chunk read with checksums verified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ..errors import InputError
from ..features.interning import by_first_appearance
from ..files.parquet_file import (
    check_parquet,
    check_values,
    damaged,
    open_parquet,
    parquet_errors,
    warn_of_no_checksums,
)
from ..files.parquet_footer import Footer, read_footer
from ..files.table_files import check_file

_DICTIONARY_BYTES = 4
"""Bytes a row, uncompressed, below which a column must be stored as a dictionary and its codes: a string takes 4 and itself."""


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
                footer = check_parquet(file, path)
                schema, rows = file.schema_arrow, file.metadata.num_rows
            warn_of_no_checksums(path, footer)
        if repeated := {name for name in schema.names if schema.names.count(name) > 1}:
            raise InputError("two columns of one name", source=str(path), allowed="each name once", got=min(repeated))
        return cls(state, schema, rows, footer.digest)


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
        footer = _footer(chunk.path)
        groups, skip = _groups(footer, chunk)
        stored = [name for name in texts if _is_stored_as_dictionary(footer, groups, name)]
        with open_parquet(chunk.path, stored) as file:
            batches = file.iter_batches(chunk.rows, row_groups=groups, columns=list(columns), use_threads=False)
            kept = list(_cut(batches, skip, chunk.rows))
        if (rows := sum(map(len, kept))) != chunk.rows:
            raise damaged(chunk.path, f"{rows:,} rows where its footer says {chunk.rows:,}")
        table = pa.Table.from_batches(kept)
        check_values(table, chunk.path, chunk.first + 1)
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


def _footer(path: Path) -> Footer:
    try:
        return read_footer(path)
    except ValueError as error:
        raise damaged(path, error) from None


def _groups(footer: Footer, chunk: Chunk) -> tuple[list[int], int]:
    """The row groups that a chunk has rows of, and how many rows of the first come before it."""
    groups, skip, begin = [], 0, 0
    for number, group in enumerate(footer.groups):
        end = begin + group.rows
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


def _is_stored_as_dictionary(footer: Footer, groups: Sequence[int], name: str) -> bool:
    """Whether a column of texts is stored as dictionaries throughout: only then is it read faster as such.

    A writer gives up a dictionary that grows too large in the middle of a row group. pyarrow then needs microseconds a
    value to make one dictionary of both kinds of page, and a tenth of that to read strings and encode them.
    """
    columns = [column for group in groups for column in footer.groups[group].columns if column.path == name]
    size, values = sum(column.bytes for column in columns), sum(column.values for column in columns)
    return all(column.has_dictionary for column in columns) and size < _DICTIONARY_BYTES * values


def _difference(expected: pa.Schema, got: pa.Schema) -> str:
    if expected.names != got.names:
        missing, more = set(expected.names) - set(got.names), set(got.names) - set(expected.names)
        if not missing and not more:
            return "they stand in another order"
        words = [f"{which} {', '.join(sorted(names))}" for which, names in (("without", missing), ("with", more)) if names]  # fmt: skip
        return "; ".join(words)
    kinds = [(a.name, a.type, b.type) for a, b in zip(expected, got, strict=True) if a.type != b.type]
    return ", ".join(f"{name} is {here}, not {there}" for name, there, here in kinds)
