"""One stated figure, of a paper or by hand, beside ours, the table of them, and the papers' printed tables: CSV files in `printed/`."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from math import isclose
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

SAME, EXPLAINED, DIFFERENT = "as stated", "explained", "DIFFERENT"
PRINTED = Path(__file__).parent / "printed"
_COLUMNS = ("Place", "What", "Stated", "Ours", "")


def rows_of(name: str) -> list[dict[str, str]]:
    return read_rows(PRINTED / f"{name}.csv")


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Figure:
    """paper, place : where it is stated. what : of what; figures of one place and thing share a row. printed, ours : the two.

    within : how far ours may be: half of the last printed digit, and what the rounding of the printed inputs adds.
    instead, why : what ours must be, within the same, where it is known to differ, and why: as printed it is DIFFERENT then, too.
    """

    paper: str
    place: str
    what: str
    printed: float
    ours: float
    within: float = 0.0
    instead: float | None = None
    why: str = ""

    @property
    def verdict(self) -> str:
        expected = self.printed if self.instead is None else self.instead
        if not self._equal(self.ours, expected):
            return DIFFERENT
        return SAME if self._equal(self.printed, expected) else EXPLAINED

    def _equal(self, a: float, b: float) -> bool:
        return isclose(a, b, rel_tol=0, abs_tol=self.within + 1e-9)


def show(figures: list[Figure], whose: str) -> None:
    """A table for each paper, why figures differ, and how many come out. whose : who states them."""
    console = Console()
    for paper, group in groupby(figures, lambda one: one.paper):
        of_paper = list(group)
        reasons = [*dict.fromkeys(one.why for one in of_paper if one.why and one.verdict != SAME)]
        table = Table(*_COLUMNS, title=paper, title_justify="left", box=SIMPLE, pad_edge=False)
        for (place, what), row in groupby(of_paper, lambda one: (one.place, one.what)):
            ones = list(row)
            shown = min(ones, key=lambda one: (DIFFERENT, EXPLAINED, SAME).index(one.verdict))
            table.add_row(place, what, f"{shown.printed:.4g}", f"{shown.ours:.4g}", _outcome(shown, ones, reasons))
        console.print(table)
        for number, why in enumerate(reasons, 1):
            console.print(f"({number}) {why}.", highlight=False)
        console.print(f"{paper}: {_counts(of_paper)}.", style="bold", highlight=False, soft_wrap=True)
    console.print(f"{whose}: {_counts(figures)}.", style="bold", highlight=False, soft_wrap=True)


def _outcome(shown: Figure, ones: list[Figure], reasons: list[str]) -> str:
    text = _counts(ones) if len(ones) > 1 else shown.verdict
    if shown.verdict == SAME or shown.instead is None:
        return text
    return f"{text} ({reasons.index(shown.why) + 1}: {shown.instead:.4g})"


def _counts(figures: list[Figure]) -> str:
    count = Counter(one.verdict for one in figures)
    others = "".join(f", {count[verdict]:,} {verdict}" for verdict in (EXPLAINED, DIFFERENT) if count[verdict])
    return f"{count[SAME]:,} of {len(figures):,} {SAME}{others}"
