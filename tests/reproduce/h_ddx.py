"""H-DDx: the printed cases, what the names that it prints are mapped to, and the places of its models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dxmatch

from .figure import Figure
from .printed_tables import FOLDER, rows_of

PAPER = "H-DDx"
_ALMOST = "both figures of case 3 come out where J01.9 is read as its only leaf, J01.90, or the reference has one node more (14)"

_OTHER_PIPELINE = (
    "the paper's codes come from its own pipeline (text-embedding-3-large and GPT-4o) or from clinicians; ours here from the "
    "shipped encoder alone, without a language model"
)


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : not read; the paper publishes no files of its own."""
    yield from _of_cases()
    yield from _of_names()


def _of_cases() -> Iterator[Figure]:
    report = dxmatch.evaluate(FOLDER / "h_ddx_lists.csv", metrics=["hierarchical", "top_k_accuracy"], bootstrap=0)
    print(report)


def _of_names() -> Iterator[Figure]:
    printed = {row["diagnosis"]: row["icd10"] for row in rows_of("h_ddx_names")}
    table = dxmatch.icd([*printed])
    codes = dict(zip(table["diagnosis"], table["icd10"], strict=True))
    same = sum(codes[name] == code for name, code in printed.items())
    category = sum((codes[name] or "")[:3] == code[:3] for name, code in printed.items())
    for what, found in (("the printed code", same), ("its first three characters", category)):
        yield Figure(PAPER, "Tables 3, 5, 8", f"names that map to {what}", len(printed), found, 0, _OTHER_PIPELINE)
