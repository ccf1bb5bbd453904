"""The first bytes of files, and the files of a folder: what the formats are recognised by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_HEAD = 65_536
_LOOKED_AT = 200
"""Files of a folder whose heads are read to recognise it."""
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')


class Head(NamedTuple):
    """The first 64 KiB of a file, and the columns of a CSV or the keys of JSON in them."""

    path: Path
    text: str
    keys: set[str]


def heads_of(path: Path) -> Iterator[Head]:
    """Of the file itself, or of the first files of a folder and of its folders, as they come."""
    files = [path] if path.is_file() else path.rglob("*") if path.is_dir() else []
    for file in islice((file for file in files if file.is_file()), _LOOKED_AT):
        with file.open("rb") as handle:
            text = handle.read(_HEAD).decode("utf-8-sig", errors="replace")
        if file.suffix in (".csv", ".tsv"):
            keys = {*re.split(r"[,;\t]", text.partition("\n")[0].replace('"', "").strip())}
        else:
            held = text if text.lstrip()[:1] in ("{", "[") else ""
            keys = {name for name, colon in _STRING.findall(held) if colon}
        yield Head(file, text, keys)


def files_below(path: Path, *patterns: str) -> list[Path]:
    """The file itself; or the files of a folder, and of its folders to any depth, of the first pattern that any has, by name."""
    if not path.is_dir():
        return [path]
    of = ([file for file in path.rglob(pattern) if file.is_file()] for pattern in patterns)
    return sorted(next(filter(None, of), []))
