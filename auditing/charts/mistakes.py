"""On which kinds of pairs M errs."""

from __future__ import annotations

from ...pages.figure import Figure, Row
from ..results.audit_tables import FALSE, MISSED, AuditTables
from .marks import bar_figure

_SAYS = {MISSED: "Matches that M misses", FALSE: "Non-matches that M takes for matches"}


def figures(audit: AuditTables) -> list[Figure]:
    """One for the matches and one for the non-matches, where there are labels."""
    rows = [] if audit.kinds is None else audit.kinds.to_pylist()
    return [_bars(error, own) for error in _SAYS if (own := [row for row in rows if row["error"] == error])]


def _bars(error: str, rows: list[Row]) -> Figure:
    rows = [row | {"told": f"{row['wrong']:,} of {row['pairs']:,}", "rate": f"{row['share']:.1%}"} for row in rows]
    x = {
        "shorthand": "share:Q",
        "title": "share of the pairs of this kind",
        "scale": {"domain": [0, 1.2], "nice": False},
        "axis": {"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]},
    }
    return bar_figure(
        "kinds",
        rows,
        {"field": "kind", "limit": 230},
        x,
        {"kind": "kind", "says": "is", "told": "wrong", "rate": "share"},
        colour=list(_SAYS).index(error),
        height=26,
        name=f"kinds_{error}",
        section="errors",
        title=_SAYS[error],
        finding=f"{_SAYS[error]}, by kind: " + "; ".join(f"{row['kind']} {row['told']}" for row in rows) + ".",
        columns={"kind": "kind", "says": "is", "wrong": "wrong", "pairs": "pairs", "rate": "share"},
        rows=rows,
    )
