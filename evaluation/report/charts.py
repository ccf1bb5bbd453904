"""Every chart of a report, in the order of the page. Each is a function: report, marks -> figures, none where nothing is to be drawn."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from ...pages.encodings import named
from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import Style
from ...terms.icd.ancestor_sets import LEVELS
from ..score.scores import Values
from ..statistics.subgroups import AVERAGES
from . import planes
from .layers import bands, curves, looks, spoken, text, told
from .tables import HEADLINES

if TYPE_CHECKING:
    from .results import Results

_MAX_RATERS, _MAX_GROUPS, _MAX_COLUMNS, _MAX_PAIRS = 12, 30, 3, 2000
_AE, _EE = "algorithm–expert", "expert–expert"
_SAYS = {"P": "precision", "R": "recall", "kappa": "first diagnoses"}
_TOPS = {"HDF1": 1, "Semantic": 16, "Severity": 16}
"""Score of single cases -> the best that there is."""
_POINTS, _GRID, _WIDEST = 120, 61, 0.38
"""Of a violin: points, places at which it is drawn, and how wide it is at most to each side."""
_BY_HARDNESS = (
    "At H = 0 the expert nearest to the algorithm over the two experts furthest apart (P_opt, R_opt), at H = 1 mean over mean "
    "(P_avg, R_avg). "
)


def figures(report: Results) -> list[Figure]:
    """Makes every chart that the report allows."""
    charts = (accuracy, relative, pairs, by_level, subgroups, violins, planes.of_raters, planes.of_cases)
    return [figure for chart in charts for figure in chart(report)]


def _values(title: str, **axis: Any) -> alt.Y:
    return alt.Y("value:Q", title=title).scale(zero=False, nice=True).axis(**axis)


def _ks() -> alt.X:
    return alt.X("k:O", title="k, the diagnoses of each list that count").axis(labelAngle=0)


def accuracy(report: Results) -> list[Figure]:
    """Draws top-k accuracy of every model by k, where there are two k or more."""
    rows = [r for r in report.model_rows if r["metric"] == "Acc" and r["algorithm"] in report.board.algorithms]
    judges = [row["of"] for row in rows]
    of = "M" if "M" in judges else next(iter(judges), "")
    rows = [row for row in rows if row["of"] == of]
    if len({row["k"] for row in rows}) < 2:
        return []
    return [curves(
        report, rows, "k", "accuracy", _ks(), _values("cases with a right answer", format="%"), name="top_k", section="leaderboard",
        title="Top-k accuracy" if of == "M" else f"Top-k accuracy by {of}",
        note="How many cases have a right answer among the first k diagnoses; bars are intervals. The axis may not begin at 0.",
    )]  # fmt: skip


def relative(report: Results) -> list[Figure]:
    """Draws RPAD and RRAD by k, and at k by the hardness H, from the optimistic (0) to the average (1); 1 is the panel's own level."""
    hardness = alt.X("hardness:O", title="hardness H").axis(format=".1f", labelAngle=0)
    at_k = [row for row in report.rows_of("relative.curves") if row["k"] == report.k]
    return [
        curves(
            report, own, along, metric, x, _values(metric), 1, name=f"{metric.lower()}_by_{along}", section="relative",
            title=f"{metric}@k" if along == "k" else f"{metric}@{report.k} by hardness",
            note=f"{note}The dashed line at 1 is the panel's own level; bars are intervals.",
        )
        for along, x, rows, note in (("k", _ks(), report.model_rows, ""), ("hardness", hardness, at_k, _BY_HARDNESS))
        for metric in HEADLINES
        if (own := [row for row in rows if row["metric"] == metric and not row.get("of")])
    ]  # fmt: skip


