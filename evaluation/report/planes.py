"""The severity-semantic plane of Kernel29 (8, 9.3): severity across, meaning up; for raters and for single cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import Style
from ..score.weighted import RANKS, rescaled
from .layers import Marks, text

if TYPE_CHECKING:
    from .report import Report

_MAX_RATERS, _MAX_POINTS, _LONGEST = 6, 250, 300
_TURN, _STEP = 2.39996, 0.012
"""Cases of one place stand on a spiral around it, as the seeds of a sunflower: its angle, and how far they go apart."""
_EDGE = 1.08
_AXES = (("x", "severity"), ("y", "semantic"))


def of_raters(report: Report, marks: Marks) -> list[Figure]:
    """Draws both scores of each rater, aggregated under the difficulty that was asked for, where both are there."""
    found = report.rows_of("weighted.plane")
    if not found:
        return []
    raters = marks.ordered(row["algorithm"] for row in found)
    rows = [
        {"rater": marks.label(row["algorithm"]), "x": row["severity"], "y": row["semantic"], "quadrant": row["quadrant"]}
        | {f"{axis}_{end}": row[f"{side}_{end}"] for axis, side in _AXES for end in ("low", "high")}
        | {f"{axis}_told": _told(row, side) for axis, side in _AXES}
        for row in sorted(found, key=lambda row: raters.index(row["algorithm"]))
    ]  # fmt: skip

    def points(base: alt.Chart, style: Style) -> list[alt.Chart]:
        colour, shape = marks.looks(raters, style)
        bars = base.mark_rule(opacity=0.6).encode(color=colour)
        tips = tooltip(rater="rater", x_told="severity", y_told="semantic", quadrant="right by")
        marked = base.mark_point(filled=True, size=110, opacity=1).encode(tooltip=tips, color=colour, shape=shape)
        return [bars.encode(x="x_low:Q", x2="x_high"), bars.encode(y="y_low:Q", y2="y_high"), marked]

    values = (f"{r['rater']}: severity {r['x_told']}, semantic {r['y_told']}, right by {r['quadrant']}" for r in rows)
    setting = f"aggregated under the setting {found[0]['difficulty']!r}"
    return [_plane(
        "raters", "aggregated", rows, points,
        columns={"x_told": "severity, aggregated", "y_told": "semantic, aggregated", "quadrant": "right by"},
        finding=f"Rescaled scores, {setting}, from -1 to 1. {'; '.join(values)}.", series=raters,
        note=f"One mark for each rater, with the intervals of both scores, {setting}, in which bad cases weigh more.",
    )]  # fmt: skip


def _told(row: Row, side: str) -> str:
    return with_interval({"value": row[side], "low": row[f"{side}_low"], "high": row[f"{side}_high"]})


def of_cases(report: Report, marks: Marks) -> list[Figure]:
    """Draws a point for each case of the first six raters, where both scores are there; of many cases a sample."""
    family = report.family("weighted")
    if family is None or not {"Semantic", "Severity"} <= family.per_case.keys():
        return []
    x = rescaled(family.per_case["Severity"])
    y = rescaled(family.per_case["Semantic"], report.setup.settings.get("semantic_best", 16))
    known = ~np.isnan(x + y)
    names = list(report.raters.names)
    raters = marks.ordered(names[i] for i in np.flatnonzero(known.any(0)).tolist())[:_MAX_RATERS]
    generator = np.random.default_rng(0)
    rows: list[Row] = []
    shares = []
    for rater in raters:
        column = names.index(rater)
        there = np.flatnonzero(known[:, column])
        drawn = there if len(there) <= _MAX_POINTS else np.sort(generator.choice(there, _MAX_POINTS, replace=False))
        own = [(x[case, column], y[case, column]) for case in drawn.tolist()]
        shares.append(f"{marks.label(rater)}: {sum(min(both) > 0 for both in own) / len(own):.0%}")
        for case, (across, up), (right, above) in zip(drawn.tolist(), own, _apart(own), strict=True):
            golden, said = _in_words(report, case, column)
            rows.append(
                {"rater": marks.label(rater), "case": report.cases[case], "x": across + right, "y": up + above, "severity": across,
                 "semantic": up, "x_told": f"{across:.2f}", "y_told": f"{up:.2f}", "golden": golden, "said": said}
            )  # fmt: skip
    most = int(known.sum(0).max(initial=0))

    def points(base: alt.Chart, style: Style) -> list[alt.Chart]:
        colour, shape = marks.looks(raters, style)
        tips = tooltip(
            rater="rater", case="case", golden="right answer", said="diagnoses", x_told="severity", y_told="semantic"
        )
        return [base.mark_point(filled=True, size=34, opacity=0.55).encode(tooltip=tips, color=colour, shape=shape)]

    sample = f" A sample: {_MAX_POINTS} of up to {most:,} cases of each rater." if most > _MAX_POINTS else ""
    columns = {"case": "case", "x_told": "severity, rescaled", "y_told": "semantic, rescaled", "golden": "right answer", "said": "diagnoses"}  # fmt: skip
    return [_plane(
        "cases", "rescaled", rows, points, columns=columns, series=raters,
        finding=f"Rescaled scores of single cases. Right in meaning and severity, of the cases shown: {'; '.join(shares)}.",
        note=f"One point for each case; cases of one place stand around it.{sample}",
    )] if rows else []  # fmt: skip


def _apart(places: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """How far each case is moved, so that those of one place are all seen."""
    stood = Counter[tuple[float, float]]()
    for x, y in places:
        at = round(x, 3), round(y, 3)
        far, angle = _STEP * np.sqrt(stood[at]), _TURN * stood[at]
        stood[at] += 1
        yield float(far * np.cos(angle)), float(far * np.sin(angle))


def _in_words(report: Report, case: int, rater: int) -> tuple[str, str]:
    """The right answers, and the diagnoses that were scored, with their severity and relation."""
    if report.evidence is None:
        return "", ""
    answers = report.evidence.answers
    said = []
    for rank, at in enumerate(answers.places(RANKS)[case, rater].tolist(), 1):
        if at >= 0:
            name = answers.strings[answers.entries[at]] if answers.entries[at] >= 0 else "no diagnosis"
            more = [
                str(cells[at])
                for column in ("severity", "relation")
                if (cells := answers.more.get(column)) and cells[at]
            ]
            said.append(f"{rank} {name}" + (f" ({', '.join(more)})" if more else ""))
    words = ("; ".join(answers.reference[case]), "; ".join(said))
    return words[0][:_LONGEST], words[1] if len(words[1]) <= _LONGEST else f"{words[1][:_LONGEST]} …"


def _plane(
    what: str,
    how: str,
    rows: list[Row],
    points: Callable[[alt.Chart, Style], list[alt.Chart]],
    *,
    columns: dict[str, str],
    **words: Any,
) -> Figure:
    """`points` over the cross of the axes and the names of the quadrants."""
    # a semantic score that is rescaled by less than the best may lie above 1
    right, top = (max([1.0, *(row[axis] for row in rows)]) for axis in ("x", "y"))
    corners = {
        "left": [{"x": -1, "y": top + 0.16, "says": "meaning only"}, {"x": -1, "y": -1.16, "says": "neither"}],
        "right": [{"x": right, "y": top + 0.16, "says": "both right"}, {"x": right, "y": -1.16, "says": "severity only"}],
    }  # fmt: skip

    def draw(style: Style) -> Any:
        axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1])
        wide = alt.Scale(domain=[-_EDGE, right + 0.08], nice=False)
        high = alt.Scale(domain=[-1.25, top + 0.25], nice=False)
        base = alt.Chart(named("points")).encode(
            x=alt.X("x:Q", title=f"severity score, {how}", scale=wide, axis=axis),
            y=alt.Y("y:Q", title=f"semantic score, {how}", scale=high, axis=axis),
        )
        cross = alt.Chart(named("cross")).mark_rule(color=style.soft, strokeDash=[3, 3], opacity=0.8)
        names = [text(side, "x", "y", "says", align=side, baseline="middle", fontStyle="italic") for side in corners]
        layers = (cross.encode(x="zero:Q"), cross.encode(y="zero:Q"), *names, *points(base, style))
        return alt.layer(*layers).properties(width=style.width, height=360)

    title = f"Severity–semantic plane: {'single cases' if what == 'cases' else what}"
    data = {"points": rows, "cross": [{"zero": 0}], **corners}
    return Figure(
        f"plane_{what}",
        "weighted",
        title,
        columns={"rater": "rater", **columns},
        rows=rows,
        data=data,
        draw=draw,
        **words,
    )
