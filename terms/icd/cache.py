"""Parsed trees and embedded names on disk, so that a second start takes a fraction of a second.

One safetensors file per key. It is written under a temporary name and renamed, so a reader sees a whole file or none. One process
makes it, and those that need the same wait (`made_once`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError
from ...files.atomic import alone, cache_folder, make_folder, whole_file
from ...progress import Progress, shown

FORMAT = 7
"""Part of every key: raised whenever the layout, or the way a tree or its names are built, changes."""
MAX_FILES = 8
"""Of one kind: each table of abbreviations and each encoder has its own 70 MB of names; those longest unused go."""
_STALE_S = 86_400
_END = "\0"

Arrays = Mapping[str, NDArray[Any]]


class Cache:
    """Named arrays under a key. Where the folder is missing, read-only or damaged, the work is done again.

    Parameters
    ----------
    folder : where the files lie; None for `cache_folder()`, False for no cache at all.
    """

    def __init__(self, folder: Path | str | bool | None = None) -> None:
        self.folder = None if folder is False else Path(folder) if isinstance(folder, str | Path) else cache_folder()

    def made_once(
        self,
        name: str,
        key: Mapping[str, Any],
        make: Callable[[Progress], dict[str, NDArray[Any]]],
        what: str,
        fits: Callable[[Arrays], bool] = lambda _: True,
    ) -> Arrays:
        """The arrays under `key`, made and stored where there are none; by one process, while others wait and then load them.

        Parameters
        ----------
        make : makes them; its parameter is called with what is done and the total, or not.
        what : "the index of ICD-10-CM".
        fits : whether what was found can be used.
        """
        kept = self.load(name, key)
        if kept is not None and fits(kept):
            return kept
        with contextlib.ExitStack() as held:
            if self.folder is not None:
                path = self._path(name, key)
                seen = _state(path)
                with contextlib.suppress(DxmatchError):  # told when it is stored
                    make_folder(self.folder, private=True)
                    held.enter_context(alone(path.with_name(f".{path.stem}.lock"), what))
                kept = self.load(name, key) if _state(path) != seen else None
                if kept is not None and fits(kept):
                    return kept
            with shown(f"making {what} once") as report:
                made = make(report)
            self.save(name, key, made)
        return made

    def load(self, name: str, key: Mapping[str, Any]) -> dict[str, NDArray[Any]] | None:
        """The arrays stored under `key`; None where there are none. A damaged file is reported in a warning and counts as none."""
        from safetensors import SafetensorError, safe_open

        if self.folder is None or not (path := self._path(name, key)).is_file():
            return None
        try:
            with safe_open(path, "np") as file:
                arrays = {each: file.get_tensor(each) for each in file.keys()}  # noqa: SIM118 (not a dict)
                found = file.metadata()
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            return self._damaged(path, str(error))
        except OSError as error:
            _warn(f"The ICD cache file {path} cannot be read ({error.strerror or error}).")
            return None
        if found != _metadata(name, key, arrays):
            return self._damaged(path, "wrong checksum or another key")
        with contextlib.suppress(OSError):
            os.utime(path)
        return arrays

    def _damaged(self, path: Path, problem: str) -> None:
        _warn(f"The ICD cache file {path} is damaged ({problem}) and is made anew.")

    def save(self, name: str, key: Mapping[str, Any], arrays: Arrays) -> None:
        """Stores `arrays`, all in C order. A folder that cannot be written is reported in a warning."""
        from safetensors.numpy import save

        if self.folder is None:
            return
        path = self._path(name, key)
        try:
            make_folder(self.folder, private=True)
            with whole_file(path) as temporary:
                temporary.write_bytes(save(dict(arrays), _metadata(name, key, arrays)))
        except DxmatchError as error:
            _warn(f"The ICD cache {path} cannot be written ({error})")
            return
        with contextlib.suppress(OSError):
            used = sorted((-each.stat().st_mtime, each) for each in self.folder.glob(f"icd-{name}-*.safetensors"))
            stale = [each for each in self.folder.glob(".icd-*.part") if each.stat().st_mtime < time.time() - _STALE_S]
            for each in [*(each for _, each in used[MAX_FILES:]), *stale]:
                each.unlink(missing_ok=True)

    def _path(self, name: str, key: Mapping[str, Any]) -> Path:
        assert self.folder is not None
        return self.folder / f"icd-{name}-{hashlib.sha256(_full_key(name, key).encode()).hexdigest()[:24]}.safetensors"


def text_array(texts: Iterable[str]) -> NDArray[np.uint8]:
    """Texts without a NUL character as one array of UTF-8; `texts_of` reads them back."""
    return np.frombuffer("".join(text + _END for text in texts).encode(), np.uint8)


def texts_of(array: NDArray[np.uint8]) -> list[str]:
    """See `text_array`."""
    return array.tobytes().decode().split(_END)[:-1]


def _state(path: Path) -> tuple[int, int] | None:
    """What differs between two files of the same name."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _full_key(name: str, key: Mapping[str, Any]) -> str:
    return json.dumps({"format": FORMAT, "holds": name, **key}, sort_keys=True, ensure_ascii=False)


def _metadata(name: str, key: Mapping[str, Any], arrays: Arrays) -> dict[str, str]:
    checksum = 0
    for each, array in sorted(arrays.items()):
        checksum = zlib.crc32(f"{each} {array.dtype} {array.shape}".encode(), checksum)
        checksum = zlib.crc32(array.data.cast("B") if array.size else b"", checksum)
    return {"key": _full_key(name, key), "checksum": f"{checksum:08x}"}


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)
