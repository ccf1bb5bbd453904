"""How a score is spread over the cases: a violin for each rater, with points."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from ....pages.encodings import named, tooltip, with_interval
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .layers import in_colour, looks, text
from .marks import marks_of

_SCORES = {"HDF1": ("hierarchical", 1), "Semantic": ("weighted", 16), "Severity": ("weighted", 16)}
_POINTS, _GRID, _MAX_ALGORITHMS = 120, 61, 12
Values = NDArray[np.float64]


def figures(report: Results) -> list[Figure]:
    """One for each score that is known of single cases."""
    made = []
    for score, (family, top) in _SCORES.items():
        section = next((s for s in report.sections if s.name == family and score in s.per_case), None)
        if section is not None:
            values = np.array(section.per_case[score], float).reshape(len(report.cases), -1)
            if not np.isnan(values).all():
                made.append(_figure(report, score, family, top, values))
    return made


def _figure(report: Results, score: str, family: str, top: int, values: Values) -> Figure:
    """values : [n, r], NaN where a case has none."""
    marks, names = marks_of(report), report.made_with["raters"]
    known = [name for i, name in enumerate(names) if not np.isnan(values[:, i]).all()]
    raters = marks.ordered(known)[:_MAX_ALGORITHMS]
    of_row = {row["algorithm"]: row for row in report.rows if (row["metric"], row["of"]) == (score, "")}
    rows: list[Row] = []
    outlines: list[Row] = []
    points: list[Row] = []
    generator = np.random.default_rng(0)
    for place, rater in enumerate(raters):
        column = values[:, names.index(rater)]
        there = np.flatnonzero(~np.isnan(column))
        own = column[there]
        grid, width = _outline(own, top)
        outlines += [
            {"rater": rater, "value": float(x), "upper": place - float(w), "lower": place + float(w)}
            for x, w in zip(grid, width, strict=True)
        ]
        drawn = np.sort(generator.choice(len(own), min(_POINTS, len(own)), replace=False))
        aside = (np.arange(len(drawn)) * 0.618034 % 1 - 0.5) * np.interp(own[drawn], grid, width)
        points += [
            {"rater": rater, "case": report.cases[there[i]], "value": float(own[i]), "place": place + float(a)}
            for i, a in zip(drawn.tolist(), aside, strict=True)
        ]
        quarters = np.quantile(own, [0.25, 0.5, 0.75])
        rows.append(
            {"rater": rater, "n_cases": len(own), "told": with_interval(of_row[rater]) if rater in of_row else "–",
             **dict(zip(("q1", "median", "q3"), quarters.tolist(), strict=True)), "place": place}
        )  # fmt: skip
    sampled = any(row["n_cases"] > _POINTS for row in rows)

    def draw(style: Style) -> Any:
        x = alt.X("value:Q", title=f"{score} of a case", scale=alt.Scale(domain=[0, top], nice=False))
        scale = alt.Scale(domain=[len(raters) - 0.45, -0.75], nice=False, zero=False)
        upper, place, above = (alt.Y(f"{field}:Q", axis=None, scale=scale) for field in ("upper", "place", "above"))
        colour, _ = looks(marks, raters, style)
        colour = in_colour(marks, colour)
        tips = tooltip(rater="rater", case="case", value=score)
        summary = alt.Chart(named("summary")).encode(y=place)
        ring = summary.mark_point(fill=style.card, stroke=style.ink, strokeWidth=1.5, size=46, opacity=1)
        return alt.layer(
            alt.Chart(named("outlines")).mark_area(opacity=0.22).encode(x=x, y=upper, y2="lower", **colour),
            alt.Chart(named("points")).mark_circle(size=16, opacity=0.5).encode(x=x, y=place, tooltip=tips, **colour),
            summary.mark_rule(strokeWidth=3, color=style.ink).encode(x="q1:Q", x2="q3"),
            ring.encode(x="median:Q"),
            text("summary", "left", "above", "rater", align="left", dx=2, color=style.ink).encode(y=above),
        ).properties(width=style.width, height=62 * len(raters) + 30)

    told = "; ".join(
        f"{r['rater']}: median {r['median']:.2f}, middle half {r['q1']:.2f} to {r['q3']:.2f}" for r in rows
    )
    return Figure(
        name=f"violin_{score.lower()}",
        section=family,
        title=f"{score} over the cases",
        finding=f"{score} of single cases, from 0 to {top}. {told}.",
        columns={"rater": "rater", "n_cases": "cases", "told": score, "q1": "first quarter", "median": "median",
                 "q3": "third quarter"},
        rows=rows,
        data={
            "outlines": outlines,
            "points": points,
            "summary": [row | {"left": 0, "above": row["place"] - 0.46} for row in rows],
        },
        draw=draw,
        series=raters,
        note="Shape: all cases. Ring and bar: median and middle half."
        + (f" Points: a sample of {_POINTS} cases of each rater." if sampled else " Points: the cases."),
    )  # fmt: skip


def _outline(values: Values, top: float) -> tuple[Values, Values]:
    """Where the violin is how wide, at most 0.38 to each side: a Gaussian kernel estimate over [0, top]."""
    grid = np.linspace(0, top, _GRID)
    places, counts = np.unique(np.round(values, 4), return_counts=True)
    narrow = max(1.06 * float(values.std()) * len(values) ** -0.2, top / 40)
    density = np.exp(-0.5 * ((grid[:, None] - places) / narrow) ** 2) @ counts
    return grid, 0.38 * density / density.max()
