"""Whole files or none: output goes to a temporary neighbour and takes its name when it is complete."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from ..errors import DxmatchError


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
    # Two processes that write the same file, on two machines even, never meet.
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        yield temporary
        temporary.replace(target)
    except OSError as error:
        # pyarrow puts what it was about into `strerror`.
        why = os.strerror(error.errno) if error.errno else error
        raise DxmatchError(f"{target} could not be written: {why}.") from error
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary folder beside `path`, absent or empty; it takes its name when the block ends well.

    Errors: `DxmatchError` where it cannot be written.
    """
    target = Path(path).absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        outer = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
        try:
            (outer / "new").mkdir()  # unlike mkdtemp's, with the usual permissions
            yield outer / "new"
            (outer / "new").replace(target)
        finally:
            shutil.rmtree(outer, ignore_errors=True)
    except OSError as error:
        raise DxmatchError(f"{target} could not be written: {error.strerror or error}.") from error


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made where it is absent. Errors: `DxmatchError` where it cannot be."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DxmatchError(f"{folder}: the folder could not be made ({error.strerror or error}).") from error
    return folder


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file in UTF-8. Errors: `DxmatchError` where it cannot be read."""
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DxmatchError(f"{path}: could not be read as UTF-8 text ({error}).") from error
