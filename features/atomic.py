"""Whole files or none: output goes to a temporary neighbour and takes its name when it is complete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from .errors import DxmatchError


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`; renamed to it when the block ends well, removed when it does not.

    Errors: `DxmatchError` where the folder is absent or cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise DxmatchError(f"{target} is a folder, not a file to write to.")
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise DxmatchError(f"{target} could not be written: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)
