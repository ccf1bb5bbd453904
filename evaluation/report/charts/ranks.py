"""How the order of the raters shifts from metric to metric."""

from __future__ import annotations

from typing import Any

from ....pages.encodings import named, tooltip
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .marks import by_colour, by_rater, marks_of


def figures(report: Results) -> list[Figure]:
    """One, where at least two raters have a place by more than one metric."""
    rows = _rows(report.rows_of("hierarchical.rank_shifts"))
    marks = marks_of(report)
    raters = marks.ordered([row["rater"] for row in rows])
    if len(raters) < 2:
        return []
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    last = max(row["rank"] for row in rows)
    for row in rows:
        # raters that share a place stand side by side
        sharing = [
            r
            for r in raters
            if any((o["rater"], o["metric"], o["rank"]) == (r, row["metric"], row["rank"]) for o in rows)
        ]
        row["place"] = metrics.index(row["metric"]) + (sharing.index(row["rater"]) - (len(sharing) - 1) / 2) * 0.07

    def draw(style: Style) -> Any:
        import altair as alt

        edges = alt.Scale(domain=[-0.5, len(metrics) - 0.5], nice=False)
        base = alt.Chart(named("ranks")).encode(
            x=alt.X("place", type="quantitative", scale=edges, axis=None),
            y=alt.Y(
                "rank", type="quantitative", title="place", axis=alt.Axis(values=list(range(1, last + 1)), format="d"),
                scale=alt.Scale(domain=[last + 0.4, 0.6], nice=False, zero=False),
            ),
        )  # fmt: skip
        return alt.layer(
            base.mark_line(strokeWidth=2.5, opacity=0.8).encode(**by_colour(marks, raters, style)),
            base.mark_point(filled=True, size=110, opacity=1).encode(
                tooltip=tooltip(rater="rater", metric="metric", rank="place", told="value"),
                **by_rater(marks, raters, style),
            ),
            alt.Chart(named("metrics"))
            .mark_text(dy=16, lineHeight=14)
            .encode(
                x=alt.X("place", type="quantitative"),
                y=alt.Y("rank", type="quantitative"),
                text=alt.Text("lines", type="nominal"),
            ),
        ).properties(width=style.width, height=max(120, 44 * last))

    return [
        Figure(
            name="ranks",
            section="hierarchical",
            title="Rank shifts between metrics",
            finding=_finding(rows, raters),
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


def _rows(shifts: list[Row]) -> list[Row]:
    """One row for each rater and metric: accuracies in their order, then what they are compared with."""
    of: dict[tuple[str, str], Row] = {}
    for end in ("from", "to"):
        for row in shifts:
            of[row["algorithm"], row[end]] = {
                "rater": row["algorithm"], "metric": row[end], "rank": row[f"{end}_rank"], "told": f"{row[f'{end}_value']:.3f}",
            }  # fmt: skip
    return list(of.values())


def _finding(rows: list[Row], raters: tuple[str, ...]) -> str:
    parts = []
    for rater in raters:
        places = [f"{row['rank']} by {row['metric']}" for row in rows if row["rater"] == rater]
        parts.append(f"{rater} {', '.join(places)}")
    return f"Place of each rater by metric, 1 the best. {'; '.join(parts)}."
