"""Three notes of two categories, with fractions by hand, that a test changes and compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dxmatch

from ..made import By, written

FILES: dict[str, Any] = json.loads((Path(__file__).parent / "files.json").read_text("utf-8"))
"""Name -> content of the files of two graphs, three notes, and two runs: one perfect, one that lacks a note."""
ALIKE = [
    {"crystals in the joint fluid", "joint fluid with crystals"}, {"crystals prove gout", "crystals are the proof"},
    {"uric acid 9.1", "uric acid of 9.1"}, {"red big toe", "swollen <b>toe</b>"}, {"Wheeze", "wheeze"},
]  # fmt: skip


def matcher() -> By:
    """M by the pairs of `ALIKE`."""
    return By(lambda a, b: {a, b} in ALIKE)


def compared(folder: Path, changes: dict[str, Any] | None = None, **options: Any) -> dxmatch.Report:
    """The report of the three notes with changed files."""
    written(folder, FILES | (changes or {}))
    given = {"predictions": folder / "run", "matcher": matcher(), "resampling": {"resamples": 0}} | options
    return dxmatch.reasoning(folder / "graphs", given.pop("notes", folder / "notes"), given.pop("predictions"), **given)


def values(report: dxmatch.Report, group: str | None = None) -> dict[str, Any]:
    """Symbol -> value by M, over all notes or one group."""
    rows = report.rows if group is None else [row for row in report.groups.rows if row["group"] == group]
    return {row["metric"]: row["value"] for row in rows if row["of"] == ""}
