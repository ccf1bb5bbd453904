"""The engine of one machine: chunks on threads, each chunk on one core."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ..errors import DxmatchError
from ..matcher.match_function import MatchFunction
from .chunk import Scorer, run_chunks
from .parts import ChunkResult
from .plan import Job
from .source import Chunk
from .texts import Texts


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    job: Job, texts: Texts | None, todo: Sequence[Chunk], report: Callable[[ChunkResult], None], m: MatchFunction
) -> None:
    """Scores the chunks of `todo`, `job.workers` (or as many as there are cores) at a time, as `run_chunks` does.

    The kernels run without the interpreter's lock, so threads are enough, and share the texts and the model. `report` is
    called in this thread. An interruption leaves the chunks under way.
    """
    scorer, threads = Scorer(job, texts, m), job.workers or cores()
    stop = threading.Event()

    def score(chunk: Chunk) -> ChunkResult:
        if stop.is_set():
            # Never reported: a chunk that waited comes after the one that failed.
            raise DxmatchError("Not begun.")
        try:
            return scorer(chunk)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(threads, "dxmatch-chunk") as pool:
        try:
            # As many wait as are under way, so that none is idle while a result is merged.
            run_chunks(todo, 2 * threads, lambda chunk: pool.submit(score, chunk), report)
        except BaseException:
            stop.set()
            scorer.leave.set()
            raise
