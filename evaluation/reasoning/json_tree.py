"""JSON files as trees of which every value knows its file and the keys that lead to it, for errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, plain

_MAX_KEY = 40


@dataclass(frozen=True)
class Branch:
    """A value of a JSON file. keys : those that lead to it."""

    value: Any
    file: Path
    keys: tuple[str, ...] = ()

    @classmethod
    def read(cls, file: Path) -> Branch:
        """Reads the object of a file. Errors: `InputError`, also for a key that stands twice in one object."""
        try:
            value = json.loads(file.read_text("utf-8-sig"), object_pairs_hook=_each_once)
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"cannot be read as JSON in UTF-8 ({error})", source=str(file)) from None
        if not isinstance(value, dict):
            raise cls(value, file).error("no JSON object", "{…}")
        return cls(value, file)

    def error(self, problem: str, allowed: str, got: Any = None) -> InputError:
        """Makes an error that says where: "graphs/Stroke.json at diagnostic > Suspected Stroke"; long keys are cut."""
        cut = [plain(key) if len(key) <= _MAX_KEY else plain(key[: _MAX_KEY - 1]) + "…" for key in self.keys]
        source = f"{self.file} at {' > '.join(cut)}" if cut else str(self.file)
        return InputError(problem, source=source, allowed=allowed, got=self.value if got is None else got)

    def items(self, allowed: str) -> Iterator[tuple[str, Branch]]:
        """Yields what an object holds. Errors: `InputError` where it is none."""
        if not isinstance(self.value, dict):
            raise self.error("no object", allowed)
        for key, value in self.value.items():
            yield key, Branch(value, self.file, (*self.keys, key))

    @property
    def text(self) -> str:
        """Gives the value as a text. Errors: `InputError` where it is none."""
        if not isinstance(self.value, str):
            raise self.error("no text", "a text")
        return self.value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {plain(key)!r} stands twice in one object")
        found[key] = value
    return found


def json_files(folder: Path) -> list[Path]:
    """Lists the .json files of a folder and all below it, in order of their paths. Errors: `InputError` where there is none."""
    files = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if not files:
        problem = "a folder without a .json file" if folder.is_dir() else "no such folder"
        raise InputError(problem, source=str(folder), allowed="a folder with one .json file or more")
    return files
