"""One figure of a paper beside ours, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isclose

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

SAME, EXPLAINED, DIFFERENT = "same", "explained", "DIFFERENT"


@dataclass(frozen=True)
class Figure:
    """paper, place : where it is printed. what : of what. printed, ours : the two; a text where it is no number.

    within : how far apart they may be: half of the last printed digit, and what the rounding of the printed inputs adds.
    why : what explains a difference, where there is one.
    of, same : of a row that stands for many figures, how many they are and how many come out; 0 for one figure.
    """

    paper: str
    place: str
    what: str
    printed: float | str
    ours: float | str
    within: float = 0.0
    why: str = ""
    of: int = 0
    same: int = 0

    @property
    def is_same(self) -> bool:
        if self.of:
            return self.same == self.of
        if isinstance(self.printed, str) or isinstance(self.ours, str):
            return self.printed == self.ours
        return isclose(self.printed, self.ours, rel_tol=0, abs_tol=self.within + 1e-9)

    @property
    def verdict(self) -> str:
        return SAME if self.is_same else EXPLAINED if self.why else DIFFERENT


def many(
    paper: str, place: str, what: str, pairs: Iterable[tuple[float, float]], within: float, why: str = ""
) -> Figure:
    """One row for many figures: the first unequal (printed, ours), or else the first of all, stands for them."""
    found = list(pairs)
    ones = [Figure(paper, place, what, printed, ours, within) for printed, ours in found]
    shown = next((one for one in ones if not one.is_same), ones[0])
    same = sum(one.is_same for one in ones)
    return Figure(paper, place, what, shown.printed, shown.ours, within, why, len(ones), same)


def show(figures: list[Figure], console: Console | None = None) -> None:
    """A table for each paper, below it why figures differ, and how many come out."""
    console = console or Console()
    for paper in dict.fromkeys(one.paper for one in figures):
        of_paper = [one for one in figures if one.paper == paper]
        reasons = [*dict.fromkeys(one.why for one in of_paper if one.why and not one.is_same)]
        table = Table(
            "Place", "What", "Printed", "Ours", "", title=paper, title_justify="left", box=SIMPLE, pad_edge=False
        )
        for one in of_paper:
            table.add_row(one.place, one.what, _text(one.printed), _text(one.ours), _told(one, reasons))
        console.print(table)
        for number, why in enumerate(reasons, 1):
            console.print(f"({number}) {why}.", highlight=False)
        count = sum(one.of or 1 for one in of_paper)
        same = sum(one.same if one.of else one.is_same for one in of_paper)
        unexplained = sum(one.verdict == DIFFERENT for one in of_paper)
        told = f"{paper}: {same:,} of {count:,} figures as printed"
        console.print(f"{told}; {unexplained} rows differ without an explanation.", style="bold", highlight=False)


def _told(one: Figure, reasons: list[str]) -> str:
    said = f"{one.same} of {one.of} same" if one.of else one.verdict
    return said if one.is_same or not one.why else f"{said} ({reasons.index(one.why) + 1})"


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
