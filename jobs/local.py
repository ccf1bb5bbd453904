"""The engine of one machine: chunks on threads, each chunk on one core; and how every engine hands chunks out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

from ..errors import DxmatchError
from .chunk import ChunkResult, Scorer
from .plan import Chunk, Plan


def run(plan: Plan, scorer: Scorer, todo: Sequence[Chunk], report: Callable[[ChunkResult], None]) -> None:
    """Scores the chunks of `todo`, as many at a time as the plan has workers.

    The kernels run without the interpreter's lock, so threads are enough, and share the names and the model. An interruption leaves the
    chunks under way.
    """
    stop = threading.Event()

    def score(chunk: Chunk) -> ChunkResult:
        if stop.is_set():  # never reported: a chunk that waited comes after the one that failed
            raise DxmatchError("Not begun.")
        try:
            return scorer(chunk)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(plan.workers, "dxmatch-chunk") as pool:
        try:
            run_chunks(todo, plan.workers, lambda chunk: pool.submit(score, chunk), report)
        except BaseException:
            stop.set()
            scorer.leave.set()
            raise


def run_chunks(
    todo: Sequence[Chunk],
    at_once: int,
    start: Callable[[Chunk], Future[ChunkResult]],
    report: Callable[[ChunkResult], None],
    explain: Callable[[Chunk, BaseException], BaseException] = lambda chunk, error: error,
) -> None:
    """Has chunks scored, `at_once` of them under way, and reports each when it is done.

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
