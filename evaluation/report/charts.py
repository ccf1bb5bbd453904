"""Every chart of a report, in the order of the page. Each is a function: report, marks -> figures, none where nothing is to be drawn."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from ...pages.encodings import named, tooltip, with_interval
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import Style
from ...pages.words import p_value
from ...terms.icd.ancestor_sets import LEVELS
from ..score.scores import Values
from ..statistics.subgroups import AVERAGES
from . import planes
from .layers import Marks, curves, dashed, in_bands, text, told, with_intervals
from .tables import HEADLINES

if TYPE_CHECKING:
    from .report import Report

_MAX_PAIRS = 28
_MAX_RATERS, _MAX_GROUPS, _MAX_COLUMNS, _MAX_POINTS = 12, 12, 3, 2000
_AE, _EE = "algorithm–expert", "expert–expert"
_SAYS = {"P": "precision", "R": "recall", "kappa": "first diagnoses"}
_TOPS = {"HDF1": 1, "Semantic": 16, "Severity": 16}
"""Score of single cases -> the best that there is."""
_SHOWN, _GRID, _WIDEST = 120, 61, 0.38
"""Of a violin: points, places at which it is drawn, and how wide it is at most to each side."""


def figures(report: Report, marks: Marks) -> list[Figure]:
    """Makes every chart that the report allows."""
    charts = (accuracy, forest, relative, pairs, by_level, subgroups, violins, planes.of_raters, planes.of_cases)
    return [figure for chart in charts for figure in chart(report, marks)]


def accuracy(report: Report, marks: Marks) -> list[Figure]:
    """Draws top-k accuracy of every model by k, where there are two k or more."""
    rows = [row for row in report.model_rows if row["metric"] == "Acc" and row["algorithm"] in marks.algorithms]
    judges = dict.fromkeys(row["of"] for row in rows)
    of = "M" if "M" in judges else next(iter(judges), "")
    rows = [row for row in rows if row["of"] == of]
    if len({row["k"] for row in rows}) < 2:
        return []
    y = alt.Y("value:Q", title="cases with a right answer").scale(zero=False, nice=True).axis(format="%")
    return [curves(
        marks, rows, "k", "accuracy", (_ks(), y), name="top_k", section="leaderboard",
        title="Top-k accuracy" if of == "M" else f"Top-k accuracy by {of}",
        finding="The share of cases with a right answer among the first k diagnoses.",
        note="How many cases have a right answer among the first k diagnoses; bars are intervals. The axis may not begin at 0.",
    )]  # fmt: skip


def _ks() -> alt.X:
    return alt.X("k:O", title="k, the diagnoses of each list that count").axis(labelAngle=0)


def forest(report: Report, marks: Marks) -> list[Figure]:
    """Draws the difference of each two models in the first metric of the leaderboard, where there are two or more."""
    column = next(iter(report.board.columns), None)
    if column is None:
        return []
    there = [row for row in report.difference_rows if row["name"] == column.name and row["value"] is not None]
    if not 2 <= len(there) <= _MAX_PAIRS:
        return []
    rows = [told(row, pair=f"{row['first']} − {row['second']}", p=p_value(row["p_holm"])) for row in there]

    def draw(style: Style) -> Any:
        x = alt.X("value:Q", title=f"difference in {column.label}")
        tips = {"pair": "models", "told": "difference", "p": "p"}
        base = in_bands("differences", "pair", [row["pair"] for row in rows])
        points = with_intervals(base, x, tips, color=alt.value(style.series[0]))
        return alt.layer(dashed(style, x="line:Q"), *points).properties(width=style.width, height=24 * len(rows))

    values = "; ".join(f"{row['pair']} {row['told']}{', ' if row['p'] else ''}{row['p']}" for row in rows)
    return [Figure(
        "forest", "differences", f"Differences in {column.label}", f"The difference of each two models in {column.name}. {values}.",
        {"pair": "models", "told": "difference", "p": "p, corrected"}, rows, {"differences": rows, "line": [{"line": 0}]}, draw,
        note="Points are differences on the same cases, bars their intervals; right of the dashed line the first is higher.",
    )]  # fmt: skip


def relative(report: Report, marks: Marks) -> list[Figure]:
    """Draws RPAD and RRAD by k, and at k by the hardness H, from the optimistic (0) to the average (1); 1 is the panel's own level."""
    k, made = report.k, []
    hardness = alt.X("hardness:O", title="hardness H").axis(format=".1f", labelAngle=0)
    for along, x, rows, title, note in (
        ("k", _ks(), [row for row in report.rows if not row["of"]], "{}@k", ""),
        (
            "hardness", hardness, [row for row in report.rows_of("relative.curves") if row["k"] == k], f"{{}}@{k} by hardness",
            "At H = 0 the expert nearest to the algorithm over the two experts furthest apart (P_opt, R_opt), at H = 1 mean over mean "
            "(P_avg, R_avg). ",
        ),
    ):  # fmt: skip
        for metric in HEADLINES:
            y = alt.Y("value:Q", title=metric).scale(zero=False, nice=True)
            own = [row for row in rows if row["metric"] == metric]
            if own:
                made.append(curves(
                    marks, own, along, metric, (x, y), 1, name=f"{metric.lower()}_by_{along}", section="relative",
                    title=title.format(metric), finding=f"{metric} by {along}; 1 is the panel's own level.",
                    note=f"{note}The dashed line at 1 is the panel's own level; bars are intervals.",
                ))  # fmt: skip
    return made


