"""Tables with a heading: cases that are data alone, `tests/cases/NAME.csv`, and any other."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any


def rows_of(table: Any) -> list[dict[str, str]]:
    """The rows by column. table : its path, or a resource of the package."""
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cases(name: str, kind: str | None = None) -> list[list[str]]:
    """The rows. kind : only those whose first cell it is, without that cell."""
    with (Path(__file__).parent / "cases" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return rows if kind is None else [row for first, *row in rows if first == kind]
