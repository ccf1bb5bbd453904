"""What a chart is before it is drawn: its data, and its finding in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .encodings import shown
from .rows import Row
from .style import Style

Spec = dict[str, Any]
_SPOKEN = 30
"""Rows that the text alternative of a chart tells; the table behind it has all."""


@dataclass(frozen=True)
class Figure:
    """One chart.

    name : of its file and its place in the page. section : the part of the page it stands in.
    columns : key -> heading, of the table behind the chart. rows : what is drawn.
    data : name -> what a part of the chart is drawn from. draw : style -> an Altair chart of them.
    note : what its reader should know, such as that it shows a sample.
    """

    name: str
    section: str
    title: str
    columns: dict[str, str]
    rows: list[Row]
    data: dict[str, list[Row]]
    draw: Callable[[Style], Any]
    note: str = ""

    @property
    def finding(self) -> str:
        """What it shows, in words: the text alternative."""
        values = "; ".join(", ".join(shown(row[key]) for key in self.columns) for row in self.rows[:_SPOKEN])
        rest = f"; and {len(self.rows) - _SPOKEN:,} more" if len(self.rows) > _SPOKEN else ""
        return f"{self.title}. {', '.join(self.columns.values())}: {values}{rest}."


def spec_of(figure: Figure, style: Style) -> Spec:
    """The Vega-Lite specification, with its data inside and nothing to fetch."""
    import altair as alt

    label = {"labelColor": style.soft, "titleColor": style.soft, "labelFontSize": 12, "titleFontSize": 12}
    chart = (
        figure.draw(style)
        .properties(background=style.background, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        .configure(font="system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif", aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            domainColor=style.line, tickColor=style.line, gridColor=style.line, titleFontWeight="normal",
            labelLimit=150, labelPadding=6, titlePadding=10, tickCount=6, **label,
        )
        .configure_legend(orient="top", title=None, labelLimit=150, symbolSize=70, symbolOpacity=1, columns=2, **label)
        .configure_text(color=style.soft, fontSize=12)
    )  # fmt: skip
    if style.titled:
        chart = chart.properties(title=alt.Title(figure.title, anchor="start", color=style.ink, fontSize=14, offset=12))
    # each once, whatever the number of layers; and rows are no business of Altair's validation
    return chart.to_dict() | {"datasets": figure.data}
