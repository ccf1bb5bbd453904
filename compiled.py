"""numba's `njit`, with the machine code kept on disk where some folder can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a loop over arrays at its first call, without the interpreter's lock; read-only installations compile anew."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(nogil=True)(function)
