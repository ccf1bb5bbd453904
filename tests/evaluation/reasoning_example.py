"""A small data set in the formats of DiReCT, in words of our own: that of the golden run `reasoning_zero`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dxmatch.tests.evaluation.made import written

RUN = Path(__file__).parents[1] / "golden" / "evaluation" / "runs" / "reasoning_zero.json"
FILES: dict[str, Any] = json.loads(RUN.read_text("utf-8"))["files"]


def below(folder: str) -> dict[str, Any]:
    """Place and name -> content of the files of a folder."""
    return {name.partition("/")[2]: content for name, content in FILES.items() if name.startswith(f"{folder}/")}


GRAPHS, NOTES, GOOD = below("graphs"), below("notes"), below("good")


def example(folder: Path) -> Path:
    """The folders graphs, notes, good and poor below `folder`."""
    return written(folder, FILES)
