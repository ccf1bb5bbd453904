"""How the algorithm meets each expert, beside how experts meet each other."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ....pages.encodings import named, tooltip, with_interval
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .marks import marks_of

_AE, _EE = "algorithm–expert", "expert–expert"
_SAYS = {"P": "precision", "R": "recall", "kappa": "first diagnoses"}
_MAX_PANELS, _MAX_POINTS = 12, 2000


def figures(report: Results) -> list[Figure]:
    """One for each of P, R and kappa: a point for each two raters, a row for each algorithm."""
    pairs = report.rows_of("relative.pairs")
    panels = dict(list(report.made_with["panels"].items())[:_MAX_PANELS])
    return [_figure(report, metric, rows) for metric in _SAYS if (rows := _rows(pairs, panels, metric))]


def _rows(pairs: list[Row], panels: dict[str, list[str]], metric: str) -> list[Row]:
    of = {frozenset((row["first"], row["second"])): row for row in pairs if row["metric"] == metric}
    rows: list[Row] = []
    for algorithm, experts in panels.items():
        met = [(_AE, algorithm, expert) for expert in experts]
        among = [(_EE, one, other) for one, other in combinations(experts, 2)]
        for kind, one, other in (*met, *among):
            row = of.get(frozenset((one, other)))
            if row is not None and row["value"] is not None:
                rows.append(
                    {"algorithm": algorithm, "kind": kind, "pair": f"{one} and {other}", "value": row["value"],
                     "low": row["low"], "high": row["high"], "told": with_interval(row)}
                )  # fmt: skip
    return rows


def _figure(report: Results, metric: str, rows: list[Row]) -> Figure:
    marks = marks_of(report)
    algorithms = marks.ordered([row["algorithm"] for row in rows])
    shown = rows if len(rows) <= _MAX_POINTS else rows[:: -(-len(rows) // _MAX_POINTS)]
    symbol = metric if metric == "kappa" else f"{metric}@{report.k}"

    def draw(style: Style) -> Any:
        import altair as alt

        x = alt.X("value", type="quantitative", title=symbol, scale=alt.Scale(zero=False, nice=True))
        y = alt.Y(
            "algorithm", type="nominal", title=None, scale=alt.Scale(domain=list(algorithms), paddingInner=0.25),
            axis=alt.Axis(domain=False, ticks=False),
        )  # fmt: skip
        offset = alt.YOffset("kind", type="nominal", scale=alt.Scale(domain=[_AE, _EE]))
        legend = alt.Legend()
        colour = alt.Color(
            "kind",
            type="nominal",
            legend=legend,
            scale=alt.Scale(domain=[_AE, _EE], range=[style.series[0], style.panel]),
        )
        shape = alt.Shape(
            "kind", type="nominal", legend=legend, scale=alt.Scale(domain=[_AE, _EE], range=["circle", "diamond"])
        )
        base = alt.Chart(named("pairs")).encode(y=y, yOffset=offset)
        return alt.layer(
            base.mark_rule(opacity=0.5).encode(x=alt.X("low", type="quantitative"), x2="high", color=colour),
            base.mark_point(filled=True, size=60, opacity=0.85).encode(
                x=x, color=colour, shape=shape, tooltip=tooltip(pair="raters", told=symbol)
            ),
            base.mark_tick(thickness=2, size=18, color=style.ink).encode(
                x=alt.X("mean(value)", type="quantitative"), detail="kind:N"
            ),
        ).properties(width=style.width, height=58 * len(algorithms))

    return Figure(
        name=f"pairs_{metric.lower()}",
        section="relative",
        title=f"{symbol} of each two raters, {_SAYS[metric]}",
        finding=_finding(symbol, rows, algorithms),
        columns={"algorithm": "algorithm", "kind": "kind", "pair": "raters", "told": symbol},
        rows=shown,
        data={"pairs": shown},
        draw=draw,
        note="One point for each two raters with its interval; the upright stroke is their mean."
        + ("" if shown is rows else f" A sample: {len(shown):,} of {len(rows):,} points.")
        + ("" if len(report.algorithms) <= _MAX_PANELS else f" The first {_MAX_PANELS} algorithms."),
    )


def _finding(symbol: str, rows: list[Row], algorithms: tuple[str, ...]) -> str:
    parts = []
    for algorithm in algorithms:
        sides = [[r["value"] for r in rows if r["algorithm"] == algorithm and r["kind"] == kind] for kind in (_AE, _EE)]
        spans = [f"{min(side):.3f} to {max(side):.3f}" if side else "undefined" for side in sides]
        parts.append(f"{algorithm} with its experts {spans[0]}, the experts among themselves {spans[1]}")
    return f"{symbol} of each two raters. {'; '.join(parts)}."
