"""A line chart as inline SVG: values by k with their intervals, and the line at 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

_WIDTH, _HEIGHT = 440, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 12, 14, 34


def chart(curves: Sequence[Sequence[dict[str, Any]]], ks: Sequence[int], label: str, colours: int) -> str:
    """One curve for each list of rows (value, low, high, name, reason), in the page's colours `--s0`, `--s1`, ….

    A value that is undefined leaves a gap.
    """
    tops = [row[key] for rows in curves for row in rows for key in ("value", "high") if row[key] is not None]
    step = _step(max([1.0, *tops]))
    top = step * math.ceil(max([1.0, *tops]) * 1.04 / step)
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(place: float) -> float:
        return _LEFT + wide * (place + 0.5) / len(ks)

    def y(value: float) -> float:
        return _TOP + high * (1 - value / top)

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">']
    for tick in range(round(top / step) + 1):
        at = y(tick * step)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{tick * step:g}</text>')
    for place, k in enumerate(ks):
        parts.append(f'<text x="{x(place):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">k = {k}</text>')
    parts.append(f'<line class="one" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(1):.1f}" y2="{y(1):.1f}"/>')
    for number, rows in enumerate(curves):
        colour = f"var(--s{number % colours})"
        # curves stand side by side within a k, so that their bars do not hide each other
        aside = (number - (len(curves) - 1) / 2) * min(0.1, 0.6 / len(curves))
        points = [(x(place + aside), row) for place, row in enumerate(rows)]
        for run in _runs(points):
            path = " ".join(f"{at:.1f},{y(row['value']):.1f}" for at, row in run)
            parts.append(f'<polyline class="curve" stroke="{colour}" points="{path}"/>')
        for at, row in points:
            if row["value"] is None:
                continue
            reach = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
            if row["low"] is not None:
                ends = f'y1="{y(row["low"]):.1f}" y2="{y(row["high"]):.1f}"'
                parts.append(f'<line class="reach" stroke="{colour}" x1="{at:.1f}" x2="{at:.1f}" {ends}/>')
            told = escape(f"{row['algorithm']}: {row['name']} {row['value']:.3f}{reach}")
            parts.append(
                f'<circle cx="{at:.1f}" cy="{y(row["value"]):.1f}" r="4" fill="{colour}"><title>{told}</title></circle>'
            )
    return "".join([*parts, "</svg>"])


def _step(top: float) -> float:
    """A round distance between ticks, for four to eight of them."""
    power = 10 ** math.floor(math.log10(top / 4))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if top / (power * factor) <= 6)


def _runs(points: Sequence[tuple[float, dict[str, Any]]]) -> list[list[tuple[float, dict[str, Any]]]]:
    """Stretches of neighbouring points that have a value."""
    runs: list[list[tuple[float, dict[str, Any]]]] = [[]]
    for point in points:
        if point[1]["value"] is None:
            runs.append([])
        else:
            runs[-1].append(point)
    return [run for run in runs if run]
