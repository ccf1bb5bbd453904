"""The charts of an audit, in the order of its page, and of an explanation. Loads Altair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from ..evaluation.report.layers import bands, spoken, told
from ..pages.encodings import named, tooltip, with_interval
from ..pages.figure import Figure
from ..pages.rows import Row
from ..pages.style import Style
from .decision import Trees, signed
from .permutation import Found, Made, measured

_ROW = 24
_MAX_POINTS, _BINS, _MAX_LENGTH = 9000, 90, 40
_RAMP = {"lowest": "#2f86c8", "low": "#7884c6", "middle": "#a87fb0", "high": "#d0738a", "highest": "#e2604a"}
"""Of values; each colour is told from both the light and the dark background."""
_SIDES = ("for a match", "against a match")


def figures(of: Found, made: Made) -> list[Figure]:
    """Makes every chart that the audit allows."""
    charts = (reliability, beeswarm, losses, correlation)
    return [figure for chart in charts for figure in chart(of, made)]


def _figure(
    name: str, section: str, title: str, columns: dict[str, str], rows: list[Row], data: dict[str, list[Row]], draw: Callable[[Style], Any],
    note: str,
) -> list[Figure]:  # fmt: skip
    made = Figure(name, section, title, spoken(title, columns, rows), columns, rows, data, draw, note=note)
    return [made] if rows else []


def reliability(of: Found, made: Made) -> list[Figure]:
    """Draws whether M's probabilities mean what they say."""
    rows = [
        told(row | {"value": row["matches"]}, mean=row["mean_probability"], pairs=row["pairs"])
        for row in of("reliability")
    ]
    columns = {"mean": "mean probability", "told": "share of matches", "pairs": "pairs"}

    def draw(style: Style) -> Any:
        unit = alt.Scale(domain=[0, 1])
        x = alt.X("mean:Q", title="probability that M says", scale=unit)
        y = alt.Y("value:Q", title="share that are matches", scale=unit)
        base = alt.Chart(named("bins")).encode(x=x, color=alt.value(style.series[0]))
        diagonal = alt.Chart(named("diagonal")).mark_line(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink)
        return alt.layer(
            diagonal.encode(x=x, y=y),
            base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(y="low:Q", y2="high"),
            base.mark_line(strokeWidth=2).encode(y=y),
            base.mark_point(filled=True, size=62, opacity=1).encode(y=y, tooltip=tooltip(**columns)),
        ).properties(width=style.width, height=260)

    return _figure(
        "reliability", "measures", "Do the probabilities mean what they say?", columns, rows,
        {"bins": rows, "diagonal": [{"mean": 0, "value": 0}, {"mean": 1, "value": 1}]}, draw,
        "On the dashed line they do. Above it M is too careful, below it too sure. Bars are intervals.",
    )  # fmt: skip


