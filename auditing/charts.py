"""The charts of an audit, in the order of its page, and of an explanation. Loads Altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from ..evaluation.report.layers import bands, spoken, told
from ..pages.encodings import named, tooltip, with_interval
from ..pages.figure import Figure
from ..pages.rows import Row
from ..pages.style import Style
from .contents import measured
from .explanation import signed
from .mistakes import ERRORS

if TYPE_CHECKING:
    from .audit import Audit
    from .explanation import Explanation, Trees

_ROW = 24
_MAX_POINTS, _STACKS = 9000, 90
_MAX_NUMBERED, _MAX_BARS, _MAX_LENGTH = 14, 14, 40
_RAMP = {"lowest": "#2f86c8", "low": "#7884c6", "middle": "#a87fb0", "high": "#d0738a", "highest": "#e2604a"}
"""Of values; each colour is told from both the light and the dark background."""
_SIDES = ("for a match", "against a match")


def figures(audit: Audit) -> list[Figure]:
    """Makes every chart that the audit allows."""
    charts = (reliability, histogram, strength, beeswarm, permutation, families, alone, correlation, kinds)
    return [figure for chart in charts for figure in chart(audit)]


def reliability(audit: Audit) -> list[Figure]:
    """Draws whether M's probabilities mean what they say."""
    rows = [
        told(row | {"value": row["matches"]}, mean=row["mean_probability"], pairs=row["pairs"])
        for row in audit.rows("reliability")
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

    title = "Do the probabilities mean what they say?"
    note = "On the dashed line they do. Above it M is too careful, below it too sure. Bars are intervals."
    data = {"bins": rows, "diagonal": [{"mean": 0, "value": 0}, {"mean": 1, "value": 1}]}
    made = Figure("reliability", "measures", title, spoken(title, columns, rows), columns, rows, data, draw, note=note)
    return [made] if rows else []


def histogram(audit: Audit) -> list[Figure]:
    """Draws how many pairs have which probability: matches upwards, the others downwards; all upwards without labels."""
    table, threshold = audit.rows("histogram"), audit.made_with["threshold"]
    sides = {"matches": 1, "others": -1} if "matches" in table[0] else {"pairs": 1}
    rows = [
        {"from": row["from"], "to": row["to"], "range": f"{row['from']:.3f} to {row['to']:.3f}", "kind": kind, "pairs": row[kind],
         "start": 0, "end": side * row[kind]}
        for kind, side in sides.items() for row in table if row[kind]
    ]  # fmt: skip
    ticks = [
        side * 10**power for side in sides.values() for power in range(len(str(max(row["pairs"] for row in rows))))
    ]
    columns = {"range": "probability", "kind": "of", "pairs": "pairs"}

    def draw(style: Style) -> Any:
        colours = alt.Scale(domain=list(sides), range=[style.series[0], style.panel][: len(sides)])
        legend = alt.Legend(symbolType="square") if len(sides) == 2 else None
        axis = alt.Axis(labelExpr="format(abs(datum.value), ',')", values=[*ticks, 0])
        bars = alt.Chart(named("bars")).mark_bar(binSpacing=1)
        # symlog: a handful of pairs beside the threshold is to be seen beside thousands at 0
        y = alt.Y("start:Q", title="pairs", scale=alt.Scale(type="symlog"), axis=axis)
        x = alt.X("from:Q", title="probability that M says", scale=alt.Scale(domain=[0, 1]))
        color = alt.Color("kind:N", scale=colours, legend=legend)
        drawn = bars.encode(x=x, x2="to", y=y, y2="end", color=color, tooltip=tooltip(**columns))
        return alt.layer(drawn, _threshold(style)).properties(width=style.width, height=240)

    return [Figure(
        "histogram", "measures", "How many pairs have which probability",
        spoken(f"Pairs by probability; a match begins at {threshold:.3f}", columns, rows), columns, rows,
        {"bars": rows, "threshold": [{"at": threshold}]}, draw, note="Dashed: the threshold. The scale of pairs is logarithmic.",
    )]  # fmt: skip


def _threshold(style: Style) -> alt.Chart:
    """Where a match begins, dashed."""
    return alt.Chart(named("threshold")).mark_rule(color=style.ink, strokeDash=[5, 4], strokeWidth=1.3).encode(x="at:Q")


def _bars(rows: list[Row], columns: dict[str, str], x: alt.X, *, colour: int = 0, **words: str) -> Figure:
    """Makes a bar for each row, with its number in words (`told`) after it. columns : the first one names the bars. words : of the figure."""

    def draw(style: Style) -> Any:
        base = alt.Chart(named("bars")).encode(y=_names(next(iter(columns))), x=x)
        bars = base.mark_bar(color=style.series[colour], height={"band": 0.62}).encode(tooltip=tooltip(**columns))
        numbers = base.mark_text(align="left", dx=5).encode(text="told:N")
        return alt.layer(bars, numbers).properties(width=style.width, height=_ROW * len(rows))

    finding = spoken(words["title"], columns, rows)
    return Figure(finding=finding, columns=columns, rows=rows, data={"bars": rows}, draw=draw, series=(), **words)


def _names(field: str) -> alt.Y:
    """Names down the side, in the order of the rows."""
    return alt.Y(f"{field}:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=230))


def strength(audit: Audit) -> list[Figure]:
    """Draws how much each feature moves the score."""
    rows = [
        row | {"told": f"{row['strength']:.2f}", "part": f"{row['share'] or 0:.1%}"} for row in audit.rows("features")
    ]
    reach = 1.15 * (float(rows[0]["strength"]) or 1.0)
    x = alt.X("strength:Q", title="mean |contribution|, log-odds").scale(domain=[0, reach], nice=False)
    columns = {"feature": "feature", "told": "mean |contribution|", "part": "share of all", "label": "says"}
    return [
        _bars(rows, columns, x, name="strength", section="contributions", title="How much each feature moves the score")
    ]


def beeswarm(audit: Audit) -> list[Figure]:
    """Draws the contributions of each feature, a point for each pair (the source's figure 3)."""
    table, names = audit.tables["contributions"], [row["feature"] for row in audit.rows("features")]
    shown = np.linspace(0, table.num_rows - 1, min(table.num_rows, max(100, _MAX_POINTS // len(names)))).astype(int)
    rows: list[Row] = []
    points: list[Row] = []
    for place, name in enumerate(names):
        value = table.column(name).to_numpy().astype(float)
        moved = table.column(f"shap_{name}").to_numpy()
        low, median, high = (signed(one) for one in np.quantile(moved, [0.05, 0.5, 0.95]).tolist())
        rows.append({"feature": name, "low": low, "median": median, "high": high})
        points += [
            {"x": round(x, 3), "y": round(place + aside, 3), "step": step, "feature": name, "value": "unknown" if v != v else f"{v:.3g}",
             "told": signed(x)}
            for x, v, step, aside in zip(moved[shown].tolist(), value[shown].tolist(), _steps(value)[shown].tolist(), _aside(moved[shown]).tolist(), strict=True)
        ]  # fmt: skip

    def draw(style: Style) -> Any:
        labels = "[" + ",".join(f"'{name}'" for name in names) + "][datum.value]"
        axis = alt.Axis(
            # without a count Vega thins the values out to one label every forty pixels
            values=list(range(len(names))), tickCount=len(names), labelExpr=labels, ticks=False, domain=False, grid=False,
            labelOverlap=False, labelLimit=190,
        )  # fmt: skip
        colours = alt.Scale(domain=[*_RAMP, "unknown"], range=[*_RAMP.values(), style.panel])
        swarm = alt.Chart(named("points")).mark_circle(size=15, opacity=0.75).encode(
            x=alt.X("x:Q", title="contribution, log-odds: left against a match, right for it"),
            y=alt.Y("y:Q", title=None, axis=axis).scale(domain=[len(names) - 0.5, -0.5], nice=False, zero=False),
            color=alt.Color("step:N", scale=colours, legend=alt.Legend(columns=6, symbolType="circle")),
            tooltip=tooltip(feature="feature", value="value", told="contribution"),
        )  # fmt: skip
        zero = alt.Chart(named("zero")).mark_rule(color=style.panel).encode(x="x:Q")
        return alt.layer(zero, swarm).properties(width=style.width, height=_ROW * len(names))

    title = "Which way, pair by pair"
    columns = {"feature": "feature", "low": "5 of 100 lie below", "median": "median", "high": "5 of 100 lie above"}
    note = f"One point for each of {len(shown):,} pairs. Colour: the value of the feature, from its lowest to its highest fifth."
    data = {"points": points, "zero": [{"x": 0}]}
    return [
        Figure("beeswarm", "contributions", title, spoken(title, columns, rows), columns, rows, data, draw, note=note)
    ]


def _steps(value: NDArray[np.float64]) -> NDArray[np.object_]:
    """In which fifth of the range between the 2nd and the 98th of 100 values each lies."""
    there = value[np.isfinite(value)]
    low, high = np.quantile(there, [0.02, 0.98]) if len(there) else (0.0, 1.0)
    if high == low and len(there):
        low, high = there.min(), there.max()
    place = np.clip(np.nan_to_num((value - low) / ((high - low) or 1.0)) * len(_RAMP), 0, len(_RAMP) - 1).astype(int)
    return np.where(np.isfinite(value), np.array([*_RAMP], object)[place], "unknown")


def _aside(moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 [n] in [-0.4, 0.4]: points of about one contribution are stacked around the line."""
    column = np.round((moved - moved.min()) / (float(np.ptp(moved)) or 1.0) * _STACKS).astype(int)
    order = np.argsort(column, kind="stable")
    starts = np.r_[0, np.flatnonzero(np.diff(column[order])) + 1]
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
    layer = np.ceil(rank / 2) * np.where(rank % 2, 1, -1)
    return 0.4 * layer / max(float(np.abs(layer).max()), 12.0)


def permutation(audit: Audit) -> list[Figure]:
    """Draws what shuffling one feature costs (the source's figure 2); without labels, the decisions that change."""
    table, made = audit.rows("permutation"), []
    if "ap_lost" not in table[0]:
        rows = [row | {"told": f"{row['flipped']:.1%}"} for row in sorted(table, key=lambda row: -row["flipped"])]
        title = "Decisions that change when one feature is shuffled"
        x = alt.X("flipped:Q", title="decisions changed").axis(format="%")
        return [
            _bars(
                rows,
                {"name": "feature", "told": "decisions changed"},
                x,
                name="permutation_flipped",
                section="permutation",
                title=title,
            )
        ]
    for short, measure, says in (("ap", "average_precision", "average precision"), ("f1", "f1", "F1 at the threshold")):
        whole, key = audit.made_with["quality"][measure], f"{short}_lost"
        ordered = sorted(table, key=lambda row: -row[key])
        rows = [told(measured(row, key), feature=row["name"], flipped=f"{row['flipped']:.1%}") for row in ordered]
        made.append(bands(
            rows, {"feature": "feature", "told": f"{says} lost", "flipped": "decisions changed"}, _blue,
            alt.X("value:Q", title=f"{says} lost, of {whole:.3f}"), "feature", line=0, name=f"permutation_{short}", section="permutation",
            title=f"What shuffling one feature costs: {says}", note="Bars: intervals over references and shuffles. At 0 nothing is lost.",
        ))  # fmt: skip
    return made


def _blue(style: Style) -> dict[str, Any]:
    return {"color": alt.value(style.series[0])}


def families(audit: Audit) -> list[Figure]:
    """Draws what a family of features is worth: shuffled, unknown, and where asked for trained without."""
    table = audit.rows("families")
    if "ap_lost" not in table[0]:
        return []
    rows = [
        told(measured(row, "ap_lost"), family=row["name"], way=row["way"], f1=with_interval(measured(row, "f1_lost")))
        for row in sorted(table, key=lambda row: [one["name"] for one in table].index(row["name"]))
    ]
    ways = list(dict.fromkeys(row["way"] for row in table))
    note = (
        "Shuffled: over the pairs, together. Unknown: taken away from every pair; the trees were not trained for that."
    )
    if len(ways) == 3:
        note += " Trained without: new trees, measured out of fold against new trees with all features."

    def look(style: Style) -> dict[str, Any]:
        shapes = alt.Scale(domain=ways, range=["circle", "square", "diamond"][: len(ways)])
        colours = alt.Scale(domain=ways, range=list(style.series[: len(ways)]))
        return {
            "color": alt.Color("way:N", scale=colours, legend=alt.Legend()),
            "shape": alt.Shape("way:N", scale=shapes, legend=alt.Legend()),
        }

    x = alt.X("value:Q", title=f"average precision lost, of {audit.made_with['quality']['average_precision']:.3f}")
    columns = {"family": "family", "way": "way", "told": "average precision lost", "f1": "F1 lost"}
    title = "What a family of features is worth"
    return [
        bands(
            rows, columns, look, x, "family", "way", line=0, name="families", section="families", title=title, note=note
        )
    ]


def alone(audit: Audit) -> list[Figure]:
    """Draws how good M is, and each feature by itself."""
    rows = [
        told(
            measured(row, "f1"),
            feature=row["feature"],
            **{one: with_interval(measured(row, one)) for one in ("precision", "recall")},
        )
        for row in audit.rows("alone")
        if row["f1"] is not None
    ]
    columns = {"feature": "feature", "told": "F1", "precision": "precision", "recall": "recall"}
    note = "Each at the threshold that is best in the other folds of references; bars are intervals over references."
    title = "F1 of each feature alone"
    x = alt.X("value:Q", title="F1 alone").scale(domain=[0, 1])
    return (
        [bands(rows, columns, _blue, x, "feature", name="alone", section="alone", title=title, note=note)]
        if rows
        else []
    )


def correlation(audit: Audit) -> list[Figure]:
    """Draws which features say the same: the matrix of correlations (the source's figure 1)."""
    table = audit.rows("correlations")
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
        axis = {"ticks": False, "domain": False, "labelLimit": 190}
        base = alt.Chart(named("cells")).encode(
            x=alt.X("first:N", sort=None, title=None, axis=alt.Axis(**axis, labelAngle=-45)).scale(
                domain=names[:-1], padding=0.04
            ),
            y=alt.Y("second:N", title=None, axis=alt.Axis(**axis)).scale(domain=names[1:], padding=0.04),
        )
        signs = alt.Scale(domain=["alike", "opposite"], range=list(style.series[:2]))
        squares = base.mark_rect(cornerRadius=2).encode(
            color=alt.Color("sign:N", scale=signs, legend=alt.Legend(symbolType="square")),
            opacity=alt.Opacity("rho:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.55]), legend=None),
            tooltip=tooltip(**columns),
        )
        numbers = base.mark_text(fontSize=11, color=style.ink).encode(text="told:N")
        layers = [squares, numbers] if len(names) <= _MAX_NUMBERED else [squares]
        return alt.layer(*layers).properties(width=style.width, height=26 * (len(names) - 1))

    strongest = sorted(rows, key=lambda row: -row["rho"])
    title = "How the features go together (Spearman's rho)"
    note = "The fuller the colour, the closer to 1 or -1; each over the pairs that know both features."
    made = Figure(
        "correlation",
        "correlation",
        title,
        spoken(title, columns, strongest),
        columns,
        strongest,
        {"cells": rows},
        draw,
        note=note,
    )
    return [made] if rows else []


def kinds(audit: Audit) -> list[Figure]:
    """Draws on which kinds of pairs M errs: one chart for the matches, one for the others."""
    made = []
    for colour, (error, title) in enumerate(ERRORS.items()):
        own = [row for row in audit.rows("kinds") if row["error"] == error]
        rows = [row | {"told": f"{row['wrong']:,} of {row['pairs']:,}", "rate": f"{row['share']:.1%}"} for row in own]
        x = alt.X("share:Q", title="share of the pairs of this kind").scale(domain=[0, 1.2], nice=False)
        x = x.axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
        columns = {"kind": "kind", "says": "is", "told": "wrong", "rate": "share"}
        if rows:
            made.append(_bars(rows, columns, x, colour=colour, name=f"kinds_{error}", section="errors", title=title))
    return made


def waterfall(explanation: Explanation, trees: Trees) -> Figure:
    """Draws one decision in raw log-odds: from the start that all pairs share to the score of this one, the largest part first.

    The smallest of many are one bar. The dashed line is where a match begins.
    """
    parts = [(part.feature, part.shown, part.contribution, part.label) for part in trees.parts]
    if len(parts) > _MAX_BARS:
        rest = parts[_MAX_BARS - 1 :]
        parts[_MAX_BARS - 1 :] = [(f"{len(rest)} others", "", sum(part[2] for part in rest), "the smallest, together")]
    rows: list[Row] = []
    at, begins = trees.base, explanation.raw_threshold
    for feature, value, moved, label in parts:
        rows.append({
            "line": f"{feature} = {value}" if value else feature, "feature": feature, "value": value, "told": signed(moved), "label": label,
            "side": _SIDES[moved < 0], "from": at, "to": at + moved, "right": max(at, at + moved),
        })  # fmt: skip
        at += moved
    ends = [float(row[key]) for row in rows for key in ("from", "to")] + [begins]
    room = 0.12 * ((max(ends) - min(ends)) or 1.0)
    columns = {"feature": "feature", "value": "value", "told": "contribution", "label": "says"}

    def draw(style: Style) -> Any:
        x = alt.X("from:Q", title="log-odds of a match, before calibration")
        sides = alt.Scale(domain=_SIDES, range=list(style.series[:2]))
        bars = alt.Chart(named("parts")).mark_bar(height={"band": 0.62}).encode(
            x=x.scale(domain=[min(ends) - room, max(ends) + room], nice=False, zero=False), x2="to", y=_names("line"),
            color=alt.Color("side:N", scale=sides, legend=alt.Legend(symbolType="square")), tooltip=tooltip(**columns),
        )  # fmt: skip
        numbers = (
            alt.Chart(named("parts")).mark_text(align="left", dx=5).encode(x="right:Q", y=_names("line"), text="told:N")
        )
        return alt.layer(_threshold(style), bars, numbers).properties(width=style.width, height=26 * len(rows))

    a, b = (one if len(one) <= _MAX_LENGTH else f"{one[: _MAX_LENGTH - 1]}…" for one in (explanation.a, explanation.b))
    start = signed(trees.base)
    words = f"From the start at {start} to {signed(trees.raw)}, where a match begins at {signed(begins)}"
    return Figure(
        "waterfall", "why", f"{a} and {b}: {'a match' if explanation.match else 'no match'}, probability {explanation.probability:.3f}",
        spoken(words, columns, rows), columns, rows, {"parts": rows, "threshold": [{"at": begins}]}, draw,
        note=f"Each bar starts where the one above ends; the first starts at {start}, where every pair does. Dashed: where a match "
        f"begins, at probability {explanation.threshold:.3f}.",
    )  # fmt: skip
