"""The severity-semantic plane of Kernel29 (8, 9.3): severity across, meaning up; for raters and for single cases."""

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
from ...metrics.weighted import BEST, rescaled
from ...statistics.results import Results
from .layers import in_colour, looks, text
from .marks import Marks, marks_of

_MAX_RATERS, _MAX_POINTS = 6, 250
_LONGEST = 300
_TURN, _STEP = 2.39996, 0.012
"""Cases of one place stand on a spiral around it, as the seeds of a sunflower: its angle, and how far they go apart."""
_EDGE = 1.08


def raters(report: Results) -> list[Figure]:
    """Both scores of the raters, aggregated under the difficulty that was asked for, where both are there."""
    told = report.rows_of("weighted.plane")
    rows = [
        {"rater": row["algorithm"], "x": row["severity"], "y": row["semantic"], "quadrant": row["quadrant"],
         **{f"{axis}_{end}": row[f"{side}_{end}"] for axis, side in _AXES for end in ("low", "high")},
         **{f"{axis}_told": _told(row, side) for axis, side in _AXES}}
        for row in told
    ]  # fmt: skip
    marks = marks_of(report)
    names = marks.ordered(row["rater"] for row in rows)

    def points(base: alt.Chart, style: Style) -> Any:
        colour, look = looks(marks, names, style)
        bars = base.mark_rule(opacity=0.6).encode(**in_colour(marks, colour))
        tips = tooltip(rater="rater", x_told="severity", y_told="semantic", quadrant="right by")
        return alt.layer(
            bars.encode(x="x_low:Q", x2="x_high"),
            bars.encode(y="y_low:Q", y2="y_high"),
            base.mark_point(filled=True, size=110, opacity=1).encode(tooltip=tips, **look),
        )

    of = {row["rater"]: row for row in rows}
    said = "; ".join(
        f"{name}: severity {of[name]['x_told']}, semantic {of[name]['y_told']}, right by {of[name]['quadrant']}"
        for name in names
    )
    difficulty = told[0]["difficulty"] if told else ""
    return _plane(
        "raters",
        rows,
        points,
        columns={"x_told": "severity, aggregated", "y_told": "semantic, aggregated", "quadrant": "right by"},
        finding=f"Rescaled scores, aggregated under the setting {difficulty!r}, from -1 to 1. {said}.",
        series=names,
        note=f"One mark for each rater, with the intervals of both scores, aggregated under the setting {difficulty!r}, in which bad cases "
        "weigh more.",
    )  # fmt: skip


_AXES = (("x", "severity"), ("y", "semantic"))


def _told(row: Row, side: str) -> str:
    return with_interval({"value": row[side], "low": row[f"{side}_low"], "high": row[f"{side}_high"]})


def cases(report: Results) -> list[Figure]:
    """Single cases, where both scores are there: a point for each, with its diagnoses."""
    section = next((s for s in report.sections if s.name == "weighted"), None)
    if section is None or not {"Semantic", "Severity"} <= section.per_case.keys():
        return []
    marks = marks_of(report)
    rows = _case_rows(report, section.per_case, section.list_in_words or (lambda case, rater: ("", "")), marks)
    names = marks.ordered(row["rater"] for row in rows)
    of = {rater: [row for row in rows if row["rater"] == rater] for rater in names}
    most = max((row["of"] for row in rows), default=0)

    def points(base: alt.Chart, style: Style) -> Any:
        tips = tooltip(
            rater="rater", case="case", golden="right answer", said="diagnoses", x_told="severity", y_told="semantic"
        )
        _, look = looks(marks, names, style)
        return base.mark_point(filled=True, size=34, opacity=0.55).encode(tooltip=tips, **look)

    told = "; ".join(
        f"{rater}: {_share(own):.0%} of the cases shown are right in meaning and severity" for rater, own in of.items()
    )
    sample = f" A sample: {_MAX_POINTS} of up to {most:,} cases of each rater." if most > _MAX_POINTS else ""
    return _plane(
        "cases",
        rows,
        points,
        columns={"case": "case", "x_told": "severity, rescaled", "y_told": "semantic, rescaled", "golden": "right answer", "said": "diagnoses"},
        finding=f"Rescaled scores of single cases of {len(names)} raters. {told}.",
        series=names,
        note=f"One point for each case; cases of one place stand around it.{sample}",
    )  # fmt: skip


