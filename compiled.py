"""numba's `njit`, with the machine code kept on disk where numba finds a folder for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from multiprocessing import parent_process
from typing import Any

import numba
from numba.core import event as events


class _FirstUse(events.Listener):
    """Says that a loop is compiled, once: those to come take their time, too."""

    said = False

    def on_start(self, event: events.Event) -> None:
        loop = event.data["dispatcher"].py_func.__module__ if event.data else ""
        if not self.said and loop.startswith(f"{__package__}.") and parent_process() is None:
            self.said = True
            print("dxmatch: compiling for this machine, about 15 s", file=sys.stderr, flush=True)

    def on_end(self, event: events.Event) -> None:
        """Nothing."""


events.register("numba:compile", _FirstUse())


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a loop over arrays at its first call, without the interpreter's lock; read-only installations compile anew.

    numba reads what it kept with pickle: who can write that folder (`NUMBA_CACHE_DIR`, else `__pycache__` beside the code, else the
    user's cache) can run code here.
    """
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder can be written
        return numba.njit(nogil=True)(function)
