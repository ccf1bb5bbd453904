"""Files and folders that their owner alone can read, unless the user asked for shared ones. Windows has no such permissions."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from ..settings import file_mode, folder_mode, shared_files


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
