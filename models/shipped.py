"""What ships with dxmatch: the model `offline-en` and the encoder in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from .folder import ModelFolder, load

SHIPPED_MODEL = Path(__file__).parent / "offline-en"


@lru_cache
def shipped_parts() -> ModelFolder:
    """The shipped model, verified."""
    return load(SHIPPED_MODEL)


def shipped_encoder_files() -> Mapping[str, bytes]:
    """The files of the shipped static encoder."""
    files = shipped_parts().encoder
    assert files is not None
    return files
