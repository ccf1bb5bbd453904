"""The algorithm beside its panel, a band for each: rates of pairs of raters, and how much they differ between experts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import altair as alt

from ....pages.encodings import named, tooltip
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .layers import with_told
from .marks import marks_of

_AE, _EE = "algorithm–expert", "expert–expert"
_SAYS = {"P": "precision", "R": "recall", "kappa": "first diagnoses"}
_SIGMAS = {"sigma_A": "algorithm", "sigma_E": "experts"}
_MAX_ALGORITHMS, _MAX_POINTS = 12, 2000


def pairs(report: Results) -> list[Figure]:
    """One for each of P, R and kappa: a point for each two raters, a band for each algorithm."""
    return [_pairs(report, metric, rows) for metric in _SAYS if (rows := _rows(report, metric))]


def _rows(report: Results, metric: str) -> list[Row]:
    pairs = report.rows_of("relative.pairs")
    of = {frozenset((row["first"], row["second"])): row for row in pairs if row["metric"] == metric}
    rows: list[Row] = []
    for algorithm, experts in list(report.made_with["panels"].items())[:_MAX_ALGORITHMS]:
        met = [(_AE, algorithm, expert) for expert in experts]
        for kind, one, other in (*met, *((_EE, *two) for two in combinations(experts, 2))):
            row = of.get(frozenset((one, other)))
            if row is not None and row["value"] is not None:
                rows.append(with_told(row, algorithm=algorithm, kind=kind, pair=f"{one} and {other}"))
    return rows


def _pairs(report: Results, metric: str, rows: list[Row]) -> Figure:
    algorithms = marks_of(report).ordered(row["algorithm"] for row in rows)
    shown = rows if len(rows) <= _MAX_POINTS else rows[:: -(-len(rows) // _MAX_POINTS)]
    symbol = metric if metric == "kappa" else f"{metric}@{report.k}"

    def draw(style: Style) -> Any:
        base, colour = _bands("pairs", "algorithm", algorithms, 0.25, "kind", (_AE, _EE), style)
        shape = alt.Shape("kind:N", scale=alt.Scale(domain=[_AE, _EE], range=["circle", "diamond"]))
        x = alt.X("value:Q", title=symbol, scale=alt.Scale(zero=False, nice=True))
        tips = tooltip(pair="raters", told=symbol)
        return alt.layer(
            base.mark_rule(opacity=0.5).encode(x="low:Q", x2="high", color=colour),
            base.mark_point(filled=True, size=60, opacity=0.85).encode(x=x, color=colour, shape=shape, tooltip=tips),
            base.mark_tick(thickness=2, size=18, color=style.ink).encode(x="mean(value):Q", detail="kind:N"),
        ).properties(width=style.width, height=58 * len(algorithms))

    parts = []
    for algorithm in algorithms:
        sides = [[r["value"] for r in rows if r["algorithm"] == algorithm and r["kind"] == kind] for kind in (_AE, _EE)]
        spans = [f"{min(side):.3f} to {max(side):.3f}" if side else "undefined" for side in sides]
        parts.append(f"{algorithm} with its experts {spans[0]}, the experts among themselves {spans[1]}")
    return Figure(
        name=f"pairs_{metric.lower()}",
        section="relative",
        title=f"{symbol} of each two raters, {_SAYS[metric]}",
        finding=f"{symbol} of each two raters. {'; '.join(parts)}.",
        columns={"algorithm": "algorithm", "kind": "kind", "pair": "raters", "told": symbol},
        rows=shown,
        data={"pairs": shown},
        draw=draw,
        note="One point for each two raters with its interval; the upright stroke is their mean."
        + ("" if shown is rows else f" A sample: {len(shown):,} of {len(rows):,} points.")
        + ("" if len(report.algorithms) <= _MAX_ALGORITHMS else f" The first {_MAX_ALGORITHMS} algorithms."),
    )


def sigma(report: Results) -> list[Figure]:
    """Bars of sigma_A and sigma_E for P, R and kappa."""
    algorithms = report.algorithms[:_MAX_ALGORITHMS]
    rows = [
        with_told(
            row, band=part if len(algorithms) == 1 else f"{part} · {algorithm}",
            algorithm=algorithm, of=part, side=_SIGMAS[row["metric"]],
        )
        for part in _SAYS
        for algorithm in algorithms
        for row in report.rows
        if (row["algorithm"], row["of"]) == (algorithm, part) and row["metric"] in _SIGMAS
        and row["k"] in (report.k, None) and row["value"] is not None
    ]  # fmt: skip
    if not rows:
        return []
    bands = list(dict.fromkeys(row["band"] for row in rows))

    def draw(style: Style) -> Any:
        base, colour = _bands("sigmas", "band", bands, 0.3, "side", list(_SIGMAS.values()), style)
        x = alt.X("value:Q", title="standard deviation over experts")
        tips = tooltip(algorithm="algorithm", of="of", side="side", told="sigma")
        return alt.layer(
            base.mark_bar(opacity=0.85).encode(x=x, color=colour, tooltip=tips),
            base.mark_rule(strokeWidth=1.5, color=style.ink).encode(x="low:Q", x2="high"),
        ).properties(width=style.width, height=36 * len(bands))

    told = "; ".join(f"{row['of']}, {row['algorithm']}, {row['side']}: {row['told']}" for row in rows)
    return [
        Figure(
            name="sigma",
            section="relative",
            title=f"sigma@{report.k}: how agreement differs between experts",
            finding=f"Standard deviation over experts. {told}.",
            columns={"algorithm": "algorithm", "of": "of", "side": "side", "told": "sigma"},
            rows=rows,
            data={"sigmas": rows},
            draw=draw,
            series=tuple(algorithms) if len(algorithms) == 1 else (),
            note="An algorithm whose bar is no longer than the experts' treats them alike as much as they do each other.",
        )
    ]


def _bands(
    data: str, band: str, bands: Sequence[str], padding: float, side: str, sides: Sequence[str], style: Style
) -> tuple[alt.Chart, alt.Color]:
    """A chart with a band for each name, within it the algorithm's side above the panel's; and the sides' colours."""
    scale = alt.Scale(domain=list(bands), paddingInner=padding)
    base = alt.Chart(named(data)).encode(
        y=alt.Y(f"{band}:N", title=None, scale=scale, axis=alt.Axis(domain=False, ticks=False)),
        yOffset=alt.YOffset(f"{side}:N", scale=alt.Scale(domain=list(sides))),
    )
    return base, alt.Color(f"{side}:N", scale=alt.Scale(domain=list(sides), range=[style.series[0], style.panel]))
