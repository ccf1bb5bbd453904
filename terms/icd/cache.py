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
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, warn
from ...files.atomic import alone, cache_folder, make_folder, whole_file
from ...progress import Progress, shown

FORMAT = 9
"""Part of every key: raised whenever the layout, or the way a tree or its names are built, changes."""
UNUSED_DAYS = 60
"""After which a file goes: each table of abbreviations and each encoder has its own 70 MB of names."""
_END = "\0"
_TYPES = {"U8": np.uint8, "I32": np.int32, "I64": np.int64, "F32": np.float32}

Arrays = Mapping[str, NDArray[Any]]


def made_once(
    name: str,
    key: Mapping[str, Any],
    make: Callable[[Progress], dict[str, NDArray[Any]]],
    what: str,
) -> Arrays:
    """The arrays under `key`, made and stored where there are none; by one process, while others wait and then load them.

    They lie in `cache_folder()`; where it is missing, read-only or damaged, the work is done again.

    Parameters
    ----------
    name : the kind of arrays.
    make : makes them, all in C order; its parameter is called with what is done and the total, or not.
    what : "the index of ICD-10-CM".
    """
    full_key = json.dumps({"format": FORMAT, "holds": name, **key}, sort_keys=True, ensure_ascii=False)
    folder = cache_folder()
    path = folder / f"icd-{name}-{hashlib.sha256(full_key.encode()).hexdigest()[:24]}.safetensors"
    if (kept := _loaded(path)) is not None:
        return kept
    with contextlib.ExitStack() as held:
        with contextlib.suppress(DxmatchError):  # told when it is stored
            make_folder(folder, private=True)
            held.enter_context(alone(path.with_name(f".{path.stem}.lock"), what))
        if (kept := _loaded(path)) is not None:
            return kept
        with shown(f"making {what} once") as report:
            made = make(report)
        _save(path, made)
    with contextlib.suppress(OSError):
        for each in folder.glob("icd-*.safetensors"):
            if time.time() - each.stat().st_mtime > UNUSED_DAYS * 86_400:
                each.unlink(missing_ok=True)
    return made


def _loaded(path: Path) -> Arrays | None:
    """The arrays of a file; None where there are none. A damaged file is reported in a warning, goes, and counts as none."""
    if not path.is_file():
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    try:
        return _mapped(path)
    except (OSError, ValueError, KeyError) as error:
        warn(f"The ICD cache file {path} is damaged ({error}) and is made anew.", RuntimeWarning)
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def _mapped(path: Path) -> Arrays:
    """The arrays of a safetensors file as they lie there: what is never looked at is never read, and processes share the rest.

    The library copies each of them: 110 MB, and a fifth of a first match.
    """
    # private pages, as of an array that was just made: numba compiles anew for arrays that cannot be written
    whole = np.asarray(np.memmap(path, np.uint8, "c"))
    begin = 8 + int(whole[:8].view("<u8")[0])
    header = json.loads(whole[8:begin].tobytes())
    return {
        name: whole[slice(*(begin + at for at in one["data_offsets"]))].view(_TYPES[one["dtype"]]).reshape(one["shape"])
        for name, one in header.items()
        if name != "__metadata__"
    }


def _save(path: Path, arrays: Arrays) -> None:
    from safetensors.numpy import save

    try:
        with whole_file(path) as temporary:
            temporary.write_bytes(save(dict(arrays)))
    except DxmatchError as error:
        warn(f"The ICD cache {path} cannot be written ({error})", RuntimeWarning)


def text_array(texts: Iterable[str]) -> NDArray[np.uint8]:
    """Texts without a NUL character as one array of UTF-8; `texts_of` reads them back."""
    return np.frombuffer(_END.join([*texts, ""]).encode(), np.uint8)


def texts_of(array: NDArray[np.uint8]) -> list[str]:
    """See `text_array`."""
    return array.tobytes().decode().split(_END)[:-1]
