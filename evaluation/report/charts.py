"""The charts of a report, in the order of the page: each a function of it that gives figures, none where nothing is to be drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import COLOURS, SHAPES, Style
from ..score.scores import Values
from ..score.weighted import rescaled
from .results import Results

_MAX_RATERS, _ON_A_PLANE = 12, 6
_K = "k, the diagnoses of each list that count"
_TOPS = {"HDF1": 1, "Semantic": 16, "Severity": 16}
"""Score of single cases -> the best that there is."""
_POINTS, _GRID, _WIDEST = 120, 61, 0.38
"""Of a violin: points, places at which it is drawn, and how wide it is at most to each side."""
_SIDES = ("severity", "semantic")


def figures(report: Results) -> list[Figure]:
    """Makes every chart that the report allows."""
    charts = (accuracy, relative, violins, plane_of_raters, plane_of_cases)
    return [figure for chart in charts for figure in chart(report)]


def accuracy(report: Results) -> list[Figure]:
    """Draws top-k accuracy of every model by k, where there are two k or more."""
    rows = [r for r in report.model_rows if r["metric"] == "Acc" and r["algorithm"] in report.board.algorithms]
    of = min((row["of"] for row in rows), key=lambda of: of != "M", default="")
    rows = [row for row in rows if row["of"] == of]
    if len({row["k"] for row in rows}) < 2:
        return []
    return [_curves(
        report, rows, "k", "cases with a right answer", _K, name="top_k", section="leaderboard",
        title="Top-k accuracy" if of == "M" else f"Top-k accuracy by {of}",
        note=f"How many cases have a right answer among the first k diagnoses; bars are intervals. The axis spans what is drawn. At most {_MAX_RATERS} raters, the best.",
    )]  # fmt: skip


def relative(report: Results) -> list[Figure]:
    """Draws RPAD and RRAD by k, and at k by the hardness H, from the optimistic (0) to the average (1); 1 is the panel's own level."""
    at_k = [row for row in report.rows_of("relative.curves") if row["k"] == report.k]
    return [
        _curves(
            report, own, along, metric, axis, line=1, name=f"{metric.lower()}_by_{along}",
            section=section, title=f"{metric}@k" if along == "k" else f"{metric}@{report.k} by hardness",
            note=f"The dashed line at 1 is the panel's own level; bars are intervals. At most {_MAX_RATERS} raters, the best.",
        )
        for section, along, axis, rows in (("relative", "k", _K, report.model_rows), ("metrics", "hardness", "hardness H, from optimistic (0) to average (1)", at_k))
        for metric in ("RPAD", "RRAD")
        if (own := [row for row in rows if row["metric"] == metric and not row.get("of")])
    ]  # fmt: skip


def _curves(report: Results, rows: Iterable[Row], along: str, of: str, axis: str, **more: Any) -> Figure:
    """A line for each rater. of : what the values are of. along : the key of their places, which `axis` names."""
    raters = report.in_order(row["algorithm"] for row in rows)[:_MAX_RATERS]
    values = [told(row, rater=row["algorithm"], **{along: row[along]}) for row in rows if row["algorithm"] in raters]
    values.sort(key=lambda row: raters.index(row["rater"]))
    columns = {"rater": "rater", along: along, "told": of}
    y = alt.Y("value:Q", title=of).scale(zero=False, nice=True)
    return bands(values, columns, partial(looks, report, raters), y, along, "rater", axis=axis, **more)


def violins(report: Results) -> list[Figure]:
    """Draws how each score of single cases is spread, a violin for each rater, with points."""
    return [
        _violins(report, score, family.name, family.per_case[score])
        for family in report.families
        for score in _TOPS
        if score in family.per_case and not np.isnan(family.per_case[score]).all()
    ]


