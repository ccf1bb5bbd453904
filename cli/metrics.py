"""`dxmatch metrics`: the list of all metrics, or one in full."""

from __future__ import annotations

from typing import Annotated, Any

import typer

_IN_LISTS = ("name", "symbol", "formula", "range", "source", "meaning", "good", "use", "avoid")


def metrics(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Metrics to show in full, by name or symbol: top_k, RPAD. Left out: a table of all."),
    ] = None,
) -> list[dict[str, Any]]:
    """List every metric with its formula, source and range, or show those that are named in full."""
    from ..evaluation.score.declare import all_metrics, called
    from ..evaluation.score.reference_page import entry
    from ..terminal import print_table

    declared = called(names) if names else all_metrics()
    if names:
        typer.echo("\n\n".join("\n".join(entry(metric)) for metric in declared))
    else:
        rows = [(one.symbol, one.meaning, one.formula, one.range, one.source) for one in declared]
        print_table(("Metric", "Says", "Formula", "Range", "Source"), rows, title="Metrics", show_lines=True)
        typer.echo("One in full: dxmatch metrics NAME")
    # "description" is promised to programs that read the JSON
    return [
        {name: getattr(metric, name) for name in _IN_LISTS} | {"description": metric.meaning} for metric in declared
    ]
