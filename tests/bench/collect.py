"""Benchmarks in processes of their own, so that what one holds is not counted as another's memory."""

from __future__ import annotations

import importlib
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

from .report import Row, with_memory

TABLE = ("start", "linguistic", "encoder", "search", "trees", "relative", "hierarchical", "scale")
"""What `make bench` measures: speed, on inputs that the benchmarks make themselves. Each offers `rows(scale)`."""
NAMED = ("accuracy", "encoder_accuracy", "icd", "suggest", "votes")
"""What is measured only when named: on real data, or without a peer's speed. Each offers `main()`."""


@dataclass(frozen=True)
class Measured:
    """The rows of one benchmark; error : in words, where it did not end well."""

    name: str
    seconds: float
    rows: Sequence[Row]
    error: str = ""


def rows_of(name: str, scale: str) -> Iterator[Row]:
    """Measured in this process, as they come."""
    module = importlib.import_module(f"{__package__}.bench_{name}")
    for row in with_memory(module.rows(scale)):
        yield replace(row, part=name)


def apart(name: str, scale: str) -> Measured:
    """Measured in a new process, whose output comes through."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    # no daemon: a benchmark may start processes, too
    process = context.Process(target=_send, args=(name, scale, there), name=f"bench {name}")
    start = time.perf_counter()
    process.start()
    there.close()
    rows: list[Row] = []
    error = ""
    try:
        while isinstance(got := here.recv(), Row):
            rows.append(got)
        error = got
    except EOFError:
        error = "its process ended"
    process.join()
    if process.exitcode and not error:
        error = f"its process ended with {process.exitcode}"
    return Measured(name, time.perf_counter() - start, rows, error)


def _send(name: str, scale: str, to: Connection) -> None:
    try:
        for row in rows_of(name, scale):
            to.send(row)
    except Exception as error:
        to.send(f"{type(error).__name__}: {error}")
        raise
    to.send("")
