"""What takes seconds to make, made by one process while those that need the same wait for it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..settings import file_mode

LONGEST_WAIT = 900.0
"""Seconds to wait for another process; after that it is made here, too."""


@contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Holds a lock that one thread of one process has at a time; its holder's end frees it.

    Where no lock can be had (a file system without locks, a folder that cannot be written), the block runs all the same.

    Parameters
    ----------
    path : the lock file, in a folder that exists. what : "the index of ICD-10-CM", for messages.
    """
    from filelock import FileLock, Timeout

    with ExitStack() as held:
        try:
            # A soft lock, a file that is there or not, would outlive its holder.
            held.enter_context(FileLock(path, LONGEST_WAIT, mode=file_mode(), fallback_to_soft=False))
        except (Timeout, OSError, NotImplementedError) as error:
            problem = f"No lock can be had in {path.parent} ({error}): {what} is made here, whoever else makes it."
            warnings.warn(problem, RuntimeWarning, stacklevel=4)
        yield
