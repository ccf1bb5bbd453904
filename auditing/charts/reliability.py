"""Whether M's probabilities mean what they say, and how many pairs have which."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import named, tooltip
from ...pages.figure import Figure, Row
from ...pages.style import Style
from ..results.audit_tables import AuditTables
from ..results.messages import spanned
from .marks import threshold_line


def figures(audit: AuditTables) -> list[Figure]:
    """The histogram, and with labels the reliability curve."""
    reliability = [] if audit.reliability is None else [_curve(audit.reliability.to_pylist())]
    return [*reliability, _histogram(audit.histogram.to_pylist(), audit.made_with["threshold"])]


def _curve(rows: list[Row]) -> Figure:
    rows = [
        row | {"told": spanned(row["matches"], row["low"], row["high"]), "mean": f"{row['mean_probability']:.3f}"}
        for row in rows
    ]

    def draw(style: Style) -> Any:
        import altair as alt

        unit = alt.Scale(domain=[0, 1])
        own: dict[str, Any] = {"color": style.series[0]}
        x = alt.X("mean_probability:Q", title="probability that M says", scale=unit)
        base = alt.Chart(named("bins")).encode(x=x)
        diagonal = alt.Chart(named("diagonal")).mark_line(strokeDash=[5, 4], strokeWidth=1.3, color=style.ink)
        y = alt.Y("matches:Q", title="share that are matches", scale=unit)
        points = base.mark_point(filled=True, size=62, opacity=1, **own)
        return alt.layer(
            diagonal.encode(x=x, y="matches:Q"),
            base.mark_rule(strokeWidth=1.6, opacity=0.55, **own).encode(y="low:Q", y2="high"),
            base.mark_line(strokeWidth=2, **own).encode(y=y),
            points.encode(y="matches:Q", tooltip=tooltip(mean="said", told="matches", pairs="pairs")),
        ).properties(width=style.width, height=260)

    told = "; ".join(f"{row['mean']} said, {row['told']} found, in {row['pairs']:,} pairs" for row in rows)
    return Figure(
        name="reliability",
        section="measures",
        title="Do the probabilities mean what they say?",
        finding=f"Share of matches where M says a probability: {told}.",
        columns={"from": "from", "to": "to", "mean": "mean probability", "told": "share of matches", "pairs": "pairs"},
        rows=rows,
        data={"bins": rows, "diagonal": [{"mean_probability": 0, "matches": 0}, {"mean_probability": 1, "matches": 1}]},
        draw=draw,
        note="On the dashed line they do. Above it M is too careful, below it too sure. Bars are intervals.",
    )


def _histogram(rows: list[Row], threshold: float) -> Figure:
    """Matches upwards and the others downwards; all upwards where nobody labelled them."""
    sides = {"matches": 1, "others": -1} if "matches" in rows[0] else {"pairs": 1}
    bars = [
        {"from": row["from"], "to": row["to"], "kind": kind, "pairs": row[kind], "end": side * row[kind], "start": 0,
         "range": f"{row['from']:.3f} to {row['to']:.3f}"}
        for kind, side in sides.items()
        for row in rows
        if row[kind]
    ]  # fmt: skip
    above = {kind: sum(row[kind] for row in rows if row["from"] >= threshold) for kind in sides}
    of = {kind: sum(row[kind] for row in rows) for kind in sides}

    most = max(abs(bar["end"]) for bar in bars)
    tens = [10**power for power in range(len(str(most)))]
    ticks = [side * ten for side in sides.values() for ten in tens] + [0]

    def draw(style: Style) -> Any:
        import altair as alt

        colours = alt.Scale(domain=list(sides), range=[style.series[0], style.panel][: len(sides)])
        legend = alt.Legend(symbolType="square") if len(sides) == 2 else None
        axis = alt.Axis(labelExpr="format(abs(datum.value), ',')", values=ticks)
        drawn = alt.Chart(named("bars")).mark_bar(binSpacing=1)
        drawn = drawn.encode(
            x=alt.X("from:Q", title="probability that M says", scale=alt.Scale(domain=[0, 1])),
            x2="to",
            # symlog: a handful of pairs beside the threshold is to be seen beside thousands at 0
            y=alt.Y("start:Q", title="pairs", scale=alt.Scale(type="symlog"), axis=axis),
            y2="end",
            color=alt.Color("kind:N", scale=colours, legend=legend),
            tooltip=tooltip(kind="of", range="probability", pairs="pairs"),
        )
        return alt.layer(drawn, threshold_line(style)).properties(width=style.width, height=240)

    told = ", ".join(f"{above[kind]:,} of {of[kind]:,} {kind}" for kind in sides)
    return Figure(
        name="histogram",
        section="measures",
        title="How many pairs have which probability",
        finding=f"Probabilities from 0 to 1 in {len(rows)} steps. In those from the threshold {threshold:.3f} up: {told}.",
        columns={"range": "probability", "kind": "of", "pairs": "pairs"},
        rows=bars,
        data={"bars": bars, "threshold": [{"at": threshold}]},
        draw=draw,
        note="Dashed: the threshold. The scale of pairs is logarithmic.",
    )
