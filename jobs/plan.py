"""What a job is: its input in chunks of bounded size, its options, and the identity that tells it from any other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import InputError, OptionError
from ..matcher.match_function import MatchFunction
from ..models.releases import SHAPE_FEATURES
from .source import Source, find_sources

CHUNK_ROWS = 1 << 19
"""Rows of a chunk: some seconds of work, some 200 MB of memory, and no more lost when a worker dies."""

_LIBRARIES = ("pyarrow", *SHAPE_FEATURES)


@dataclass(frozen=True)
class Options:
    """What shapes the result of a job beside its input and its model.

    a, b : the columns of the two diagnoses.
    features : whether each feature becomes a column. shap : whether each SHAP value does.
    set_aside : whether rows that cannot be right are set aside; else the first of them ends the job.
    chunk_rows : at most so many rows in a chunk.

    Errors: `OptionError`.
    """

    a: str = "a"
    b: str = "b"
    features: bool = False
    shap: bool = False
    set_aside: bool = False
    chunk_rows: int = CHUNK_ROWS

    def __post_init__(self) -> None:
        if self.chunk_rows < 1:
            raise OptionError("chunk_rows", "a number of rows, at least 1", self.chunk_rows)


@dataclass(frozen=True)
class Chunk:
    """Rows of one file, which are scored, written and, after a failure, done again together.

    number : from 0, in the order of the input. first : its first row in the file, from 0.
    groups : the first and the last of its row groups. skip : rows of the first group that come before the chunk.
    """

    number: int
    path: Path
    first: int
    rows: int
    groups: tuple[int, int]
    skip: int

    @property
    def place(self) -> str:
        """For errors; rows count from 1, as a reader counts them."""
        return f"{self.path}, rows {self.first + 1:,} to {self.first + self.rows:,}"


@dataclass(frozen=True)
class Job:
    """All that a worker must know, on this machine or another that sees the same files: picklable, and small.

    input_schema, schema : of the rows that come and of those that are written.
    model, store, endpoints : paths, as `load` takes them. folder : where the parts go.
    about : what the identity is made of, in words and digests. identity : sixteen hexadecimal digits.
    workers : how many chunks are under way at once; None leaves it to the engine.
    """

    chunks: tuple[Chunk, ...]
    input_schema: pa.Schema
    schema: pa.Schema
    options: Options
    model: Path
    store: Path | None
    endpoints: Path | None
    folder: Path
    about: Mapping[str, Any]
    identity: str
    workers: int | None = None

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)

    def part_name(self, chunk: Chunk) -> str:
        """Names in the order of the rows, for readers that sort the files of a folder by name."""
        return f"part-{chunk.number:0{max(5, len(str(len(self.chunks) - 1)))}}.parquet"

    def part(self, chunk: Chunk) -> Path:
        return self.folder / self.part_name(chunk)

    def rejects(self, chunk: Chunk) -> Path:
        """Where the rows of a chunk that were set aside wait for the end of the job."""
        return self.folder / f"_rejects-{self.part_name(chunk).removeprefix('part-')}"


def plan_job(
    source: Path,
    folder: Path,
    m: MatchFunction,
    model: Path,
    options: Options,
    *,
    store: Path | None = None,
    endpoints: Path | None = None,
    workers: int | None = None,
) -> Job:
    """The job of scoring a Parquet file, or all those of a folder, whose parts go to `folder`.

    Errors: `InputError` for input without rows, files of different columns, a missing column of diagnoses or one that is
    no text, and columns of a name that would be added.
    """
    sources = find_sources(source)
    schema = sources[0].schema
    for other in sources[1:]:
        if difference := _difference(schema, other.schema):
            raise InputError(f"its columns differ from those of {sources[0].path.name}: {difference}", source=str(other.path))  # fmt: skip
    for one in sources:
        one.check_texts((options.a, options.b))
    kinds = m.added_columns(features=options.features, shap=options.shap)
    added = [pa.field(name, pa.type_for_alias(kind)) for name, kind in kinds.items()]
    if taken := [field.name for field in added if field.name in schema.names]:
        raise InputError(
            f"a column that the score would add is there already: {', '.join(taken)}",
            source=str(source),
            allowed="other names for your columns",
        )
    chunks = _chunks(sources, options.chunk_rows)
    if not chunks:
        raise InputError("the table has no rows", source=str(source), allowed="at least one row")
    about = {
        "dxmatch": metadata.version("dxmatch"),
        "model": m.identity,
        "libraries": ", ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES),
        "votes": None if store is None else _votes(store),
        **asdict(options),
        "input": _digest([[one.path.name, one.size, one.modified, one.footer] for one in sources]),
        "rows": sum(chunk.rows for chunk in chunks),
    }
    return Job(
        chunks=chunks,
        input_schema=schema,
        schema=pa.schema([*schema, *added], schema.metadata),
        options=options,
        model=model,
        store=store,
        endpoints=endpoints,
        folder=folder,
        about=about,
        identity=_digest(about),
        workers=workers,
    )


def _chunks(sources: list[Source], most: int) -> tuple[Chunk, ...]:
    """Row groups are taken together up to `most` rows; a group of more is cut into slices of nearly equal size."""
    out: list[Chunk] = []

    def add(source: Source, first: int, rows: int, groups: tuple[int, int], skip: int = 0) -> None:
        out.append(Chunk(len(out), source.path, first, rows, groups, skip))

    for source in sources:
        first = rows = begin = 0
        for group, size in enumerate(source.groups):
            if rows and rows + size > most:
                add(source, first, rows, (begin, group - 1))
                first, rows = first + rows, 0
            if not rows:
                begin = group
            rows += size
            if rows > most:
                slices = -(-rows // most)
                cuts = [rows * i // slices for i in range(slices + 1)]
                for low, high in pairwise(cuts):
                    add(source, first + low, high - low, (group, group), low)
                first, rows = first + rows, 0
        if rows:
            add(source, first, rows, (begin, len(source.groups) - 1))
    return tuple(out)


def _difference(expected: pa.Schema, got: pa.Schema) -> str:
    if expected.names != got.names:
        missing, more = set(expected.names) - set(got.names), set(got.names) - set(expected.names)
        if not missing and not more:
            return "they stand in another order"
        words = [f"{which} {', '.join(sorted(names))}" for which, names in (("without", missing), ("with", more)) if names]  # fmt: skip
        return "; ".join(words)
    kinds = [(a.name, a.type, b.type) for a, b in zip(expected, got, strict=True) if a.type != b.type]
    return ", ".join(f"{name} is {here}, not {there}" for name, there, here in kinds)


def _votes(store: Path) -> str:
    status = store.stat()
    return _digest([store.name, status.st_size, status.st_mtime_ns])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
