"""Folders of sentence-transformers models: of the Hugging Face hub, in its cache, fetched only where the user allowed it."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...errors import InputError, ModelError

COMMIT = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"(?=.{1,96}$)(?!.*(?:--|\.\.))\w[\w.-]*(/\w[\w.-]*)?")
_WEIGHTS_OF_OTHERS = ("*.bin", "*.h5", "*.msgpack", "*.ot", "*.onnx*", "*.tflite", "*.gguf", "openvino/*", "coreml/*")
_CODE = ("*.py", "*.pkl", "*.pickle", "*.ckpt")
"""Never run and never opened, so not fetched either."""
_LONGEST_REASON = 300
"""Characters of a library's message that are shown."""


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


def encoder_files(folder: Path) -> Iterable[Path]:
    """All that may shape a vector, in a fixed order; no descriptions, no hidden files."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and path.suffix.lower() not in {".md", ".png", ".pyc"}:
            yield path
