"""How much each feature contributes, and which way, pair by pair (the source's figure 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from ...pages.encodings import named, only, tooltip
from ...pages.figure import Figure, Row
from ...pages.style import Style
from ..results.audit_tables import AuditTables
from ..results.messages import signed
from .marks import ROW, ZERO, bar_figure, line_at

_MAX_POINTS, _BINS = 9000, 90
RAMP = ("#2f86c8", "#7884c6", "#a87fb0", "#d0738a", "#e2604a")
"""From low to high; each is told from both the light and the dark background."""
_STEPS = ("lowest", "low", "middle", "high", "highest")


def figures(audit: AuditTables) -> list[Figure]:
    """Bars of the mean, and a point for each pair."""
    features = audit.features.to_pylist()
    return [_bars(features), _swarm(audit, features)]


def _bars(features: list[Row]) -> Figure:
    reach = 1.15 * (float(features[0]["strength"]) or 1.0)
    rows = [row | {"told": f"{row['strength']:.2f}"} for row in features]
    top = ", ".join(f"{row['feature']} {row['told']}" for row in rows[:5])
    scale = {"domain": [0, reach], "nice": False}
    return bar_figure(
        "features",
        only(rows, ("feature", "strength", "told", "label")),
        {"field": "feature"},
        {"shorthand": "strength:Q", "title": "mean |contribution|, log-odds", "scale": scale},
        {"feature": "feature", "label": "says", "told": "mean |contribution|"},
        name="strength",
        section="contributions",
        title="How much each feature moves the score",
        finding=f"Mean absolute contribution of each feature, in log-odds, the largest first: {top}.",
        columns={"feature": "feature", "strength": "mean |contribution|", "share": "share of all", "label": "says"},
        rows=rows,
    )


def _swarm(audit: AuditTables, features: list[Row]) -> Figure:
    order = [row["feature"] for row in features]
    table = audit.contributions
    shown = np.linspace(0, table.num_rows - 1, min(table.num_rows, max(100, _MAX_POINTS // len(order)))).astype(int)
    points: list[Row] = []
    rows: list[Row] = []
    for place, name in enumerate(order):
        value = table.column(name).to_numpy().astype(float)
        contribution = table.column(f"shap_{name}").to_numpy()
        quarters = np.quantile(contribution, [0.05, 0.5, 0.95])
        rows.append({"feature": name, **dict(zip(("low", "median", "high"), quarters.tolist(), strict=True)), "rise": _direction(value, contribution)})  # fmt: skip
        step = _steps(value)
        aside = _aside(contribution[shown])
        points += [
            {"x": round(float(contribution[i]), 3), "y": round(place + float(a), 3), "step": step[i], "feature": name,
             "value": "unknown" if np.isnan(value[i]) else f"{value[i]:.3g}", "told": f"{signed(float(contribution[i]))}"}
            for i, a in zip(shown.tolist(), aside, strict=True)
        ]  # fmt: skip

    def draw(style: Style) -> Any:
        import altair as alt

        labels = "[" + ",".join(f"'{name}'" for name in order) + "][datum.value]"
        # Without a count Vega thins the values out to one label every forty pixels.
        axis = alt.Axis(
            values=list(range(len(order))), tickCount=len(order), labelExpr=labels, ticks=False, domain=False, grid=False,
            labelOverlap=False, labelLimit=190,
        )  # fmt: skip
        scale = alt.Scale(domain=[len(order) - 0.5, -0.5], nice=False, zero=False)
        colours = alt.Scale(domain=[*_STEPS, "unknown"], range=[*RAMP, style.panel])
        swarm = alt.Chart(named("points")).mark_circle(size=15, opacity=0.75)
        swarm = swarm.encode(
            x=alt.X("x:Q", title="contribution, log-odds: left against a match, right for it"),
            y=alt.Y("y:Q", title=None, scale=scale, axis=axis),
            color=alt.Color("step:N", scale=colours, legend=alt.Legend(columns=6, symbolType="circle")),
            tooltip=tooltip(feature="feature", value="value", told="contribution"),
        )
        drawn = alt.layer(line_at("zero", "x", color=style.panel), swarm)
        return drawn.properties(width=style.width, height=ROW * len(order))

    ranges = [f"{r['feature']} from {signed(r['low'])} to {signed(r['high'])}, {r['rise']}" for r in rows[:8]]
    return Figure(
        name="beeswarm",
        section="contributions",
        title="Which way, pair by pair",
        finding=f"Contributions of each feature, in log-odds: {'; '.join(ranges)}.",
        columns={"feature": "feature", "low": "5 of 100 lie below", "median": "median", "high": "5 of 100 lie above", "rise": "where its value is high"},
        rows=rows,
        data={"points": points, "zero": ZERO},
        draw=draw,
        note=f"One point for each of {len(shown):,} pairs. Colour: the value of the feature, from its lowest to its highest fifth.",
    )  # fmt: skip


def _steps(value: NDArray[np.float64]) -> list[str]:
    """In which fifth of the range between the 2nd and the 98th of 100 values each lies."""
    known = value[np.isfinite(value)]
    low, high = np.quantile(known, [0.02, 0.98]) if len(known) else (0.0, 1.0)
    if high == low and len(known):
        low, high = float(known.min()), float(known.max())
    place = np.clip((value - low) / ((high - low) or 1.0) * len(_STEPS), 0, len(_STEPS) - 1)
    return ["unknown" if np.isnan(p) else _STEPS[int(p)] for p in place]


def _direction(value: NDArray[np.float64], contribution: NDArray[np.float64]) -> str:
    known = np.isfinite(value)
    if known.sum() < 3 or np.ptp(value[known]) == 0 or np.ptp(contribution[known]) == 0:
        return "no way to tell"
    rho = float(spearmanr(value[known], contribution[known])[0])  # type: ignore[arg-type]
    return "for a match" if rho > 0.2 else "against a match" if rho < -0.2 else "now for, now against"


def _aside(contribution: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n] in [-0.4, 0.4]: points of about one contribution are stacked around the line."""
    span = float(np.ptp(contribution)) or 1.0
    column = np.round((contribution - contribution.min()) / span * _BINS).astype(int)
    order = np.argsort(column, kind="stable")
    starts = np.r_[0, np.flatnonzero(np.diff(column[order])) + 1]
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
    layer = np.ceil(rank / 2) * np.where(rank % 2, 1, -1)
    return 0.4 * layer / max(float(np.abs(layer).max()), 12.0)
