"""What is looked at first, as charts: top-k accuracy over k, and how much the models differ."""

from __future__ import annotations

from typing import Any

import altair as alt

from ....pages.encodings import named, tooltip
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ....pages.words import p_value
from ...statistics.leaderboard import leaderboard
from ...statistics.results import Results
from .curves import edges, known_rows, set_aside
from .layers import curve, upright, with_told
from .marks import marks_of

_MAX_PAIRS = 28


def accuracy(report: Results) -> list[Figure]:
    """Top-k accuracy of every model over k, where there are two k or more."""
    marks = marks_of(report)
    judges = dict.fromkeys(row["of"] for row in report.rows if row["metric"] == "Acc")
    of = "M" if "M" in judges else next(iter(judges), "")
    rows = [
        with_told(row, rater=row["algorithm"], k=row["k"], place=row["k"])
        for row in report.rows
        if (row["metric"], row["of"]) == ("Acc", of) and row["algorithm"] in marks.algorithms
    ]
    ks = sorted({row["k"] for row in rows})
    if len(ks) < 2:
        return []
    raters = set_aside(rows, marks)

    def draw(style: Style) -> Any:
        x = alt.X(
            "place:Q", title="k, the diagnoses of each list that count", scale=edges(ks[0], ks[-1]),
            axis=alt.Axis(values=ks, format="d", grid=False),
        )  # fmt: skip
        base = alt.Chart(named("rates")).encode(x=x)
        y = alt.Y(
            "value:Q",
            title="cases with a right answer",
            scale=alt.Scale(zero=False, nice=True),
            axis=alt.Axis(format="%"),
        )
        tips = {"rater": "model", "k": "k", "told": "accuracy"}
        bars, curves = upright(base, marks, raters, style), curve(base.encode(y=y), tips, marks, raters, style)
        return alt.layer(bars, *curves).properties(width=style.width, height=270)

    told_of = {(row["rater"], row["k"]): row["told"] for row in rows}
    told = "; ".join(
        f"{rater} {told_of[rater, ks[0]]} at {ks[0]}, {told_of[rater, ks[-1]]} at {ks[-1]}" for rater in raters
    )
    return [
        Figure(
            name="top_k",
            section="leaderboard",
            title="Top-k accuracy" if of == "M" else f"Top-k accuracy by {of}",
            finding=f"The share of cases with a right answer among the first k diagnoses. {told}.",
            columns={"rater": "model", "k": "k", "told": "accuracy"},
            rows=rows,
            data={"rates": known_rows(rows)},
            draw=draw,
            series=raters,
            note="How many cases have a right answer among the first k diagnoses; bars are intervals. The axis may not begin at 0.",
        )
    ]


def forest(report: Results) -> list[Figure]:
    """Each two models in the first metric of the leaderboard, a point with its interval, beside the line at 0."""
    board = leaderboard(report)
    place = {rater: at for at, rater in enumerate(board.algorithms)}
    if not board.columns:
        return []
    column = board.columns[0]
    rows = []
    for row in report.difference_rows:
        both = row["first"], row["second"]
        if row["name"] == column.name and row["value"] is not None and set(both) <= place.keys():
            first, second = sorted(both, key=place.__getitem__)
            sign = 1 if first == row["first"] else -1
            ends = sorted(sign * row[end] for end in ("low", "high")) if row["low"] is not None else [None, None]
            turned: Row = {"value": sign * row["value"], "low": ends[0], "high": ends[1]}
            rows.append(
                with_told(
                    turned, pair=f"{first} − {second}", order=(place[first], place[second]), p=p_value(row["p_holm"])
                )
            )
    rows.sort(key=lambda row: row["order"])
    if not 2 <= len(rows) <= _MAX_PAIRS:
        return []
    rows = [{key: value for key, value in row.items() if key != "order"} for row in rows]
    pairs = [row["pair"] for row in rows]

    def draw(style: Style) -> Any:
        y = alt.Y(
            "pair:N",
            title=None,
            scale=alt.Scale(domain=pairs),
            axis=alt.Axis(domain=False, ticks=False, labelLimit=280),
        )
        base = alt.Chart(named("differences")).encode(y=y)
        x = alt.X("value:Q", title=f"difference in {column.label}")
        tips = tooltip(pair="models", told="difference", p="p")
        zero = (
            alt.Chart(named("zero")).mark_rule(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink).encode(x="zero:Q")
        )
        return alt.layer(
            zero,
            base.mark_rule(strokeWidth=1.6, opacity=0.6, color=style.series[0]).encode(x="low:Q", x2="high"),
            base.mark_point(filled=True, size=62, opacity=1, color=style.series[0]).encode(x=x, tooltip=tips),
        ).properties(width=style.width, height=24 * len(rows))

    told = "; ".join(f"{row['pair']} {row['told']}{', ' if row['p'] else ''}{row['p']}" for row in rows)
    return [
        Figure(
            name="forest",
            section="differences",
            title=f"Differences in {column.label}",
            finding=f"The difference of each two models in {column.name}. {told}.",
            columns={"pair": "models", "told": "difference", "p": "p, corrected"},
            rows=rows,
            data={"differences": rows, "zero": [{"zero": 0}]},
            draw=draw,
            note="Points are differences on the same cases, bars their intervals; right of the dashed line the first is higher.",
        )
    ]
