"""The parts that charts share: data by name, colours by rater, and the words of tooltips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...section import Row
from ..words import number
from .style import Style

if TYPE_CHECKING:
    import altair as alt

    from .figure import Marks


def only(rows: Iterable[Row], keys: Iterable[str]) -> list[Row]:
    """The rows with the named keys alone."""
    wanted = list(keys)
    return [{key: row[key] for key in wanted} for row in rows]


def named(data: str) -> alt.NamedData:
    """One of a figure's `data`."""
    import altair as alt

    return alt.NamedData(name=data)


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


def told(row: Row) -> str:
    """`0.931 [0.842, 1.020]`, for tooltips and tables."""
    if row.get("low") is None or row["value"] is None:
        return number(row["value"])
    return f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def tooltip(**fields: str) -> list[Any]:
    """field -> heading."""
    import altair as alt

    return [alt.Tooltip(field, type="nominal", title=title) for field, title in fields.items()]
