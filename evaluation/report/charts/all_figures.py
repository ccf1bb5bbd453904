"""Every chart of a report, in the order of the page."""

from __future__ import annotations

from dataclasses import replace

from ....pages.figure import Figure
from ...statistics.results import Results
from . import bands, curves, leaderboard, plane, violins
from .layers import GROUP
from .marks import Marks, marks_of

CHARTS = (
    leaderboard.accuracy, leaderboard.forest, curves.by_k, curves.by_hardness, bands.pairs, bands.sigma, curves.by_level, curves.ranks, violins.figures, plane.raters, plane.cases,
)  # fmt: skip


def all_figures(report: Results) -> list[Figure]:
    """Every chart that the report allows."""
    figures = [figure for chart in CHARTS for figure in chart(report)]
    marks = marks_of(report)
    return [_with_groups(figure, marks) for figure in figures] if marks.groups else figures


def _with_groups(figure: Figure, marks: Marks) -> Figure:
    """With the group of its rater in each row that is drawn."""
    data = {
        name: [row | {GROUP: marks.group(row["rater"])} if "rater" in row else row for row in rows]
        for name, rows in figure.data.items()
    }
    return replace(figure, data=data)
