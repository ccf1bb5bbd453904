"""numba's `njit`, with the machine code kept on disk where some folder can be written that nobody else can write."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numba
from numba.core import event as events

_KEPT: list[Any] = []
"""Dispatchers whose machine code is kept on disk."""


class _FirstUse(events.Listener):
    """Says that the first loop is compiled, where none of the others was found compiled either: those to come take their time, too."""

    said = False

    def on_start(self, event: events.Event) -> None:
        loop = event.data["dispatcher"].py_func.__module__ if event.data else ""
        if self.said or not loop.startswith(f"{__package__}.") or parent_process() is not None:
            return
        self.said = True
        if not any(sum(each.stats.cache_hits.values()) for each in _KEPT):
            print("dxmatch: compiling for this machine, about 15 s", file=sys.stderr, flush=True)

    def on_end(self, event: events.Event) -> None:
        """Nothing."""


events.register("numba:compile", _FirstUse())


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a loop over arrays at its first call, without the interpreter's lock; read-only installations compile anew.

    numba reads what it kept with pickle, so that who can write there can run code here. Beside the package's own files that
    is no more than they could do anyway; another folder (NUMBA_CACHE_DIR, the user's cache) must be the user's own.
    """
    try:
        kept = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(nogil=True)(function)
    beside = Path(function.__code__.co_filename).parent / "__pycache__"
    folder = Path(kept.stats.cache_path or beside)
    if folder != beside and not _of_user_alone(folder):
        return numba.njit(nogil=True)(function)
    _KEPT.append(kept)
    return kept


@lru_cache
def _of_user_alone(folder: Path) -> bool:
    """Whether only the user, or the system's administrator, can put files into a folder or exchange it."""
    if sys.platform == "win32":
        return True
    for each in (folder.resolve(), *folder.resolve().parents):
        found = each.stat()
        theirs = found.st_uid not in (os.getuid(), 0)
        # In a folder that others can write, the sticky bit keeps them from exchanging what is not theirs.
        open_to_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (
            each != folder.resolve() and found.st_mode & stat.S_ISVTX
        )
        # A user's own group, as many systems make one, has no other members.
        own_group = not found.st_mode & stat.S_IWOTH and found.st_gid == os.getgid() == os.getuid()
        if theirs or (open_to_others and not own_group):
            warnings.warn(
                f"numba's cache {folder} is not used: others can write {each}. Set NUMBA_CACHE_DIR to a folder of your own.",
                RuntimeWarning,
                stacklevel=3,
            )
            return False
    return True
