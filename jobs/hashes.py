"""SHA-256 hashes of the files of a result, in the form of `sha256sum`, and whether the files are still what was written."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def hashes_beside(output: Path) -> Path:
    """Where the hashes of a finished folder's parts are: "scored.sha256" beside "scored", for `sha256sum -c` there.

    Not in the folder, where polars reads every file as Parquet.
    """
    return output.with_name(f"{output.name}.sha256")


def hash_of(path: Path) -> str:
    """Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_lines(hashes: Mapping[str, str]) -> str:
    """Hashes by the names of the files, as text."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))


def read_hashes(path: Path) -> dict[str, str] | None:
    """The hashes by the names of the files; None where the file is absent, or not as it was written."""
    try:
        lines = path.read_text("utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        return None
    found = [_LINE.fullmatch(line.removesuffix("\n")) for line in lines if line.endswith("\n")]
    if len(found) < len(lines) or not all(found):
        return None
    return {one[2]: one[1] for one in found if one is not None}


def changed_files(folder: Path, hashes: Mapping[str, str], threads: int) -> list[str]:
    """The files that are absent, cannot be read, or have another hash, by name."""

    def changed(name: str) -> bool:
        try:
            return hash_of(folder / name) != hashes[name]
        except OSError:
            return True

    names = sorted(hashes)
    with ThreadPoolExecutor(threads) as pool:
        return [name for name, other in zip(names, pool.map(changed, names), strict=True) if other]
