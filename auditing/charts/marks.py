"""The marks that charts of an audit share: names down the side; bars with their numbers; values with intervals beside zero."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import named, tooltip
from ...pages.style import Style

ROW = 24


def names(field: str, *, limit: int = 190, sort: Any = None, **more: Any) -> Any:
    """The y axis of a chart with a line for each name, in the order of the rows where `sort` says nothing else."""
    import altair as alt

    axis = alt.Axis(ticks=False, domain=False, labelLimit=limit)
    return alt.Y(field, type="nominal", sort=sort, title=None, axis=axis, **more)


def bars(data: str, y: Any, x: Any, colour: str, tips: dict[str, str], *, told: bool = True) -> Any:
    """A bar for each row, with its number in words (`told`) after it."""
    import altair as alt

    base = alt.Chart(named(data)).encode(y=y, x=x)
    drawn = base.mark_bar(color=colour, height={"band": 0.62}).encode(tooltip=tooltip(**tips))
    return (
        alt.layer(drawn, base.mark_text(align="left", dx=5).encode(text=alt.Text("told", type="nominal")))
        if told
        else drawn
    )


def intervals(title: str, style: Style, encodings: dict[str, Any], point: dict[str, Any], **colour: Any) -> Any:
    """A point for each row of `losses`, with its interval, beside a line at zero."""
    import altair as alt

    base = alt.Chart(named("losses")).encode(**encodings)
    return alt.layer(
        alt.Chart(named("zero")).mark_rule(color=style.panel).encode(x=alt.X("x", type="quantitative")),
        base.mark_rule(strokeWidth=2, opacity=0.6, **colour).encode(
            x=alt.X("low", type="quantitative", title=title), x2="high"
        ),
        base.mark_point(filled=True, size=62, opacity=1, **colour).encode(
            x=alt.X("value", type="quantitative"), **point
        ),
    )
