"""The chunk function, which every engine runs: read, check, unique pairs, features, M, write."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import SET_ASIDE, DxmatchError
from ..features.compute import feature_table
from ..features.coverage import coverage
from ..files.tables import with_columns
from ..matcher.match_function import MatchFunction
from .parts import ChunkResult, write_part
from .plan import Plan
from .source import Chunk, compact, read_rows
from .texts import CheckedRows, Texts

OWN_ROWS = 1 << 16
"""Rows that share texts where the job does not hold them all: at most twice as many names, some 300 MB."""


class Scorer:
    """Scores chunks of a job and writes their parts. Threads may share it; it works on the thread that calls it.

    Parameters
    ----------
    texts
        Of the whole job; None where a chunk prepares its own, some rows at a time.
    """

    def __init__(self, plan: Plan, m: MatchFunction, texts: Texts | None) -> None:
        self.plan, self.m, self.texts = plan, m, texts
        self.leave = threading.Event()
        """Set it, and chunks under way are given up soon."""
        # The trees are read here, once, before threads ask for them together.
        self.m.decided(np.full((1, len(self.m.features.names)), np.nan, np.float32), np.zeros(1, bool), threads=1)

    def __call__(self, chunk: Chunk) -> ChunkResult:
        """Writes the part of the chunk.

        Raises
        ------
        InputError
            Where the file is damaged, or a row cannot be right and none may be rejected.
        """
        table = read_rows(chunk, self.plan.input_schema.names, self.plan.texts)
        self.plan.inputs[chunk.path].check(here=False)
        step = OWN_ROWS if self.texts is None else chunk.rows
        scored, rejected, known = [], [], np.zeros(len(self.m.features.names))
        for start in range(0, chunk.rows, step):
            rows = table.slice(start, step)
            for name in self.plan.texts if len(rows) < len(table) else ():
                at = rows.schema.get_field_index(name)
                rows = rows.set_column(at, name, pa.chunked_array([compact(rows.column(at).chunk(0))]))
            checked = CheckedRows.of(rows, str(chunk.path), chunk.first + start + 1, self.plan.texts)
            kept, known_here = self._score(checked)
            scored.append(kept)
            known += known_here
            if checked.problems:
                rejected.append(self._rejected(checked))
        whole = pa.concat_tables(scored).unify_dictionaries().combine_chunks()
        matches = pc.sum(whole.column("match")).as_py() or 0
        counts = tuple(np.rint(known).astype(int).tolist())
        unscored = whole.column("match").null_count
        result = ChunkResult(chunk.number, chunk.rows, matches, chunk.rows - len(whole), counts, unscored)
        return write_part(self.plan, result, whole, pa.concat_tables(rejected) if rejected else None)

    def _score(self, rows: CheckedRows) -> tuple[pa.Table, np.ndarray]:
        """The rows without a problem with the columns that a score adds; for how many of them each feature is known."""
        m = self.m
        texts = self.texts or Texts.of(rows.texts, m.providers)
        pairs, good = texts.pairs(rows, self.plan.texts)
        if rows.problems and not self.plan.rejecting:
            raise rows.problems[min(rows.problems)].with_remedy(SET_ASIDE)
        table = feature_table(pairs, m.features, m.providers, texts=texts.names, threads=1, progress=self._check)
        columns = m.score_columns(pairs, table, texts.names, self.plan.add, all_readings=True, threads=1)
        self._check()
        shares = coverage(table, pairs.pair_of_row, m.features)
        kept = rows.table.data if not rows.problems else rows.table.data.filter(pa.array(good))
        return with_columns(kept, columns), np.array(list(shares.values())) * len(kept)

    def _rejected(self, rows: CheckedRows) -> pa.Table:
        places = sorted(rows.problems)
        table = rows.table.data.take(pa.array(places, pa.int64())).cast(self.plan.input_schema)
        numbers = [rows.table.row_number(place) for place in places]
        why = pa.array([str(rows.problems[place]) for place in places], pa.string())
        return with_columns(table, {"rejected_row": pa.array(numbers), "rejected_because": why})

    def _check(self, *_: int) -> None:
        if self.leave.is_set():
            raise DxmatchError("The job was interrupted.")


def run_chunks(
    todo: Sequence[Chunk],
    at_once: int,
    start: Callable[[Chunk], Future[ChunkResult]],
    report: Callable[[ChunkResult], None],
    explain: Callable[[Chunk, BaseException], BaseException] = lambda chunk, error: error,
) -> None:
    """Has chunks scored, `at_once` of them started or waiting, and reports each when it is done.

    Raises
    ------
    DxmatchError
        Of the first chunk that failed, once those that were started are finished and reported: what `explain` makes of
        its error, with the chunk where that does not say where it lies.
    """
    rest, running, failed = iter(todo), dict[Future[ChunkResult], Chunk](), dict[int, tuple[Chunk, BaseException]]()
    while running := running | {start(chunk): chunk for chunk in islice(rest, 0 if failed else at_once - len(running))}:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            chunk = running.pop(future)
            if (error := future.exception()) is not None:
                failed[chunk.number] = chunk, error
            else:
                report(future.result())
    if failed:
        chunk, error = failed[min(failed)]
        cause = explain(chunk, error)
        if isinstance(cause, DxmatchError):
            raise cause
        why = "out of memory" if isinstance(cause, MemoryError) else f"{type(cause).__name__}: {cause}"
        raise DxmatchError(f"{chunk.place}: chunk {chunk.number} failed ({why}).") from cause
