"""Tables of cases that are data alone: `tests/cases/NAME.csv`, with a heading."""

from __future__ import annotations

import csv
from pathlib import Path


def cases(name: str, kind: str | None = None) -> list[list[str]]:
    """The rows. kind : only those whose first cell it is, without that cell."""
    with (Path(__file__).parent / "cases" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return rows if kind is None else [row for first, *row in rows if first == kind]
