"""JSON files as trees, with errors that name the file and the path of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import InputError, plain

_MAX_KEY, _DEEPEST = 40, 50
Keys = tuple[str, ...]


def json_files(folder: Path) -> list[Path]:
    """The .json files of a folder and all below it, in order of their paths.

    Raises
    ------
    InputError
        For no folder, or one without such a file.
    """
    if folder.is_file():
        raise InputError(
            "a file", source=str(folder), allowed="a folder of .json files, one for each note or graph", got=folder.name
        )
    if not folder.is_dir():
        raise InputError("no such folder", source=str(folder))
    files = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if not files:
        others = ignored_files(folder)
        got = f"{len(others):,} other files, such as {others[0].name}" if others else "an empty folder"
        raise InputError(f"a folder without a .json file ({got})", source=str(folder), allowed="one .json file or more")
    return files


def ignored_files(folder: Path) -> list[Path]:
    """Files of a folder and all below it that are no .json file, but hidden ones and readmes."""
    return sorted(
        path for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".json" and not path.name.startswith(".") and path.stem.casefold() != "readme"
    )  # fmt: skip


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object of a file. Errors: `InputError`, also for a key that stands twice in one object."""
    try:
        value = json.loads(file.read_text("utf-8-sig"), object_pairs_hook=lambda pairs: _object(pairs, file))
    except UnicodeDecodeError:
        raise InputError("text that is not UTF-8", source=str(file)) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", source=str(file)) from None
    except RecursionError:
        raise InputError("JSON that is nested too deep", source=str(file)) from None
    except ValueError as error:
        raise InputError(f"not JSON ({error})", source=str(file)) from None
    if not isinstance(value, dict):
        raise InputError("no JSON object", source=str(file), allowed="{…}", got=value)
    return value


def _object(pairs: list[tuple[str, Any]], file: Path) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise InputError("a key that stands twice in one object", source=str(file), allowed="each once", got=key)
        out[key] = value
    return out


def at(file: Path, *keys: str) -> str:
    """Where in a file something is wrong: `graphs/Stroke.json at diagnostic > Suspected Stroke`; long keys are cut."""
    cut = [plain(key) if len(key) <= _MAX_KEY else plain(key[: _MAX_KEY - 1]) + "…" for key in keys]
    return f"{file} at {' > '.join(cut)}" if cut else str(file)


def items(value: Any, file: Path, keys: Keys, allowed: str) -> Iterator[tuple[str, Any]]:
    """What an object holds. Errors: `InputError` where `value` is none, or lies too deep."""
    if len(keys) > _DEEPEST:
        raise InputError("JSON that is nested too deep", source=at(file, *keys[:3]), allowed=f"{_DEEPEST} levels")
    if not isinstance(value, Mapping):
        raise InputError("no object", source=at(file, *keys), allowed=allowed, got=value)
    yield from value.items()


def text(value: Any, file: Path, keys: Keys, allowed: str = "a text") -> str:
    """Errors: `InputError` where `value` is no text."""
    if not isinstance(value, str):
        raise InputError("no text", source=at(file, *keys), allowed=allowed, got=value)
    return value
