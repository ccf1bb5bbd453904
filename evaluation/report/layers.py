"""What charts share: whose colour and shape is whose, curves, bands, words. Loads Altair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import altair as alt

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import COLOURS, SHAPES, Style

if TYPE_CHECKING:
    from .report import Report

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
    """Which colour and shape is whose over the whole report: algorithms have colours, the best the first; the panel is grey.

    groups : algorithm -> its group, where any has one: then a colour is a group's, and algorithms without one share the last.
    """

    algorithms: tuple[str, ...]
    panel: tuple[str, ...]
    groups: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, report: Report) -> Marks:
        """Gives everyone a mark, in the order of the leaderboard."""
        judged = dict.fromkeys((*report.board.algorithms, *report.algorithms))
        panel = [rater for rater in report.raters.names if rater not in judged]
        return cls(tuple(judged), tuple(panel), {r: g for r, g in report.raters.groups.items() if r in judged})

    @cached_property
    def _colours(self) -> dict[str, int]:
        """Algorithm -> the number of its colour."""
        if not self.groups:
            return {rater: place for place, rater in enumerate(self.algorithms)}
        names = [*dict.fromkeys(self.groups.values()), None]
        return {rater: names.index(self.groups.get(rater)) for rater in self.algorithms}

    def label(self, rater: str) -> str:
        """Gives its name with its group."""
        return f"{rater} ({self.groups[rater]})" if rater in self.groups else rater

    def shape(self, rater: str) -> str:
        """Names the shape of its points."""
        side = self.panel if rater in self.panel else self.algorithms
        return SHAPES[side.index(rater) % len(SHAPES)]

    def ordered(self, raters: Iterable[str]) -> tuple[str, ...]:
        """Puts algorithms first, then the panel, each once."""
        there = set(raters)
        return tuple(rater for rater in (*self.algorithms, *self.panel) if rater in there)

    @property
    def key(self) -> dict[str, tuple[str, str, str]]:
        """Rater -> (CSS variable, SVG path, rater with its group), those of a group together."""
        everyone = sorted((*self.algorithms, *self.panel), key=lambda rater: self._colours.get(rater, COLOURS))
        names = {rater: f"s{place % COLOURS}" for rater, place in self._colours.items()}
        return {r: (names.get(r, "panel"), _PATHS[self.shape(r)], self.label(r)) for r in everyone}

    def looks(self, raters: Sequence[str], style: Style) -> tuple[alt.Color, alt.Shape]:
        """Makes the channels of the field `rater`, which holds labels."""
        labels = [self.label(rater) for rater in raters]
        legend = alt.Legend() if style.legend and len(labels) > 1 else None
        colours = [style.panel if r in self.panel else style.colour(self._colours[r]) for r in raters]
        shapes = [self.shape(rater) for rater in raters]
        return (
            alt.Color("rater:N", scale=alt.Scale(domain=labels, range=colours), legend=legend),
            alt.Shape("rater:N", scale=alt.Scale(domain=labels, range=shapes), legend=legend),
        )


def told(row: Row, **fields: Any) -> Row:
    """Adds to `fields` the value and interval of a row, as numbers and in words (`told`)."""
    return {**fields, "value": row["value"], "low": row["low"], "high": row["high"], "told": with_interval(row)}


def text(data: str, x: str, y: str, words: str, **mark: Any) -> alt.Chart:
    """Writes the field `words` at places."""
    return alt.Chart(named(data)).mark_text(**mark).encode(x=f"{x}:Q", y=f"{y}:Q", text=f"{words}:N")


def dashed(style: Style, **at: str) -> alt.Chart:
    """Draws a line where the field of the one row in `line` says."""
    return alt.Chart(named("line")).mark_rule(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink).encode(**at)


def curves(
    marks: Marks,
    rows: Sequence[Row],
    along: str,
    of: str,
    axes: tuple[alt.X, alt.Y],
    line: int | None = None,
    **words: str,
) -> Figure:
    """Makes a line for each rater, with points and intervals.

    rows : with algorithm, value, low, high and, under the key `along`, their place; equal steps from each place to the next. of : what
    the values are of. axes : of the fields `along` and `value`. line : where a dashed line lies.
    """
    raters = marks.ordered(row["algorithm"] for row in rows)
    shown = [told(row, rater=marks.label(row["algorithm"]), **{along: row[along]}) for row in rows]
    places = list(dict.fromkeys(row[along] for row in rows))
    said = {(row["rater"], row[along]): row["told"] for row in shown}
    ends = dict.fromkeys((places[0], places[-1]))
    values = (
        f"{who} {', '.join(f'{said[who, at]} at {at}' for at in ends if (who, at) in said)}"
        for who in map(marks.label, raters)
    )
    drawn = [row for row in shown if row["value"] is not None]

    def draw(style: Style) -> Any:
        colour, shape = marks.looks(raters, style)
        x, y = axes
        # so that the bars of curves do not hide each other
        aside = alt.XOffset("rater:N", scale=alt.Scale(domain=[marks.label(rater) for rater in raters]))
        base = alt.Chart(named("rates")).encode(
            x=x.scale(domain=places, paddingInner=1 - min(0.5, 0.06 * len(raters)), paddingOuter=0.3), xOffset=aside
        )
        tips = tooltip(rater="rater", **{along: along}, told=of)
        points = base.mark_point(filled=True, size=62, opacity=1)
        return alt.layer(
            *([] if line is None else [dashed(style, y="line:Q")]),
            base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(y="low:Q", y2="high", color=colour),
            base.mark_line(strokeWidth=2).encode(y=y, color=colour),
            points.encode(y=y, color=colour, shape=shape, tooltip=tips),
        ).properties(width=style.width, height=250)

    finding = f"{words.pop('finding')} {'; '.join(values)}."
    return Figure(
        columns={"rater": "rater", along: along, "told": of}, rows=shown, data={"rates": drawn, "line": [{"line": line}]}, draw=draw,
        series=raters, finding=finding, **words,
    )  # fmt: skip


def in_bands(
    data: str, band: str, bands: Sequence[str], side: str = "", sides: Sequence[str] = (), padding: float = 0.25
) -> alt.Chart:
    """Begins a chart with a band for each name, within it one of its own for each side."""
    y = alt.Y(
        f"{band}:N", title=None, scale=alt.Scale(domain=list(bands), paddingInner=padding),
        axis=alt.Axis(domain=False, ticks=False, labelLimit=280),
    )  # fmt: skip
    base = alt.Chart(named(data)).encode(y=y)
    return base.encode(yOffset=alt.YOffset(f"{side}:N", scale=alt.Scale(domain=list(sides)))) if side else base


def with_intervals(base: alt.Chart, x: alt.X, tips: Mapping[str, str], **look: Any) -> list[alt.Chart]:
    """Draws a point at the value of each row, and a bar over its interval."""
    bars = base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(x="low:Q", x2="high", color=look["color"])
    return [bars, base.mark_point(filled=True, size=62, opacity=1).encode(x=x, tooltip=tooltip(**tips), **look)]
