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


def kernels_compiled() -> bool:
    """Whether numba is at hand, with at least one kernel."""
    return _kernels_compiled


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
        if self._few_at is not None and not _kernels_compiled and len(args[self._few_at]) <= FEW:
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
                self._compiled = _njit(self.function, self._options)
                _kernels_compiled = True
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
