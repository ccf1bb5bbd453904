"""Curves of raters: RPAD and RRAD over k and over the hardness, HDF1 down the levels of ICD-10, and places from metric to metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import altair as alt

from ....pages.encodings import named
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ....terms.icd.ancestor_sets import LEVELS
from ...statistics.results import Results
from .layers import curve, text, upright, with_told
from .marks import Marks, marks_of

_SAYS = {"RPAD": "relative precision", "RRAD": "relative recall"}
_LINE: list[Row] = [{"one": 1}]


def by_k(report: Results) -> list[Figure]:
    """One for each of RPAD and RRAD that is there, with the line at 1."""
    made = []
    for metric in _SAYS:
        rows = [
            with_told(row, rater=row["algorithm"], k=row["k"], place=row["k"])
            for row in report.rows
            if row["metric"] == metric and not row["of"]
        ]
        if rows:
            made.append(_of_k(metric, rows, marks_of(report), report.k))
    return made


def by_hardness(report: Results) -> list[Figure]:
    """RPAD and RRAD at k over the hardness H, from the optimistic (0) to the average (1): one for each that is there."""
    made = []
    for metric in _SAYS:
        rows = [
            with_told(row, rater=row["algorithm"], hardness=row["hardness"], place=row["hardness"])
            for row in report.rows_of("relative.curves")
            if row["metric"] == metric and row["k"] == report.k
        ]
        if rows:
            made.append(_of_hardness(metric, rows, marks_of(report), report.k))
    return made


def _of_k(metric: str, rows: list[Row], marks: Marks, k: int) -> Figure:
    of = {(row["rater"], row["k"]): row["told"] for row in rows}
    ks = sorted({row["k"] for row in rows})
    raters = set_aside(rows, marks)
    told = "; ".join(f"{rater} {of[rater, k]}" for rater in raters if (rater, k) in of)
    return Figure(
        name=f"{metric.lower()}_by_k",
        section="relative",
        title=f"{metric}@k, {_SAYS[metric]}",
        finding=f"{metric} by the number of diagnoses k; 1 is the panel's own level. At k = {k}: {told}.",
        columns={"rater": "algorithm", "k": "k", "told": metric},
        rows=rows,
        data={"rates": known_rows(rows), "line": _LINE},
        draw=_beside_1(
            metric, "k", marks, raters,
            title="k, the diagnoses of each list that count", scale=edges(ks[0], ks[-1]),
            axis=alt.Axis(values=ks, format="d", grid=False),
        ),
        series=raters,
        note="The dashed line at 1 is the panel's own level; bars are intervals.",
    )  # fmt: skip


def _of_hardness(metric: str, rows: list[Row], marks: Marks, k: int) -> Figure:
    of = {(row["rater"], row["hardness"]): row["told"] for row in rows}
    raters = set_aside(rows, marks, step=0.1)
    told = "; ".join(f"{rater} {of[rater, 0.0]} and {of[rater, 1.0]}" for rater in raters)
    return Figure(
        name=f"{metric.lower()}_by_hardness",
        section="relative",
        title=f"{metric}@{k} by hardness",
        finding=f"{metric} at k = {k} by the hardness H; 1 is the panel's own level. At H = 0 and H = 1: {told}.",
        columns={"rater": "algorithm", "hardness": "H", "told": metric},
        rows=rows,
        data={"rates": known_rows(rows), "line": _LINE},
        draw=_beside_1(
            metric, "hardness", marks, raters,
            title="hardness H", scale=edges(0, 1, step=0.1),
            axis=alt.Axis(values=[tenth / 10 for tenth in range(11)], format=".1f", grid=False),
        ),
        series=raters,
        note=(
            "At H = 0 the expert nearest to the algorithm over the two experts furthest apart (P_opt, R_opt), at H = 1 mean over "
            "mean (P_avg, R_avg). The dashed line at 1 is the panel's own level; bars are intervals."
        ),
    )  # fmt: skip


def _beside_1(metric: str, along: str, marks: Marks, raters: tuple[str, ...], **x: Any) -> Callable[[Style], Any]:
    """How to draw curves with the line at 1. along : the field that a tooltip tells of the place. x : its axis."""

    def draw(style: Style) -> Any:
        base = alt.Chart(named("rates")).encode(x=alt.X("place:Q", **x))
        y = alt.Y("value:Q", title=metric, scale=alt.Scale(zero=False, nice=True))
        line = alt.Chart(named("line")).mark_rule(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink)
        tips = {"rater": "algorithm", along: along, "told": metric}
        bars, curves = upright(base, marks, raters, style), curve(base.encode(y=y), tips, marks, raters, style)
        return alt.layer(line.encode(y="one:Q"), bars, *curves).properties(width=style.width, height=250)

    return draw


def by_level(report: Results) -> list[Figure]:
    """How far down the tree the diagnoses stay right: one, where HDF1 by level is there."""
    there = [row for row in report.rows if row["metric"] == "HDF1" and row["of"] in LEVELS]
    levels = [level for level in LEVELS if any(row["of"] == level and row["value"] is not None for row in there)]
    if not levels:
        return []
    marks = marks_of(report)
    rows = [with_told(row, rater=row["algorithm"], level=row["of"], place=LEVELS.index(row["of"])) for row in there]
    raters = set_aside(rows, marks)

    def draw(style: Style) -> Any:
        base = alt.Chart(named("rates")).encode(x=alt.X("place:Q", scale=edges(0, len(levels) - 1), axis=None))
        y = alt.Y("value:Q", title="HDF1", scale=alt.Scale(domain=[0, 1]))
        tips = {"rater": "rater", "level": "level", "told": "HDF1"}
        bars, curves = upright(base, marks, raters, style), curve(base.encode(y=y), tips, marks, raters, style)
        names = text("levels", "place", "zero", "level", dy=18)
        return alt.layer(bars, *curves, names).properties(width=style.width, height=250)

    of = {(row["rater"], row["level"]): row["told"] for row in rows}
    told = "; ".join(f"{rater} {', '.join(f'{level} {of[rater, level]}' for level in levels)}" for rater in raters)
    return [
        Figure(
            name="cascade",
            section="hierarchical",
            title="HDF1 by level of ICD-10",
            finding=f"HDF1 by level of ICD-10, from the chapter down. {told}.",
            columns={"rater": "rater", "level": "level", "told": "HDF1"},
            rows=rows,
            data={
                "rates": known_rows(rows),
                "levels": [{"place": place, "level": level, "zero": 0} for place, level in enumerate(levels)],
            },
            draw=draw,
            series=raters,
            note="From the chapter (the broadest) down; bars are intervals.",
        )
    ]


def ranks(report: Results) -> list[Figure]:
    """How the order of the raters shifts: one, where at least two of them have a place by more than one metric."""
    of: dict[tuple[str, str], Row] = {}
    for end in ("from", "to"):
        for row in report.rows_of("hierarchical.rank_shifts"):
            rater, metric, told = row["algorithm"], row[end], f"{row[f'{end}_value']:.3f}"
            of[rater, metric] = {"rater": rater, "metric": metric, "rank": row[f"{end}_rank"], "told": told}
    rows, marks = list(of.values()), marks_of(report)
    raters = marks.ordered(row["rater"] for row in rows)
    if len(raters) < 2:
        return []
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    last = max(row["rank"] for row in rows)
    # raters that share a place stand side by side
    sharing, stood = Counter((row["metric"], row["rank"]) for row in rows), Counter[tuple[str, int]]()
    for row in sorted(rows, key=lambda row: raters.index(row["rater"])):
        at = row["metric"], row["rank"]
        row["place"] = metrics.index(row["metric"]) + (stood[at] - (sharing[at] - 1) / 2) * 0.07
        stood[at] += 1

    def draw(style: Style) -> Any:
        y = alt.Y(
            "rank:Q", title="place", axis=alt.Axis(values=list(range(1, last + 1)), format="d"),
            scale=alt.Scale(domain=[last + 0.4, 0.6], nice=False, zero=False),
        )  # fmt: skip
        x = alt.X("place:Q", scale=edges(0, len(metrics) - 1), axis=None)
        tips = {"rater": "rater", "metric": "metric", "rank": "place", "told": "value"}
        curves = curve(alt.Chart(named("ranks")).encode(x=x, y=y), tips, marks, raters, style, size=110)
        names = text("metrics", "place", "rank", "lines", dy=16, lineHeight=14)
        return alt.layer(*curves, names).properties(width=style.width, height=max(120, 44 * last))

    of_rater = {r: [f"{row['rank']} by {row['metric']}" for row in rows if row["rater"] == r] for r in raters}
    told = "; ".join(f"{rater} {', '.join(places)}" for rater, places in of_rater.items())
    return [
        Figure(
            name="ranks",
            section="hierarchical",
            title="Rank shifts between metrics",
            finding=f"Place of each rater by metric, 1 the best. {told}.",
            columns={"rater": "rater", "metric": "metric", "rank": "place", "told": "value"},
            rows=rows,
            data={
                "ranks": rows,
                # two lines: Acc and what stands in brackets
                "metrics": [
                    {"place": i, "lines": metric.replace("(", "\n(").split("\n"), "rank": last + 0.4}
                    for i, metric in enumerate(metrics)
                ],
            },
            draw=draw,
            series=raters,
            note="Place 1 is the best; where lines cross, the metrics disagree on who is better.",
        )
    ]


def set_aside(rows: list[Row], marks: Marks, *, step: float = 1) -> tuple[str, ...]:
    """Who is drawn; moves each `place` a little to its rater's side, so that the bars of curves do not hide each other.

    step : from one place to the next.
    """
    raters = marks.ordered(row["rater"] for row in rows)
    for row in rows:
        row["place"] += (raters.index(row["rater"]) - (len(raters) - 1) / 2) * min(0.06, 0.5 / len(raters)) * step
    return raters


def known_rows(rows: list[Row]) -> list[Row]:
    """What is drawn: a gap where a value is undefined."""
    return [row for row in rows if row["value"] is not None]


def edges(first: float, last: float, *, step: float = 1) -> alt.Scale:
    """Half a step more on both sides."""
    return alt.Scale(domain=[first - step / 2, last + step / 2], nice=False)
