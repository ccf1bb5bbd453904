"""The parts that charts share: data by name, numbers as text, and the words of tooltips."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .rows import Row

if TYPE_CHECKING:
    import altair as alt


def number(value: Any) -> str:
    """Three decimals; "undefined" for None or NaN."""
    return "undefined" if value is None or value != value else f"{value:z.3f}"


def shown(value: object) -> str:
    """Writes a value of a table."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:z.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def signed(value: float) -> str:
    """A difference or log-odds: `+2.30`, `−0.45`."""
    return f"{value:+.2f}".replace("-", "−")


def only(rows: Iterable[Row], keys: Iterable[str]) -> list[Row]:
    """The rows with the named keys alone."""
    wanted = list(keys)
    return [{key: row[key] for key in wanted} for row in rows]


def named(data: str) -> alt.NamedData:
    """One of a figure's `data`."""
    import altair as alt

    return alt.NamedData(name=data)


def with_interval(row: Row) -> str:
    """`0.931 [0.842, 1.020]`, `0.931` without an interval, or `undefined`."""
    if row.get("low") is None or row["value"] is None:
        return number(row["value"])
    return f"{row['value']:z.3f} [{row['low']:z.3f}, {row['high']:z.3f}]"


def tooltip(**fields: str) -> list[Any]:
    """field -> heading."""
    import altair as alt

    return [alt.Tooltip(field, type="nominal", title=title) for field, title in fields.items()]
