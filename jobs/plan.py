"""What a job is: Parquet files cut into chunks of bounded size, its options, and the identity that tells it from any other."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import DxmatchError, InputError
from ..features.compute import cores
from ..files.parquet_file import check_values, damaged, open_parquet, parquet_errors, rows_of_groups
from ..files.tables import Table, check_file
from ..matcher.match_function import MatchFunction
from ..models.releases import SHAPE_FEATURES, installed_releases
from ..options import Between, Options

CHUNK_ROWS = 1 << 19
"""Rows of a chunk: some seconds of work, some 200 MB of memory, and no more lost when a worker dies."""
ABOUT = "_job.json"
"""In the folder where parts wait: which job it is."""
TEXT = pa.dictionary(pa.int32(), pa.large_string())
LIBRARIES = ("pyarrow", *SHAPE_FEATURES)


@dataclass(frozen=True, kw_only=True)
class Job(Options):
    """How a long job is done; its result does not depend on it.

    Parameters
    ----------
    engine : str
        "local", the cores of this machine; "ray", those of a Ray cluster that sees the same files.
    workers : int, optional
        Chunks under way at once; each takes one core. As many as there are cores if not given.
    chunk_rows : int
        At most so many rows in a chunk: what is lost when a worker dies.
    restart : bool
        Another job's parts at the same place are removed, and its result there is replaced.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    engine: Literal["local", "ray"] = "local"
    workers: Annotated[int, Between(1)] | None = None
    chunk_rows: Annotated[int, Between(1)] = CHUNK_ROWS
    restart: bool = False


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


@dataclass(frozen=True)
class Plan:
    """All that a worker must know beside M, on this machine or another that sees the same files: picklable, and small.

    inputs : size and time of change of the files, as they were when it began. input_schema, schema : of the rows that come and of those that
    are written. texts : the columns of the two diagnoses. rejecting : rows that cannot be right are left out; else the first of them ends
    the job. folder : where the parts wait. about : what the identity is made of, by the words for it. job : how it is done.
    """

    chunks: tuple[Chunk, ...]
    inputs: Mapping[Path, tuple[int, int]]
    input_schema: pa.Schema
    schema: pa.Schema
    texts: tuple[str, str]
    add: tuple[str, ...]
    rejecting: bool
    folder: Path
    about: Mapping[str, Any]
    job: Job

    @property
    def rows(self) -> int:
        """Of all chunks."""
        return sum(chunk.rows for chunk in self.chunks)

    @property
    def identity(self) -> str:
        """Sixteen hexadecimal digits."""
        return _digest(dict(self.about))

    @property
    def workers(self) -> int:
        """Chunks under way at once on this machine."""
        return self.job.workers or cores()

    def part(self, chunk: Chunk, folder: Path | None = None) -> Path:
        """Names in the order of the rows, for readers that sort the files of a folder by name."""
        return (folder or self.folder) / f"part-{chunk.number:0{max(5, len(str(len(self.chunks) - 1)))}}.parquet"

    def rejects(self, chunk: Chunk) -> Path:
        """Where the rejected rows of a chunk wait for the end of the job."""
        return self.folder / self.part(chunk).name.replace("part-", "_rejects-")

    def check_input(self, path: Path) -> None:
        """Raises `InputError` where a file is no longer what it was when the job began."""
        with parquet_errors(path):
            if _state(path) != self.inputs[path]:
                raise InputError(
                    "it was changed or replaced while it was scored", source=str(path),
                    allowed="input that stays as it is until the result is there",
                )  # fmt: skip

    def another_job(self, there: Mapping[str, Any], what: str) -> DxmatchError:
        """Says in what the job that is there differs from this one, and how to go on."""
        differs = [
            f"another {words}" if words in ("input", "vote store") else f"{words} {there.get(words)}, not {value}"
            for words, value in self.about.items()
            if there.get(words) != value
        ]
        return DxmatchError(
            f"{what} of another job: {'; '.join(differs)}. To go on with that one, give the same input, model and options as "
            "then; to replace it, use the option 'restart'."
        )


