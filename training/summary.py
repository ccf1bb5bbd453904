"""What the terminal shows after a training."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from ..models.match_function import MatchFunction
from .measure import MEASURES


def print_training(matcher: MatchFunction, folder: Path) -> None:
    parts = {
        key: matcher.metrics[key]
        for key in ("held_out", "held_out_not_identical", "cross_validated")
        if key in matcher.metrics
    }
    table = Table(
        "Measure", *(key.replace("_", " ") for key in parts), title=f"{matcher.name}: on references it has not seen"
    )
    for name in MEASURES:
        cells = []
        for part in parts.values():
            value = part[name]
            shown = "undefined" if value["value"] is None else f"{value['value']:.3f}"
            between = "" if value["low"] is None else f" [{value['low']:.3f}, {value['high']:.3f}]"
            cells.append(shown + between)
        table.add_row(name.replace("_", " "), *cells)
    table.add_row("pairs", *(f"{part['pairs']:,}" for part in parts.values()))
    table.add_row("references", *(f"{part['groups']:,}" for part in parts.values()))
    Console().print(table)
    print(f"{folder}: saved, threshold {matcher.threshold:.3f}. Card: {folder / 'CARD.md'}")
