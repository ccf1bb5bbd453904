"""What a job is: Parquet files cut into chunks of bounded size, its options, and all that tells it from any other job."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa

from ..errors import DxmatchError, InputError
from ..features.names import Names
from ..files.parquet_file import damaged, open_parquet, parquet_errors, rows_of_groups
from ..files.table import Table, is_text
from ..files.tables import check_file
from ..matcher.batch import PairModel
from ..matcher.match_function import MatchFunction
from ..models.manifest import SHAPE_FEATURES, installed_releases
from ..options import Between, Options

CHUNK_ROWS = 1 << 19
"""Rows of a chunk: some seconds of work, some 200 MB of memory, and no more lost when a worker dies."""
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


@dataclass(frozen=True)
class Plan:
    """All that a worker must know, on this machine or another that sees the same files: picklable.

    m : the match function. inputs : size and time of change of the files, as they were when it began. columns : those of the rows that are
    kept. schema : of the rows that are written. texts : the columns of the two diagnoses. rejecting : rows that cannot be right are left
    out; else the first of them ends the job. folder : where the parts wait. about : all that shapes the result, by the words for it.
    names : those of all texts, prepared; None until they are, and where each chunk reads its own.
    """

    m: MatchFunction
    chunks: tuple[Chunk, ...]
    inputs: Mapping[Path, tuple[int, int]]
    columns: tuple[str, ...]
    schema: pa.Schema
    texts: tuple[str, str]
    add: tuple[str, ...]
    rejecting: bool
    folder: Path
    about: Mapping[str, Any]
    names: Names | None = None

    @property
    def rows(self) -> int:
        """Of all chunks."""
        return sum(chunk.rows for chunk in self.chunks)

    @property
    def model(self) -> PairModel:
        """What the pairs are seen with; the job holds the share of all rows that a vote is known for against the limit, no chunk its own."""
        return replace(self.m.model, min_coverage=0)

    def part(self, chunk: Chunk) -> Path:
        """Names in the order of the rows, for readers that sort the files of a folder by name."""
        return self.folder / f"part-{chunk.number:0{max(5, len(str(len(self.chunks) - 1)))}}.parquet"

    def check_inputs(self) -> None:
        """Raises `InputError` where a file is no longer what it was when the job began."""
        for path, before in self.inputs.items():
            with parquet_errors(path):
                if _state(path) != before:
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
    chunk_rows: int = CHUNK_ROWS,
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
    inputs = {path: _state(path) for path in parquet_files(source)}
    opened = {path: _opened(path) for path in inputs}
    (first, (schema, _)), *_ = opened.items()
    chunks = list[Chunk]()
    for path, (own, rows) in opened.items():
        columns, expected = ([f"{field.name} {field.type}" for field in one] for one in (own, schema))
        if columns != expected:
            differ = ", ".join(sorted({*columns} ^ {*expected})) or "their order"
            raise InputError(f"its columns differ from those of {first.name} in {differ}", source=str(path))
        for start in range(0, rows, chunk_rows):
            chunks.append(Chunk(len(chunks), path, start, min(chunk_rows, rows - start)))
    if not chunks:
        raise InputError("the table has no rows", source=str(source), allowed="at least one row")
    for option, name in (("a", a), ("b", b)):
        Table(schema.empty_table(), str(first), 1).require(name, "a diagnosis", option=option)
        if not is_text(kind := schema.field(name).type):
            raise InputError("a column that is not text", source=str(first), column=name, allowed="text", got=str(kind))
    added = m.model.added_columns(add, beside=schema.names, source=str(source))
    kept = [field for field in schema if field.name not in added]
    written = [*kept, *(pa.field(name, pa.type_for_alias(kind)) for name, kind in added.items())]
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
        "rows of a chunk": chunk_rows,
        "input": _digest([[path.name, *inputs[path], str(own)] for path, (own, _) in opened.items()]),
        "rows": sum(chunk.rows for chunk in chunks),
    }
    return Plan(
        m, tuple(chunks), inputs, tuple(field.name for field in kept), pa.schema(written, schema.metadata), (a, b), tuple(add),
        rejecting, folder, about,
    )  # fmt: skip


def parquet_files(source: Path) -> list[Path]:
    """A Parquet file, or those of a folder by name, hidden ones left out ("_…" and ".…" are no data). Raises `InputError` where there is none."""
    if not source.is_dir():
        if check_file(source) != ".parquet":
            raise InputError("not Parquet", source=str(source), allowed="a .parquet file, or a folder of them")
        return [source]
    with parquet_errors(source):
        paths = sorted(p for p in source.iterdir() if p.suffix.lower() == ".parquet" and p.name[0] not in "._")
    if not paths:
        raise InputError(
            "a folder without a .parquet file",
            source=str(source), allowed="one file with pairs, or a folder of .parquet files of the same columns",
        )  # fmt: skip
    return paths


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


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
