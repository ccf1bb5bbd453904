"""`dxmatch reasoning`: predicted diagnostic reasoning against annotated reasoning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Bootstrap, Model, Seed


def reasoning(
    graphs: Annotated[Path, typer.Argument(help="The folder of knowledge graphs, one JSON a disease category.")],
    annotations: Annotated[Path, typer.Argument(help="The folder of annotated notes, one JSON a note.")],
    predictions: Annotated[Path, typer.Argument(help="The folder of predictions, of the same places and names.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The table of metrics: .csv, .tsv, .jsonl or .parquet.")
    ] = None,
    per_note: Annotated[Path | None, typer.Option("--per-note", help="A table with a row for each note.")] = None,
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    model: Model = None,
) -> None:
    """Compare predicted diagnostic reasoning with annotated reasoning, in the formats of DiReCT."""
    from rich.console import Console
    from rich.table import Table

    from ..evaluation.reasoning.evaluate import reasoning as run
    from ..files.tables import check_output, write_table

    for path in (output, per_note):
        if path is not None:
            check_output(path)
    result = run(graphs, annotations, predictions, model, bootstrap=bootstrap, seed=seed)
    table = Table("Metric", "Value", "95 % interval", "Notes")
    for row in result.rows:
        if row["category"] == "all":
            value = "undefined" if row["value"] is None else f"{row['value']:.3f}"
            between = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
            table.add_row(row["metric"], value, between, f"{row['n_notes']:,}")
    Console().print(table)
    for note in result.notes:
        typer.echo(note)
    for path, made in ((output, result.table), (per_note, result.per_note)):
        if path is not None:
            write_table(made, path)
            typer.echo(f"Written: {path}")
