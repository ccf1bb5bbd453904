"""`dxmatch metrics`: the list of all metrics, or one in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..evaluation.score.declare import all_metrics, called
from ..evaluation.score.reference_page import entry
from ..terminal import print_table
from .command import command


@command(given=("names",))
def metrics(names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """List every metric with its formula, source and range, or show those that are named in full.

    Parameters
    ----------
    names : str
        Metrics to show in full, by name or symbol, such as top_k or RPAD; a table of all if none is given.

    Examples
    --------
    dxmatch metrics
    dxmatch metrics rpad
    """
    declared = called(list(names)) if names else all_metrics()
    if names:
        print("\n\n".join("\n".join(entry(metric)) for metric in declared))
    else:
        told = [(one.symbol, one.description) for one in declared]
        rows = [(symbol, said.meaning, said.formula, said.range, said.source) for symbol, said in told]
        print_table(("Metric", "Says", "Formula", "Range", "Source"), rows, title="Metrics", show_lines=True)
        print("One in full: dxmatch metrics NAME")
    return [{"name": one.name, "symbol": one.symbol, **asdict(one.description)} for one in declared]
