"""Parsed trees and embedded names on disk, one file each, so that a second start takes a fraction of a second.

A file is: 8 bytes of magic, the length of the header, the header (JSON: the key, each array's type, shape and place),
the arrays on 64-byte boundaries, and the checksum of all before it. It is written under a temporary name and renamed,
so a reader sees a whole file or none, and of two writers the later wins with the same bytes. Nothing in it is executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...files.cache_folder import cache_folder

FORMAT = 5
"""Part of every key: raised whenever the layout, or the way a tree or its names are built, changes."""
_MAGIC = b"dxm-icd\n"
_BOUNDARY = 64
_SLICE = 1 << 22
_MOST_FILES = 8
_STALE_S = 86_400


class _Damaged(Exception):
    pass


class Cache:
    """Named arrays under a key, in a folder that may be missing, read-only or damaged: then the work is done anew.

    Parameters
    ----------
    folder : where the files lie; None for `cache_folder()`, False for no cache at all.
    """

    def __init__(self, folder: Path | str | bool | None = None) -> None:
        self.folder = None if folder is False else Path(folder) if isinstance(folder, str | Path) else cache_folder()

    def load(self, name: str, key: Mapping[str, Any]) -> dict[str, NDArray[Any]] | None:
        """The arrays stored under `key`, read-only and mapped from the file; None where there are none.

        A file with another length or checksum than it should have is reported in a warning and counts as none.
        """
        if self.folder is None:
            return None
        path = self._path(name, key)
        try:
            with path.open("rb") as handle:
                block = memoryview(mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ))
            arrays = _unpack(block, _full_key(name, key))
            with contextlib.suppress(OSError):
                os.utime(path)
            return arrays
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            _warn(f"The ICD cache file {path} cannot be read ({error.strerror or error}).")
            return None
        except (ValueError, _Damaged) as error:
            _warn(f"The ICD cache file {path} is damaged ({error}) and is made anew.")
            return None

    def save(self, name: str, key: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Store `arrays`; a folder that cannot be written is reported in a warning."""
        if self.folder is None:
            return
        path = self._path(name, key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with temporary.open("xb") as handle:
                for piece in _pack(_full_key(name, key), arrays):
                    handle.write(piece)
            temporary.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            _warn(f"The ICD cache {path} cannot be written ({error.strerror or error}).")
            return
        self._sweep(name)

    def _sweep(self, name: str) -> None:
        """Each table of abbreviations and each encoder has its own 70 MB of names: the files longest unused go."""
        assert self.folder is not None
        with contextlib.suppress(OSError):
            used = sorted((-path.stat().st_mtime, path) for path in self.folder.glob(f"icd-{name}-*.bin"))
            for _, path in used[_MOST_FILES:]:
                path.unlink(missing_ok=True)
            for path in self.folder.glob(f"icd-{name}-*.tmp"):
                if path.stat().st_mtime < time.time() - _STALE_S:
                    path.unlink(missing_ok=True)

    def _path(self, name: str, key: Mapping[str, Any]) -> Path:
        assert self.folder is not None
        digest = hashlib.sha256(_as_json(_full_key(name, key))).hexdigest()[:24]
        return self.folder / f"icd-{name}-{digest}.bin"


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)


def _full_key(name: str, key: Mapping[str, Any]) -> dict[str, Any]:
    return {"format": FORMAT, "holds": name, **key}


def _as_json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()


def _round_up(place: int) -> int:
    return -(-place // _BOUNDARY) * _BOUNDARY


def _pack(key: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[memoryview | bytes]:
    sections, place = {}, 0
    for name, array in arrays.items():
        sections[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "at": place}
        place = _round_up(place + array.nbytes)
    header = _as_json({"key": key, "sections": sections, "bytes": place})
    start = _round_up(len(_MAGIC) + 8 + len(header))
    body = bytearray(start + place)
    body[: len(_MAGIC)] = _MAGIC
    body[len(_MAGIC) : len(_MAGIC) + 8] = len(header).to_bytes(8, "little")
    body[len(_MAGIC) + 8 : len(_MAGIC) + 8 + len(header)] = header
    for name, array in arrays.items():
        at = start + sections[name]["at"]
        body[at : at + array.nbytes] = np.ascontiguousarray(array).tobytes()
    return [memoryview(body), _checksum(memoryview(body))]


def _unpack(block: memoryview, key: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    fixed = len(_MAGIC) + 8
    if len(block) < fixed + 32 or block[: len(_MAGIC)] != _MAGIC:
        raise _Damaged("not a cache file")
    if _checksum(block[:-32]) != block[-32:]:
        raise _Damaged("wrong checksum")
    length = int.from_bytes(block[len(_MAGIC) : fixed], "little")
    header = json.loads(bytes(block[fixed : fixed + length]))
    if header["key"] != json.loads(_as_json(key)):
        raise _Damaged("another key")
    start = _round_up(fixed + length)
    arrays = {}
    for name, section in header["sections"].items():
        size = int(np.prod(section["shape"]))
        arrays[name] = np.frombuffer(block, section["dtype"], size, start + section["at"]).reshape(section["shape"])
    return arrays


def _checksum(block: memoryview) -> bytes:
    """SHA-256 over the SHA-256 of each 4 MiB, which lets every core take part (hashlib lets go of the interpreter)."""
    pieces = [block[at : at + _SLICE] for at in range(0, len(block), _SLICE)]
    digests = [b""] * len(pieces)
    workers = min(len(pieces), os.cpu_count() or 1)

    def work(first: int) -> None:
        for i in range(first, len(pieces), workers):
            digests[i] = hashlib.sha256(pieces[i]).digest()

    threads = [threading.Thread(target=work, args=(first,)) for first in range(1, workers)]
    for thread in threads:
        thread.start()
    work(0)
    for thread in threads:
        thread.join()
    return hashlib.sha256(b"".join(digests)).digest()
