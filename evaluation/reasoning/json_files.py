"""Folders of JSON files, each of one type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import ValidationError, convert

from ...errors import InputError, plain
from ...files.json_records import read_json

T = TypeVar("T")


def read_folder(folder: Path, read: Callable[[Any], T], allowed: str) -> dict[str, T]:
    """Reads the .json files of a folder and all below it, in order of their paths, by their place within it: "Stroke/note1.json".

    read : raises `ValidationError` for what cannot be right; `allowed` says what can.

    Raises
    ------
    InputError
        With the file, for one that cannot be right; where there is none.
    """
    files = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if not files:
        problem = "a folder without a .json file" if folder.is_dir() else "no such folder"
        raise InputError(problem, source=str(folder), allowed="a folder with one .json file or more")
    found: dict[str, T] = {}
    for file in files:
        try:
            found[file.relative_to(folder).as_posix()] = read(read_json(file).value)
        except ValidationError as error:
            raise InputError(plain(str(error)), source=str(file), allowed=allowed) from None
    return found


def converted(key: str, value: Any, kind: Any) -> Any:
    """Gives the value of a key where it is of a type. Errors: `ValidationError` with the key where it is not."""
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise ValidationError(f"{key}: {error}") from None
