"""Two paths change names in one step, so that at no moment either of them is absent."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_HERE = -100  # AT_FDCWD: relative paths are those of the process
_RENAME_EXCHANGE = 2


def exchange(first: Path, second: Path) -> bool:
    """Whether it was done: by renameat2(2) with RENAME_EXCHANGE, which Linux has and not every file system."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    return rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _RENAME_EXCHANGE) == 0
