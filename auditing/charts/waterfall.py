"""One decision, taken apart: from the start that all pairs share to the score of this one."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import named, number, only, tooltip
from ...pages.figure import Figure, Row
from ...pages.style import Style
from ..results.decision import Decision
from ..results.messages import signed
from .marks import names, threshold_line

_ROW, _MAX_BARS, _MAX_LENGTH = 26, 14, 40
FOR, AGAINST = "for a match", "against a match"


def waterfall(explanation: Decision, start: float, score: float) -> Figure:
    """Bars in raw log-odds, the largest first; the smallest of many are one bar. The dashed line is where a match begins."""
    rows = _rows(explanation, start)
    ends = [value for row in rows for value in (row["from"], row["to"])] + [explanation.raw_threshold]
    low, high = min(ends), max(ends)
    room = 0.12 * ((high - low) or 1.0)

    def draw(style: Style) -> Any:
        import altair as alt

        sides = alt.Scale(domain=[FOR, AGAINST], range=list(style.series[:2]))
        reach = alt.Scale(domain=[low - room, high + room], nice=False, zero=False)
        base = alt.Chart(named("parts")).encode(y=names("line", limit=260))
        bars = base.mark_bar(height={"band": 0.62}).encode(
            x=alt.X("from:Q", title="log-odds of a match, before calibration", scale=reach),
            x2="to",
            color=alt.Color("side:N", scale=sides, legend=alt.Legend(symbolType="square")),
            tooltip=tooltip(feature="feature", value="value", told="contribution", label="says"),
        )
        told = base.mark_text(align="left", dx=5).encode(x="right:Q", text="told:N")
        return alt.layer(threshold_line(style), bars, told).properties(width=style.width, height=_ROW * len(rows))

    end = "a match" if explanation.match else "no match"
    return Figure(
        name="waterfall",
        section="why",
        title=f"{_short(explanation.a)} and {_short(explanation.b)}: {end}, probability {explanation.probability:.3f}",
        finding=f"From the start at {signed(start)} to {signed(score)}, where a match begins at "
        f"{signed(explanation.raw_threshold)}: " + "; ".join(f"{row['feature']} {row['told']}" for row in rows) + ".",
        columns={"feature": "feature", "value": "value", "told": "contribution", "label": "says"},
        rows=rows,
        data={
            "parts": only(rows, ("line", "feature", "value", "told", "label", "side", "from", "to", "right")),
            "threshold": [{"at": explanation.raw_threshold}],
        },
        draw=draw,
        note=f"Each bar starts where the one above ends; the first starts at {signed(start)}, where every pair does. Dashed: "
        f"where a match begins, at probability {explanation.threshold:.3f}.",
    )  # fmt: skip


def _rows(explanation: Decision, start: float) -> list[Row]:
    parts = [
        (part.feature, "unknown" if part.value is None else number(part.value), part.contribution, part.label)
        for part in explanation.parts
    ]
    if len(parts) > _MAX_BARS:
        rest = parts[_MAX_BARS - 1 :]
        parts = [
            *parts[: _MAX_BARS - 1],
            (f"{len(rest)} others", "", sum(part[2] for part in rest), "the smallest, together"),
        ]
    rows: list[Row] = []
    at = start
    for feature, value, contribution, label in parts:
        rows.append(
            {"line": f"{feature} = {value}" if value else feature, "feature": feature, "value": value,
             "told": f"{signed(contribution)}", "label": label, "side": FOR if contribution >= 0 else AGAINST,
             "from": at, "to": at + contribution, "right": max(at, at + contribution)}
        )  # fmt: skip
        at += contribution
    return rows


def _short(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"
