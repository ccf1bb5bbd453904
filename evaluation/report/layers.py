"""What charts share: whose colour and shape is whose, curves, bands with intervals, words. Loads Altair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import COLOURS, SHAPES, Style
from .document import shown

if TYPE_CHECKING:
    from .results import Results

_SPOKEN = 30
"""Rows that the text alternative of a chart tells; the table behind it has all."""


def looks(report: Results, raters: Sequence[str], style: Style) -> dict[str, Any]:
    """Makes the channels color and shape of the field `rater`: algorithms have colours, the best the first; the panel is grey."""
    judged = report.in_order((*report.board.algorithms, *report.algorithms))
    everyone = [*judged, *(rater for rater in report.raters.names if rater not in judged)]
    places = [everyone.index(rater) for rater in raters]
    colours = [style.series[place % COLOURS] if place < len(judged) else style.panel for place in places]
    # where colours begin anew, shapes begin one later
    shapes = [SHAPES[(place + place // COLOURS) % len(SHAPES)] for place in places]
    legend = alt.Legend() if len(raters) > 1 else None
    return {
        "color": alt.Color("rater:N", scale=alt.Scale(domain=list(raters), range=colours), legend=legend),
        "shape": alt.Shape("rater:N", scale=alt.Scale(domain=list(raters), range=shapes), legend=legend),
    }


def told(row: Row, **fields: Any) -> Row:
    """Adds to `fields` the value and interval of a row, as numbers and in words (`told`)."""
    return {**fields, "value": row["value"], "low": row["low"], "high": row["high"], "told": with_interval(row)}


def text(data: str, x: str, y: str, words: str, **mark: Any) -> alt.Chart:
    """Writes the field `words` at places."""
    return alt.Chart(named(data)).mark_text(**mark).encode(x=f"{x}:Q", y=f"{y}:Q", text=f"{words}:N")


def spoken(title: str, columns: Mapping[str, str], rows: Sequence[Row]) -> str:
    """Says in words what a chart shows."""
    values = "; ".join(", ".join(shown(row[key]) for key in columns) for row in rows[:_SPOKEN])
    rest = f"; and {len(rows) - _SPOKEN:,} more" if len(rows) > _SPOKEN else ""
    return f"{title}. {', '.join(columns.values())}: {values}{rest}."


def curves(
    report: Results, rows: Sequence[Row], along: str, of: str, x: alt.X, y: alt.Y, line: int | None = None, **words: str
) -> Figure:
    """Makes a line for each rater, with points and intervals.

    rows : with algorithm, value, low, high and, under the key `along`, their place; from each place to the next is one step.
    of : what the values are of. x, y : of the fields `along` and `value`. line : where a dashed line lies.
    words : name, section, title and note of the figure.
    """
    raters = report.in_order(row["algorithm"] for row in rows)
    values = [
        told(row, rater=row["algorithm"], aside=raters.index(row["algorithm"]), **{along: row[along]}) for row in rows
    ]
    columns = {"rater": "rater", along: along, "told": of}

    def draw(style: Style) -> Any:
        look = looks(report, raters, style)
        # side by side, so that the bars of curves do not hide each other; by number: Vega-Lite puts names into an expression
        aside = alt.XOffset("aside:O", sort="ascending")
        places = list(dict.fromkeys(row[along] for row in rows))
        across = x.scale(domain=places, paddingInner=1 - min(0.5, 0.06 * len(raters)), paddingOuter=0.3)
        base = alt.Chart(named("rates")).encode(x=across, xOffset=aside)
        points = base.mark_point(filled=True, size=62, opacity=1)
        return alt.layer(
            *_dashed(style, line, "y"),
            base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(y="low:Q", y2="high", color=look["color"]),
            base.mark_line(strokeWidth=2).encode(y=y, color=look["color"]),
            points.encode(y=y, tooltip=tooltip(**columns), **look),
        ).properties(width=style.width, height=250)

    data = {"rates": [row for row in values if row["value"] is not None], "line": [{"at": line}]}
    return Figure(
        columns=columns, rows=values, data=data, draw=draw, finding=spoken(words["title"], columns, values), **words
    )  # fmt: skip


def bands(
    rows: list[Row], columns: dict[str, str], look: Callable[[Style], dict[str, Any]], x: alt.X, band: str, side: str = "",
    *, line: int | None = None, means: bool = False, **words: str,
) -> Figure:  # fmt: skip
    """Makes a point with its interval for each row, in a band for each value of `band`, within it one of its own for each of `side`.

    rows : with value, low, high. columns : of the table and tooltips. look : channels of the points. x : of the field `value`.
    line : where a dashed line lies. means : whether the mean of each side is marked. words : name, section, title and note.
    """
    names, sides = (list(dict.fromkeys(row[key] for row in rows)) if key else [] for key in (band, side))

    def draw(style: Style) -> Any:
        axis = alt.Axis(domain=False, ticks=False, labelLimit=280)
        scale = alt.Scale(domain=names, paddingInner=0.25)
        base = alt.Chart(named("values")).encode(y=alt.Y(f"{band}:N", title=None, scale=scale, axis=axis))
        if side:
            base = base.encode(yOffset=alt.YOffset("aside:O", sort="ascending"))
        channels = look(style)
        bars = base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(x="low:Q", x2="high", color=channels["color"])
        points = base.mark_point(filled=True, size=62, opacity=1).encode(x=x, tooltip=tooltip(**columns), **channels)
        mean = base.mark_tick(thickness=2, size=18, color=style.ink).encode(x="mean(value):Q", detail=f"{side}:N")
        layers = [*_dashed(style, line, "x"), bars, points, *([mean] if means else [])]
        return alt.layer(*layers).properties(width=style.width, height=len(names) * (16 * max(1, len(sides)) + 14))

    values = [row | {"aside": sides.index(row[side]) if side else 0} for row in rows if row["value"] is not None]
    data = {"values": values, "line": [{"at": line}]}
    return Figure(
        columns=columns, rows=rows, data=data, draw=draw, finding=spoken(words["title"], columns, rows), **words
    )  # fmt: skip


def _dashed(style: Style, at: int | None, axis: str) -> list[alt.Chart]:
    mark = alt.Chart(named("line")).mark_rule(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink)
    return [] if at is None else [mark.encode(**{axis: "at:Q"})]
