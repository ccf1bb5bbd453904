"""A chunk, as every engine does it: its rows read and checked, one Batch, one part written, which says of which job it is."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
from ..files.table import Problems, Table
from ..files.tables import with_columns
from ..matcher.batch import Batch, PairModel
from ..matcher.match_function import MatchFunction
from .plan import Chunk, Plan

OWN_ROWS = 1 << 16
"""Rows that share texts where the job does not hold them all: at most twice as many names, some 300 MB."""
_TEXT = pa.dictionary(pa.int32(), pa.large_string())
_FOOTER_KEY = b"dxmatch"
_DICTIONARY_BYTES = 64 << 20


@dataclass(frozen=True)
class ChunkResult:
    """What came of a chunk; its part is written.

    rows : that were scored. matches : of them. unscored : of them, those with a diagnosis that is not understood; their probability is null.
    known : for how many of them each feature has a value. rejected : why rows were left out, by their place in the chunk.
    """

    rows: int
    matches: int
    unscored: int
    known: Sequence[int]
    rejected: Mapping[int, str]

    @classmethod
    def of(cls, part: pa.Table, known: Sequence[int], rejected: Mapping[Any, str]) -> ChunkResult:
        """Of the rows of a part, and what else its footer says."""
        match = part.column("match")
        left_out = {int(row): why for row, why in rejected.items()}
        return cls(len(part), pc.sum(match).as_py() or 0, match.null_count, tuple(known), left_out)


class CheckedRows:
    """n rows of a chunk, whose two diagnoses are one dictionary array each, checked as those of any table.

    table : as they came. sides : the two diagnoses, trimmed. problems : what is wrong with some of them, by place in the table.
    """

    def __init__(self, plan: Plan, data: pa.Table, source: str, first_row: int) -> None:
        self._plan, self.table = plan, Table(data, source, first_row)
        self.problems: Problems = {}
        self.sides: list[pa.DictionaryArray] = []
        for name in plan.texts:
            side = data.column(name).chunk(0)
            side = pa.DictionaryArray.from_arrays(side.indices, pc.utf8_trim_whitespace(side.dictionary))
            check_text(self.table, name, pa.chunked_array([side]), self.problems)
            self.sides.append(side)
        self._refuse()

    @classmethod
    def read(cls, plan: Plan, chunk: Chunk) -> CheckedRows:
        """The two diagnoses of the rows of a chunk.

        Raises
        ------
        InputError
            For a damaged file, and for the first row that cannot be right, where none may be rejected.
        """
        return cls(plan, read_rows(chunk, plan.texts, plan.texts), str(chunk.path), chunk.first + 1)

    @property
    def texts(self) -> pa.Array:
        """The different diagnoses of the rows."""
        return pc.unique(pa.concat_arrays([pc.unique(side).dictionary_decode() for side in self.sides])).drop_null()

    def batch(self, model: PairModel, names: Names, texts: pa.Array) -> tuple[Batch, NDArray[np.bool_]]:
        """The rows without a problem as pairs, and bool[n], which rows these are. A diagnosis without a name is one problem more.

        names : that were read from `texts`.

        Raises
        ------
        InputError
            Where a diagnosis is not among the texts, since the file changed after the first pass; and for a problem, as of `read`.
        """
        good, places = np.ones(len(self.table), bool), list[NDArray[np.int32]]()
        good[list(self.problems)] = False
        name_of = np.append(names.name_of, np.int32(-1))  # the last for blanks
        for side, name in zip(self.sides, self._plan.texts, strict=True):
            used = pc.unique(side.indices).drop_null()
            at = np.full(len(side.dictionary) + 1, len(names.texts), np.int32)
            found = pc.index_in(side.dictionary.take(used), texts)
            if found.null_count:
                raise damaged(self.table.source, "it changed while it was read")
            at[used.to_numpy()] = found
            places.append(at[side.indices.fill_null(len(at) - 1).to_numpy(zero_copy_only=False)])
            for row in np.flatnonzero(good & (name_of[places[-1]] < 0)).tolist():
                problem, got = "a diagnosis without a letter or digit", side[row].as_py()
                self.problems[row] = self.table.error(problem, row, name, allowed="a diagnosis in words", got=got)
                good[row] = False
        self._refuse()
        return Batch.of_texts(model, names, places[0][good], places[1][good], threads=1), good

    def _refuse(self) -> None:
        if self.problems and not self._plan.rejecting:
            raise self.problems[min(self.problems)].with_remedy(SET_ASIDE)


class Scorer:
    """Scores chunks of a job and writes their parts. Threads may share it; it works on the thread that calls it.

    Parameters
    ----------
    names : of the whole job; None where a chunk reads its own, some rows at a time.
    """

    def __init__(self, plan: Plan, m: MatchFunction, names: Names | None) -> None:
        self.plan, self.m, self._names = plan, m, names
        self._texts = None if names is None else pa.array(names.texts, pa.large_string())
        self._model = replace(m.model, min_coverage=0)  # the job holds the share of all rows against the limit
        self.leave = threading.Event()
        """Set at the end of a job, also one that failed: chunks that read their own names are given up soon."""

    def __call__(self, chunk: Chunk) -> ChunkResult:
        """Writes the part of the chunk.

        Raises
        ------
        DxmatchError
            With the rows of the chunk; where the file is damaged, or a row cannot be right and none may be rejected, an `InputError`.
        """
        try:
            return self._write(chunk)
        except DxmatchError:
            raise
        except Exception as error:
            rows = f"{chunk.path}, rows {chunk.first + 1:,} to {chunk.first + chunk.rows:,}"
            why = "out of memory" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"
            raise DxmatchError(f"{rows}: chunk {chunk.number} failed ({why}).") from error

    def _write(self, chunk: Chunk) -> ChunkResult:
        plan = self.plan
        table = read_rows(chunk, plan.input_schema.names, plan.texts)
        scored, rejected, known = list[pa.Table](), dict[int, str](), np.zeros(len(self.m.features.names))
        step = OWN_ROWS if self._names is None else chunk.rows
        for start in range(0, chunk.rows, step):
            if self.leave.is_set():
                raise DxmatchError("The job was interrupted.")
            rows = CheckedRows(plan, table.slice(start, step), str(chunk.path), chunk.first + start + 1)
            texts = rows.texts if self._texts is None else self._texts
            names = self._names or Names.read(texts.to_pylist(), self.m.providers, strict=False)
            batch, good = rows.batch(self._model, names, texts)
            kept = rows.table.data if good.all() else rows.table.data.filter(pa.array(good))
            scored.append(with_columns(kept, batch.columns(self.m.threshold, plan.add, all_readings=True)))
            known += np.array(list(batch.coverage.values())) * len(kept)
            rejected |= {start + row: str(problem) for row, problem in rows.problems.items()}
        whole = pa.concat_tables(scored).unify_dictionaries().combine_chunks()
        result = ChunkResult.of(whole, np.rint(known).astype(int).tolist(), rejected)
        about = {"job": plan.about, "chunk": chunk.number, "known": result.known, "rejected": result.rejected}
        with whole_file(plan.part(chunk)) as temporary, writer(temporary, plan, about) as file:
            if len(whole):
                file.write_table(whole, row_group_size=len(whole))
        return result


def finished_parts(plan: Plan, folder: Path) -> dict[int, ChunkResult]:
    """What came of the chunks whose parts are in a folder, by their numbers; a part with a damaged page is none.

    Raises
    ------
    DxmatchError
        For parts of another job.
    """
    found, paths = dict[int, ChunkResult](), sorted(folder.glob("part-*.parquet"))
    for path in paths:
        try:
            part = read_parquet(path)
            about = json.loads((part.schema.metadata or {})[_FOOTER_KEY])
            job, number, result = about["job"], about["chunk"], ChunkResult.of(part, about["known"], about["rejected"])
        except (InputError, KeyError, ValueError, TypeError, AttributeError):
            continue
        if job != plan.about:
            raise plan.another_job(job, f"{folder} holds {len(paths):,} finished chunks")
        chunk = plan.chunks[number]
        if path == plan.part(chunk, folder) and result.rows + len(result.rejected) == chunk.rows:
            found[number] = result
    return found


def rejected_rows(plan: Plan, results: Mapping[int, ChunkResult]) -> Iterator[pa.Table]:
    """The rows that were left out, with their numbers and reasons: a table for each chunk that has some."""
    for chunk in plan.chunks:
        if rejected := results[chunk.number].rejected:
            places = sorted(rejected)
            rows = read_rows(chunk, plan.input_schema.names, ()).take(pa.array(places, pa.int64()))
            numbers, why = [chunk.first + 1 + place for place in places], [rejected[place] for place in places]
            yield with_columns(
                rows, {"rejected_row": pa.array(numbers), "rejected_because": pa.array(why, pa.string())}
            )


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
    with parquet_errors(chunk.path), open_parquet(chunk.path) as file:
        counts = np.array(rows_of_groups(file), np.int64)
        starts = np.cumsum(counts) - counts
        groups = np.flatnonzero((starts < chunk.first + chunk.rows) & (starts + counts > chunk.first)).tolist()
        skip, kept, left = (
            chunk.first - int(starts[groups].min(initial=chunk.first)),
            list[pa.RecordBatch](),
            chunk.rows,
        )
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
        return with_columns(table, {name: as_dictionary(table.column(name)) for name in texts}).select(list(columns))


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
    whole = pa.chunked_array(chunks, _TEXT).unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    whole.dictionary.validate(full=True)
    return whole


@contextmanager
def writer(path: Path, plan: Plan, about: Mapping[str, Any] | None = None) -> Iterator[pq.ParquetWriter]:
    """A Parquet file with the columns of the job's result. The diagnoses are written from dictionary arrays, and read as what they came as.

    about : for the footer of a part: the job, and what is in it.
    """
    fields = [field.with_type(_TEXT) if field.name in plan.texts else field for field in plan.schema]
    # The schema that pyarrow would store itself says dictionaries.
    metadata = {**(plan.schema.metadata or {}), b"ARROW:schema": base64.b64encode(plan.schema.serialize().to_pybytes())}
    if about is not None:
        metadata[_FOOTER_KEY] = json.dumps(about, sort_keys=True).encode()
    storage: dict[str, Any] = {
        # Numbers hardly repeat, and a dictionary of them is larger than they are.
        "use_dictionary": [field.name for field in plan.schema if not pa.types.is_primitive(field.type)],
        "dictionary_pagesize_limit": _DICTIONARY_BYTES,
        # The least and the greatest diagnosis of a part serve no one, and finding them takes longer than writing.
        "write_statistics": [name for name in plan.schema.names if name not in plan.texts],
        "write_page_checksum": True,
        "store_schema": False,
    }
    with pq.ParquetWriter(path, pa.schema(fields), **storage) as file:
        yield file
        file.add_key_value_metadata(metadata)
