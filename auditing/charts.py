"""The charts of an audit, in the order of its page, and of an explanation. Loads Altair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from ..evaluation.report.charts import bands, told
from ..pages.encodings import named, number, signed, tooltip, with_interval
from ..pages.figure import Figure
from ..pages.rows import Row
from ..pages.style import Style
from .permutation import Found, measured

_ROW = 24
_LONGEST = 40
_MAX_POINTS, _BINS = 9000, 90
_SIGNS, _SIDES = ("alike", "opposite"), ("for a match", "against a match")
_RAMP = {"lowest": "#2f86c8", "low": "#7884c6", "middle": "#a87fb0", "high": "#d0738a", "highest": "#e2604a"}
"""Of values; each colour is told from both the light and the dark background."""


def figures(of: Found) -> list[Figure]:
    """Makes every chart of an audit."""
    return [beeswarm(of), losses(of), correlation(of)]


def _by(key: str, values: Sequence[str]) -> Callable[[Style], dict[str, Any]]:
    """Gives each value a colour, told in a legend."""

    def look(style: Style) -> dict[str, Any]:
        return {
            "color": alt.Color(f"{key}:N", legend=alt.Legend()).scale(domain=values, range=style.series[: len(values)])
        }

    return look


def beeswarm(of: Found) -> Figure:
    """Draws the contributions of each feature, a point for each pair (the source's figure 3)."""
    table, names = of("contributions"), [row["feature"] for row in of("features")]
    shown = np.linspace(0, len(table) - 1, min(len(table), max(100, _MAX_POINTS // len(names)))).astype(int)
    rows: list[Row] = []
    points: list[Row] = []
    for name in names:
        value = np.array([row[name] for row in table], float)
        moved = np.array([row[f"shap_{name}"] for row in table], float)
        low, median, high = (signed(one) for one in np.quantile(moved, [0.05, 0.5, 0.95]).tolist())
        rows.append({"feature": name, "low": low, "median": median, "high": high})
        points += [
            {"x": round(x, 3), "aside": round(aside, 3), "step": step, "feature": name, "value": "unknown" if v != v else f"{v:.3g}",
             "told": signed(x)}
            for x, aside, v, step in zip(moved[shown].tolist(), _aside(moved[shown]), value[shown].tolist(), _steps(value)[shown], strict=True)
        ]  # fmt: skip

    def draw(style: Style) -> Any:
        colours = alt.Scale(domain=[*_RAMP, "unknown"], range=[*_RAMP.values(), style.panel])
        swarm = alt.Chart(named("points")).mark_circle(size=15, opacity=0.75).encode(
            x=alt.X("x:Q", title="contribution, log-odds"),
            y=alt.Y("feature:N", title=None, sort=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=190)),
            yOffset=alt.YOffset("aside:Q").scale(domain=[-0.5, 0.5]),
            color=alt.Color("step:N", scale=colours, legend=alt.Legend(columns=3, symbolType="circle")),
            tooltip=tooltip(feature="feature", value="value", told="contribution"),
        )  # fmt: skip
        zero = alt.Chart(named("zero")).mark_rule(color=style.panel).encode(x="x:Q")
        return alt.layer(zero, swarm).properties(width=style.width, height=_ROW * len(names))

    title = "Which way, pair by pair"
    columns = {"feature": "feature", "low": "5 of 100 lie below", "median": "median", "high": "5 of 100 lie above"}
    return Figure(
        "beeswarm", "contributions", title, columns, rows, {"points": points, "zero": [{"x": 0}]}, draw,
        note=f"One point for each of {len(shown):,} pairs: left of 0 against a match, right of it for one. Colour: the value of the feature, from its lowest to its highest fifth.",
    )  # fmt: skip


def _steps(value: NDArray[np.float64]) -> NDArray[np.object_]:
    """In which fifth of the range of the values each lies."""
    there = np.isfinite(value)
    bounds = np.linspace(value[there].min(initial=np.inf), value[there].max(initial=-np.inf), len(_RAMP) + 1)[1:-1]
    return np.where(there, np.array([*_RAMP], object)[np.digitize(value, bounds)], "unknown")


def _aside(moved: NDArray[np.float64]) -> list[float]:
    """How far a point lies from its line, in [-0.4, 0.4]: further where contributions are many."""
    place = np.round((moved - moved.min()) / (float(np.ptp(moved)) or 1.0) * _BINS).astype(int)
    near = np.bincount(place)[place]
    return (0.8 * (np.arange(len(moved)) * 0.618034 % 1 - 0.5) * near / max(near.max(), 12)).tolist()


def losses(of: Found) -> Figure:
    """Draws what shuffling one feature costs (the source's figure 2)."""
    x = alt.X("value:Q", title="average precision lost")
    columns = {"name": "feature", "told": "average precision lost", "f1": "F1 lost"}
    rows = [
        told(measured(row, "ap_lost"), name=row["name"], f1=with_interval(measured(row, "f1_lost")))
        for row in of("permutation")
    ]
    rows.sort(key=lambda row: -row["value"])
    return bands(
        rows, columns, lambda style: {"color": alt.value(style.series[0])}, x, "name", line=0,
        name="permutation_ap", section="permutation", title="What shuffling one feature costs",
        note="Bars: intervals over references and shuffles. At 0 nothing is lost.",
    )  # fmt: skip


def correlation(of: Found) -> Figure:
    """Draws which features say the same: the matrix of correlations (the source's figure 1)."""
    table = of("correlations")
    names = list(dict.fromkeys(row["first"] for row in table))
    rows = [
        row | {"rho": abs(row["spearman"] or 0), "sign": _SIGNS[(row["spearman"] or 0) < 0], "told": number(row["spearman"])}
        for row in table if row["first"] != row["second"]
    ]  # fmt: skip
    columns = {"first": "feature", "second": "with", "told": "Spearman", "pairs": "pairs that know both"}

    def draw(style: Style) -> Any:
        axis: dict[str, Any] = {"ticks": False, "domain": False, "labelLimit": 190}
        return alt.Chart(named("cells")).mark_rect(cornerRadius=2).encode(
            x=alt.X("first:N", title=None).scale(domain=names[:-1], padding=0.04).axis(labelAngle=-45, **axis),
            y=alt.Y("second:N", title=None).scale(domain=names[1:], padding=0.04).axis(**axis),
            **_by("sign", _SIGNS)(style),
            opacity=alt.Opacity("rho:Q", legend=None).scale(domain=[0, 1], range=[0.04, 0.55]),
            tooltip=tooltip(**columns),
        ).properties(width=style.width, height=26 * (len(names) - 1))  # fmt: skip

    title, ranked = "How the features go together (Spearman's rho)", sorted(rows, key=lambda row: -row["rho"])
    note = "The fuller the colour, the closer to 1 or -1; each over the pairs that know both features."
    return Figure("correlation", "correlation", title, columns, ranked, {"cells": rows}, draw, note=note)


def contributed(of: Any) -> Figure:
    """Draws the decision that an `Explanation` takes apart: what each feature contributed, in log-odds."""
    rows = [
        {"line": f"{part.feature} = {part.shown}: {signed(moved)}", "label": part.label, "value": moved, "low": min(moved, 0),
         "high": max(moved, 0), "side": _SIDES[moved < 0]}
        for part in of.parts for moved in (part.contribution,)
    ]  # fmt: skip
    a, b = (one if len(one) <= _LONGEST else f"{one[: _LONGEST - 1]}…" for one in (of.a, of.b))
    return bands(
        rows, {"line": "feature, value and contribution", "label": "says"}, _by("side", _SIDES),
        alt.X("value:Q", title="contribution, log-odds"), "line", line=0, name="contributions", section="why",
        title=f"{a} and {b}: {'a match' if of.match else 'no match'}, probability {of.probability:.3f}",
        note=f"Every pair starts at {signed(of.trees.base)}, this one reaches {signed(of.trees.raw)}; a match begins at {signed(of.raw_threshold)}, before calibration.",
    )  # fmt: skip
