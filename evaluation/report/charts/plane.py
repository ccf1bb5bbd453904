"""The severity-semantic plane: how near in meaning, how near in severity; for raters and for single cases."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import numpy as np

from ....pages.encodings import named, tooltip, with_interval
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .marks import Marks, by_rater, marks_of

_BEST = 16
_MAX_RATERS, _MAX_PLACES = 6, 250
_CORNERS: tuple[Literal["left", "right"], ...] = ("left", "right")
_GROUND: dict[str, list[Row]] = {
    "cross": [{"zero": 0}],
    "left": [{"x": -1, "y": 1.16, "says": "severity only"}, {"x": -1, "y": -1.16, "says": "neither"}],
    "right": [{"x": 1, "y": 1.16, "says": "both right"}, {"x": 1, "y": -1.16, "says": "meaning only"}],
}
"""What both planes stand on: the cross of the axes, and the names of the quadrants by the side they are aligned to."""


def figures(report: Results) -> list[Figure]:
    """Two, where both scores are there: the raters' means, and single cases."""
    section = next((s for s in report.sections if s.name == "weighted"), None)
    if section is None or not {"Semantic", "Severity"} <= section.per_case.keys():
        return []
    marks = marks_of(report)
    means, cases = _mean_rows(report), _case_rows(report, section.per_case, marks)
    made = []
    if means:
        made.append(_of_raters(means, marks))
    if cases:
        made.append(_of_cases(cases, marks, len(report.cases)))
    return made


def _mean_rows(report: Results) -> list[Row]:
    of = {(row["algorithm"], row["of"]): row for row in report.rows if row["metric"] == "rescaled"}
    rows = []
    for rater in report.made_with["raters"]:
        x, y = of.get((rater, "Semantic")), of.get((rater, "Severity"))
        if x and y and x["value"] is not None and y["value"] is not None:
            rows.append(
                {"rater": rater, "x": x["value"], "y": y["value"], "x_low": x["low"], "x_high": x["high"],
                 "y_low": y["low"], "y_high": y["high"], "x_told": with_interval(x), "y_told": with_interval(y)}
            )  # fmt: skip
    return rows


def _case_rows(report: Results, per_case: dict[str, list[Any]], marks: Marks) -> list[Row]:
    """Places of the plane with the number of cases there; a sample of the places where there are many."""
    raters = report.made_with["raters"]
    x, y = (
        2 * np.array(per_case[score], float).reshape(len(report.cases), -1) / _BEST - 1
        for score in ("Semantic", "Severity")
    )
    generator = np.random.default_rng(0)
    rows: list[Row] = []
    for rater in marks.ordered(raters)[:_MAX_RATERS]:
        column = raters.index(rater)
        pairs = np.stack([x[:, column], y[:, column]], 1)
        places = sorted(Counter(map(tuple, pairs[~np.isnan(pairs).any(1)].round(3).tolist())).items())
        if len(places) > _MAX_PLACES:
            kept = np.sort(generator.choice(len(places), _MAX_PLACES, replace=False))
            places = [places[i] for i in kept]
        rows += [{"rater": rater, "x": a, "y": b, "cases": count} for (a, b), count in places]
    return rows


def _plane(points: Any, style: Style, size: int) -> Any:
    """The points over the cross of the axes and the names of the quadrants."""
    import altair as alt

    rule = {"color": style.soft, "strokeDash": [3, 3], "opacity": 0.8}
    x, y = (alt.X("zero", type="quantitative"), alt.Y("zero", type="quantitative"))
    corners = [
        alt.Chart(named(side))
        .mark_text(align=side, baseline="middle", fontStyle="italic")
        .encode(
            x=alt.X("x", type="quantitative"),
            y=alt.Y("y", type="quantitative"),
            text=alt.Text("says", type="nominal"),
        )
        for side in _CORNERS
    ]
    return alt.layer(
        alt.Chart(named("cross")).mark_rule(**rule).encode(x=x),
        alt.Chart(named("cross")).mark_rule(**rule).encode(y=y),
        *corners,
        points,
    ).properties(width=style.width, height=size)


