"""The chunk function, which every engine runs: read, look up, unique pairs, features, M, write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import DxmatchError
from ..features.compute import feature_table
from ..features.interning import by_first_appearance
from ..matcher.match_function import MatchFunction, load
from .columns import Columns
from .parts import ChunkResult, write_part
from .plan import Chunk, Job
from .source import read_rows
from .vocabulary import Sides, Vocabulary, row_error

ROWS_OF_OWN = 1 << 16
"""Rows that share a vocabulary where the whole job has none: it holds at most twice as many names, some 300 MB."""


class Scorer:
    """Scores chunks of a job and writes their parts. Threads may share it; it works on the thread that calls it.

    vocabulary : of the whole job; None where each chunk makes its own.
    m : the job's match function, where it is loaded already.
    held : both columns of chunks that were read before, by number; each is dropped when it is used.
    """

    def __init__(
        self,
        job: Job,
        vocabulary: Vocabulary | None,
        m: MatchFunction | None = None,
        held: dict[int, Sides] | None = None,
    ) -> None:
        self.job, self.vocabulary = job, vocabulary
        self._held = held or {}
        self.m = m or load(job.model, store=job.store, endpoints=job.endpoints)
        # The trees are read here, once, before threads ask for them together.
        self.m.decided(np.full((1, len(self.m.features.names)), np.nan, np.float32), np.zeros(1, bool), threads=1)

    def __call__(self, chunk: Chunk, checkpoint: Callable[[], None] | None = None) -> ChunkResult:
        """Writes the part of the chunk. `checkpoint` is called some times a second, and may raise to leave early.

        Errors: `InputError` where the file is damaged, or a row cannot be right and none are set aside.
        """
        options = self.job.options
        table = self._read(chunk)
        a, b = (table.column(name).chunk(0) for name in (options.a, options.b))
        refused: dict[int, str] = {}
        n_features = len(self.m.features.names)
        columns, known = Columns.empty(len(table), n_features, options), np.zeros(n_features, np.int64)
        step = len(table) if self.vocabulary is not None else ROWS_OF_OWN
        for start in range(0, len(table), step):
            rows = slice(start, min(start + step, len(table)))
            known += self._score(
                chunk, a[rows.start:rows.stop], b[rows.start:rows.stop], start, refused, columns.of(rows), checkpoint,
            )  # fmt: skip
        return self._write(chunk, table, columns, known, refused)

    def _read(self, chunk: Chunk) -> pa.Table:
        sides, columns = (self.job.options.a, self.job.options.b), self.job.input_schema.names
        held = self._held.pop(chunk.number, None)
        if held is None:
            table = read_rows(chunk, sides, columns)
        else:
            table = pa.table(list(held), names=list(sides))
            if others := [name for name in columns if name not in sides]:
                rest = read_rows(chunk, (), others)
                for name in others:
                    table = table.append_column(rest.schema.field(name), rest.column(name))
        for name in sides:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, pa.chunked_array([_compact(table.column(at).chunk(0))]))
        return table.select(columns)

    def _score(
        self,
        chunk: Chunk,
        a: pa.DictionaryArray,
        b: pa.DictionaryArray,
        start: int,
        refused: dict[int, str],
        columns: Columns,
        checkpoint: Callable[[], None] | None,
    ) -> NDArray[np.int64]:
        """Fills `columns` where rows of a slice are not refused; int64[f], for how many of them each feature is known."""
        vocabulary = self.vocabulary
        if vocabulary is None:
            a, b = _compact(a), _compact(b)
            vocabulary = Vocabulary.of(pa.concat_arrays([a.dictionary, b.dictionary]).unique(), self.m.providers)
        places = vocabulary.places(chunk, a, b)
        names_a, names_b = (vocabulary.name_of(side) for side in places)
        good = (names_a >= 0) & (names_b >= 0)
        everything = bool(good.all())
        if not everything:
            for row in np.flatnonzero(~good).tolist():
                error = row_error(self.job, chunk, vocabulary, start + row, [int(side[row]) for side in places])
                if not self.job.options.set_aside:
                    raise error
                refused[start + row] = str(error)
            names_a, names_b = names_a[good], names_b[good]
        if not len(names_a):
            return np.zeros(len(self.m.features.names), np.int64)
        pairs = vocabulary.unique_pairs(names_a, names_b)
        del places, names_a, names_b
        check = None if checkpoint is None else lambda done, total: checkpoint()
        table = feature_table(pairs, self.m.features, self.m.providers, texts=vocabulary.texts, threads=1, progress=check)  # fmt: skip
        if checkpoint is not None:
            checkpoint()
        rows = slice(None) if everything else good
        columns.fill(rows, self.m, table, pairs.equal, pairs.pair_of_row)
        return known_rows(table, pairs.pair_of_row)

    def _write(
        self,
        chunk: Chunk,
        table: pa.Table,
        columns: Columns,
        known: NDArray[np.int64],
        refused: dict[int, str],
    ) -> ChunkResult:
        table = columns.added_to(table, self.m)
        rejects = None
        if refused:
            rows = sorted(refused)
            keep = np.ones(len(table), bool)
            keep[rows] = False
            rejects = table.select(self.job.input_schema.names).take(pa.array(rows, pa.int64())).cast(self.job.input_schema)  # fmt: skip
            rejects = rejects.append_column(
                "rejected_row", pa.array([chunk.first + row + 1 for row in rows], pa.int64())
            )
            rejects = rejects.append_column("rejected_because", pa.array([refused[row] for row in rows], pa.string()))
            table = table.filter(pa.array(keep))
        matches = int(np.count_nonzero(table.column("match").to_numpy()))
        return write_part(self.job, chunk, table, matches, tuple(known.tolist()), rejects)


def chunk_error(chunk: Chunk, cause: BaseException) -> DxmatchError:
    """What is told of a chunk that failed: an error that says where it lies as it is, any other with its chunk."""
    if isinstance(cause, DxmatchError):
        return cause
    why = "out of memory" if isinstance(cause, MemoryError) else f"{type(cause).__name__}: {cause}"
    return DxmatchError(f"{chunk.place}: chunk {chunk.number} failed ({why}).")


def known_rows(table: NDArray[np.float32], pair_of_row: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[f]: for how many rows each feature is known."""
    out = np.full(table.shape[1], len(pair_of_row), np.int64)
    rows: NDArray[np.int64] | None = None
    for column in range(table.shape[1]):
        unknown = ~np.isfinite(table[:, column])
        if unknown.any():
            rows = np.bincount(pair_of_row, minlength=len(table)) if rows is None else rows
            out[column] -= rows[unknown].sum()
    return out


def _compact(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same texts, with a dictionary of none but those, in the order in which they appear: however they were read."""
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    new, old = by_first_appearance(codes, len(column.dictionary))
    missing = new < 0 if column.indices.null_count else None
    return pa.DictionaryArray.from_arrays(pa.array(new, mask=missing), column.dictionary.take(pa.array(old)))