def _violins(report: Results, score: str, section: str, values: Values) -> Figure:
    """values : [n, r], NaN where a case has none."""
    top, of_rater = _TOPS[score], dict(zip(report.raters.names, values.T, strict=True))
    raters = report.in_order(name for name, own in of_rater.items() if not np.isnan(own).all())[:_MAX_RATERS]
    rows: list[Row] = []
    outlines: list[Row] = []
    points: list[Row] = []
    for place, rater in enumerate(raters):
        own = np.sort(of_rater[rater][~np.isnan(of_rater[rater])])
        grid, width = _outline(own, top)
        outlines += _beside(rater, np.append(grid, grid[::-1]), place + np.append(width, -width[::-1]))
        drawn = own[:: -(-len(own) // _POINTS)]
        aside = (np.arange(len(drawn)) * 0.618034 % 1 - 0.5) * np.interp(drawn, grid, width)
        points += _beside(rater, drawn, place + aside)
        q1, median, q3 = np.quantile(own, [0.25, 0.5, 0.75]).tolist()
        rows.append({"rater": rater, "n_cases": len(own), "q1": q1, "median": median, "q3": q3, "place": place})

    def draw(style: Style) -> Any:
        x = alt.X("value:Q", title=f"{score} of a case").scale(domain=[0, top], nice=False)
        y = alt.Y("place:Q", axis=None).scale(domain=[len(raters) - 0.45, -0.75], nice=False, zero=False)
        colour = looks(report, raters, style)["color"].legend(None)
        of_cases = {"x": x, "y": y, "color": colour}
        summary = alt.Chart(named("summary")).encode(y=y)
        names = summary.mark_text(align="left", dx=2, dy=-28, color=style.ink)
        ring = summary.mark_point(fill=style.card, stroke=style.ink, strokeWidth=1.5, size=46, opacity=1)
        shapes = alt.Chart(named("outlines")).mark_line(interpolate="linear-closed", strokeWidth=0, fillOpacity=0.22)
        return alt.layer(
            shapes.encode(**of_cases, order="step:Q", fill=colour),
            alt.Chart(named("points")).mark_circle(size=16, opacity=0.5).encode(**of_cases),
            summary.mark_rule(strokeWidth=3, color=style.ink).encode(x="q1:Q", x2="q3"),
            ring.encode(x="median:Q"),
            names.encode(x=alt.value(0), text="rater:N"),
        ).properties(width=style.width, height=62 * len(raters) + 30)

    columns = {"rater": "rater", "n_cases": "cases", "q1": "first quarter", "median": "median", "q3": "third quarter"}
    note = f"Shape: all cases. Ring and bar: median and middle half. Points: cases, at most {_POINTS} of each of {_MAX_RATERS} raters at most, the best."
    data = {"summary": rows, "outlines": outlines, "points": points}
    return Figure(f"violin_{score.lower()}", section, f"{score} over the cases", columns, rows, data, draw, note)


def _beside(rater: str, values: Values, places: Values) -> list[Row]:
    """The values of a rater across, their places down."""
    both = zip(values.tolist(), places.tolist(), strict=True)
    return [{"rater": rater, "value": x, "place": y, "step": step} for step, (x, y) in enumerate(both)]


def _outline(values: Values, top: float) -> tuple[Values, Values]:
    """Where the violin is how wide: a Gaussian kernel estimate over [0, top]."""
    grid = np.linspace(0, top, _GRID)
    places, counts = np.unique(np.round(values, 4), return_counts=True)
    narrow = max(1.06 * float(values.std()) * len(values) ** -0.2, top / 40)
    density = np.exp(-0.5 * ((grid[:, None] - places) / narrow) ** 2) @ counts
    return grid, _WIDEST * density / density.max()


def plane_of_raters(report: Results) -> list[Figure]:
    """Draws the severity-semantic plane of Kernel29 (8, 9.3): both scores of each rater, aggregated under the difficulty that was asked for."""
    found = {row["algorithm"]: row for row in report.rows_of("weighted.plane")}
    raters = report.in_order(found)
    rows = [found[rater] | {"rater": rater} for rater in raters]
    for row in rows:
        for side in _SIDES:
            ends = {"low": row[f"{side}_low"], "high": row[f"{side}_high"]}
            row[f"{side}_told"] = with_interval({"value": row[side], **ends})
    setting = next((row["difficulty"] for row in rows), "")
    note = f"The scores of each rater with their intervals, aggregated under the setting {setting!r}, in which bad cases weigh more."
    return _plane("raters", rows, {"quadrant": "right by"}, report, raters, note, alt.value(110))


def plane_of_cases(report: Results) -> list[Figure]:
    """Draws the cases of the first six raters, where both scores are there: a point for those of a place."""
    family = report.family("weighted")
    if family is None or not {"Semantic", "Severity"} <= family.per_case.keys():
        return []
    severity = rescaled(family.per_case["Severity"])
    semantic = rescaled(family.per_case["Semantic"], report.setup.settings.get("semantic_best", 16))
    known = ~np.isnan(severity + semantic)
    names = np.broadcast_to(np.array(report.raters.names, object), known.shape)
    raters = report.in_order(names[known].tolist())[:_ON_A_PLANE]
    points = pa.table({
        "rater": pa.array(names[known], pa.string()),
        **{side: values[known].round(1) + 0.0 for side, values in zip(_SIDES, (severity, semantic), strict=True)},
    })  # fmt: skip
    places = points.group_by(["rater", *_SIDES]).aggregate([([], "count_all")]).to_pylist()
    counted = [row for row in places if row["rater"] in raters]
    rows: list[Row] = [
        row | {f"{side}_told": f"{row[side]:.1f}" for side in _SIDES} | {"n_cases": row["count_all"]}
        for row in sorted(counted, key=lambda row: (raters.index(row["rater"]), row["severity"], row["semantic"]))
    ]
    note = "The larger a point, the more cases have these scores, to a tenth."
    size = alt.Size("n_cases:Q", legend=None).scale(range=[20, 500])
    return _plane("cases", rows, {"n_cases": "cases"}, report, raters, note, size)


def _plane(
    what: str, rows: list[Row], more: dict[str, str], report: Results, raters: Sequence[str], note: str, size: Any
) -> list[Figure]:
    """Points over the cross of the axes and the names of the quadrants; no figure without rows. more : columns beside the scores."""
    if not rows:
        return []
    # a semantic score that is rescaled by less than the best may lie above 1
    right, top = (max([1.0, *(row[side] for row in rows)]) for side in _SIDES)
    corners = [
        {"severity": across, "semantic": up, "says": says}
        for across, up, says in (
            (-0.5, top + 0.16, "meaning only"), (right / 2, top + 0.16, "both right"), (-0.5, -1.16, "neither"), (right / 2, -1.16, "severity only")
        )
    ]  # fmt: skip
    columns = {"rater": "rater", **{f"{side}_told": side for side in _SIDES}, **more}

    def draw(style: Style) -> Any:
        axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1])
        x = alt.X("severity:Q", title="severity score", axis=axis).scale(domain=[-1.08, right + 0.08], nice=False)
        y = alt.Y("semantic:Q", title="semantic score", axis=axis).scale(domain=[-1.25, top + 0.25], nice=False)
        look = looks(report, raters, style)
        base, words = (alt.Chart(named(data)).encode(x=x, y=y) for data in ("points", "quadrants"))
        cross = alt.Chart(named("cross")).mark_rule(color=style.soft, strokeDash=[3, 3], opacity=0.8)
        points = base.mark_point(filled=True, opacity=0.7).encode(tooltip=tooltip(**columns), size=size, **look)
        bars = base.mark_rule(opacity=0.6).encode(color=look["color"])
        layers = [
            cross.encode(x="zero:Q"),
            cross.encode(y="zero:Q"),
            words.mark_text(fontStyle="italic").encode(text="says:N"),
        ]
        if "severity_low" in rows[0]:
            layers += [
                bars.encode(x="severity_low:Q", x2="severity_high"),
                bars.encode(y="semantic_low:Q", y2="semantic_high"),
            ]
        return alt.layer(*layers, points).properties(width=style.width, height=360)

    data = {"points": rows, "cross": [{"zero": 0}], "quadrants": corners}
    return [Figure(f"plane_{what}", "weighted", f"Severity–semantic plane: {what}", columns, rows, data, draw, note)]


