"""What ships with dxmatch: the model `offline-en` and the encoder in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from .folder import load

SHIPPED_MODEL = Path(__file__).parent / "offline-en"


@lru_cache
def shipped_encoder_files() -> Mapping[str, bytes]:
    """The files of the shipped static encoder, verified."""
    files = load(SHIPPED_MODEL).encoder
    assert files is not None
    return files
