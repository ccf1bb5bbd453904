"""HDF1 down the levels of ICD-10: how far into the tree the diagnoses stay right."""

from __future__ import annotations

from typing import Any

from ....pages.encodings import named, only, tooltip, with_interval
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .marks import aside, curves_with_intervals, marks_of

LEVELS = ("chapter", "section", "category", "subcategory")
BY_LEVEL = ("HDP", "HDR", "HDF1")
_METRIC = "HDF1"


def figures(report: Results) -> list[Figure]:
    """One, where HDF1 by level is there."""
    rows: list[Row] = [
        {"rater": row["algorithm"], "level": row["of"], "value": row["value"], "low": row["low"], "high": row["high"],
         "told": with_interval(row)}
        for row in report.rows
        if row["metric"] == _METRIC and row["of"] in LEVELS
    ]  # fmt: skip
    known = [row for row in rows if row["value"] is not None]
    if not known:
        return []
    marks = marks_of(report)
    raters = marks.ordered([row["rater"] for row in rows])
    levels = [level for level in LEVELS if any(row["level"] == level for row in known)]
    for row in known:
        row["place"] = levels.index(row["level"]) + aside(row["rater"], raters)

    def draw(style: Style) -> Any:
        import altair as alt

        edges = alt.Scale(domain=[-0.5, len(levels) - 0.5], nice=False)
        base = alt.Chart(named("rates")).encode(x=alt.X("place", type="quantitative", scale=edges, axis=None))
        y = alt.Y("value", type="quantitative", title=_METRIC, scale=alt.Scale(domain=[0, 1]))
        tips = tooltip(rater="rater", level="level", told=_METRIC)
        return alt.layer(
            *curves_with_intervals(base, y, tips, marks, raters, style),
            alt.Chart(named("levels"))
            .mark_text(dy=18)
            .encode(
                x=alt.X("place", type="quantitative"),
                y=alt.Y("zero", type="quantitative"),
                text=alt.Text("level", type="nominal"),
            ),
        ).properties(width=style.width, height=250)

    return [
        Figure(
            name="cascade",
            section="hierarchical",
            title="HDF1 by level of ICD-10",
            finding=_finding(rows, raters, levels),
            columns={"rater": "rater", "level": "level", "told": _METRIC},
            rows=rows,
            data={
                "rates": only(known, ("rater", "level", "place", "value", "low", "high", "told")),
                "levels": [{"place": place, "level": level, "zero": 0} for place, level in enumerate(levels)],
            },
            draw=draw,
            series=raters,
            note="From the chapter (the broadest) down; bars are intervals.",
        )
    ]


def _finding(rows: list[Row], raters: tuple[str, ...], levels: list[str]) -> str:
    of = {(row["rater"], row["level"]): row["told"] for row in rows}
    parts = [f"{rater} {', '.join(f'{level} {of[rater, level]}' for level in levels)}" for rater in raters]
    return f"HDF1 by level of ICD-10, from the chapter down. {'; '.join(parts)}."
