"""Kernels made ready in the background, while pairs are computed without them: nobody waits for numba."""

from __future__ import annotations

import atexit
import logging as logging  # takes part in a fork itself, and must not begin to in the middle of one
import os
import threading
from collections.abc import Callable

from . import compiled

_begun = threading.Lock()
_threads: list[threading.Thread] = []


def warm_up(work: Callable[[], object]) -> None:
    """Runs `work`, which calls the kernels that will be needed, in a thread of its own; once a process.

    Only for that thread `kernels_compiled()` is true meanwhile; for all, when it is done. Should it fail, nothing is said and
    nothing lost: the kernels are then made at their first call in the foreground, with the same error.
    The process neither forks nor ends meanwhile: a lock that the thread holds would stay locked in the child, and what LLVM has
    begun cannot be broken off.
    """
    if compiled.kernels_compiled() or not _begun.acquire(blocking=False):
        return
    thread = threading.Thread(target=compiled.run_ahead, args=(work,), name="dxmatch kernels", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # a system without threads, or with too many
        return
    _threads.append(thread)
    atexit.register(_end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=wait)


def wait() -> None:
    """Until the kernels are ready, where they are being made."""
    for thread in list(_threads):
        if thread is not threading.current_thread():
            thread.join()


def _end() -> None:
    compiled.make_no_more()
    wait()
