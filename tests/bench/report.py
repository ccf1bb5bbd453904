"""What a benchmark is and how it is shown: an entry measures ours and a peer in one run; its ratio is held against a mark."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

ASKED = "asked for"
"""The peer of an entry that is held against a bound, which a busy machine misses through nobody's fault."""

_TIMES = {"s": 1.0, "ms": 1e3, "us": 1e6}
_LESS_IS_BETTER = {*_TIMES, "MB"}


@dataclass(frozen=True)
class Row:
    """One measurement: ours and the peer's figure in one unit ("pairs/s", "s", "MB", …), and the ratio to reach."""

    name: str
    unit: str
    ours: float
    peer: str
    theirs: float
    mark: float | None = None

    @property
    def ratio(self) -> float:
        """How many times better than the peer: above 1 is better, whether more or less of the unit is."""
        return self.theirs / self.ours if self.unit in _LESS_IS_BETTER else self.ours / self.theirs

    @property
    def reaches_mark(self) -> bool:
        return self.mark is None or self.ratio >= self.mark


Figures = tuple[float, float]
"""Ours and the peer's, in the unit of the entry."""


ENTRIES: dict[str, Callable[[bool], Row]] = {}
"""By the name of the function that measures, in the order of the table; each takes whether the inputs shall be small."""


def entry(name: str, unit: str, *, peer: str, mark: float) -> Callable[[Callable[[bool], Figures]], None]:
    """Puts the function that it decorates into the table."""

    def keep(measure: Callable[[bool], Figures]) -> None:
        def row(short: bool) -> Row:
            ours, theirs = measure(short)
            return Row(name, unit, ours, peer, theirs, mark)

        ENTRIES[measure.__name__] = row

    return keep


def in_turns(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    runs: int = 3,
    clock: Callable[[], float] = time.process_time,
) -> Figures:
    """Seconds of the fastest run of each, run A B A B …, so that a busy machine hits both alike.

    With the default clock both must run in this process: the time is the processor's, of all threads together.
    """
    best = [float("inf"), float("inf")]
    for _ in range(runs):
        for side, work in enumerate((ours, theirs)):
            start = clock()
            work()
            best[side] = min(best[side], clock() - start)
    return best[0], best[1]


def failures(rows: Iterable[Row]) -> list[str]:
    """One line for each row whose ratio is below its mark."""
    return [
        f"{row.name} ({row.peer}): {row.ratio:,.3g} times, of a mark of {row.mark:,.3g}"
        for row in rows
        if not row.reaches_mark
    ]


def show(rows: Iterable[Row], json_path: Path) -> None:
    """Prints the table, and writes it as JSON with the machine that it was measured on."""
    rows = list(rows)
    right = [Column(name, justify="right") for name in ("Ours", "Theirs", "Ratio", "Mark")]
    table = Table("What", "Unit", right[0], "Peer", *right[1:])
    for row in rows:
        ours, *others = ("" if value is None else f"{value:,.4g}" for value in (row.ours, row.theirs, row.ratio, row.mark))  # fmt: skip
        table.add_row(row.name, row.unit, ours, row.peer, *others, style=None if row.reaches_mark else "bold red")
    Console(width=140).print(table)
    if below := failures(rows):
        print("Below their mark:", *below, sep="\n  ")
    machine = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count(), "load_average": os.getloadavg()[0]}  # fmt: skip
    json_path.parent.mkdir(parents=True, exist_ok=True)
    written = {**machine, "rows": [{**asdict(row), "ratio": row.ratio} for row in rows]}
    json_path.write_text(json.dumps(written, indent=1), "utf-8")
    print(f"{machine['processor']}, {machine['cores']} cores, load average {machine['load_average']:.1f}; {json_path}")
