"""RPAD@k and RRAD@k over k, with the line at 1."""

from __future__ import annotations

from typing import Any

from ....pages.encodings import named, only, tooltip, with_interval
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .marks import aside, curves_with_intervals, marks_of

_SAYS = {"RPAD": "relative precision", "RRAD": "relative recall"}
_COLUMNS = {"rater": "algorithm", "k": "k", "told": "value"}


def figures(report: Results) -> list[Figure]:
    """One for each of RPAD and RRAD that is there."""
    made = []
    for metric, says in _SAYS.items():
        rows = [
            {
                "rater": row["algorithm"], "k": row["k"], "value": row["value"], "low": row["low"], "high": row["high"],
                "told": with_interval(row),
            }
            for row in report.rows
            if row["metric"] == metric and not row["of"]
        ]  # fmt: skip
        if rows:
            made.append(_figure(report, metric, says, rows))
    return made


def _figure(report: Results, metric: str, says: str, rows: list[Row]) -> Figure:
    marks = marks_of(report)
    raters = marks.ordered([row["rater"] for row in rows])
    ks = sorted({row["k"] for row in rows})
    for row in rows:
        row["place"] = row["k"] + aside(row["rater"], raters)

    known = [row for row in rows if row["value"] is not None]

    def draw(style: Style) -> Any:
        import altair as alt

        x = alt.X(
            "place", type="quantitative", title="k, the diagnoses of each list that count",
            scale=alt.Scale(domain=[ks[0] - 0.5, ks[-1] + 0.5], nice=False),
            axis=alt.Axis(values=ks, format="d", grid=False),
        )  # fmt: skip
        y = alt.Y("value", type="quantitative", title=metric, scale=alt.Scale(zero=False, nice=True))
        base = alt.Chart(named("rates")).encode(x=x)
        tips = tooltip(rater="algorithm", k="k", told=metric)
        return alt.layer(
            alt.Chart(named("line"))
            .mark_rule(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink)
            .encode(y=alt.Y("one", type="quantitative")),
            *curves_with_intervals(base, y, tips, marks, raters, style),
        ).properties(width=style.width, height=250)

    return Figure(
        name=f"{metric.lower()}_by_k",
        section="relative",
        title=f"{metric}@k, {says}",
        finding=_finding(metric, rows, raters, report.k),
        columns=_COLUMNS | {"told": metric},
        rows=rows,
        data={"rates": only(known, ("rater", "k", "place", "value", "low", "high", "told")), "line": [{"one": 1}]},
        draw=draw,
        series=raters,
        note="The dashed line at 1 is the panel's own level; bars are intervals.",
    )


def _finding(metric: str, rows: list[Row], raters: tuple[str, ...], k: int) -> str:
    of = {(row["rater"], row["k"]): row["told"] for row in rows}
    parts = [f"{rater} {of[rater, k]}" for rater in raters if (rater, k) in of]
    return f"{metric} by the number of diagnoses k; 1 is the panel's own level. At k = {k}: {'; '.join(parts)}."
