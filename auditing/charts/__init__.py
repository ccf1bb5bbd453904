"""The charts of an audit, one subject per file: each gives `figures(audit)`, none where the tables do not allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...pages.figure import Figure
from . import contributions, correlation, mistakes, reliability, spoilt

if TYPE_CHECKING:
    from ..result import Audit

CHARTS = (reliability, contributions, spoilt, correlation, mistakes)
"""In the order of the page."""


def all_figures(audit: Audit) -> list[Figure]:
    """Every chart that the audit allows."""
    return [figure for chart in CHARTS for figure in chart.figures(audit)]
