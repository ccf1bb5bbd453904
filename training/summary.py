"""What the terminal shows after a training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..matcher.match_function import MatchFunction
from .expert_agreement import agreement_words
from .statistics.measure import MEASURES


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
    for line in data_words(matcher.data):
        print(line)
    print(f"{folder}: saved, threshold {matcher.threshold:.3f}. Card: {folder / 'CARD.md'}")


def data_words(data: dict[str, Any]) -> list[str]:
    """What the labelled pairs were, a line each, from the manifest's `data`."""
    lines = []
    if "agreement" in data:
        lines.append(f"Labels: {agreement_words(data['agreement'])}")
    if (inside := data.get("contained", {})) and inside["rule"] != "keep":
        done = {"set-aside": "set aside", "match": "labelled 1"}[inside["rule"]]
        lines.append(
            f"Pairs labelled 0 in which one side's words contain the other's: {inside['pairs'] - inside['matches']:,} {done}."
        )
    for extra in data.get("extra", ()):
        lines.append(
            f"Extra pairs from {extra['source']}: {extra['pairs']:,} of weight {extra['weight']:g}, {extra['matches']:,} of them"
            " matches; training only."
        )
    if "prevalence" in data:
        lines.append(
            f"Probabilities, threshold and measures are for pairs of which {100 * data['prevalence']:g} % match."
        )
    return lines
