"""Whose colour and shape is whose, over the whole report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ....pages.style import COLOURS, SHAPES, Style
from ...statistics.leaderboard import standing
from ...statistics.results import Results

_PATHS = {
    "circle": "M0-5a5 5 0 1 0 .01 0z",
    "square": "M-4.5-4.5h9v9h-9z",
    "diamond": "M0-6 5 0 0 6-5 0z",
    "triangle-up": "M0-5.5 6 5H-6z",
    "triangle-down": "M0 5.5 6-5H-6z",
    "triangle-right": "M5.5 0-5 6V-6z",
    "triangle-left": "M-5.5 0 5 6V-6z",
    "cross": "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
}


@dataclass(frozen=True)
class Marks:
    """Which colour and shape is whose: the algorithms have colours, the panel is grey.

    groups : algorithm -> its group, where any has one: then a colour is a group's, and algorithms without one share the last.
    """

    algorithms: tuple[str, ...]
    panel: tuple[str, ...]
    groups: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _colours(self) -> dict[str, int]:
        """Algorithm -> the number of its colour."""
        if not self.groups:
            return {rater: place for place, rater in enumerate(self.algorithms)}
        names = [*dict.fromkeys(self.groups.values()), None]
        return {rater: names.index(self.groups.get(rater)) for rater in self.algorithms}

    def colour(self, rater: str, style: Style) -> str:
        return style.panel if rater in self.panel else style.colour(self._colours[rater])

    def group(self, rater: str) -> str:
        """In words: the panel and algorithms without a group are some of their own."""
        return "experts" if rater in self.panel else self.groups.get(rater, "no group")

    def label(self, rater: str) -> str:
        """Its name, with its group."""
        return f"{rater} ({self.groups[rater]})" if rater in self.groups else rater

    def shape(self, rater: str) -> str:
        side = self.panel if rater in self.panel else self.algorithms
        return SHAPES[side.index(rater) % len(SHAPES)]

    def ordered(self, raters: Iterable[str]) -> tuple[str, ...]:
        """Algorithms first, then the panel, each once."""
        there = set(raters)
        return tuple(rater for rater in (*self.algorithms, *self.panel) if rater in there)

    def key(self, raters: Iterable[str]) -> list[tuple[str, str, str]]:
        """(CSS variable, SVG path, rater with its group) each, those of a group together."""
        names = {rater: f"s{place % COLOURS}" for rater, place in self._colours.items()}
        if self.groups:
            raters = sorted(raters, key=lambda rater: self._colours.get(rater, len(self.algorithms)))
        return [(names.get(rater, "panel"), _PATHS[self.shape(rater)], self.label(rater)) for rater in raters]


def marks_of(report: Results) -> Marks:
    """From the best algorithm to the last, then the others."""
    everyone, judged = standing(report), set(report.algorithms)
    return Marks(
        tuple(rater for rater in everyone if rater in judged),
        tuple(rater for rater in everyone if rater not in judged),
        {rater: group for rater, group in report.made_with.get("groups", {}).items() if rater in judged},
    )
