"""How benchmarks take time and show figures: ours and a peer's in one run, a process of its own, and one form of table."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ASKED = "asked for"
"""The peer of an entry that is held against a bound, which a busy machine misses through nobody's fault."""
_LESS_IS_BETTER = {"s", "ms", "MB"}

Row = dict[str, Any]
"""A row of a table by column."""
Figures = tuple[float, float]
"""Ours and the peer's, in the unit of the entry."""
ENTRIES: dict[str, Callable[[bool], Row]] = {}
"""By the name of the function that measures, in the order of the table; each takes whether the inputs shall be small."""


def beside_peer(name: str, unit: str, ours: float, peer: str, theirs: float, mark: float | None = None) -> Row:
    """ratio : how many times better than the peer, whether more or less of the unit is. mark : the ratio to reach."""
    ratio = theirs / ours if unit in _LESS_IS_BETTER else ours / theirs
    return {"what": name, "unit": unit, "ours": ours, "peer": peer, "theirs": theirs, "ratio": ratio, "mark": mark}


def entry(name: str, unit: str, *, peer: str, mark: float) -> Callable[[Callable[[bool], Figures]], None]:
    """Puts the function that it decorates into the table."""

    def keep(measure: Callable[[bool], Figures]) -> None:
        def row(short: bool) -> Row:
            ours, theirs = measure(short)
            return beside_peer(name, unit, ours, peer, theirs, mark)

        ENTRIES[measure.__name__] = row

    return keep


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> tuple[float, Any]:
    """Seconds of the processor, of all threads together, and what the work gave."""
    start = clock()
    made = work()
    return clock() - start, made


def in_turns(
    ours: Callable[[], Any], theirs: Callable[[], Any], runs: int = 3, clock: Callable[[], float] = time.process_time
) -> Figures:
    """Seconds of the fastest run of each, run A B A B …, so that a busy machine hits both alike."""
    taken = [[timed(work, clock)[0] for work in (ours, theirs)] for _ in range(runs)]
    return min(mine for mine, _ in taken), min(other for _, other in taken)


@dataclass(frozen=True)
class Taken:
    """Of a process and those that it started: seconds that passed, seconds of the processor, MB of the largest one at its peak."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    said: str

    @property
    def figures(self) -> Row:
        return {"seconds": self.seconds, "CPU": self.cpu_seconds, "peak, MB": self.peak_mb}


def in_a_process(*arguments: object, given: str = "", **environment: str) -> Taken:
    """Runs Python with these arguments, and with other variables of the environment where some are given."""
    command, variables = [sys.executable, *map(str, arguments)], {**os.environ, **environment}
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(given)
        process.stdin.close()
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    peak = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return Taken(seconds, used.ru_utime + used.ru_stime, peak, said)


def show(rows: list[Row], title: str = "", path: Path | None = None) -> None:
    """Prints a table, red where a mark is missed. path : also as JSON, with the machine that it was measured on."""
    table = Table(title=title or None)
    for name, cell in rows[0].items():
        table.add_column(name, justify="left" if isinstance(cell, str) else "right")
    for row in rows:
        missed = (row.get("mark") or 0) > row.get("ratio", 0)
        table.add_row(*map(_cell, row.values()), style="bold red" if missed else None)
    Console(width=140).print(table)
    if path is not None:
        machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count(), "load_average": os.getloadavg()[0]}  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**machine, "rows": rows}, indent=1), "utf-8")
        print(f"{machine['processor']}, {machine['cores']} cores, load average {machine['load_average']:.1f}; {path}")


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"  # fmt: skip
