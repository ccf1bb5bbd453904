"""The charts of the report, one file per chart: each gives `figures(report)`, none where the input does not allow it."""

from __future__ import annotations

from ....pages.figure import Figure
from ...statistics.results import Results
from . import cascade, curves, pairs, plane, ranks, sigma, violins

CHARTS = (curves, pairs, sigma, cascade, ranks, violins, plane)
"""In the order of the page."""


def all_figures(report: Results) -> list[Figure]:
    """Every chart that the report allows."""
    return [figure for chart in CHARTS for figure in chart.figures(report)]
