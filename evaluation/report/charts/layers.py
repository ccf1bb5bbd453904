"""The layers that charts share. Rows of a rater have its name as `rater`, and those with an interval `low` and `high`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from ....pages.encodings import named, tooltip, with_interval
from ....pages.rows import Row
from ....pages.style import Style
from .marks import Marks

Layers = list[Any]
GROUP = "model_group"
"""The field with a rater's group, where models have groups."""


def with_told(row: Row, **fields: Any) -> Row:
    """`fields` with the value and interval of a row, as numbers and in words (`told`)."""
    return {**fields, "value": row["value"], "low": row["low"], "high": row["high"], "told": with_interval(row)}


def looks(marks: Marks, raters: Sequence[str], style: Style) -> tuple[dict[str, Any], dict[str, Any]]:
    """The channels that colour a rater, alone or by its group; and these with shape."""
    names = list(raters)
    legend = alt.Legend() if style.legend and len(names) > 1 else None
    colours = alt.Scale(domain=names, range=[marks.colour(name, style) for name in names])
    shapes = alt.Scale(domain=names, range=[marks.shape(name) for name in names])
    colour: dict[str, Any] = {"color": alt.Color("rater:N", scale=colours, legend=legend)}
    if marks.groups:
        of_group = {marks.group(name): marks.colour(name, style) for name in names}
        colours = alt.Scale(domain=list(of_group), range=list(of_group.values()))
        colour = {"color": alt.Color(f"{GROUP}:N", scale=colours, legend=legend), "detail": alt.Detail("rater:N")}
        # side by side the two keys may be wider than the chart; below it stand the names of places
        legend = legend and alt.Legend(orient="bottom", offset=48)
    return colour, colour | {"shape": alt.Shape("rater:N", scale=shapes, legend=legend)}


def in_colour(marks: Marks, colour: dict[str, Any]) -> dict[str, Any]:
    """The channels that colour what stands beside the rater's name or mark: with a key of the groups, but not of the raters."""
    return colour if marks.groups else {"color": colour["color"].legend(None)}


def curve(base: Any, tips: dict[str, str], marks: Marks, raters: Sequence[str], style: Style, size: int = 62) -> Layers:
    """A line and points for each rater. base : a chart with its x and y."""
    colour, look = looks(marks, raters, style)
    points = base.mark_point(filled=True, size=size, opacity=1)
    return [base.mark_line(strokeWidth=2).encode(**colour), points.encode(tooltip=tooltip(**tips), **look)]


def upright(base: Any, marks: Marks, raters: Sequence[str], style: Style) -> Any:
    """A bar from `low` to `high` for each row. base : a chart with its x."""
    colour, _ = looks(marks, raters, style)
    return base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(y="low:Q", y2="high", **colour)


def text(data: str, x: str, y: str, field: str, **mark: Any) -> Any:
    """Words at places."""
    return alt.Chart(named(data)).mark_text(**mark).encode(x=f"{x}:Q", y=f"{y}:Q", text=f"{field}:N")
