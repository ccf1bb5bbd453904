"""Encoders that a model folder holds: `0/…` are the files of the first that its features name, and so on."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import DxmatchError, InputError, ModelError
from ...files.atomic import cache_folder, whole_folder

_FILE = re.compile(r"([0-9]|[1-9][0-9])/(?:\w[\w.-]*/){0,4}\w[\w.-]*", re.ASCII)
"""No path that climbs, is hidden or absolute."""


@dataclass(frozen=True)
class KeptEncoder(os.PathLike[str]):
    """The files of an encoder in a model folder, as the path of a folder that holds them.

    They are written, when the path is first asked for, into the cache: a library opens a folder, and M may have come as bytes.
    """

    files: Mapping[str, bytes]

    def __fspath__(self) -> str:
        digest = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
        folder = cache_folder() / "encoders" / digest.hexdigest()[:32]
        if not folder.is_dir():
            try:
                with whole_folder(folder) as made:
                    for name, content in self.files.items():
                        (made / name).parent.mkdir(parents=True, exist_ok=True)
                        (made / name).write_bytes(content)
            except DxmatchError:
                if not folder.is_dir():  # else another process has made it meanwhile
                    raise
        return str(folder)


def kept_encoders(files: Mapping[str, bytes], names: Sequence[str]) -> dict[str, KeptEncoder]:
    """By the name of an encoder. files : "0/config.json" -> bytes. names : of the features' encoders, in order.

    Errors: `ModelError` for files of an encoder that no feature names, or with a name that is none of an encoder's files.
    """
    found: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        number, _, file = path.partition("/")
        if not _FILE.fullmatch(path) or int(number) >= len(names):
            raise ModelError(f"kept.{path}: no file of an encoder that a feature of the model names.")
        found.setdefault(names[int(number)], {})[file] = content
    return {name: KeptEncoder(each) for name, each in found.items()}


def files_to_keep(folders: Mapping[str, str | os.PathLike[str]], names: Sequence[str]) -> dict[str, bytes]:
    """What `kept_encoders` reads, of encoders in folders: all that shapes a vector. names : as there.

    Errors: `InputError` for a file with a name that a model folder does not take.
    """
    from .sentence import encoder_files

    kept: dict[str, bytes] = {}
    for number, name in enumerate(names):
        if name not in folders:
            continue
        folder = Path(folders[name])
        for file in encoder_files(folder):
            path = f"{number}/{file.relative_to(folder).as_posix()}"
            if not _FILE.fullmatch(path):
                allowed = "names of letters, digits, _, - and dots, in four folders at most"
                problem = f"the encoder {name!r} cannot be kept in a model folder"
                raise InputError(problem, source=str(file), allowed=allowed)
            kept[path] = file.read_bytes()
    return kept
