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


@contextmanager
def shown(what: str, before: int = 0) -> Iterator[Callable[[int, int], None]]:
    """Yields `report(done, total)`; nothing is shown for work that ends within the first second, or where `settings.quiet()`.

    before : how much was done by an earlier run; it counts as done, but not for the pace.
    """
    if quiet():
        yield lambda done, total: None
    elif sys.stderr.isatty():
        with _bar(what, before) as report:
            yield report
    else:
        yield _lines(what, before)


@contextmanager
def _bar(what: str, before: int) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, pace = bar.add_task(what, total=None, rate=""), _Pace(before)
        yield lambda done, total: bar.update(task, completed=done, total=total, rate=pace.words(done))


def _lines(what: str, before: int) -> Callable[[int, int], None]:
    pace, last = _Pace(before), time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            left = (total - done) / max(pace.per_second(done), 1e-9)
            print(
                f"{what}: {done:,} of {total:,}, {pace.words(done)}, about {left / 60:.0f} min left",
                file=sys.stderr, flush=True,
            )  # fmt: skip

    return report


class _Pace:
    def __init__(self, before: int) -> None:
        self._before, self._start = before, time.monotonic()

    def per_second(self, done: int) -> float:
        return (done - self._before) / max(time.monotonic() - self._start, 1e-9)

    def words(self, done: int) -> str:
        rate = self.per_second(done)
        return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"
