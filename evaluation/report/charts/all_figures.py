"""Every chart of a report, in the order of the page."""

from __future__ import annotations

from ....pages.figure import Figure
from ...statistics.results import Results
from . import bands, curves, leaderboard, plane, violins

CHARTS = (
    leaderboard.accuracy, leaderboard.forest, curves.by_k, curves.by_hardness, bands.pairs, bands.sigma, curves.by_level, curves.ranks, violins.figures, plane.raters, plane.cases,
)  # fmt: skip


def all_figures(report: Results) -> list[Figure]:
    """Every chart that the report allows."""
    return [figure for chart in CHARTS for figure in chart(report)]