def pairs(report: Report, marks: Marks) -> list[Figure]:
    """Draws P, R and kappa of each two raters, a point each, in a band for each algorithm: one figure each."""
    return [_pairs(report, metric, rows) for metric in _SAYS if (rows := _rates(report, metric))]


def _rates(report: Report, metric: str) -> list[Row]:
    found = report.rows_of("relative.pairs")
    of = {frozenset((row["first"], row["second"])): row for row in found if row["metric"] == metric}
    rows: list[Row] = []
    for algorithm in [one for one in report.board.algorithms if one in report.raters.panels][:_MAX_RATERS]:
        experts = report.raters.panels[algorithm]
        met = [(_AE, algorithm, expert) for expert in experts]
        for kind, one, other in (*met, *((_EE, *two) for two in combinations(experts, 2))):
            row = of.get(frozenset((one, other)))
            if row is not None and row["value"] is not None:
                rows.append(told(row, algorithm=algorithm, kind=kind, pair=f"{one} and {other}"))
    return rows


def _pairs(report: Report, metric: str, rows: list[Row]) -> Figure:
    algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
    shown = rows[:: -(-len(rows) // _MAX_POINTS)]
    symbol = metric if metric == "kappa" else f"{metric}@{report.k}"

    def draw(style: Style) -> Any:
        colour = alt.Color("kind:N").scale(domain=[_AE, _EE], range=[style.series[0], style.panel])
        shape = alt.Shape("kind:N").scale(domain=[_AE, _EE], range=["circle", "diamond"])
        base = in_bands("pairs", "algorithm", algorithms, "kind", (_AE, _EE))
        x = alt.X("value:Q", title=symbol).scale(zero=False, nice=True)
        points = with_intervals(base, x, {"pair": "raters", "told": symbol}, color=colour, shape=shape)
        mean = base.mark_tick(thickness=2, size=18, color=style.ink).encode(x="mean(value):Q", detail="kind:N")
        return alt.layer(*points, mean).properties(width=style.width, height=58 * len(algorithms))

    parts = []
    for algorithm in algorithms:
        sides = [[r["value"] for r in rows if r["algorithm"] == algorithm and r["kind"] == kind] for kind in (_AE, _EE)]
        spans = [f"{min(side):.3f} to {max(side):.3f}" if side else "undefined" for side in sides]
        parts.append(f"{algorithm} with its experts {spans[0]}, the experts among themselves {spans[1]}")
    return Figure(
        f"pairs_{metric.lower()}", "relative", f"{symbol} of each two raters, {_SAYS[metric]}",
        f"{symbol} of each two raters. {'; '.join(parts)}.",
        {"algorithm": "algorithm", "kind": "kind", "pair": "raters", "told": symbol}, shown, {"pairs": shown}, draw,
        note="One point for each two raters with its interval; the upright stroke is their mean."
        + ("" if len(shown) == len(rows) else f" A sample: {len(shown):,} of {len(rows):,} points.")
        + ("" if len(report.raters.panels) <= _MAX_RATERS else f" The first {_MAX_RATERS} algorithms."),
    )  # fmt: skip


def by_level(report: Report, marks: Marks) -> list[Figure]:
    """Draws HDF1 at each level of ICD-10: how far down the tree the diagnoses stay right."""
    rows = [row for row in report.model_rows if row["metric"] == "HDF1" and row["of"] in LEVELS]
    rows.sort(key=lambda row: LEVELS.index(row["of"]))
    if all(row["value"] is None for row in rows):
        return []
    x = alt.X("level:O", title=None).axis(labelAngle=0)
    return [curves(
        marks, [row | {"level": row["of"]} for row in rows], "level", "HDF1", (x, alt.Y("value:Q", title="HDF1").scale(domain=[0, 1])),
        name="cascade", section="hierarchical", title="HDF1 by level of ICD-10", finding="HDF1 by level of ICD-10, from the chapter down.",
        note="From the chapter (the broadest) down; bars are intervals.",
    )]  # fmt: skip


def subgroups(report: Report, marks: Marks) -> list[Figure]:
    """Draws each model in each group by the first metrics of the leaderboard, where there are two groups or more."""
    made = []
    rows = [row for row in report.by_group.model_rows if row["group"] not in (None, *AVERAGES)]
    for by in dict.fromkeys(row["by"] for row in rows):
        for column in report.board.columns[:_MAX_COLUMNS]:
            own = [row for row in rows if (row["by"], row["name"]) == (by, column.name)]
            if len({row["group"] for row in own}) > 1:
                made.append(_groups(marks, f"subgroups_{len(made) + 1}", by, column.label, own))
    return made


def _groups(marks: Marks, name: str, by: str, label: str, rows: list[Row]) -> Figure:
    raters = marks.ordered(row["algorithm"] for row in rows)[:_MAX_RATERS]
    sizes = {row["group"]: row["n_cases"] for row in rows}
    groups = sorted(sorted(sizes, key=lambda group: -sizes[group])[:_MAX_GROUPS])
    shown = [
        told(row, rater=marks.label(row["algorithm"]), group=row["group"], n_cases=row["n_cases"])
        for row in rows
        if row["algorithm"] in raters and row["group"] in groups
    ]
    words = by.replace("_", " ")

    def draw(style: Style) -> Any:
        colour, shape = marks.looks(raters, style)
        base = in_bands("groups", "group", groups, "rater", [marks.label(rater) for rater in raters])
        tips = {"rater": "model", "group": words, "told": label, "n_cases": "cases"}
        x = alt.X("value:Q", title=label).scale(zero=False, nice=True)
        points = with_intervals(base, x, tips, color=colour, shape=shape)
        return alt.layer(*points).properties(width=style.width, height=len(groups) * (16 * len(raters) + 16))

    left_out = f" The {len(groups)} largest of {len(sizes):,} groups." if len(groups) < len(sizes) else ""
    values = "; ".join(f"{row['rater']} in {row['group']} {row['told']}" for row in shown)
    return Figure(
        name, "subgroups", f"{label} by {words}", f"{label} of each model by {words}. {values}.",
        {"rater": "model", "group": words, "told": label, "n_cases": "cases"}, shown,
        {"groups": [row for row in shown if row["value"] is not None]}, draw, raters,
        f"Points are values in the cases of each group, bars their intervals.{left_out}",
    )  # fmt: skip


def violins(report: Report, marks: Marks) -> list[Figure]:
    """Draws how each score of single cases is spread, a violin for each rater, with points."""
    return [
        _violins(report, marks, score, family.name, family.per_case[score])
        for family in report.families
        for score in _TOPS
        if score in family.per_case and not np.isnan(family.per_case[score]).all()
    ]


def _violins(report: Report, marks: Marks, score: str, section: str, values: Values) -> Figure:
    """values : [n, r], NaN where a case has none."""
    names, top = list(report.raters.names), _TOPS[score]
    raters = marks.ordered(name for name, own in zip(names, values.T, strict=True) if not np.isnan(own).all())[
        :_MAX_RATERS
    ]
    of_row = {row["algorithm"]: row for row in report.rows if (row["metric"], row["of"]) == (score, "")}
    rows: list[Row] = []
    outlines: list[Row] = []
    points: list[Row] = []
    generator = np.random.default_rng(0)
    for place, rater in enumerate(raters):
        label, column = marks.label(rater), values[:, names.index(rater)]
        there = np.flatnonzero(~np.isnan(column))
        own = column[there]
        grid, width = _outline(own, top)
        outlines += [
            {"rater": label, "value": x, "upper": place - w, "lower": place + w}
            for x, w in zip(grid.tolist(), width.tolist(), strict=True)
        ]
        drawn = np.sort(generator.choice(len(own), min(_SHOWN, len(own)), replace=False))
        aside = (np.arange(len(drawn)) * 0.618034 % 1 - 0.5) * np.interp(own[drawn], grid, width)
        points += [
            {"rater": label, "case": report.cases[there[i]], "value": float(own[i]), "place": place + a}
            for i, a in zip(drawn.tolist(), aside.tolist(), strict=True)
        ]
        q1, median, q3 = np.quantile(own, [0.25, 0.5, 0.75]).tolist()
        said = with_interval(of_row[rater]) if rater in of_row else "–"
        rows.append(
            {"rater": label, "n_cases": len(own), "told": said, "q1": q1, "median": median, "q3": q3, "place": place, "left": 0,
             "above": place - 0.46}
        )  # fmt: skip

    def draw(style: Style) -> Any:
        x = alt.X("value:Q", title=f"{score} of a case").scale(domain=[0, top], nice=False)
        scale = alt.Scale(domain=[len(raters) - 0.45, -0.75], nice=False, zero=False)
        upper, place, above = (alt.Y(f"{field}:Q", axis=None, scale=scale) for field in ("upper", "place", "above"))
        colour = marks.looks(raters, style)[0].legend(None)
        dots = alt.Chart(named("points")).mark_circle(size=16, opacity=0.5)
        summary = alt.Chart(named("summary")).encode(y=place)
        ring = summary.mark_point(fill=style.card, stroke=style.ink, strokeWidth=1.5, size=46, opacity=1)
        return alt.layer(
            alt.Chart(named("outlines")).mark_area(opacity=0.22).encode(x=x, y=upper, y2="lower", color=colour),
            dots.encode(x=x, y=place, tooltip=tooltip(rater="rater", case="case", value=score), color=colour),
            summary.mark_rule(strokeWidth=3, color=style.ink).encode(x="q1:Q", x2="q3"),
            ring.encode(x="median:Q"),
            text("summary", "left", "above", "rater", align="left", dx=2, color=style.ink).encode(y=above),
        ).properties(width=style.width, height=62 * len(raters) + 30)

    middles = (f"{r['rater']}: median {r['median']:.2f}, middle half {r['q1']:.2f} to {r['q3']:.2f}" for r in rows)
    sampled = (
        f"a sample of {_SHOWN} cases of each rater" if any(row["n_cases"] > _SHOWN for row in rows) else "the cases"
    )
    return Figure(
        f"violin_{score.lower()}", section, f"{score} over the cases", f"{score} of single cases, from 0 to {top}. {'; '.join(middles)}.",
        {"rater": "rater", "n_cases": "cases", "told": score, "q1": "first quarter", "median": "median", "q3": "third quarter"}, rows,
        {"outlines": outlines, "points": points, "summary": rows}, draw, raters,
        f"Shape: all cases. Ring and bar: median and middle half. Points: {sampled}.",
    )  # fmt: skip


def _outline(values: Values, top: float) -> tuple[Values, Values]:
    """Where the violin is how wide: a Gaussian kernel estimate over [0, top]."""
    grid = np.linspace(0, top, _GRID)
    places, counts = np.unique(np.round(values, 4), return_counts=True)
    narrow = max(1.06 * float(values.std()) * len(values) ** -0.2, top / 40)
    density = np.exp(-0.5 * ((grid[:, None] - places) / narrow) ** 2) @ counts
    return grid, _WIDEST * density / density.max()
