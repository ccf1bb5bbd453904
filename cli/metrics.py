"""`dxmatch metrics`: the list of all metrics."""

from __future__ import annotations


def metrics() -> None:
    """List every metric with its formula, source and range."""
    from rich.console import Console
    from rich.table import Table

    from ..evaluation.metrics import all_metrics

    table = Table("Metric", "Says", "Formula", "Range", "Source", title="Metrics", show_lines=True)
    for metric in all_metrics():
        table.add_row(metric.symbol, metric.description, metric.formula, metric.range, metric.source)
    Console().print(table)
