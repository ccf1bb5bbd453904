"""The charts of an audit, one subject per file: each gives `figures(audit)`, none where the tables do not allow it."""

from __future__ import annotations

from ...pages.figure import Figure
from ..results.audit_tables import AuditTables
from . import alone, contributions, correlation, mistakes, permutation, reliability

CHARTS = (reliability, contributions, permutation, alone, correlation, mistakes)
"""In the order of the page."""


def all_figures(audit: AuditTables) -> list[Figure]:
    """Every chart that the audit allows."""
    return [figure for chart in CHARTS for figure in chart.figures(audit)]
