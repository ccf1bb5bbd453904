"""What a job is: its input in chunks of bounded size, its options, and the identity that tells it from any other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import InputError, OptionError
from ..files.parquet_file import open_parquet, parquet_errors
from ..files.tables import Table
from ..matcher.match_function import MatchFunction
from ..matcher.origin import Origin
from ..matcher.policy import SPECIFICATION
from ..models.releases import SHAPE_FEATURES, installed_releases
from .source import Chunk, State, cut_chunks, find_sources

CHUNK_ROWS = 1 << 19
"""Rows of a chunk: some seconds of work, some 200 MB of memory, and no more lost when a worker dies."""

_LIBRARIES = ("pyarrow", *SHAPE_FEATURES)


@dataclass(frozen=True)
class Options:
    """What shapes the result of a job beside its input and its model.

    Parameters
    ----------
    a, b
        The columns of the two diagnoses.
    features, shap
        Whether each feature, each SHAP value becomes a column.
    rejecting
        Whether rows that cannot be right are left out; else the first of them ends the job.
    chunk_rows
        At most so many rows in a chunk.
    judge_all
        Whether rows with a diagnosis that is not understood are scored, too.
    policy
        Which relations count as a match.
    relation
        Whether the relation and its probabilities become columns.
    threshold
        The probability from which a pair is a match; the model's own if None.

    Raises
    ------
    OptionError
        For chunks of less than one row.
    """

    a: str = "a"
    b: str = "b"
    features: bool = False
    shap: bool = False
    rejecting: bool = False
    chunk_rows: int = CHUNK_ROWS
    judge_all: bool = False
    policy: str = SPECIFICATION
    relation: bool = False
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.chunk_rows < 1:
            raise OptionError("chunk_rows", "a number of rows, at least 1", self.chunk_rows)

    @property
    def texts(self) -> tuple[str, str]:
        return self.a, self.b


@dataclass(frozen=True)
class Job:
    """All that a worker must know, on this machine or another that sees the same files: picklable, and small.

    inputs : the files, as they were when it began. input_schema, schema : of the rows that come and of those that are written.
    model, store, endpoints : paths (of the model also its name and commit on the hub), as `load` takes them; origin : as it does, too. folder : the checkpoint directory.
    about : what the identity is made of, in words and digests. identity : sixteen hexadecimal digits.
    workers : how many chunks are under way at once; None leaves it to the engine.
    """

    chunks: tuple[Chunk, ...]
    inputs: Mapping[Path, State]
    input_schema: pa.Schema
    schema: pa.Schema
    options: Options
    model: Path | str | None
    store: Path | None
    endpoints: Path | None
    folder: Path
    about: Mapping[str, Any]
    identity: str
    workers: int | None = None
    origin: Origin = field(default_factory=Origin)

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)

    def part(self, chunk: Chunk) -> Path:
        """Names in the order of the rows, for readers that sort the files of a folder by name."""
        return self.folder / f"part-{chunk.number:0{max(5, len(str(len(self.chunks) - 1)))}}.parquet"

    def hashes(self, chunk: Chunk) -> Path:
        """Where the hashes of its part and its rejected rows wait; there before the part has its name."""
        return self.folder / f"_{self.part(chunk).stem}.sha256"

    def rejects(self, chunk: Chunk) -> Path:
        """Where the rejected rows of a chunk wait for the end of the job."""
        return self.folder / self.part(chunk).name.replace("part-", "_rejects-")


def plan_job(
    source: Path,
    folder: Path,
    m: MatchFunction,
    options: Options,
    *,
    model: Path | str | None = None,
    store: Path | None = None,
    endpoints: Path | None = None,
    workers: int | None = None,
    origin: Origin | None = None,
) -> Job:
    """The job of scoring a Parquet file, or all those of a folder, with the checkpoint directory `folder`.

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
    chunks = cut_chunks(sources, options.chunk_rows)
    if not chunks:
        raise InputError("the table has no rows", source=str(source), allowed="at least one row")
    _check_texts(chunks[0], schema, options)
    kinds = m.added_columns(
        features=options.features, shap=options.shap, relation=options.relation, readings=True, beside=schema.names,
        source=str(source),
    )  # fmt: skip
    schema = pa.schema([field for field in schema if field.name not in kinds], schema.metadata)
    added = [pa.field(name, pa.type_for_alias(kind)) for name, kind in kinds.items()]
    about = {
        "dxmatch": metadata.version("dxmatch"),
        "model": m.identity,
        "libraries": ", ".join(f"{name} {release}" for name, release in installed_releases(_LIBRARIES).items()),
        "votes": None if store is None else _digest([store.name, store.stat().st_size, store.stat().st_mtime_ns]),
        **asdict(options),
        "input": _digest(
            [[one.path.name, one.state.size, one.state.modified, one.footer, str(one.schema)] for one in sources]
        ),
        "rows": sum(chunk.rows for chunk in chunks),
    }
    return Job(
        chunks=chunks,
        inputs={one.path: one.state for one in sources},
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
        origin=origin or {},
    )


def _check_texts(chunk: Chunk, schema: pa.Schema, options: Options) -> None:
    """Refuses columns of diagnoses that are missing or hold something other than text, by the first rows of the input."""
    Table(schema.empty_table(), str(chunk.path), 1).require_named({"a": options.a, "b": options.b}, "a diagnosis")
    with parquet_errors(chunk.path), open_parquet(chunk.path) as file:
        head = pa.Table.from_batches([next(file.iter_batches(columns=list(options.texts)))])
        for name in options.texts:
            Table(head, str(chunk.path), 1).text(name)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
