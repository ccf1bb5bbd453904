"""The table that `make bench` prints: what, ours, the peer, the ratio, the mark; and a JSON beside it."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One measurement; `ratio` is ours over the peer's, both taken in this run. `mark` is the ratio to reach."""

    what: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    mark: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if not self.theirs else self.ours / self.theirs


def best_of(work: Callable[[], object], runs: int = 3) -> float:
    """Seconds of the fastest of `runs`: the least disturbed one on a shared machine."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def show(rows: Iterable[Row], json_path: Path | None = None) -> None:
    rows = list(rows)
    table = Table("What", "Unit", "Ours", "Peer", "Theirs", "Ratio", "Mark")
    for row in rows:
        table.add_row(
            row.what, row.unit, _number(row.ours), row.peer, _number(row.theirs),
            "" if row.ratio is None else f"{row.ratio:,.2f}", _number(row.mark),
        )  # fmt: skip
    Console(width=160).print(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"Peak memory of this process: {peak:,.0f} MB")
    if json_path is not None:
        json_path.parent.mkdir(parents=True, exist_ok=True)
        json_path.write_text(json.dumps([{**asdict(row), "ratio": row.ratio} for row in rows], indent=1), "utf-8")


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"
