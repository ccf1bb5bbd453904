"""The severity-semantic plane of Kernel29 (8, 9.3): severity across, meaning up; for raters and for single cases."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import Style
from ..lists.lists import Lists
from ..score.weighted import RANKS, rescaled
from .layers import Marks, spoken, text

if TYPE_CHECKING:
    from .results import Results

_MAX_RATERS, _MAX_POINTS, _LONGEST = 6, 250, 300
_TURN, _STEP = 2.39996, 0.012
"""Cases of one place stand on a spiral around it, as the seeds of a sunflower: its angle, and how far they go apart."""
_AXES = (("x", "severity"), ("y", "semantic"))
_PLACES = {"x_told": "severity", "y_told": "semantic"}


def of_raters(report: Results, marks: Marks) -> list[Figure]:
    """Draws both scores of each rater, aggregated under the difficulty that was asked for, where both are there."""
    found = {row["algorithm"]: row for row in report.rows_of("weighted.plane")}
    raters = marks.ordered(found)
    rows: list[Row] = []
    for rater in raters:
        row = found[rater]
        rows.append({"rater": marks.label(rater), "quadrant": row["quadrant"]})
        for axis, side in _AXES:
            ends = {"low": row[f"{side}_low"], "high": row[f"{side}_high"]}
            rows[-1] |= {axis: row[side], f"{axis}_told": with_interval({"value": row[side], **ends})}
            rows[-1] |= {f"{axis}_{end}": value for end, value in ends.items()}
    setting = next((row["difficulty"] for row in found.values()), "")
    note = f"The scores of each rater with their intervals, aggregated under the setting {setting!r}, in which bad cases weigh more."
    return _plane("raters", rows, {"quadrant": "right by"}, marks, raters, note, intervals=True, size=110, opacity=1)


def of_cases(report: Results, marks: Marks) -> list[Figure]:
    """Draws a point for each case of the first six raters, where both scores are there; of many cases a sample."""
    family = report.family("weighted")
    if family is None or not {"Semantic", "Severity"} <= family.per_case.keys():
        return []
    x = rescaled(family.per_case["Severity"])
    y = rescaled(family.per_case["Semantic"], report.setup.settings.get("semantic_best", 16))
    known, names, generator = ~np.isnan(x + y), list(report.raters.names), np.random.default_rng(0)
    raters = marks.ordered(names[i] for i in np.flatnonzero(known.any(0)).tolist())[:_MAX_RATERS]
    rows: list[Row] = []
    for rater in raters:
        column = names.index(rater)
        there = np.flatnonzero(known[:, column])
        stood = Counter[tuple[float, float]]()
        for case in np.sort(generator.permutation(there)[:_MAX_POINTS]).tolist():
            across, up = float(x[case, column]), float(y[case, column])
            at = round(across, 3), round(up, 3)
            far, angle = float(_STEP * np.sqrt(stood[at])), _TURN * stood[at]
            stood[at] += 1
            said = {} if report.evidence is None else _in_words(report.evidence.answers, case, column)
            rows.append(
                {"rater": marks.label(rater), "case": report.cases[case], "severity": across, "semantic": up, "golden": "", "said": "",
                 "x": across + far * float(np.cos(angle)), "y": up + far * float(np.sin(angle)), "x_told": f"{across:.2f}",
                 "y_told": f"{up:.2f}", **said}
            )  # fmt: skip
    most = int(known.sum(0).max(initial=0))
    sample = f" A sample: {_MAX_POINTS} of up to {most:,} cases of each rater." if most > _MAX_POINTS else ""
    note = f"One point for each case; cases of one place stand around it.{sample}"
    columns = {"case": "case", "golden": "right answer", "said": "diagnoses"}
    return _plane("cases", rows, columns, marks, raters, note, size=34, opacity=0.55)


def _in_words(answers: Lists, case: int, rater: int) -> Row:
    """The right answers, and the diagnoses that were scored, with their severity and relation."""
    said = []
    for rank, at in enumerate(answers.places(RANKS)[case, rater].tolist(), 1):
        if at >= 0:
            name = answers.strings[answers.entries[at]] if answers.entries[at] >= 0 else "no diagnosis"
            cells = (answers.more[column][at] for column in ("severity", "relation") if column in answers.more)
            more = ", ".join(str(cell) for cell in cells if cell)
            said.append(f"{rank} {name}" + (f" ({more})" if more else ""))
    words = {"golden": "; ".join(answers.reference[case]), "said": "; ".join(said)}
    return {key: text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …" for key, text in words.items()}


def _plane(
    what: str, rows: list[Row], more: dict[str, str], marks: Marks, raters: tuple[str, ...], note: str, *, intervals: bool = False,
    **mark: Any,
) -> list[Figure]:  # fmt: skip
    """Points over the cross of the axes and the names of the quadrants; no figure without rows. more : columns beside the scores."""
    if not rows:
        return []
    # a semantic score that is rescaled by less than the best may lie above 1
    right, top = (max([1.0, *(row[axis] for row in rows)]) for axis, _ in _AXES)
    corners = {
        "left": [{"x": -1, "y": top + 0.16, "says": "meaning only"}, {"x": -1, "y": -1.16, "says": "neither"}],
        "right": [{"x": right, "y": top + 0.16, "says": "both right"}, {"x": right, "y": -1.16, "says": "severity only"}],
    }  # fmt: skip
    columns = {"rater": "rater", **_PLACES, **more}

    def draw(style: Style) -> Any:
        axis, how = alt.Axis(values=[-1, -0.5, 0, 0.5, 1]), "aggregated" if intervals else "rescaled"
        x = alt.X("x:Q", title=f"severity score, {how}", axis=axis).scale(domain=[-1.08, right + 0.08], nice=False)
        y = alt.Y("y:Q", title=f"semantic score, {how}", axis=axis).scale(domain=[-1.25, top + 0.25], nice=False)
        base, look = alt.Chart(named("points")).encode(x=x, y=y), marks.looks(raters, style)
        cross = alt.Chart(named("cross")).mark_rule(color=style.soft, strokeDash=[3, 3], opacity=0.8)
        names = [text(side, "x", "y", "says", align=side, baseline="middle", fontStyle="italic") for side in corners]
        points = base.mark_point(filled=True, **mark).encode(tooltip=tooltip(**columns), **look)
        bars = base.mark_rule(opacity=0.6).encode(color=look["color"])
        across, up = bars.encode(x="x_low:Q", x2="x_high"), bars.encode(y="y_low:Q", y2="y_high")
        layers = [
            cross.encode(x="zero:Q"),
            cross.encode(y="zero:Q"),
            *names,
            *([across, up] if intervals else []),
            points,
        ]
        return alt.layer(*layers).properties(width=style.width, height=360)

    title = f"Severity–semantic plane: {'raters' if intervals else 'single cases'}"
    data = {"points": rows, "cross": [{"zero": 0}], **corners}
    return [
        Figure(
            f"plane_{what}", "weighted", title, spoken(title, columns, rows), columns, rows, data, draw, raters, note
        )
    ]