def _axes() -> dict[str, Any]:
    import altair as alt

    axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1])
    wide, high = (alt.Scale(domain=[-end, end], nice=False) for end in (1.08, 1.25))
    return {
        "x": alt.X("x", type="quantitative", title="semantic score, rescaled", scale=wide, axis=axis),
        "y": alt.Y("y", type="quantitative", title="severity score, rescaled", scale=high, axis=axis),
    }


def _of_raters(rows: list[Row], marks: Marks) -> Figure:
    raters = marks.ordered([row["rater"] for row in rows])

    def draw(style: Style) -> Any:
        import altair as alt

        base = alt.Chart(named("points"))
        channels, axes = by_rater(marks, raters, style), _axes()
        across = base.mark_rule(opacity=0.6).encode(
            x=alt.X("x_low", type="quantitative"), x2="x_high", y=axes["y"], color=channels["color"].legend(None)
        )
        upright = base.mark_rule(opacity=0.6).encode(
            y=alt.Y("y_low", type="quantitative"), y2="y_high", x=axes["x"], color=channels["color"].legend(None)
        )
        points = base.mark_point(filled=True, size=110, opacity=1).encode(
            **axes, **channels, tooltip=tooltip(rater="rater", x_told="semantic", y_told="severity")
        )
        return _plane(alt.layer(across, upright, points), style, 360)

    return Figure(
        name="plane_raters",
        section="weighted",
        title="Severity–semantic plane: raters",
        finding="Mean rescaled scores, from -1 to 1. "
        + "; ".join(f"{row['rater']}: semantic {row['x_told']}, severity {row['y_told']}" for row in rows)
        + ".",
        columns={"rater": "rater", "x_told": "semantic, rescaled", "y_told": "severity, rescaled"},
        rows=rows,
        data={"points": rows, **_GROUND},
        draw=draw,
        series=raters,
        note="One mark for each rater, with the intervals of both scores.",
    )


def _of_cases(rows: list[Row], marks: Marks, n_cases: int) -> Figure:
    raters = marks.ordered([row["rater"] for row in rows])
    shown = {rater: sum(row["cases"] for row in rows if row["rater"] == rater) for rater in raters}

    def draw(style: Style) -> Any:
        import altair as alt

        size = alt.Size("cases", type="quantitative", legend=None, scale=alt.Scale(range=[18, 420]))
        points = (
            alt.Chart(named("points"))
            .mark_point(filled=True, opacity=0.45)
            .encode(
                **_axes(), **by_rater(marks, raters, style), size=size,
                tooltip=tooltip(rater="rater", x="semantic", y="severity", cases="cases"),
            )
        )  # fmt: skip
        return _plane(points, style, 360)

    return Figure(
        name="plane_cases",
        section="weighted",
        title="Severity–semantic plane: single cases",
        finding=f"Rescaled scores of single cases of {len(raters)} raters. "
        + "; ".join(
            f"{rater}: {_share(rows, rater):.0%} of the cases shown are right in meaning and severity"
            for rater in raters
        )
        + ".",
        columns={"rater": "rater", "x": "semantic, rescaled", "y": "severity, rescaled", "cases": "cases"},
        rows=rows,
        data={"points": rows, **_GROUND},
        draw=draw,
        series=raters,
        note="A larger mark stands for more cases."
        + (
            f" A sample: {min(shown.values()):,} or more of {n_cases:,} cases of each rater."
            if min(shown.values()) < n_cases
            else ""
        ),
    )


def _share(rows: list[Row], rater: str) -> float:
    own = [row for row in rows if row["rater"] == rater]
    return sum(row["cases"] for row in own if row["x"] > 0 and row["y"] > 0) / sum(row["cases"] for row in own)
