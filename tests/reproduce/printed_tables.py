"""The papers' printed tables, as CSV files beside this one."""

from __future__ import annotations

import csv
from pathlib import Path

FOLDER = Path(__file__).parent / "printed"


def rows_of(name: str) -> list[dict[str, str]]:
    return read_rows(FOLDER / f"{name}.csv")


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))
