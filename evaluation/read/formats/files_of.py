"""The first bytes of files, JSON files and lines, and the files of a folder: what the formats are recognised by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ....files.json_records import objects_in_lines, read_json

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


def first_object(path: Path) -> dict[str, Any]:
    """The object in the first line of a JSONL file; {} where there is none."""
    line = next((line for line in head(path).split("\n") if line.strip()), "")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def first_of_array(path: Path) -> dict[str, Any]:
    """The first object in a JSON array; {} where there is none, or it is long."""
    text = head(path)
    start = text.find("{")
    if not text.lstrip().startswith("[") or start < 0:
        return {}
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return {}
    return value


def has_keys(path: Path, *keys: str) -> bool:
    """Whether the head of a JSON file names all of these keys."""
    text = head(path)
    return text.lstrip()[:1] in ("{", "[") and all(f'"{key}"' in text for key in keys)


def files_below(path: Path, *patterns: str) -> list[Path]:
    """The file itself; or the files of a folder, and of its folders to any depth, of the first pattern that any has, by name."""
    if path.is_file():
        return [path]
    for pattern in patterns:
        if found := sorted(file for file in path.rglob(pattern) if file.is_file()):
            return found
    return []


def some_below(path: Path, pattern: str) -> list[Path]:
    """The file itself, or the first files of a folder and of its folders, as they come."""
    if path.is_file():
        return [path]
    return list(islice((file for file in path.rglob(pattern) if file.is_file()), _LOOKED_AT)) if path.is_dir() else []


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, each with the number of its line. Errors: `InputError`, with the line."""
    yield from objects_in_lines(path)


def json_file(path: Path) -> Any:
    """What a JSON file holds. Errors: `InputError`."""
    return read_json(path).value
