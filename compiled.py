"""Compiled kernels: numba's `njit`, with the machine code kept on disk where some folder can be written.

numba is imported, and a kernel compiled or read from disk, when a kernel is first called; that takes about a second. So that
two strings are compared without it, a kernel may be run as the Python function that it is (`few`).
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

FEW = 4
"""Up to so many pairs are computed without numba as long as no kernel is compiled."""

_lock = threading.RLock()
_kernels_compiled = False
_thread_ahead: int | None = None
_ending = False


def kernels_compiled() -> bool:
    """Whether numba is at hand, with at least one kernel; in the thread that makes kernels ready it always is."""
    return _kernels_compiled or threading.get_ident() == _thread_ahead


def made_ready() -> bool:
    """Whether a thread is making kernels ready, so that a few pairs should do without."""
    return _thread_ahead is not None


def run_ahead(work: Callable[[], object]) -> None:
    """Runs `work` with kernels, which all other threads use when it has ended well. Errors of it are dropped."""
    global _kernels_compiled, _thread_ahead
    _thread_ahead = threading.get_ident()
    try:
        work()
        _kernels_compiled = True
    except Exception:
        pass
    finally:
        _thread_ahead = None


def make_no_more() -> None:
    """The process ends: what makes kernels ready stops before the next one."""
    global _ending
    _ending = True


class Kernel:
    """A function over arrays that numba compiles at its first call; safe to call from several threads.

    Kernels that it calls by a name of its module are compiled with it.
    """

    def __init__(self, function: Callable[..., Any], few: str | None, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function = function
        self._options = options
        self._few_at = None if few is None else list(inspect.signature(function).parameters).index(few)
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> Any:
        if self._few_at is not None and not kernels_compiled() and len(args[self._few_at]) <= FEW:
            return self.function(*args)
        return (self._compiled or self.compiled())(*args)

    def compiled(self) -> Callable[..., Any]:
        """numba's dispatcher."""
        global _kernels_compiled
        with _lock:
            if self._compiled is None:
                names = self.function.__globals__
                for name in self.function.__code__.co_names:
                    if isinstance(called := names.get(name), Kernel):
                        names[name] = called.compiled()
                ahead = threading.get_ident() == _thread_ahead
                if ahead and _ending:
                    raise RuntimeError("the process ends")
                self._compiled = _njit(self.function, self._options)
                _kernels_compiled = _kernels_compiled or not ahead
            return self._compiled


def compiled(*, few: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """A decorator; the kernel runs without the interpreter's lock and without any reordering of sums.

    few : the argument whose length is the number of pairs, for a kernel that gives the same bits as plain Python. Up to
        `FEW` pairs are then computed so while no kernel is compiled: to import numba takes far longer.

    Where neither the package's folder nor the user's cache can be written (a read-only container), numba refuses to
    keep its code; the kernel is then compiled anew in each process.
    """
    return lambda function: Kernel(function, few, options)


def _njit(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    from numba import njit

    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:
        return njit(nogil=True, **options)(function)