def pairs(report: Results) -> list[Figure]:
    """Draws P, R and kappa of each two raters, the algorithm beside its panel, in a band for each algorithm: one figure each."""
    made = []
    for metric, says in _SAYS.items():
        rows, symbol = _rates(report, metric), metric if metric == "kappa" else f"{metric}@{report.k}"
        step = -(-len(rows) // _MAX_PAIRS) or 1
        note = "One point for each two raters with its interval; the upright stroke is their mean."
        if step > 1:
            note += f" A sample: one of {step} points."
        if len(report.raters.panels) > _MAX_RATERS:
            note += f" The first {_MAX_RATERS} algorithms."
        columns = {"algorithm": "algorithm", "kind": "kind", "pair": "raters", "told": symbol}
        x = alt.X("value:Q", title=symbol).scale(zero=False, nice=True)
        title = f"{symbol} of each two raters, {says}"
        name = f"pairs_{metric.lower()}"
        if rows:
            made.append(bands(
                rows[::step], columns, _of_kind, x, "algorithm", "kind", means=True, name=name, section="relative", title=title, note=note
            ))  # fmt: skip
    return made


def _of_kind(style: Style) -> dict[str, Any]:
    return {
        "color": alt.Color("kind:N").scale(domain=[_AE, _EE], range=[style.series[0], style.panel]),
        "shape": alt.Shape("kind:N").scale(domain=[_AE, _EE], range=["circle", "diamond"]),
    }


def _rates(report: Results, metric: str) -> list[Row]:
    found = report.rows_of("relative.pairs")
    of = {frozenset((row["first"], row["second"])): row for row in found if row["metric"] == metric}
    return [
        told(of[pair], algorithm=algorithm, kind=kind, pair=" and ".join(two))
        for algorithm in report.in_order(report.raters.panels)[:_MAX_RATERS]
        for kind, two in (
            *((_AE, (algorithm, expert)) for expert in report.raters.panels[algorithm]),
            *((_EE, two) for two in combinations(report.raters.panels[algorithm], 2)),
        )
        if (pair := frozenset(two)) in of and of[pair]["value"] is not None
    ]


def by_level(report: Results) -> list[Figure]:
    """Draws HDF1 at each level of ICD-10: how far down the tree the diagnoses stay right."""
    rows = [
        row | {"level": level}
        for level in LEVELS
        for row in report.model_rows
        if (row["metric"], row["of"]) == ("HDF1", level)
    ]
    if all(row["value"] is None for row in rows):
        return []
    x, y = alt.X("level:O", title=None).axis(labelAngle=0), alt.Y("value:Q", title="HDF1").scale(domain=[0, 1])
    return [curves(
        report, rows, "level", "HDF1", x, y, name="cascade", section="hierarchical", title="HDF1 by level of ICD-10",
        note="From the chapter (the broadest) down; bars are intervals.",
    )]  # fmt: skip


def subgroups(report: Results) -> list[Figure]:
    """Draws each model in each group by the first metrics of the leaderboard, where there are two groups or more."""
    made: list[Figure] = []
    rows = [row for row in report.group_model_rows if row["group"] not in (None, *AVERAGES)]
    for at, by in enumerate(dict.fromkeys(row["by"] for row in rows)):
        of = {c.label: [row for row in rows if (row["by"], row["name"]) == (by, c.name)] for c in report.board.columns}
        several = [label for label, own in of.items() if 1 < len({row["group"] for row in own}) <= _MAX_GROUPS]
        for place, label in enumerate(several[:_MAX_COLUMNS]):
            raters = report.in_order(row["algorithm"] for row in of[label])[:_MAX_RATERS]
            own = sorted(
                (row for row in of[label] if row["algorithm"] in raters), key=lambda row: raters.index(row["algorithm"])
            )
            drawn = [told(row, rater=row["algorithm"], group=row["group"], n_cases=row["n_cases"]) for row in own]
            made.append(bands(
                drawn, {"rater": "model", "group": "group", "told": label, "n_cases": "cases"}, partial(looks, report, raters),
                alt.X("value:Q", title=label).scale(zero=False, nice=True), "group", "rater", name=f"subgroups_{at}_{place}",
                section="subgroups", title=f"{label} by {by.replace('_', ' ')}",
                note="Points are values in the cases of each group, bars their intervals.",
            ))  # fmt: skip
    return made


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
    data: dict[str, list[Row]] = {"summary": rows, "outlines": [], "points": []}
    for place, rater in enumerate(raters):
        own = np.sort(of_rater[rater][~np.isnan(of_rater[rater])])
        grid, width = _outline(own, top)
        data["outlines"] += [
            {"rater": rater, "value": x, "upper": place - w, "lower": place + w}
            for x, w in zip(grid.tolist(), width.tolist(), strict=True)
        ]
        drawn = own[:: -(-len(own) // _POINTS)]
        aside = (np.arange(len(drawn)) * 0.618034 % 1 - 0.5) * np.interp(drawn, grid, width)
        data["points"] += [
            {"rater": rater, "value": x, "place": place + a}
            for x, a in zip(drawn.tolist(), aside.tolist(), strict=True)
        ]
        q1, median, q3 = np.quantile(own, [0.25, 0.5, 0.75]).tolist()
        said = {"rater": rater, "n_cases": len(own), "q1": q1, "median": median, "q3": q3}
        rows.append({**said, "place": place, "left": 0, "above": place - 0.46})

    def draw(style: Style) -> Any:
        x = alt.X("value:Q", title=f"{score} of a case").scale(domain=[0, top], nice=False)
        scale = alt.Scale(domain=[len(raters) - 0.45, -0.75], nice=False, zero=False)
        upper, place, above = (alt.Y(f"{field}:Q", axis=None, scale=scale) for field in ("upper", "place", "above"))
        colour = looks(report, raters, style)["color"].legend(None)
        dots = alt.Chart(named("points")).mark_circle(size=16, opacity=0.5)
        summary = alt.Chart(named("summary")).encode(y=place)
        ring = summary.mark_point(fill=style.card, stroke=style.ink, strokeWidth=1.5, size=46, opacity=1)
        return alt.layer(
            alt.Chart(named("outlines")).mark_area(opacity=0.22).encode(x=x, y=upper, y2="lower", color=colour),
            dots.encode(x=x, y=place, color=colour),
            summary.mark_rule(strokeWidth=3, color=style.ink).encode(x="q1:Q", x2="q3"),
            ring.encode(x="median:Q"),
            text("summary", "left", "above", "rater", align="left", dx=2, color=style.ink).encode(y=above),
        ).properties(width=style.width, height=62 * len(raters) + 30)

    title = f"{score} over the cases"
    columns = {"rater": "rater", "n_cases": "cases", "q1": "first quarter", "median": "median", "q3": "third quarter"}
    note = f"Shape: all cases. Ring and bar: median and middle half. Points: cases, at most {_POINTS} of each rater."
    finding = spoken(title, columns, rows)
    return Figure(f"violin_{score.lower()}", section, title, finding, columns, rows, data, draw, note)


def _outline(values: Values, top: float) -> tuple[Values, Values]:
    """Where the violin is how wide: a Gaussian kernel estimate over [0, top]."""
    grid = np.linspace(0, top, _GRID)
    places, counts = np.unique(np.round(values, 4), return_counts=True)
    narrow = max(1.06 * float(values.std()) * len(values) ** -0.2, top / 40)
    density = np.exp(-0.5 * ((grid[:, None] - places) / narrow) ** 2) @ counts
    return grid, _WIDEST * density / density.max()
