"""Charts without Vega: a line chart as plain SVG, for pages made without the extra `report`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from ...pages.figure import Figure
from ...pages.rows import Row
from ...pages.style import COLOURS
from .charts.marks import Marks

_WIDTH, _HEIGHT = 440, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 12, 14, 34


def chart_without_script(drawn: Figure, marks: Marks) -> str:
    """A curve over k as SVG; of any other chart its finding in words. HTML."""
    if not drawn.name.endswith("_by_k") or drawn.section != "relative":
        return f'<div class="chart"><p>{escape(drawn.finding)}</p></div>'
    curves = [[row for row in drawn.rows if row["rater"] == rater] for rater in drawn.series]
    colours = [f"var(--s{(marks.place(rater) or 0) % COLOURS})" for rater in drawn.series]
    return f'<div class="chart">{_svg(curves, colours, drawn.finding)}</div>'


def _svg(curves: Sequence[Sequence[Row]], colours: Sequence[str], label: str) -> str:
    """One curve for each list of rows (k, value, low, high). A value that is undefined leaves a gap."""
    ks = sorted({row["k"] for rows in curves for row in rows})
    tops = [row[key] for rows in curves for row in rows for key in ("value", "high") if row[key] is not None]
    step = _step(max([1.0, *tops]))
    top = step * math.ceil(max([1.0, *tops]) * 1.04 / step)
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(place: float) -> float:
        return _LEFT + wide * (place + 0.5) / len(ks)

    def y(value: float) -> float:
        return _TOP + high * (1 - value / top)

    text = 'fill="var(--soft)" font-size="12"'
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">']
    for tick in range(round(top / step) + 1):
        at = y(tick * step)
        parts.append(f'<path stroke="var(--line)" d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(f'<text {text} x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{tick * step:g}</text>')
    for place, k in enumerate(ks):
        parts.append(
            f'<text {text} x="{x(place):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">k = {k}</text>'
        )
    parts.append(
        f'<path class="one" stroke="var(--ink)" stroke-dasharray="5 4" d="M{_LEFT} {y(1):.1f}H{_WIDTH - _RIGHT}"/>'
    )
    for number, (rows, colour) in enumerate(zip(curves, colours, strict=True)):
        # curves stand side by side within a k, so that their bars do not hide each other
        aside = (number - (len(curves) - 1) / 2) * min(0.1, 0.6 / len(curves))
        points = [(x(ks.index(row["k"]) + aside), row) for row in rows]
        for run in _runs(points):
            path = " ".join(f"{at:.1f},{y(row['value']):.1f}" for at, row in run)
            parts.append(f'<polyline class="curve" fill="none" stroke-width="2" stroke="{colour}" points="{path}"/>')
        for at, row in points:
            if row["value"] is None:
                continue
            if row["low"] is not None:
                ends = f"M{at:.1f} {y(row['low']):.1f}V{y(row['high']):.1f}"
                parts.append(f'<path class="reach" stroke-width="1.5" stroke="{colour}" d="{ends}"/>')
            parts.append(f'<circle cx="{at:.1f}" cy="{y(row["value"]):.1f}" r="4" fill="{colour}"/>')
    return "".join([*parts, "</svg>"])


def _step(top: float) -> float:
    """A round distance between ticks, for four to eight of them."""
    power = 10 ** math.floor(math.log10(top / 4))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if top / (power * factor) <= 6)


def _runs(points: Sequence[tuple[float, Row]]) -> list[list[tuple[float, Row]]]:
    """Stretches of neighbouring points that have a value."""
    runs: list[list[tuple[float, Row]]] = [[]]
    for point in points:
        if point[1]["value"] is None:
            runs.append([])
        else:
            runs[-1].append(point)
    return [run for run in runs if run]
