"""The first bytes of files, and the files of a folder: what the formats are recognised by."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

_HEAD = 65_536
_LOOKED_AT = 200
"""Files of a folder whose heads are read to recognise it."""


def head(path: Path) -> str:
    """The first 64 KiB of a file as text; "" where it cannot be read."""
    try:
        with path.open("rb") as handle:
            return handle.read(_HEAD).decode("utf-8-sig", errors="replace")
    except OSError:
        return ""


def columns_of(path: Path) -> set[str]:
    """The columns of a CSV; none for any other file."""
    if path.suffix not in (".csv", ".tsv"):
        return set()
    return set(re.split(r"[,;\t]", head(path).partition("\n")[0].replace('"', "").strip()))


def first_object(path: Path) -> dict[str, Any]:
    """The first object of JSON lines, or of a JSON array; {} where there is none, or it is long."""
    text = head(path).lstrip("[ \r\n\t")
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def has_keys(path: Path, *keys: str) -> bool:
    """Whether the head of a JSON file names all of these keys."""
    text = head(path)
    return text.lstrip()[:1] in ("{", "[") and all(f'"{key}"' in text for key in keys)


def files_below(path: Path, *patterns: str, most: int | None = None) -> list[Path]:
    """The file itself; or the files of a folder, and of its folders to any depth, of the first pattern that any has, by name.

    most : so many of them, as they come.
    """
    if not path.is_dir():
        return [path]
    of = ([file for file in islice(path.rglob(pattern), most) if file.is_file()] for pattern in patterns)
    return sorted(next(filter(None, of), []))


def some_below(path: Path, pattern: str) -> list[Path]:
    """The file itself, or the first files of a folder and of its folders, as they come."""
    return files_below(path, pattern, most=_LOOKED_AT)
