"""On which kinds of pairs M errs."""

from __future__ import annotations

from typing import Any

from ...pages.figure import Figure, Row
from ...pages.style import Style
from ..results.audit_tables import FALSE, MISSED, AuditTables
from .marks import bars, names

_SAYS = {MISSED: "Matches that M misses", FALSE: "Non-matches that M takes for matches"}
_COLOUR = {MISSED: 0, FALSE: 1}


def figures(audit: AuditTables) -> list[Figure]:
    """One for the matches and one for the non-matches, where there are labels."""
    rows = [] if audit.kinds is None else audit.kinds.to_pylist()
    return [_bars(error, own) for error in _SAYS if (own := [row for row in rows if row["error"] == error])]


def _bars(error: str, rows: list[Row]) -> Figure:
    rows = [row | {"told": f"{row['wrong']:,} of {row['pairs']:,}", "rate": f"{row['share']:.1%}"} for row in rows]

    def draw(style: Style) -> Any:
        import altair as alt

        axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
        scale = alt.Scale(domain=[0, 1.2], nice=False)
        x = alt.X("share", type="quantitative", title="share of the pairs of this kind", scale=scale, axis=axis)
        tips = {"kind": "kind", "says": "is", "told": "wrong", "rate": "share"}
        drawn = bars("kinds", names("kind", limit=230), x, style.series[_COLOUR[error]], tips)
        return drawn.properties(width=style.width, height=26 * len(rows))

    return Figure(
        name=f"kinds_{error}",
        section="errors",
        title=_SAYS[error],
        finding=f"{_SAYS[error]}, by kind: " + "; ".join(f"{row['kind']} {row['told']}" for row in rows) + ".",
        columns={"kind": "kind", "says": "is", "wrong": "wrong", "pairs": "pairs", "rate": "share"},
        rows=rows,
        data={"kinds": rows},
        draw=draw,
    )
