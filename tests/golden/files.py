"""The files of a golden run, as they are written for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def lay_out(files: Mapping[str, Any], folder: Path) -> None:
    """The files of a run: text or lines of it as they are, JSON by the name's end."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list) and all(isinstance(line, str) for line in content):
            content = "\n".join(content) + "\n"
        elif name.endswith(".jsonl") and isinstance(content, list):
            content = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in content)
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
