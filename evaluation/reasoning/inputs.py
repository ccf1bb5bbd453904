"""Folders of predictions or notes by the name of their run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...errors import InputError, OptionError

Folders = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]]
"""A folder, several, or name -> folder."""


def named_folders(option: str, given: Folders) -> dict[str, Path]:
    """Run -> folder; without a name it is the folder's, with those above it where that is not enough.

    Under two names one folder may stand twice: see `check_each_once`.

    Raises
    ------
    OptionError
        For something else than folders.
    InputError
        For one folder without a name twice.
    """
    if isinstance(given, Mapping):
        named = {name: Path(folder) for name, folder in given.items() if name.strip()}
        if not named or len(named) < len(given):
            raise OptionError(option, "folders, each with a name of its run", given)
    else:
        folders = [Path(given)] if isinstance(given, str | os.PathLike) else [Path(one) for one in given]
        if not folders:
            raise OptionError(option, "at least one folder", given)
        named = _named(folders, option)
    return named


def check_each_once(predictions: Mapping[str, Path], annotations: Mapping[str, Path]) -> None:
    """Errors: `InputError` where two runs have the same predictions and the same notes."""
    where: dict[tuple[Path, Path], str] = {}
    for name, folder in predictions.items():
        if (other := where.setdefault((folder.resolve(), annotations[name].resolve()), name)) != name:
            raise InputError(
                f"one folder for two runs, {other} and {name}, of the same notes", source=str(folder),
                allowed="each once, or with annotated notes of its own for one of them",
            )  # fmt: skip


def _named(folders: Sequence[Path], option: str) -> dict[str, Path]:
    parts = [folder.resolve().parts for folder in folders]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(own[-depth:]) for own in parts]
        if len(set(names)) == len(names):
            return dict(zip(names, folders, strict=True))
    twice = next(folder for i, folder in enumerate(folders) if folder.resolve() in [f.resolve() for f in folders[:i]])
    raise InputError(f"a folder of {option} that is given twice", source=str(twice), allowed="each once")
