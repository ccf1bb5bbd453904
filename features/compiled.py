"""Compiled kernels: numba's `njit`, with the machine code kept on disk where some folder can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator; the kernel runs without the interpreter's lock and without any reordering of sums.

    Where neither the package's folder nor the user's cache can be written (a read-only container), numba refuses to
    keep its code; the kernel is then compiled anew in each process.
    """

    def compile_(kernel: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return njit(cache=True, nogil=True, **options)(kernel)
        except RuntimeError:
            return njit(nogil=True, **options)(kernel)

    return compile_
