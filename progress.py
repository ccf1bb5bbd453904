"""How far long work has come: a bar on a terminal, a line a minute elsewhere; always on standard error, and not with --quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .settings import quiet

SECONDS_BETWEEN_LINES = 60.0

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


def say(line: str) -> None:
    """Says a line on standard error, but with --quiet."""
    if not quiet():
        print(line, file=sys.stderr, flush=True)


@contextmanager
def shown(what: str, before: int = 0) -> Iterator[Progress]:
    """Yields `report(done, total)`; nothing is shown for work that ends within the first second, or where `settings.quiet()`.

    before : how much was done by an earlier run; it counts as done, but not for the pace.
    """
    start = last = time.monotonic()

    def pace(done: int) -> tuple[float, str]:
        rate = (done - before) / max(time.monotonic() - start, 1e-9)
        return rate, f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"

    def line(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last, (rate, words) = time.monotonic(), pace(done)
            left = f"about {(total - done) / max(rate, 1e-9) / 60:.0f} min left"
            say(f"{what}: {done:,} of {total:,}, {words}, {left}")

    if quiet() or not sys.stderr.isatty():
        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Progress("{task.description}", BarColumn(), *columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, rate="")
        yield lambda done, total: bar.update(task, completed=done, total=total, rate=pace(done)[1])
