"""The severity-semantic plane: how near in meaning, how near in severity; for raters and for single cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np

from ....pages.encodings import named, tooltip, with_interval
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .layers import in_colour, looks, text
from .marks import Marks, marks_of

_BEST = 16
_MAX_RATERS, _MAX_PLACES = 6, 250
_CORNERS: dict[str, list[Row]] = {
    "left": [{"x": -1, "y": 1.16, "says": "severity only"}, {"x": -1, "y": -1.16, "says": "neither"}],
    "right": [{"x": 1, "y": 1.16, "says": "both right"}, {"x": 1, "y": -1.16, "says": "meaning only"}],
}
"""The names of the quadrants, by the side they are aligned to."""


def raters(report: Results) -> list[Figure]:
    """The means of the raters, where both scores are there."""
    of = {(row["algorithm"], row["of"]): row for row in report.rows if row["metric"] == "rescaled"}
    rows = [
        {"rater": rater, "x": x["value"], "y": y["value"], "x_low": x["low"], "x_high": x["high"],
         "y_low": y["low"], "y_high": y["high"], "x_told": with_interval(x), "y_told": with_interval(y)}
        for rater in report.made_with["raters"]
        if (x := of.get((rater, "Semantic"))) and (y := of.get((rater, "Severity")))
        and x["value"] is not None and y["value"] is not None
    ]  # fmt: skip
    marks = marks_of(report)
    names = marks.ordered(row["rater"] for row in rows)

    def points(base: alt.Chart, style: Style) -> Any:
        colour, look = looks(marks, names, style)
        bars = base.mark_rule(opacity=0.6).encode(**in_colour(marks, colour))
        tips = tooltip(rater="rater", x_told="semantic", y_told="severity")
        return alt.layer(
            bars.encode(x="x_low:Q", x2="x_high"),
            bars.encode(y="y_low:Q", y2="y_high"),
            base.mark_point(filled=True, size=110, opacity=1).encode(tooltip=tips, **look),
        )

    told = "; ".join(f"{row['rater']}: semantic {row['x_told']}, severity {row['y_told']}" for row in rows)
    return _plane(
        "raters",
        rows,
        points,
        columns={"x_told": "semantic, rescaled", "y_told": "severity, rescaled"},
        finding=f"Mean rescaled scores, from -1 to 1. {told}.",
        series=names,
        note="One mark for each rater, with the intervals of both scores.",
    )


def cases(report: Results) -> list[Figure]:
    """Single cases, where both scores are there."""
    section = next((s for s in report.sections if s.name == "weighted"), None)
    if section is None or not {"Semantic", "Severity"} <= section.per_case.keys():
        return []
    marks = marks_of(report)
    rows = _case_rows(report, section.per_case, marks)
    names = marks.ordered(row["rater"] for row in rows)
    of = {rater: [row for row in rows if row["rater"] == rater] for rater in names}
    least = min((sum(row["cases"] for row in own) for own in of.values()), default=0)

    def points(base: alt.Chart, style: Style) -> Any:
        size = alt.Size("cases:Q", legend=None, scale=alt.Scale(range=[18, 420]))
        tips = tooltip(rater="rater", x="semantic", y="severity", cases="cases")
        _, look = looks(marks, names, style)
        return base.mark_point(filled=True, opacity=0.45).encode(size=size, tooltip=tips, **look)

    told = "; ".join(
        f"{rater}: {_share(own):.0%} of the cases shown are right in meaning and severity" for rater, own in of.items()
    )
    sample = f" A sample: {least:,} or more of {len(report.cases):,} cases of each rater."
    return _plane(
        "cases",
        rows,
        points,
        columns={"x": "semantic, rescaled", "y": "severity, rescaled", "cases": "cases"},
        finding=f"Rescaled scores of single cases of {len(names)} raters. {told}.",
        series=names,
        note="A larger mark stands for more cases." + (sample if least < len(report.cases) else ""),
    )


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


def _share(rows: list[Row]) -> float:
    return sum(row["cases"] for row in rows if row["x"] > 0 and row["y"] > 0) / sum(row["cases"] for row in rows)


def _plane(
    what: str, rows: list[Row], points: Callable[[alt.Chart, Style], Any], columns: dict[str, str], **told: Any
) -> list[Figure]:
    """`points` over the cross of the axes and the names of the quadrants; no figure without rows."""
    if not rows:
        return []

    def draw(style: Style) -> Any:
        axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1])
        wide, high = (alt.Scale(domain=[-end, end], nice=False) for end in (1.08, 1.25))
        base = alt.Chart(named("points")).encode(
            x=alt.X("x:Q", title="semantic score, rescaled", scale=wide, axis=axis),
            y=alt.Y("y:Q", title="severity score, rescaled", scale=high, axis=axis),
        )
        cross = alt.Chart(named("cross")).mark_rule(color=style.soft, strokeDash=[3, 3], opacity=0.8)
        corners = [text(side, "x", "y", "says", align=side, baseline="middle", fontStyle="italic") for side in _CORNERS]
        layers = (cross.encode(x="zero:Q"), cross.encode(y="zero:Q"), *corners, points(base, style))
        return alt.layer(*layers).properties(width=style.width, height=360)

    return [
        Figure(
            name=f"plane_{what}",
            section="weighted",
            title=f"Severity–semantic plane: {'single cases' if what == 'cases' else what}",
            columns={"rater": "rater", **columns},
            rows=rows,
            data={"points": rows, "cross": [{"zero": 0}], **_CORNERS},
            draw=draw,
            **told,
        )
    ]
