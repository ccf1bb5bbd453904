"""What takes seconds to make, made by one process while those that need the same wait for it."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from ..progress import Progress, shown
from ..settings import file_mode

LONGEST_WAIT = 900.0
"""Seconds to wait for another process; after that it is made here, too."""
_SOON = 1.0


@contextlib.contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Holds a lock that one thread of one process has at a time; who waits says so on standard error.

    The system frees it when its holder ends in any way, so the empty file that stays behind holds up nobody. Where no lock can
    be had (a file system without locks, a folder that cannot be written), the block runs all the same.

    Parameters
    ----------
    path : the lock file, in a folder that exists. what : "the index of ICD-10-CM", for messages.
    """
    from filelock import FileLock, Timeout

    # A soft lock, a file that is there or not, would outlive its holder.
    lock = FileLock(path, mode=file_mode(), fallback_to_soft=False)
    try:
        try:
            lock.acquire(timeout=_SOON)
        except Timeout:
            print(f"dxmatch: waiting for another process that makes {what} ({path})", file=sys.stderr, flush=True)
            lock.acquire(timeout=LONGEST_WAIT, poll_interval=0.2)
    except Timeout:
        _warn(f"Another process has held {path} for {LONGEST_WAIT:g} s; {what} is made here, too.")
    except PermissionError:
        pass  # Nothing can be kept there, which is told when it is tried.
    except (OSError, NotImplementedError) as error:
        why = getattr(error, "strerror", None) or error
        _warn(f"No lock can be had in {path.parent} ({why}): processes that start at once each make {what}.")
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def told(what: str, seconds: float | None) -> Iterator[Progress]:
    """Yields `report(done, total)` of work that is done once: a bar on a terminal; elsewhere a line now, and one a minute.

    seconds : how long it is likely to take; None where that cannot be known. Under a second nothing is said.
    """
    if seconds is not None and seconds < _SOON:
        yield lambda done, total: None
        return
    line = f"{what} once" if seconds is None else f"{what} once, about {seconds:.0f} s"
    if not sys.stderr.isatty():
        print(f"dxmatch: {line}", file=sys.stderr, flush=True)
    with shown(line) as report:
        yield report


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=5)