def _case_rows(
    report: Results, per_case: dict[str, list[Any]], in_words: Callable[[int, int], tuple[str, str]], marks: Marks
) -> list[Row]:
    """Cases with their scores and diagnoses; a sample where there are many."""
    raters = report.made_with["raters"]
    best = {"Severity": BEST, "Semantic": report.made_with.get("semantic_best", BEST)}
    x, y = (
        rescaled(np.array(per_case[score], float).reshape(len(report.cases), -1), best[score])
        for score in ("Severity", "Semantic")
    )
    generator = np.random.default_rng(0)
    rows: list[Row] = []
    for rater in marks.ordered(raters)[:_MAX_RATERS]:
        column = raters.index(rater)
        there = np.flatnonzero(~np.isnan(x[:, column] + y[:, column]))
        kept = there if len(there) <= _MAX_POINTS else np.sort(generator.choice(there, _MAX_POINTS, replace=False))
        stood = Counter[tuple[float, float]]()
        for case in kept.tolist():
            across, up = float(x[case, column]), float(y[case, column])
            at = round(across, 3), round(up, 3)
            far = _STEP * np.sqrt(stood[at])
            angle = _TURN * stood[at]
            stood[at] += 1
            golden, said = (_cut(words) for words in in_words(case, column))
            rows.append(
                {"rater": rater, "case": report.cases[case], "x": across + float(far * np.cos(angle)),
                 "y": up + float(far * np.sin(angle)), "severity": across, "semantic": up, "x_told": f"{across:.2f}",
                 "y_told": f"{up:.2f}", "golden": golden, "said": said, "of": len(there)}
            )  # fmt: skip
    return rows


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"


def _share(rows: list[Row]) -> float:
    return sum(row["severity"] > 0 and row["semantic"] > 0 for row in rows) / len(rows)


def _corners(right: float, top: float) -> dict[str, list[Row]]:
    """The names of the quadrants, by the side they are aligned to."""
    return {
        "left": [{"x": -1, "y": top, "says": "meaning only"}, {"x": -1, "y": -1.16, "says": "neither"}],
        "right": [{"x": right, "y": top, "says": "both right"}, {"x": right, "y": -1.16, "says": "severity only"}],
    }


def _plane(
    what: str, rows: list[Row], points: Callable[[alt.Chart, Style], Any], columns: dict[str, str], **told: Any
) -> list[Figure]:
    """`points` over the cross of the axes and the names of the quadrants; no figure without rows."""
    if not rows:
        return []

    # a semantic score that is rescaled by less than the best may lie above 1
    right, up = (max([1.0, *(row[axis] for row in rows)]) for axis in ("x", "y"))
    corners, how = _corners(right, up + 0.16), "aggregated" if what == "raters" else "rescaled"

    def draw(style: Style) -> Any:
        axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1])
        wide = alt.Scale(domain=[-_EDGE, right + 0.08], nice=False)
        high = alt.Scale(domain=[-1.25, up + 0.25], nice=False)
        base = alt.Chart(named("points")).encode(
            x=alt.X("x:Q", title=f"severity score, {how}", scale=wide, axis=axis),
            y=alt.Y("y:Q", title=f"semantic score, {how}", scale=high, axis=axis),
        )
        cross = alt.Chart(named("cross")).mark_rule(color=style.soft, strokeDash=[3, 3], opacity=0.8)
        names = [text(side, "x", "y", "says", align=side, baseline="middle", fontStyle="italic") for side in corners]
        layers = (cross.encode(x="zero:Q"), cross.encode(y="zero:Q"), *names, points(base, style))
        return alt.layer(*layers).properties(width=style.width, height=360)

    return [
        Figure(
            name=f"plane_{what}",
            section="weighted",
            title=f"Severity–semantic plane: {'single cases' if what == 'cases' else what}",
            columns={"rater": "rater", **columns},
            rows=rows,
            data={"points": rows, "cross": [{"zero": 0}], **corners},
            draw=draw,
            **told,
        )
    ]
