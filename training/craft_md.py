"""The public labelled pairs that the shipped model is trained on: CRAFT-MD's, each a reference diagnosis and an answer."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..files.pairs import Pairs, read_pairs

PAIRS = "craft_md_pairs.csv"
COLUMNS: dict[str, Any] = {"a": "expert", "b": "algorithm", "label": "label"}


def read_craft_md(data: Path) -> Pairs:
    """The pairs in the folder `data`. Rows of a pair that has both labels are left out."""
    with TemporaryDirectory() as folder:
        return read_pairs(data / PAIRS, **COLUMNS, rejects=Path(folder) / "rejects.csv")
