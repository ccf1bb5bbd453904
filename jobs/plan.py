"""What a job is: its input in chunks of bounded size, its options, and the identity that tells it from any other."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa

from ..errors import InputError
from ..files.parquet_file import open_parquet, parquet_errors
from ..files.tables import Table
from ..matcher.match_function import MatchFunction
from ..models.releases import SHAPE_FEATURES, installed_releases
from ..options import Between, Options
from .source import Chunk, State, cut_chunks, find_sources

CHUNK_ROWS = 1 << 19
"""Rows of a chunk: some seconds of work, some 200 MB of memory, and no more lost when a worker dies."""

_LIBRARIES = ("pyarrow", *SHAPE_FEATURES)


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
class Plan:
    """All that a worker must know beside M, on this machine or another that sees the same files: picklable, and small.

    inputs : the files, as they were when it began. input_schema, schema : of the rows that come and of those that are written.
    texts : the columns of the two diagnoses. add : as of `score_files`. rejecting : rows that cannot be right are left out; else the first
    of them ends the job.
    folder : the checkpoint directory.
    about : what the identity is made of, in words and digests. identity : sixteen hexadecimal digits.
    """

    chunks: tuple[Chunk, ...]
    inputs: Mapping[Path, State]
    input_schema: pa.Schema
    schema: pa.Schema
    texts: tuple[str, str]
    add: tuple[str, ...]
    rejecting: bool
    folder: Path
    about: Mapping[str, Any]
    identity: str
    job: Job

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)

    @property
    def threads(self) -> int:
        """Chunks under way at once on this machine."""
        return self.job.workers or cores()

    def part(self, chunk: Chunk) -> Path:
        """Names in the order of the rows, for readers that sort the files of a folder by name."""
        return self.folder / f"part-{chunk.number:0{max(5, len(str(len(self.chunks) - 1)))}}.parquet"

    def hashes(self, chunk: Chunk) -> Path:
        """Where the hashes of its part and its rejected rows wait; there before the part has its name."""
        return self.folder / f"_{self.part(chunk).stem}.sha256"

    def rejects(self, chunk: Chunk) -> Path:
        """Where the rejected rows of a chunk wait for the end of the job."""
        return self.folder / self.part(chunk).name.replace("part-", "_rejects-")


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    """The plan of scoring a Parquet file, or all those of a folder, with the checkpoint directory `folder`.

    Raises
    ------
    InputError
        For input without rows, files of different columns, a missing column of diagnoses or one that is no text, and
        columns of a name that would be added.
    ModelError
        Where relations are asked for of a model without a relation model.
    """
    sources = find_sources(source)
    schema = sources[0].schema
    chunks = cut_chunks(sources, job.chunk_rows)
    if not chunks:
        raise InputError("the table has no rows", source=str(source), allowed="at least one row")
    _check_texts(chunks[0], schema, a, b)
    kinds = m.added_columns(add, readings=True, beside=schema.names, source=str(source))
    schema = pa.schema([field for field in schema if field.name not in kinds], schema.metadata)
    added = [pa.field(name, pa.type_for_alias(kind)) for name, kind in kinds.items()]
    store = None if m.providers.store is None else m.providers.store.path
    about = {
        "dxmatch": metadata.version("dxmatch"),
        "model": m.identity,
        "policy": m.policy,
        "threshold": m.threshold,
        "judge_all": m.judge_all,
        "libraries": ", ".join(f"{name} {release}" for name, release in installed_releases(_LIBRARIES).items()),
        "votes": None if store is None else _digest([store.name, store.stat().st_size, store.stat().st_mtime_ns]),
        "a": a,
        "b": b,
        "add": ", ".join(sorted(add)),
        "rejecting": rejecting,
        "chunk_rows": job.chunk_rows,
        "input": _digest(
            [[one.path.name, one.state.size, one.state.modified, one.footer, str(one.schema)] for one in sources]
        ),
        "rows": sum(chunk.rows for chunk in chunks),
    }
    return Plan(
        chunks=chunks,
        inputs={one.path: one.state for one in sources},
        input_schema=schema,
        schema=pa.schema([*schema, *added], schema.metadata),
        texts=(a, b),
        add=tuple(add),
        rejecting=rejecting,
        folder=folder,
        about=about,
        identity=_digest(about),
        job=job,
    )


def _check_texts(chunk: Chunk, schema: pa.Schema, a: str, b: str) -> None:
    """Refuses columns of diagnoses that are missing or hold something other than text, by the first rows of the input."""
    Table(schema.empty_table(), str(chunk.path), 1).require_named({"a": a, "b": b}, "a diagnosis")
    with parquet_errors(chunk.path), open_parquet(chunk.path) as file:
        head = pa.Table.from_batches([next(file.iter_batches(columns=[a, b]))])
        for name in (a, b):
            Table(head, str(chunk.path), 1).text(name)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