def plan_job(
    source: Path,
    folder: Path,
    m: MatchFunction,
    *,
    a: str = "a",
    b: str = "b",
    add: Sequence[str] = (),
    rejecting: bool = False,
    job: Job = Job(),
) -> Plan:
    """The plan of scoring a Parquet file, or all those of a folder, whose parts wait in `folder`.

    Raises
    ------
    InputError
        For input without rows or that is damaged, files of different columns, a missing column of diagnoses or one that is no text, and
        columns of a name that would be added.
    ModelError
        Where relations are asked for of a model without a relation model.
    """
    inputs = {
        path: _state(path) for path in (parquet_files(source) if source.is_dir() else [source]) if _is_parquet(path)
    }
    opened = {path: _opened(path) for path in inputs}
    schema = _one_schema({path: schema for path, (schema, _) in opened.items()})
    places = [(path, first, rows) for path, (_, rows) in opened.items() for first in range(0, rows, job.chunk_rows)]
    chunks = tuple(
        Chunk(number, path, first, min(job.chunk_rows, rows - first))
        for number, (path, first, rows) in enumerate(places)
    )
    if not chunks:
        raise InputError("the table has no rows", source=str(source), allowed="at least one row")
    named = Table(schema.empty_table(), str(chunks[0].path), 1)
    for option, name in (("a", a), ("b", b)):
        named.require(name, "a diagnosis", option=option)
    with parquet_errors(chunks[0].path), open_parquet(chunks[0].path) as file:
        head = Table(pa.Table.from_batches([next(file.iter_batches(columns=[a, b]))]), str(chunks[0].path), 1)
        for name in (a, b):  # refused at once where it is no text
            head.text(name)
    kinds = m.added_columns(add, beside=schema.names, source=str(source))
    kept = pa.schema([field for field in schema if field.name not in kinds], schema.metadata)
    added = [pa.field(name, pa.type_for_alias(kind)) for name, kind in kinds.items()]
    store = m.providers.store
    about = {
        "release": metadata.version("dxmatch"),
        "model": m.identity,
        "policy": m.policy,
        "threshold": m.threshold,
        "judge_all": m.judge_all,
        "libraries": ", ".join(f"{name} {release}" for name, release in installed_releases(LIBRARIES).items()),
        "vote store": None if store is None else _digest([store.path.name, [vars(one) for one in store.status()]]),
        "column a": a,
        "column b": b,
        "further columns": ", ".join(sorted(add)),
        "rejects": rejecting,
        "rows of a chunk": job.chunk_rows,
        "input": _digest([[path.name, *inputs[path], str(schema)] for path, (schema, _) in opened.items()]),
        "rows": sum(chunk.rows for chunk in chunks),
    }
    written = pa.schema([*kept, *added], kept.metadata)
    return Plan(chunks, inputs, kept, written, (a, b), tuple(add), rejecting, folder, about, job)


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder by name, hidden ones left out ("_…" and ".…" are no data). Raises `InputError` where there is none."""
    with parquet_errors(folder):
        paths = sorted(p for p in folder.iterdir() if p.suffix.lower() == ".parquet" and p.name[0] not in "._")
    if not paths:
        raise InputError(
            "a folder without a .parquet file",
            source=str(folder), allowed="one file with pairs, or a folder of .parquet files of the same columns",
        )  # fmt: skip
    return paths


def read_rows(chunk: Chunk, columns: Sequence[str], texts: Sequence[str]) -> pa.Table:
    """The rows of a chunk, every page held against its checksum.

    Parameters
    ----------
    columns
        Which, in that order.
    texts
        Those of `columns` that come as one dictionary array (int32 codes, large strings), whatever way they are stored.

    Raises
    ------
    InputError
        Where the file is damaged or holds fewer rows than its footer said.
    """
    with parquet_errors(chunk.path):
        with open_parquet(chunk.path) as file:
            groups, skip, begin = list[int](), 0, 0
            for number, count in enumerate(rows_of_groups(file)):
                if begin < chunk.first + chunk.rows and begin + count > chunk.first:
                    skip = skip if groups else chunk.first - begin
                    groups.append(number)
                begin += count
            kept, left = list[pa.RecordBatch](), chunk.rows
            for batch in file.iter_batches(chunk.rows, row_groups=groups, columns=list(columns), use_threads=False):
                kept.append(batch.slice(skip, left))
                skip, left = max(skip - len(batch), 0), left - len(kept[-1])
                if not left:  # what follows is not read
                    break
        if left:
            raise damaged(chunk.path, f"{chunk.rows - left:,} rows where its footer says {chunk.rows:,}")
        table = pa.Table.from_batches([batch for batch in kept if len(batch)])
        check_values(table, chunk.path)
        for name in texts:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, pa.chunked_array([compact(as_dictionary(table.column(at)))]))
    return table.select(list(columns))


def as_dictionary(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of texts as one dictionary array of large strings with int32 codes. Raises `pyarrow.ArrowInvalid` for a text that is not UTF-8."""
    chunks = []
    for chunk in column.chunks:
        if not pa.types.is_dictionary(chunk.type):
            # Encoded as it came: only the different texts are worth a cast.
            plain = pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)
            chunk = (chunk if plain else chunk.cast(pa.large_string())).dictionary_encode()
        codes, values = chunk.indices.cast(pa.int32()), chunk.dictionary.cast(pa.large_string())
        chunks.append(pa.DictionaryArray.from_arrays(codes, values))
    whole = chunks[0] if len(chunks) == 1 else pa.chunked_array(chunks, TEXT).unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    whole.dictionary.validate(full=True)
    return whole


