"""`dxmatch metrics`: the list of all metrics."""

from __future__ import annotations

from typing import Any


def metrics() -> list[dict[str, Any]]:
    """List every metric with its formula, source and range."""
    from rich.table import Table

    from ..evaluation.metrics import all_metrics
    from ..terminal import wide_console

    table = Table("Metric", "Says", "Formula", "Range", "Source", title="Metrics", show_lines=True)
    declared = all_metrics()
    for metric in declared:
        table.add_row(metric.symbol, metric.description, metric.formula, metric.range, metric.source)
    wide_console().print(table)
    told = ("name", "symbol", "description", "formula", "range", "source", "meaning", "good", "use", "avoid")
    return [{name: getattr(metric, name) for name in told} for metric in declared]
