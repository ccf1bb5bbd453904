"""The runs by medical domain as charts (DiReCT, Fig 5)."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import Style
from ..report.charts.marks import Marks
from .figures import DOMAIN
from .results import ReasoningResults

_SHOWN = {
    "Acc_diag": "The right discharge diagnosis",
    "Obs_comp": "The same observations",
    "Exp_all": "The same observations, explained alike",
}


def _marks(result: ReasoningResults) -> Marks:
    return Marks(tuple(run for run, _ in result.board.lines), ())


def key_of(result: ReasoningResults) -> list[tuple[str, str, str]]:
    """(CSS variable, SVG path, run) each."""
    marks = _marks(result)
    return marks.key(marks.algorithms)


def domain_figures(result: ReasoningResults) -> list[Figure]:
    """One chart for each of the three metrics of the source's figure, where there are two domains or more."""
    rows = [row for row in result.rows if row["by"] == DOMAIN]
    domains = list(dict.fromkeys(row["group"] for row in rows))
    if len(domains) < 2:
        return []
    return [_figure(result, symbol, [row for row in rows if row["name"] == symbol], domains) for symbol in _SHOWN]


def _figure(result: ReasoningResults, symbol: str, rows: list[Row], domains: list[str]) -> Figure:
    marks = _marks(result)
    runs = list(marks.algorithms)
    told: list[Row] = [
        {"rater": row["run"], "domain": row["group"], "value": row["value"], "low": row["low"], "high": row["high"], "told": with_interval(row), "notes": row["n_notes"]}
        for row in rows
    ]  # fmt: skip

    def draw(style: Style) -> Any:
        import altair as alt

        from ..report.charts.layers import looks

        colour, look = looks(marks, runs, style)
        y = alt.Y("domain:N", title=None, scale=alt.Scale(domain=domains), axis=alt.Axis(domain=False, ticks=False))
        base = alt.Chart(named("domains")).encode(y=y, yOffset=alt.YOffset("rater:N", scale=alt.Scale(domain=runs)))
        x = alt.X("value:Q", title=symbol, scale=alt.Scale(domain=[0, 1]))
        bars = base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(x="low:Q", x2="high", **colour)
        tips = tooltip(rater="run", domain="domain", told=symbol, notes="notes")
        points = base.mark_point(filled=True, size=62, opacity=1).encode(x=x, tooltip=tips, **look)
        height = len(domains) * (16 * len(runs) + 16)
        return alt.layer(bars, points).properties(width=style.width, height=height)

    words = "; ".join(f"{row['rater']} in {row['domain']} {row['told']}" for row in told)
    return Figure(
        name=f"domains_{symbol}",
        section="domains",
        title=f"{_SHOWN[symbol]} ({symbol})",
        finding=f"{symbol} of each run in each medical domain. {words}.",
        columns={"rater": "run", "domain": "domain", "told": symbol, "notes": "notes"},
        rows=told,
        data={"domains": [row for row in told if row["value"] is not None]},
        draw=draw,
        series=marks.algorithms,
        note="Means over the notes of each domain, bars their intervals; texts are compared by M.",
    )