def compact(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same texts, with a dictionary of none but those, in the order in which they appear."""
    used = pc.unique(column.indices).drop_null()
    codes = pc.index_in(column.indices, used, skip_nulls=True)
    return pa.DictionaryArray.from_arrays(codes, column.dictionary.take(used))


def _is_parquet(path: Path) -> bool:
    if check_file(path) != ".parquet":
        raise InputError("not Parquet", source=str(path), allowed="a .parquet file, or a folder of them")
    return True


def _state(path: Path) -> tuple[int, int]:
    """Its size, and when it was changed, in nanoseconds."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _opened(path: Path) -> tuple[pa.Schema, int]:
    """The columns and the rows that its footer tells. Raises `InputError` for a footer that cannot be right."""
    with parquet_errors(path), open_parquet(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
        if sum(rows_of_groups(file)) != rows:
            raise damaged(path, f"not the {rows:,} rows in its groups that it has in all")
    if repeated := {name for name in schema.names if schema.names.count(name) > 1}:
        raise InputError("two columns of one name", source=str(path), allowed="each name once", got=min(repeated))
    return schema, rows


def _one_schema(schemas: Mapping[Path, pa.Schema]) -> pa.Schema:
    (first, schema), *others = schemas.items()
    for path, other in others:
        if schema.names != other.names:
            missing, more = set(schema.names) - {*other.names}, {*other.names} - set(schema.names)
            words = [
                f"{which} {', '.join(sorted(some))}" for which, some in (("without", missing), ("with", more)) if some
            ]
            difference = "; ".join(words) or "they stand in another order"
        else:
            kinds = [(a.name, a.type, b.type) for a, b in zip(schema, other, strict=True) if a.type != b.type]
            difference = ", ".join(f"{name} is {here}, not {there}" for name, there, here in kinds)
        if difference:
            raise InputError(f"its columns differ from those of {first.name}: {difference}", source=str(path))
    return schema


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