def beeswarm(of: Found, made: Made) -> list[Figure]:
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

    return _figure(
        "beeswarm", "contributions", "Which way, pair by pair",
        {"feature": "feature", "low": "5 of 100 lie below", "median": "median", "high": "5 of 100 lie above"}, rows,
        {"points": points, "zero": [{"x": 0}]}, draw,
        f"One point for each of {len(shown):,} pairs: left of 0 against a match, right of it for one. Colour: the value of the feature, from its lowest to its highest fifth.",
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


def losses(of: Found, made: Made) -> list[Figure]:
    """Draws what shuffling one feature costs (the source's figure 2), and what a family is worth."""
    if made["matches"] is None:
        return []
    x = alt.X("value:Q", title="average precision lost")
    lost = {"told": "average precision lost", "f1": "F1 lost"}
    features, families = (
        [told(measured(row, "ap_lost"), f1=with_interval(measured(row, "f1_lost")), **row) for row in of(name)]
        for name in ("permutation", "families")
    )
    features.sort(key=lambda row: -row["value"])
    ways = list(dict.fromkeys(row["way"] for row in families))

    def look(style: Style) -> dict[str, Any]:
        return {"color": alt.Color("way:N", legend=alt.Legend()).scale(domain=ways, range=style.series[: len(ways)])}

    return [
        bands(
            features, {"name": "feature", **lost}, lambda style: {"color": alt.value(style.series[0])}, x, "name", line=0,
            name="permutation_ap", section="permutation", title="What shuffling one feature costs",
            note="Bars: intervals over references and shuffles. At 0 nothing is lost.",
        ),
        bands(
            families, {"name": "family", "way": "way", **lost}, look, x, "name", "way", line=0, name="families",
            section="permutation", title="What a family of features is worth",
            note="Shuffled: over the pairs, together. Trained without: new trees, measured out of fold against new trees with all features.",
        ),
    ]  # fmt: skip


def correlation(of: Found, made: Made) -> list[Figure]:
    """Draws which features say the same: the matrix of correlations (the source's figure 1)."""
    table = of("correlations")
    names = list(dict.fromkeys(row["first"] for row in table))
    rows = [
        row | {"rho": abs(row["spearman"] or 0), "sign": "opposite" if (row["spearman"] or 0) < 0 else "alike"}
        | {key: "undefined" if row[of] is None else f"{row[of]:.2f}" for key, of in (("told", "spearman"), ("linear", "pearson"))}
        for row in table if row["first"] != row["second"]
    ]  # fmt: skip
    columns = {
        "first": "feature",
        "second": "with",
        "told": "Spearman",
        "linear": "Pearson",
        "pairs": "pairs that know both",
    }

    def draw(style: Style) -> Any:
        axis = alt.Axis(ticks=False, domain=False, labelLimit=190, title=None)
        return alt.Chart(named("cells")).mark_rect(cornerRadius=2).encode(
            x=alt.X("first:N", axis=axis).scale(domain=names[:-1], padding=0.04).axis(labelAngle=-45),
            y=alt.Y("second:N", axis=axis).scale(domain=names[1:], padding=0.04),
            color=alt.Color("sign:N", legend=alt.Legend(symbolType="square")).scale(domain=["alike", "opposite"], range=style.series[:2]),
            opacity=alt.Opacity("rho:Q", legend=None).scale(domain=[0, 1], range=[0.04, 0.55]),
            tooltip=tooltip(**columns),
        ).properties(width=style.width, height=26 * (len(names) - 1))  # fmt: skip

    return _figure(
        "correlation", "correlation", "How the features go together (Spearman's rho)", columns, sorted(rows, key=lambda row: -row["rho"]),
        {"cells": rows}, draw, "The fuller the colour, the closer to 1 or -1; each over the pairs that know both features.",
    )  # fmt: skip


def waterfall(pair: tuple[str, str], said: str, trees: Trees, begins: float, threshold: float) -> Figure:
    """Draws one decision in raw log-odds: from the start that all pairs share to the score of this one, the largest part first.

    said : the decision. begins : where a match does, in log-odds, at the dashed line; threshold : the same as a probability.
    """
    rows: list[Row] = []
    at = trees.base
    for part in trees.parts:
        to = at + part.contribution
        rows.append({
            "line": f"{part.feature} = {part.shown}", "feature": part.feature, "value": part.shown, "told": signed(part.contribution),
            "label": part.label, "side": _SIDES[part.contribution < 0], "from": at, "to": to, "right": max(at, to),
        })  # fmt: skip
        at = to
    ends = [float(row[key]) for row in rows for key in ("from", "to")] + [begins]
    room = 0.12 * ((max(ends) - min(ends)) or 1.0)
    columns = {"feature": "feature", "value": "value", "told": "contribution", "label": "says"}

    def draw(style: Style) -> Any:
        y = alt.Y("line:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=260))
        x = alt.X("from:Q", title="log-odds of a match").scale(
            domain=[min(ends) - room, max(ends) + room], nice=False, zero=False
        )
        color = alt.Color("side:N", legend=alt.Legend(symbolType="square", columns=1)).scale(
            domain=_SIDES, range=style.series[:2]
        )
        dashed = (
            alt.Chart(named("threshold"))
            .mark_rule(color=style.ink, strokeDash=[5, 4], strokeWidth=1.3)
            .encode(x="at:Q")
        )
        bars = (
            alt.Chart(named("parts"))
            .mark_bar(height={"band": 0.62})
            .encode(x=x, x2="to", y=y, color=color, tooltip=tooltip(**columns))
        )
        numbers = alt.Chart(named("parts")).mark_text(align="left", dx=5).encode(x="right:Q", y=y, text="told:N")
        return alt.layer(dashed, bars, numbers).properties(width=style.width, height=26 * len(rows))

    a, b = (one if len(one) <= _MAX_LENGTH else f"{one[: _MAX_LENGTH - 1]}…" for one in pair)
    (made,) = _figure(
        "waterfall", "why", f"{a} and {b}: {said}", columns, rows, {"parts": rows, "threshold": [{"at": begins}]}, draw,
        f"Log-odds are those before calibration. Each bar starts where the one above ends; the first starts at {signed(trees.base)}, where every pair "
        f"does, the last ends at {signed(trees.raw)}. Dashed: where a match begins, at {signed(begins)}, probability {threshold:.3f}.",
    )  # fmt: skip
    return made
