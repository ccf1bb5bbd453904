"""A piece of work in a process of its own: its time, and the memory of it and of all processes that it starts."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS_BETWEEN_LOOKS = 0.05
PROC = Path("/proc")


@dataclass(frozen=True)
class Watched:
    """seconds : of the call, imports within it included. peak : MB, the most that all its processes held together."""

    seconds: float
    peak: float


def watched(work: Callable[..., object], *arguments: Any) -> Watched:
    """Calls `work`, a function at the top of a module, in a new process. Errors: `RuntimeError` where it did not end well."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_timed, args=(there, work, arguments), name=getattr(work, "__name__", "work"))
    process.start()
    there.close()
    assert process.pid is not None
    peak, over = [0.0], threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, peak, over))
    watcher.start()
    try:
        seconds = here.recv()
    except EOFError:
        seconds = None
    finally:
        over.set()
        watcher.join()
        process.join()
    if seconds is None:
        raise RuntimeError(f"{process.name} ended with {process.exitcode}")
    return Watched(seconds, peak[0])


def _timed(to: Any, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    start = time.perf_counter()
    work(*arguments)
    to.send(time.perf_counter() - start)


def _watch(process: int, peak: list[float], over: threading.Event) -> None:
    while not over.wait(SECONDS_BETWEEN_LOOKS):
        peak[0] = max(peak[0], sum(map(held, with_descendants(process))))


def with_descendants(process: int) -> list[int]:
    """The process and all that it started, and those started, and so on."""
    found = [process]
    for one in found:
        for children in (PROC / str(one) / "task").glob("*/children"):
            try:
                found += map(int, children.read_text("ascii").split())
            except OSError:  # it ended meanwhile
                continue
    return found


def held(process: int) -> float:
    """MB in memory; what several processes share, each has its part of. 0 for one that ended."""
    try:
        lines = (PROC / str(process) / "smaps_rollup").read_text("ascii")
    except OSError:
        return 0.0
    _, found, rest = lines.partition("\nPss:")
    return float(rest.split()[0]) / 1024 if found else 0.0
