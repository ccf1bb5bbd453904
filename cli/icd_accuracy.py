"""How often a mapping to ICD-10 is right, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ..matcher.icd_accuracy import IcdAccuracy, Measure

_SHOWN = 20
"""Errors; a file has all."""
_WORDS = {
    "candidates": "Right code among the candidates, {}",
    "code": "Code that came out, {}",
    "gain": "Gain of the pick over the first candidate",
}


def print_accuracy(accuracy: IcdAccuracy) -> None:
    """The figures and the first errors, with what counts nowhere or as wrong above them."""
    from ..files.counted import counted
    from ..terminal import print_table

    if accuracy.without_gold:
        typer.echo(f"Left out: {counted(accuracy.without_gold, 'diagnosis', 'diagnoses')} without a right code.")
    if accuracy.no_code:
        typer.echo(f"Wrong since no code came out: {counted(accuracy.no_code, 'diagnosis', 'diagnoses')}.")
    print_table(("", "Share", "95 % interval", "Of"), map(_cells, accuracy.measures))
    errors = accuracy.errors
    if not errors:
        return
    rows = []
    for row in errors[:_SHOWN]:
        codes = (" ".join(row[part] or "" for part in parts) for parts in (("gold", "gold_name"), ("icd10", "name")))
        rows.append((row["diagnosis"], *codes, row["right_at"], str(row["gold_place"] or "")))
    print_table(("Diagnosis", "Right code", "Code that came out", "Right at", "Place"), rows)
    typer.echo("Place: of the right code among the candidates.")
    if len(errors) > _SHOWN:
        typer.echo(f"{len(errors) - _SHOWN:,} more errors are in the table (--output) and the JSON (--json).")


def _cells(one: Measure) -> tuple[str, str, str, str]:
    name = "right" if (one.of, one.name) == ("code", "top 1") else one.name
    sign = "+" if one.of == "gain" else ""
    interval = f"{one.low:{sign}.3f} to {one.high:{sign}.3f}"
    return _WORDS[one.of].format(name), f"{one.value:{sign}.4f}", interval, f"{one.right:{sign}} of {one.cases:,}"
