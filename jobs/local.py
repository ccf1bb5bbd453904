"""The engine of one machine: chunks on threads, each chunk on one core."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

from ..matcher.match_function import MatchFunction
from .chunk import Scorer, chunk_error
from .parts import ChunkResult
from .plan import Chunk, Job
from .vocabulary import Sides, Vocabulary


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    job: Job,
    vocabulary: Vocabulary | None,
    todo: Sequence[Chunk],
    report: Callable[[ChunkResult], None],
    *,
    m: MatchFunction | None = None,
    held: dict[int, Sides] | None = None,
) -> None:
    """Scores the chunks of `todo`, `job.workers` (or as many as there are cores) at a time, and reports each when it is done.

    The kernels run without the interpreter's lock, so threads are enough, and share one vocabulary and one model.

    Errors: of the first chunk that fails. Those that are under way are finished and reported before it is raised; an
    interruption leaves them.
    """
    scorer = Scorer(job, vocabulary, m, held)
    leaving = threading.Event()

    def checkpoint() -> None:
        if leaving.is_set():
            raise _Left

    failed: list[tuple[int, Chunk, BaseException]] = []
    rest = iter(todo)
    workers = min(job.workers or cores(), max(len(todo), 1))
    with ThreadPoolExecutor(workers, "dxmatch-chunk") as pool:
        running: dict[Future[ChunkResult], Chunk] = {}
        try:
            for chunk in islice(rest, workers):
                running[pool.submit(scorer, chunk, checkpoint)] = chunk
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    chunk = running.pop(future)
                    if (error := future.exception()) is not None:
                        failed.append((chunk.number, chunk, error))
                    else:
                        report(future.result())
                    for later in islice(rest, 0 if failed else 1):
                        running[pool.submit(scorer, later, checkpoint)] = later
        except BaseException:
            leaving.set()
            for future in running:
                future.cancel()
            raise
    if failed:
        _, chunk, error = min(failed, key=lambda one: one[0])
        raise chunk_error(chunk, error) from error


class _Left(Exception):
    """The chunk was given up because the job was interrupted."""
