"""The engine of one machine: chunks on threads, each chunk on one core."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ..errors import DxmatchError
from ..matcher.match_function import MatchFunction
from .chunk import Scorer, run_chunks
from .parts import ChunkResult
from .plan import Plan
from .source import Chunk
from .texts import Texts


def run(
    plan: Plan, m: MatchFunction, texts: Texts | None, todo: Sequence[Chunk], report: Callable[[ChunkResult], None]
) -> None:
    """Scores the chunks of `todo`, `plan.threads` at a time, as `run_chunks` does.

    The kernels run without the interpreter's lock, so threads are enough, and share the texts and the model. `report` is
    called in this thread. An interruption leaves the chunks under way.
    """
    scorer, threads = Scorer(plan, m, texts), plan.threads
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
