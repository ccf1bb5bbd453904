"""A job: Parquet files cut into chunks of bounded size, all that tells it from any other, and a chunk as every engine does it."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from threading import Event
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import SET_ASIDE, DxmatchError, InputError
from ..features.names import Names
from ..files.atomic import whole_file
from ..files.pairs import check_text
from ..files.parquet_file import check_values, damaged, open_parquet, parquet_errors, read_parquet, rows_of_groups
from ..files.table import Problems, Table, is_text
from ..files.tables import check_file, with_columns
from ..matcher.batch import Batch, PairModel
from ..matcher.match_function import MatchFunction
from ..models.manifest import SHAPE_FEATURES, installed_releases
from ..options import Between, Options

CHUNK_ROWS = 1 << 18
"""Rows of a chunk: a second or two of work, some 100 MB of memory, and no more lost when a worker dies."""
OWN_ROWS = 1 << 16
"""Rows that share texts where the job does not hold them all: at most twice as many names, some 300 MB."""
_TEXT = pa.dictionary(pa.int32(), pa.large_string())
_FOOTER_KEY = b"dxmatch"
_DICTIONARY_BYTES = 64 << 20
_LIBRARIES = ("numpy", "numba", "pyarrow", *SHAPE_FEATURES)


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
class Done:
    """What came of a chunk; the footer of its part says it.

    counts : the rows that were scored; of them the matches, those with a diagnosis that is not understood, and those that each feature is
    known for. rejected : why rows were left out, by their place in the chunk.
    """

    counts: Sequence[int]
    rejected: Mapping[int, str]


@dataclass(frozen=True)
class Plan:
    """All that a worker must know, on this machine or another that sees the same files: picklable.

    m : the match function. columns : those of the rows that are kept. schema : of the rows that are written. texts : the columns of the two
    diagnoses. rejecting : rows that cannot be right are left out; else the first of them ends the job. folder : where the parts wait.
    about : all that shapes the result, by the words for it. names : those of all texts, prepared; None until they are, and where each chunk
    reads its own.
    """

    m: MatchFunction
    chunks: tuple[Chunk, ...]
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

    def write_part(self, chunk: Chunk, ended: Event | None = None) -> Done:
        """Scores a chunk and writes its part. It works on the thread that calls it.

        ended : set where the job ends before its chunks; one that reads its own names is given up soon.

        Raises
        ------
        DxmatchError
            With the rows of the chunk; where the file is damaged, or a row cannot be right and none may be rejected, an `InputError`.
        """
        try:
            return self._write_part(chunk, ended)
        except DxmatchError:
            raise
        except Exception as error:
            rows = f"{chunk.path}, rows {chunk.first + 1:,} to {chunk.first + chunk.rows:,}"
            why = "out of memory" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"
            raise DxmatchError(f"{rows}: chunk {chunk.number} failed ({why}).") from error

    def _write_part(self, chunk: Chunk, ended: Event | None) -> Done:
        table = read_rows(chunk, self.columns, self.texts)
        scored, counts, rejected = list[pa.Table](), 0, dict[int, str]()
        step = OWN_ROWS if self.names is None else chunk.rows
        for start in range(0, chunk.rows, step):
            if ended is not None and ended.is_set():
                raise DxmatchError("The job was interrupted.")
            rows = Rows(self, chunk, table.slice(start, step), start)
            batch = rows.batch(self.model, self.names or Names.read(rows.texts, self.m.providers))
            added = batch.columns(self.add, all_readings=True)
            pairs, *known = rows_known(batch)
            counts += np.array([pairs, pc.sum(added["match"]).as_py() or 0, added["match"].null_count, *known])
            scored.append(with_columns(rows.table, added))
            rejected |= rows.rejected
        done = Done(np.array(counts).tolist(), rejected)
        whole = pa.concat_tables(scored).unify_dictionaries().combine_chunks()
        about = {"job": self.about, "chunk": chunk.number, **vars(done)}
        with whole_file(self.part(chunk)) as temporary, self.writer(temporary, about) as file:
            if len(whole):
                file.write_table(whole, row_group_size=len(whole))
        return done

    def finished_parts(self, folder: Path) -> dict[int, Done]:
        """What came of the chunks whose parts are in a folder, by their numbers; a part with a damaged page is none.

        Raises
        ------
        DxmatchError
            For parts of another job.
        """
        found, paths = dict[int, Done](), sorted(folder.glob("part-*.parquet"))
        for path in paths:
            try:
                part = read_parquet(path)
                about = json.loads((part.schema.metadata or {})[_FOOTER_KEY])
                done = Done(about["counts"], {int(row): why for row, why in about["rejected"].items()})
                job, number = about["job"], about["chunk"]
            except (InputError, KeyError, ValueError, TypeError, AttributeError):
                continue
            if job != self.about:
                differs = [
                    f"another {words}" if words in ("input", "vote store") else f"{words} {job.get(words)}, not {value}"
                    for words, value in self.about.items()
                    if job.get(words) != value
                ]
                raise DxmatchError(
                    f"{folder} holds {len(paths):,} finished chunks of another job: {'; '.join(differs)}. To go on with that one, "
                    "give the same input, model and options as then; to replace it, use the option 'restart'."
                )
            chunk = self.chunks[number]
            if path.name == self.part(chunk).name and len(part) + len(done.rejected) == chunk.rows:
                found[number] = done
        return found

    def rejected_rows(self, finished: Mapping[int, Done]) -> Iterator[pa.Table]:
        """The rows that were left out, with their numbers and reasons: a table for each chunk that has some."""
        for chunk in self.chunks:
            if rejected := sorted(finished[chunk.number].rejected.items()):
                places, why = zip(*rejected, strict=True)
                rows = read_rows(chunk, self.columns).take(pa.array(places, pa.int64()))
                numbers = [chunk.first + 1 + place for place in places]
                yield with_columns(rows, {"rejected_row": numbers, "rejected_because": why})

    @contextmanager
    def writer(self, path: Path, about: Mapping[str, Any] | None = None) -> Iterator[pq.ParquetWriter]:
        """A Parquet file with the columns of the job's result. The diagnoses are written from dictionary arrays, and read as what they came as.

        about : for the footer of a part: the job, and what is in it.
        """
        fields = [field.with_type(_TEXT) if field.name in self.texts else field for field in self.schema]
        # The schema that pyarrow would store itself says dictionaries.
        metadata = {
            **(self.schema.metadata or {}),
            b"ARROW:schema": base64.b64encode(self.schema.serialize().to_pybytes()),
        }
        if about is not None:
            metadata[_FOOTER_KEY] = json.dumps(about, sort_keys=True).encode()
        storage: dict[str, Any] = {
            # Numbers hardly repeat, and a dictionary of them is larger than they are.
            "use_dictionary": [field.name for field in self.schema if not pa.types.is_primitive(field.type)],
            "dictionary_pagesize_limit": _DICTIONARY_BYTES,
            # The least and the greatest diagnosis of a part serve no one, and finding them takes longer than writing.
            "write_statistics": [name for name in self.schema.names if name not in self.texts],
            "write_page_checksum": True,
            "store_schema": False,
        }
        with pq.ParquetWriter(path, pa.schema(fields), **storage) as file:
            yield file
            file.add_key_value_metadata(metadata)


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
    state = state_of(source)
    opened = {path: _opened(path) for path in parquet_files(source)}
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
    written = [*kept, *map(pa.field, added.keys(), added.values())]
    store = m.providers.store
    about = {
        **versions(),
        "model": m.identity,
        "policy": m.policy,
        "threshold": m.threshold,
        "judge_all": m.judge_all,
        "vote store": None if store is None else _digest([store.path.name, [vars(one) for one in store.status()]]),
        "column a": a,
        "column b": b,
        "further columns": ", ".join(sorted(add)),
        "rejects": rejecting,
        "rows of a chunk": chunk_rows,
        "input": state,
    }
    return Plan(
        m, tuple(chunks), tuple(field.name for field in kept), pa.schema(written, schema.metadata), (a, b), tuple(add),
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


def state_of(source: Path) -> str:
    """Tells the files of the input, their sizes and when they were changed from any others."""
    with parquet_errors(source):
        status = [(path.name, path.stat()) for path in parquet_files(source)]
    return _digest([(name, one.st_size, one.st_mtime_ns) for name, one in status])


def versions() -> dict[str, str]:
    """What is here of what shapes the bits of a result."""
    python = "{}.{}".format(*sys.version_info)
    return {"dxmatch": metadata.version("dxmatch"), "Python": python, **installed_releases(_LIBRARIES)}


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


class Rows:
    """Rows of a chunk, checked as those of any table; where rows may be rejected, those that cannot be right are left out.

    table : the others, as they came. sides : their two diagnoses, trimmed, one dictionary array each. rejected : as of `Done`.

    Raises
    ------
    InputError
        For the first row that cannot be right, where none may be rejected.
    """

    def __init__(self, plan: Plan, chunk: Chunk, data: pa.Table, start: int = 0) -> None:
        table, problems = Table(data, str(chunk.path), chunk.first + start + 1), Problems()
        sides = [data.column(name).chunk(0) for name in plan.texts]
        sides = [pa.DictionaryArray.from_arrays(one.indices, pc.utf8_trim_whitespace(one.dictionary)) for one in sides]
        for name, side in zip(plan.texts, sides, strict=True):
            check_text(table, name, pa.chunked_array([side]), problems)
        if problems and not plan.rejecting:
            raise problems[min(problems)].with_remedy(SET_ASIDE)
        if problems:
            good = pa.array(np.isin(np.arange(len(data)), [*problems], invert=True))
            data, sides = data.filter(good), [side.filter(good) for side in sides]
        self.table, self.sides, self._source = data, sides, table.source
        self.rejected = {start + row: str(problem) for row, problem in problems.items()}

    @property
    def texts(self) -> list[str]:
        """The different diagnoses."""
        return pc.unique(pa.concat_arrays([pc.unique(side).dictionary_decode() for side in self.sides])).to_pylist()

    def batch(self, model: PairModel, names: Names) -> Batch:
        """The rows as pairs of names. Raises `InputError` where a diagnosis is none of their texts, since the file changed after the first pass."""
        texts, places = pa.array(names.texts, pa.large_string()), list[NDArray[np.int32]]()
        for side in self.sides:
            found = pc.index_in(side.dictionary, texts).take(side.indices)
            if found.null_count:
                raise damaged(self._source, "it changed while it was read")
            places.append(found.to_numpy())
        a, b = places
        return Batch(model, names, names.name_of[a], names.name_of[b], texts=(a, b), threads=1)


def rows_known(batch: Batch) -> list[int]:
    """How many rows there are, and for how many of them each feature has a value."""
    return [len(batch), *(round(share * len(batch)) for share in batch.coverage.values())]


def read_rows(chunk: Chunk, columns: Sequence[str], texts: Sequence[str] = ()) -> pa.Table:
    """The rows of a chunk, every page held against its checksum.

    Parameters
    ----------
    columns
        Which, in that order.
    texts
        Those of `columns` that come as one dictionary array, whatever way they are stored.

    Raises
    ------
    InputError
        Where the file is damaged or holds fewer rows than its footer said.
    """
    with parquet_errors(chunk.path), open_parquet(chunk.path, texts) as file:
        counts = np.array(rows_of_groups(file), np.int64)
        starts = np.cumsum(counts) - counts
        groups = np.flatnonzero((starts < chunk.first + chunk.rows) & (starts + counts > chunk.first)).tolist()
        skip, left = chunk.first - int(starts[groups].min(initial=chunk.first)), chunk.rows
        kept = list[pa.RecordBatch]()
        for batch in file.iter_batches(chunk.rows, row_groups=groups, columns=list(columns), use_threads=False):
            if len(rows := batch.slice(skip, left)):
                kept.append(rows)
            skip, left = max(skip - len(batch), 0), left - len(rows)
            if not left:  # what follows is not read
                break
        if left:
            raise damaged(chunk.path, f"{chunk.rows - left:,} rows where its footer says {chunk.rows:,}")
        table = pa.Table.from_batches(kept)
        check_values(table, chunk.path)
        return as_dictionaries(table, texts).select(list(columns))


def as_dictionaries(table: pa.Table, texts: Sequence[str]) -> pa.Table:
    """The same, each of the columns `texts`, read as dictionaries, in one array with one dictionary."""
    return with_columns(
        table, {name: table.column(name).cast(_TEXT).unify_dictionaries().combine_chunks() for name in texts}
    )
