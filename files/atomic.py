"""Whole files or none: output goes to a temporary neighbour and takes its name when it is complete. Their owner alone can read them,
unless the user asked for shared ones; Windows has no such permissions."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path

from ..errors import DxmatchError
from ..settings import file_mode, folder_mode, shared_files


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary, empty file beside `path`; renamed to it when the block ends well, removed when it does not.

    It is private from the start, and a file that it replaces hands it its permissions. Errors: `DxmatchError` where the folder is absent or cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise DxmatchError(f"{target} is a folder, not a file to write to.")
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    temporary = _beside(target)
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
    temporary = _beside(target)
    try:
        make_private_folder(target.parent)
        temporary.mkdir(folder_mode())
        yield temporary
        owner_only(temporary)
        temporary.replace(target)
    except OSError as error:
        raise DxmatchError(f"{target} could not be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _beside(target: Path) -> Path:
    """Where it is made: two processes that write the same, on two machines even, never meet."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}.part")


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


def make_private_file(path: str | os.PathLike[str]) -> bool:
    """Makes an empty file, private from the start; False where there is one already, which stays as it is. Raises `OSError`."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, file_mode()))
    except FileExistsError:
        return False
    return True


def make_private_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made where it is absent, and those above it; one that is there stays as it is. Raises `OSError`."""
    folder = Path(path)
    if not folder.is_dir():
        if folder.parent != folder:
            make_private_folder(folder.parent)
        folder.mkdir(folder_mode(), exist_ok=True)
    return folder


def owner_only(path: Path) -> None:
    """Takes the permissions of all but the owner from a file, or from a folder and all in it; nothing where files are shared.

    What belongs to another, or lies on a drive without permissions, stays as it is, and so does what a link leads to.
    """
    if shared_files():
        return
    with contextlib.suppress(OSError):
        for each in (path, *path.rglob("*")):
            mode = each.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                each.chmod(mode & 0o700)


def others_can_read(path: Path) -> bool:
    """Whether everybody on the machine can read a file: its permissions and those of the folders above it let them. Raises `OSError`."""
    found = path.resolve()
    return (
        os.name != "nt"
        and bool(found.stat().st_mode & stat.S_IROTH)
        and all(folder.stat().st_mode & stat.S_IXOTH for folder in found.parents)
    )


def keep_permissions(new: Path, old: Path) -> None:
    """Gives a file that takes the place of another the permissions that the user gave that one; nothing where files are shared.

    They mean what they meant only where owner and group are the same.
    """
    with contextlib.suppress(OSError):
        before, now = old.stat(), new.stat()
        if not shared_files() and (before.st_uid, before.st_gid) == (now.st_uid, now.st_gid):
            new.chmod(before.st_mode & 0o777)


def cache_folder() -> Path:
    """Where dxmatch keeps what it can always make anew: the environment's DXMATCH_CACHE, else the user's cache folder of the platform."""
    if chosen := os.environ.get("DXMATCH_CACHE"):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("dxmatch"))
