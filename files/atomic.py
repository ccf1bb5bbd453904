"""Whole files or none: output goes to a temporary neighbour and takes its name when it is complete. Their owner alone can read them."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from ..errors import DxmatchError
from ..settings import folder_mode
from .private import keep_permissions, make_private_file, make_private_folder, owner_only


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary, empty file beside `path`; renamed to it when the block ends well, removed when it does not.

    It is private from the start (`files/private.py`), and a file that it replaces hands it its permissions. Errors: `DxmatchError` where the folder is absent or cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise DxmatchError(f"{target} is a folder, not a file to write to.")
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    # Two processes that write the same file, on two machines even, never meet.
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        make_private_file(temporary)
        yield temporary
        keep_permissions(temporary, target)
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
        make_private_folder(target.parent)
        outer = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
        try:
            (outer / "new").mkdir(folder_mode())  # mkdtemp's own is private even where files are shared
            yield outer / "new"
            owner_only(outer / "new")
            (outer / "new").replace(target)
        finally:
            shutil.rmtree(outer, ignore_errors=True)
    except OSError as error:
        raise DxmatchError(f"{target} could not be written: {error.strerror or error}.") from error


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made where it is absent. Errors: `DxmatchError` where it cannot be."""
    try:
        return make_private_folder(path)
    except OSError as error:
        raise DxmatchError(f"{path}: the folder could not be made ({error.strerror or error}).") from error


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file in UTF-8. Errors: `DxmatchError` where it cannot be read."""
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DxmatchError(f"{path}: could not be read as UTF-8 text ({error}).") from error
