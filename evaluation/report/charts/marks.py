"""Whose colour and shape is whose, over the whole report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
    """Which colour and shape is whose: the algorithms have colours, the panel is grey."""

    algorithms: tuple[str, ...]
    panel: tuple[str, ...]

    def colour(self, rater: str, style: Style) -> str:
        return style.panel if rater in self.panel else style.colour(self.algorithms.index(rater))

    def shape(self, rater: str) -> str:
        side = self.panel if rater in self.panel else self.algorithms
        return SHAPES[side.index(rater) % len(SHAPES)]

    def ordered(self, raters: Iterable[str]) -> tuple[str, ...]:
        """Algorithms first, then the panel, each once."""
        there = set(raters)
        return tuple(rater for rater in (*self.algorithms, *self.panel) if rater in there)

    def key(self, raters: Iterable[str]) -> list[tuple[str, str, str]]:
        """(CSS variable, SVG path, rater) each."""
        names = {rater: f"s{place % COLOURS}" for place, rater in enumerate(self.algorithms)}
        return [(names.get(rater, "panel"), _PATHS[self.shape(rater)], rater) for rater in raters]


def marks_of(report: Results) -> Marks:
    """From the best algorithm to the last, then the others."""
    everyone, judged = standing(report), set(report.algorithms)
    return Marks(
        tuple(rater for rater in everyone if rater in judged), tuple(rater for rater in everyone if rater not in judged)
    )
