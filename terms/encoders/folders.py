"""Folders of sentence-transformers models: of the Hugging Face hub, in its cache, fetched only where the user allowed it; or kept in a model folder.

Of encoders that a model folder holds, `0/…` are the files of the first that its features name, and so on.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...errors import DxmatchError, InputError, ModelError
from ...files.atomic import cache_folder, whole_folder

COMMIT = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"(?=.{1,96}$)(?!.*(?:--|\.\.))\w[\w.-]*(/\w[\w.-]*)?")
_WEIGHTS_OF_OTHERS = ("*.bin", "*.h5", "*.msgpack", "*.ot", "*.onnx*", "*.tflite", "*.gguf", "openvino/*", "coreml/*")
_CODE = ("*.py", "*.pkl", "*.pickle", "*.ckpt")
"""Never run and never opened, so not fetched either."""
_LONGEST_REASON = 300
"""Characters of a library's message that are shown."""
_FILE = re.compile(r"([0-9]|[1-9][0-9])/(?:\w[\w.-]*/){0,4}\w[\w.-]*", re.ASCII)
"""No path that climbs, is hidden or absolute."""


def is_hub_name(name: str) -> bool:
    """Whether it has the form of one: "owner/model", or a model alone."""
    return _NAME.fullmatch(name) is not None


def hub_folder(name: str, revision: str | None = None, *, allow_download: bool = False) -> Path:
    """The folder of a hub's model: its commit in the hub's cache on this machine.

    Parameters
    ----------
    revision : the branch, tag or commit; the hub's "main" if not given.
    allow_download : asks the hub, and fetches what the cache lacks. Without it no request is made, and what the cache holds,
        which the user fetched before, is taken.

    Raises
    ------
    InputError
        Where the cache lacks the model and nothing may be fetched.
    ModelError
        Where it could not be fetched.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    # as sentence-transformers reads a name without an owner
    repository = name if "/" in name else f"sentence-transformers/{name}"
    if not allow_download:
        for called in dict.fromkeys((repository, name)):
            with contextlib.suppress(LocalEntryNotFoundError):
                return Path(snapshot_download(called, revision=revision, cache_dir=cache, local_files_only=True))
        at = "" if revision is None else f" at {revision}"
        raise InputError(
            f"{name}{at}: a model of the hub that is not in the hub's cache, and nothing is fetched unasked",
            remedy="the option 'allow_download' fetches it",
        )
    try:
        for only, without in ((None, [*_WEIGHTS_OF_OTHERS, *_CODE]), ("*.bin", [*_CODE])):
            patterns: dict[str, Any] = {"allow_patterns": only, "ignore_patterns": without}
            folder = Path(snapshot_download(repository, revision=revision, cache_dir=cache, **patterns))
            if any(folder.rglob("*.safetensors")):
                break
    except Exception as error:  # the library raises whatever the layer below did
        raise ModelError(f"{name}: could not be fetched from the hub ({first_line(error)}).") from error
    return folder


def first_line(error: Exception) -> str:
    """Of a library's message, what can be shown."""
    line = (str(error).strip() or type(error).__name__).splitlines()[0][:_LONGEST_REASON]
    return "".join(letter if letter.isprintable() else "?" for letter in line)


@dataclass(frozen=True)
class KeptEncoder(os.PathLike[str]):
    """The files of an encoder in a model folder, as the path of a folder that holds them.

    They are written, when the path is first asked for, into the cache: a library opens a folder, and M may have come as bytes. What a cleaner
    of caches took away, or cut, is written again.
    """

    files: Mapping[str, bytes]

    def __fspath__(self) -> str:
        return self._folder

    @cached_property
    def _folder(self) -> str:
        digest = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
        folder = cache_folder() / "encoders" / digest.hexdigest()[:32]
        if not self._lies_in(folder):
            shutil.rmtree(folder, ignore_errors=True)
            try:
                with whole_folder(folder) as made:
                    for name, content in self.files.items():
                        (made / name).parent.mkdir(parents=True, exist_ok=True)
                        (made / name).write_bytes(content)
            except DxmatchError:
                if not self._lies_in(folder):  # else another process has made it meanwhile
                    raise
        return str(folder)

    def _lies_in(self, folder: Path) -> bool:
        try:
            return all((folder / name).read_bytes() == content for name, content in self.files.items())
        except OSError:
            return False

    def __reduce__(self) -> Any:  # where the folder lies here says nothing of another machine
        return KeptEncoder, (self.files,)


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


def encoder_files(folder: Path) -> Iterable[Path]:
    """All that may shape a vector, in a fixed order; no descriptions, no hidden files."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and path.suffix.lower() not in {".md", ".png", ".pyc"}:
            yield path
