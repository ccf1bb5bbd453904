"""Whose colour and shape is whose, over the whole report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....pages.style import COLOURS, SHAPES, Style
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
    """Which colour and shape is whose, over the whole report: the algorithms have colours, the panel is grey."""

    algorithms: tuple[str, ...]
    raters: tuple[str, ...]

    def place(self, rater: str) -> int | None:
        """The number of an algorithm's colour; None for a rater of the panel."""
        return self.algorithms.index(rater) if rater in self.algorithms else None

    def colour(self, rater: str, style: Style) -> str:
        place = self.place(rater)
        return style.panel if place is None else style.colour(place)

    def shape(self, rater: str) -> str:
        place = self.place(rater)
        others = [r for r in self.raters if r not in self.algorithms]
        return SHAPES[(others.index(rater) if place is None else place) % len(SHAPES)]

    def ordered(self, raters: Sequence[str]) -> tuple[str, ...]:
        """Algorithms first, then the panel, each once."""
        there = set(raters)
        return tuple(r for r in (*self.algorithms, *(r for r in self.raters if r not in self.algorithms)) if r in there)


def marks_of(report: Results) -> Marks:
    return Marks(tuple(report.algorithms), tuple(report.made_with["raters"]))


def by_rater(marks: Marks, raters: Sequence[str], style: Style, field: str = "rater") -> dict[str, Any]:
    """Channels colour and shape of a rater."""
    import altair as alt

    names = list(raters)
    legend = alt.Legend() if style.legend and len(names) > 1 else None
    colours, shapes = [marks.colour(name, style) for name in names], [marks.shape(name) for name in names]
    return {
        "color": alt.Color(field, type="nominal", scale=alt.Scale(domain=names, range=colours), legend=legend),
        "shape": alt.Shape(field, type="nominal", scale=alt.Scale(domain=names, range=shapes), legend=legend),
    }


def by_colour(marks: Marks, raters: Sequence[str], style: Style, field: str = "rater") -> dict[str, Any]:
    """The channel colour alone, for marks without a shape."""
    return {"color": by_rater(marks, raters, style, field)["color"]}


def aside(rater: str, raters: Sequence[str]) -> float:
    """How far a rater's curve stands aside of its place, so that the bars of curves do not hide each other."""
    return (raters.index(rater) - (len(raters) - 1) / 2) * min(0.06, 0.5 / len(raters))


def curves_with_intervals(base: Any, y: Any, tips: Any, marks: Marks, raters: Sequence[str], style: Style) -> list[Any]:
    """Layers of one curve for each rater with bars from `low` to `high`. base : a chart with its x."""
    import altair as alt

    colour = by_colour(marks, raters, style)
    return [
        base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(y=alt.Y("low", type="quantitative"), y2="high", **colour),
        base.mark_line(strokeWidth=2).encode(y=y, **colour),
        base.mark_point(filled=True, size=62, opacity=1).encode(y=y, tooltip=tips, **by_rater(marks, raters, style)),
    ]


def key(marks: Marks, raters: Sequence[str]) -> list[tuple[str, str, str]]:
    """Whose colour and shape is whose: (CSS variable, SVG path, rater) each."""
    places = [marks.place(rater) for rater in raters]
    colours = ["panel" if place is None else f"s{place % COLOURS}" for place in places]
    return [(colour, _PATHS[marks.shape(rater)], rater) for colour, rater in zip(colours, raters, strict=True)]


assert set(_PATHS) == set(SHAPES)
