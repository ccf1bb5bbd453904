"""The engine of one machine: chunks on threads, each chunk on one core."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from ..matcher.match_function import MatchFunction
from .chunk import Scorer, chunk_error
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
    """Scores the chunks of `todo`, `job.workers` (or as many as there are cores) at a time.

    The kernels run without the interpreter's lock, so threads are enough, and share the texts and the model.

    Parameters
    ----------
    report
        Called in this thread when a chunk is done.

    Raises
    ------
    DxmatchError
        Of the first chunk that fails. Those under way are finished and reported before it is raised; an interruption
        leaves them.
    """
    scorer, stop = Scorer(job, texts, m), threading.Event()
    failed: dict[int, BaseException] = {}

    def score(chunk: Chunk) -> ChunkResult | None:
        if stop.is_set():
            return None
        try:
            return scorer(chunk)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(job.workers or cores(), "dxmatch-chunk") as pool:
        chunks = {pool.submit(score, chunk): chunk for chunk in todo}
        try:
            for future in as_completed(chunks):
                if (error := future.exception()) is not None:
                    failed[chunks[future].number] = error
                elif (result := future.result()) is not None:
                    report(result)
        except BaseException:
            stop.set()
            scorer.leave.set()
            raise
    if failed:
        first = min(failed)
        raise chunk_error(job.chunks[first], failed[first]) from failed[first]
