"""The marks that charts of an audit share: names down the side; bars with their numbers; values with intervals beside zero."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import named, tooltip
from ...pages.figure import Figure, Row
from ...pages.style import Style

ROW = 24
ZERO = [{"x": 0}]


def names(field: str, *, limit: int = 190, sort: Any = None, **more: Any) -> Any:
    """The y axis of a chart with a line for each name, in the order of the rows where `sort` says nothing else."""
    import altair as alt

    axis = alt.Axis(ticks=False, domain=False, labelLimit=limit)
    return alt.Y(f"{field}:N", sort=sort, title=None, axis=axis, **more)


def line_at(data: str, field: str, **mark: Any) -> Any:
    """Upright lines where `data` has them."""
    import altair as alt

    return alt.Chart(named(data)).mark_rule(**mark).encode(x=f"{field}:Q")


def threshold_line(style: Style) -> Any:
    """Where a match begins, dashed."""
    return line_at("threshold", "at", color=style.ink, strokeDash=[5, 4], strokeWidth=1.3)


def bar_figure(
    data: str,
    bars: list[Row],
    y: dict[str, Any],
    x: dict[str, Any],
    tips: dict[str, str],
    *,
    colour: int = 0,
    height: int = ROW,
    told: bool = True,
    **words: Any,
) -> Figure:
    """A bar for each row, with its number in words (`told`) after it. y, x : options of the axes. words : of the `Figure`."""

    def draw(style: Style) -> Any:
        import altair as alt

        base = alt.Chart(named(data)).encode(y=names(**y), x=alt.X(**x))
        drawn = base.mark_bar(color=style.series[colour], height={"band": 0.62}).encode(tooltip=tooltip(**tips))
        if told:
            drawn = alt.layer(drawn, base.mark_text(align="left", dx=5).encode(text="told:N"))
        return drawn.properties(width=style.width, height=height * len(bars))

    return Figure(data={data: bars}, draw=draw, **words)


def intervals(title: str, style: Style, encodings: dict[str, Any], point: dict[str, Any], **colour: Any) -> Any:
    """A point for each row of `losses`, with its interval, beside a line at zero."""
    import altair as alt

    base = alt.Chart(named("losses")).encode(**encodings)
    return alt.layer(
        line_at("zero", "x", color=style.panel),
        base.mark_rule(strokeWidth=2, opacity=0.6, **colour).encode(x=alt.X("low:Q", title=title), x2="high"),
        base.mark_point(filled=True, size=62, opacity=1, **colour).encode(x="value:Q", **point),
    )