def looks(report: Results, raters: Sequence[str], style: Style) -> dict[str, Any]:
    """Makes the channels color and shape of the field `rater`: algorithms have colours, the best the first; the panel is grey."""
    judged = report.in_order((*report.board.algorithms, *report.raters.algorithms))
    everyone = [*judged, *(rater for rater in report.raters.names if rater not in judged)]
    places = [everyone.index(rater) for rater in raters]
    colours = [style.series[place % COLOURS] if place < len(judged) else style.panel for place in places]
    # where colours begin anew, shapes begin one later
    shapes = [SHAPES[(place + place // COLOURS) % len(SHAPES)] for place in places]
    legend = alt.Legend() if len(raters) > 1 else None
    return {
        "color": alt.Color("rater:N", scale=alt.Scale(domain=list(raters), range=colours), legend=legend),
        "shape": alt.Shape("rater:N", scale=alt.Scale(domain=list(raters), range=shapes), legend=legend),
    }


def told(row: Row, **fields: Any) -> Row:
    """Adds to `fields` the value and interval of a row, as numbers and in words (`told`)."""
    return {**fields, "value": row["value"], "low": row["low"], "high": row["high"], "told": with_interval(row)}


def bands(
    rows: list[Row], columns: dict[str, str], look: Callable[[Style], dict[str, Any]], value: alt.X | alt.Y, band: str, side: str = "",
    *, line: int | None = None, axis: str | None = None, **words: str,
) -> Figure:  # fmt: skip
    """Makes a point with its interval for each row, in a band for each value of `band`, within it one of its own for each of `side`.

    rows : with value, low, high. columns : of the table and tooltips. look : channels of the points. value : channel of the field
    `value`; as alt.X the bands lie below each other, as alt.Y side by side, with a line from each to the next.
    line : where a dashed line lies. axis : title of the axis of the bands. words : name, section, title and note.
    """
    names, sides = (list(dict.fromkeys(row[key] for row in rows)) if key else [] for key in (band, side))
    upright = isinstance(value, alt.Y)
    across, along = ("x", "y") if upright else ("y", "x")
    gap = 1 - min(0.5, 0.06 * len(sides)) if upright else 0.25

    def draw(style: Style) -> Any:
        scale, channels = alt.Scale(domain=names, paddingInner=gap), look(style)
        labels = alt.Axis(domain=upright, ticks=upright, labelAngle=0, labelLimit=280)
        place = (alt.X if upright else alt.Y)(f"{band}:O", title=axis, scale=scale, axis=labels)
        # so that bars do not hide each other; by number, not in the order of the colours: Vega-Lite puts names into an expression
        offset = (alt.XOffset if upright else alt.YOffset)("aside:O", sort="ascending")
        drawn: dict[str, Any] = {along: value}
        base = alt.Chart(named("values")).encode(**{across: place, f"{across}Offset": offset})
        dashed = alt.Chart(named("line")).mark_rule(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink)
        bars, ends = base.mark_rule(strokeWidth=1.6, opacity=0.55), {along: "low:Q", f"{along}2": "high"}
        points = base.mark_point(filled=True, size=62, opacity=1).encode(**drawn, **channels)
        lines = base.mark_line(strokeWidth=2).encode(**drawn, color=channels["color"])
        layers = [
            *([] if line is None else [dashed.encode(**{along: "at:Q"})]),
            bars.encode(**ends, color=channels["color"]),
            *([lines] if upright else []),
            points.encode(tooltip=tooltip(**columns)),
        ]
        height = 250 if upright else len(names) * (16 * max(1, len(sides)) + 14)
        return alt.layer(*layers).properties(width=style.width, height=height)

    values = [row | {"aside": sides.index(row[side]) if side else 0} for row in rows if row["value"] is not None]
    return Figure(columns=columns, rows=rows, data={"values": values, "line": [{"at": line}]}, draw=draw, **words)
