"""H-DDx: the printed cases, what the names that it prints are mapped to, and the places of its models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dxmatch

from .figure import Figure
from .printed_tables import FOLDER, rows_of

PAPER = "H-DDx"
_ALMOST = "both figures of case 3 come out where J01.9 is read as its only leaf, J01.90, or the reference has one node more (14)"


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : not read; the paper publishes no files of its own."""
    yield from _of_cases()
    yield from _of_names()


def _of_cases() -> Iterator[Figure]:
    report = dxmatch.evaluate(FOLDER / "h_ddx_lists.csv", metrics=["hierarchical", "top_k_accuracy"], bootstrap=0)
    print(report)


def _of_names() -> Iterator[Figure]:
    printed = {row["diagnosis"]: row["icd10"] for row in rows_of("h_ddx_names")}
    table = dxmatch.icd(list(printed))
    codes = dict(zip(table["diagnosis"], table["icd10"], strict=True))
    yield Figure(PAPER, "Tables 3, 5, 8", "names", len(printed), len(codes))
    for name, c in printed.items():
        print(name, c, codes[name])
