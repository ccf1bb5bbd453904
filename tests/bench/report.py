"""What a benchmark reports: rows of one table (what, ours, the peer, the ratio, its mark, the memory), and how they are taken.

A benchmark is a file `bench_<name>.py` that offers `rows(scale) -> Iterable[Row]`, with `scale` "full" or "short": the size of
the inputs, which it makes itself. `main()` there shows its rows alone.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table

FLOOR = 1 / 3
"""The share of its mark that a ratio must reach in the short version, whatever else the machine does."""

ASKED = "asked for"
"""The peer of a row that is held against a bound: a figure of the machine, which a busy one misses through nobody's fault."""

_TIMES = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_LESS_IS_BETTER = {*_TIMES, "MB", "GB"}


@dataclass(frozen=True)
class Row:
    """One measurement.

    unit : "pairs/s", "s", "ms/string", "MB", "share", … theirs : the peer's figure, taken in the same run; or a bound,
    where the peer is `ASKED`. mark : the ratio to reach. memory : peak resident MB while ours ran.
    part : the benchmark that it is of, where a table holds several.
    """

    what: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    mark: float | None = None
    memory: float | None = None
    part: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer: above 1 is better, whether more or less of the unit is."""
        if not self.theirs or not self.ours:
            return None
        return self.theirs / self.ours if less_is_better(self.unit) else self.ours / self.theirs

    def reaches(self, share: float = 1.0) -> bool:
        """Whether the ratio is at least that share of its mark; a row without a mark or a peer has nothing to reach."""
        return self.mark is None or self.ratio is None or self.ratio >= share * self.mark


def less_is_better(unit: str) -> bool:
    """Times and sizes, also per something; a rate is none of them.

    >>> [less_is_better(unit) for unit in ("s", "us/pair", "MB", "pairs/s", "/s", "GB/s", "share")]
    [True, True, True, False, False, False, False]
    """
    return not unit.endswith("/s") and unit.partition("/")[0] in _LESS_IS_BETTER


def best_of(work: Callable[[], object], runs: int = 3, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest of `runs`: the least disturbed one on a shared machine."""
    times = []
    for _ in range(runs):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


@dataclass(frozen=True)
class Work:
    """run : what is measured. amount : how many pairs, strings, … one run does."""

    run: Callable[[], object]
    amount: float = 1.0


def versus(
    what: str, unit: str, ours: Work, peer: str = "", theirs: Work | None = None, *,
    mark: float | None = None, runs: int = 3, clock: Callable[[], float] = time.process_time,
) -> Row:  # fmt: skip
    """Ours and the peer in turns (A B A B …), the fastest of each, so that a busy machine hits both alike.

    Both must run on one core: the time is the processor's, of all threads together.
    """
    ours_seconds, theirs_seconds, memory = float("inf"), float("inf"), 0.0
    for _ in range(runs):
        reset_peak_memory()
        ours_seconds = min(ours_seconds, best_of(ours.run, 1, clock))
        memory = max(memory, peak_memory())
        if theirs is not None:
            theirs_seconds = min(theirs_seconds, best_of(theirs.run, 1, clock))
    other = None if theirs is None else in_unit(unit, theirs_seconds, theirs.amount)
    return Row(what, unit, in_unit(unit, ours_seconds, ours.amount), peer, other, mark, memory)


def in_unit(unit: str, seconds: float, amount: float = 1.0) -> float:
    """A rate for "…/s"; else the time, per `amount` where the unit says per something.

    >>> in_unit("pairs/s", 2.0, 10), in_unit("us/pair", 2.0, 10), in_unit("s", 2.0, 10)
    (5.0, 200000.0, 2.0)
    """
    if unit.endswith("/s"):
        return amount / seconds
    time_unit, _, per = unit.partition("/")
    return seconds * _TIMES[time_unit] / (amount if per else 1.0)


def peak_memory() -> float:
    """MB: the most that this process has held since its start, or since `reset_peak_memory`."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:  # no Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return float(status.partition("VmHWM:")[2].split()[0]) / 1024


def reset_peak_memory() -> None:
    """From here on `peak_memory` counts anew, where the system lets it."""
    try:
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    except OSError:
        return


def with_memory(rows: Iterable[Row]) -> Iterable[Row]:
    """Each row as it comes; one that says nothing of memory gets the peak since the row before it."""
    reset_peak_memory()
    for row in rows:
        yield row if row.memory is not None else replace(row, memory=peak_memory())
        reset_peak_memory()


def shortfalls(rows: Iterable[Row], share: float = 1.0) -> list[str]:
    """One line for each row whose ratio is below that share of its mark."""
    return [
        f"{row.what} ({row.peer}): {row.ratio:,.3g} times, of a mark of {row.mark:,.3g}"
        for row in rows
        if not row.reaches(share)
    ]


def failures(rows: Iterable[Row]) -> list[str]:
    """What the short version fails for: ratios to peers, taken in turns with them, below `FLOOR` of their mark."""
    return shortfalls([row for row in rows if row.peer != ASKED], FLOOR)


def show(rows: Iterable[Row], json_path: Path | None = None, facts: dict[str, Any] | None = None) -> None:
    """Prints the table, and writes it as JSON, with `facts` about the machine beside the rows where there are some."""
    rows = list(rows)
    Console(width=165).print(table_of(rows))
    if below := shortfalls(rows):
        print("Below their mark:", *below, sep="\n  ")
    if json_path is not None:
        written = [{**asdict(row), "ratio": row.ratio} for row in rows]
        json_path.parent.mkdir(parents=True, exist_ok=True)
        json_path.write_text(json.dumps(written if facts is None else {**facts, "rows": written}, indent=1), "utf-8")


def table_of(rows: Iterable[Row]) -> Table:
    table = Table("What", "Unit", _right("Ours"), "Peer", *map(_right, ("Theirs", "Ratio", "Mark", "MB")))
    part = None
    for row in rows:
        if part is not None and row.part != part:
            table.add_section()
        part = row.part
        cells = [number(row.theirs), number(row.ratio), number(row.mark), number(row.memory)]
        style = None if row.reaches() else "bold red"
        table.add_row(row.what, row.unit, number(row.ours), row.peer, *cells, style=style)
    return table


def _right(name: str) -> Column:
    return Column(name, justify="right")


def number(value: float | None) -> str:
    """
    >>> number(1234567.8), number(12.345), number(0.5), number(0.00012), number(None)
    ('1,234,568', '12.3', '0.500', '0.00012', '')
    """
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.3f}" if abs(value) >= 0.01 or value == 0 else f"{value:.2g}"
