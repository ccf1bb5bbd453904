"""The severity-semantic plane of Kernel29 (8, 9.3): severity across, meaning up; for raters and for single cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import Style
from ..score.weighted import rescaled
from .layers import looks, spoken, text

if TYPE_CHECKING:
    from .results import Results

_MAX_RATERS = 6
_AXES = (("x", "severity"), ("y", "semantic"))
_PLACES = {"x_told": "severity", "y_told": "semantic"}


def of_raters(report: Results) -> list[Figure]:
    """Draws both scores of each rater, aggregated under the difficulty that was asked for, where both are there."""
    found = {row["algorithm"]: row for row in report.rows_of("weighted.plane")}
    raters = report.in_order(found)
    rows: list[Row] = []
    for rater in raters:
        row = found[rater]
        rows.append({"rater": rater, "quadrant": row["quadrant"]})
        for axis, side in _AXES:
            ends = {"low": row[f"{side}_low"], "high": row[f"{side}_high"]}
            rows[-1] |= {axis: row[side], f"{axis}_told": with_interval({"value": row[side], **ends})}
            rows[-1] |= {f"{axis}_{end}": value for end, value in ends.items()}
    setting = next((row["difficulty"] for row in found.values()), "")
    note = f"The scores of each rater with their intervals, aggregated under the setting {setting!r}, in which bad cases weigh more."
    return _plane("raters", rows, {"quadrant": "right by"}, report, raters, note, alt.value(110))


def of_cases(report: Results) -> list[Figure]:
    """Draws the cases of the first six raters, where both scores are there: a point for those of a place."""
    family = report.family("weighted")
    if family is None or not {"Semantic", "Severity"} <= family.per_case.keys():
        return []
    x = rescaled(family.per_case["Severity"])
    y = rescaled(family.per_case["Semantic"], report.setup.settings.get("semantic_best", 16))
    both, names = np.stack([x, y], 2).round(1) + 0.0, list(report.raters.names)
    known = ~np.isnan(x + y)
    raters = report.in_order(names[i] for i in np.flatnonzero(known.any(0)).tolist())[:_MAX_RATERS]
    rows: list[Row] = []
    for rater in raters:
        column = names.index(rater)
        places, counts = np.unique(both[known[:, column], column], axis=0, return_counts=True)
        rows += [
            {"rater": rater, "x": across, "y": up, "x_told": f"{across:.1f}", "y_told": f"{up:.1f}", "n_cases": n}
            for (across, up), n in zip(places.tolist(), counts.tolist(), strict=True)
        ]  # fmt: skip
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
    right, top = (max([1.0, *(row[axis] for row in rows)]) for axis, _ in _AXES)
    above, below = {"y": top + 0.16}, {"y": -1.16}
    corners = [
        {"x": -0.5, **above, "says": "meaning only"}, {"x": right / 2, **above, "says": "both right"},
        {"x": -0.5, **below, "says": "neither"}, {"x": right / 2, **below, "says": "severity only"},
    ]  # fmt: skip
    columns = {"rater": "rater", **_PLACES, **more}

    def draw(style: Style) -> Any:
        axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1])
        x = alt.X("x:Q", title="severity score", axis=axis).scale(domain=[-1.08, right + 0.08], nice=False)
        y = alt.Y("y:Q", title="semantic score", axis=axis).scale(domain=[-1.25, top + 0.25], nice=False)
        base, look = alt.Chart(named("points")).encode(x=x, y=y), looks(report, raters, style)
        cross = alt.Chart(named("cross")).mark_rule(color=style.soft, strokeDash=[3, 3], opacity=0.8)
        points = base.mark_point(filled=True, opacity=0.7).encode(tooltip=tooltip(**columns), size=size, **look)
        bars = base.mark_rule(opacity=0.6).encode(color=look["color"])
        layers = [
            cross.encode(x="zero:Q"),
            cross.encode(y="zero:Q"),
            text("quadrants", "x", "y", "says", fontStyle="italic"),
        ]
        if "x_low" in rows[0]:
            layers += [bars.encode(x="x_low:Q", x2="x_high"), bars.encode(y="y_low:Q", y2="y_high")]
        return alt.layer(*layers, points).properties(width=style.width, height=360)

    title, data = f"Severity–semantic plane: {what}", {"points": rows, "cross": [{"zero": 0}], "quadrants": corners}
    finding = spoken(title, columns, rows)
    return [Figure(f"plane_{what}", "weighted", title, finding, columns, rows, data, draw, note)]
