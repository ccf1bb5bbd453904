"""Whole files or none: output goes to a temporary neighbour and takes its name when it is complete.

What a command writes is its owner's alone (`only_for_me`), and so are stores and caches; what is written from Python follows the umask.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from ..errors import DxmatchError, warn
from ..settings import permissions

LONGEST_WAIT = 900.0
"""Seconds to wait for another process; after that it is made here, too."""


@contextlib.contextmanager
def only_for_me() -> Iterator[None]:
    """What is written meanwhile, here and by programs that are started, its owner alone can read, unless the user asked for shared files."""
    before = os.umask(0o077)
    os.umask(before | (0o777 - permissions(0o777)))
    try:
        yield
    finally:
        os.umask(before)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary, empty file beside `path`; renamed to it when the block ends well, removed when it does not.

    Errors: `DxmatchError` where the folder is absent or cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise DxmatchError(f"{target} is a folder, not a file to write to.")
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    with _renamed(target) as temporary:
        temporary.touch()
        yield temporary


@contextlib.contextmanager
def whole_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary folder beside `path`, absent or empty; it takes its name when the block ends well.

    Errors: `DxmatchError` where it cannot be written.
    """
    with _renamed(Path(path).absolute()) as temporary:
        temporary.mkdir(parents=True)
        yield temporary


@contextlib.contextmanager
def _renamed(target: Path) -> Iterator[Path]:
    # Two processes that write the same, on two machines even, never meet.
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        yield temporary
        temporary.replace(target)
    except OSError as error:
        # pyarrow puts what it was about into `strerror`.
        why = os.strerror(error.errno) if error.errno else error
        raise DxmatchError(f"{target} could not be written: {why}.") from error
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)


def make_folder(path: str | os.PathLike[str], *, private: bool = False) -> Path:
    """The folder, made where it is absent. private : for its owner alone, unless the user asked for shared files. Errors: `DxmatchError` where it cannot be."""
    try:
        Path(path).mkdir(permissions(0o777) if private else 0o777, parents=True, exist_ok=True)
    except OSError as error:
        raise DxmatchError(f"{path}: the folder could not be made ({error.strerror or error}).") from error
    return Path(path)


def make_private_file(path: str | os.PathLike[str]) -> None:
    """Makes an empty file for its owner alone, unless the user asked for shared ones; one that is there stays as it is. Raises `OSError`."""
    Path(path).touch(permissions(0o666))


@contextlib.contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Holds a lock that one thread of one process has at a time; its holder's end frees it.

    Where no lock can be had (a file system without locks, a folder that cannot be written), the block runs all the same.

    Parameters
    ----------
    path : the lock file, in a folder that exists. what : "the index of ICD-10-CM", for messages.
    """
    from filelock import FileLock, Timeout

    with contextlib.ExitStack() as held:
        try:
            # A soft lock, a file that is there or not, would outlive its holder.
            held.enter_context(FileLock(path, LONGEST_WAIT, mode=permissions(0o666), fallback_to_soft=False))
        except (Timeout, OSError, NotImplementedError) as error:
            problem = f"No lock can be had in {path.parent} ({error}): {what} is made here, whoever else makes it."
            warn(problem, RuntimeWarning)
        yield


def cache_folder() -> Path:
    """Where dxmatch keeps what it can always make anew, for its user alone: the environment's DXMATCH_CACHE, else the user's cache folder of the platform."""
    if chosen := os.environ.get("DXMATCH_CACHE"):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("dxmatch"))
