"""`dxmatch ddxplus`: patients of DDXPlus as cases to ask language models about, with their right answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def ddxplus(
    patients: Annotated[
        Path,
        typer.Argument(help="The CSV of the patients; release_evidences.json and release_conditions.json beside it."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The cases: .jsonl or .parquet.")],
    cases: Annotated[
        int | None, typer.Option(help="A sample of so many, stratified by pathology: 730 in H-DDx. All, if none.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    allocation: Annotated[
        str, typer.Option(help="proportional, as in H-DDx, or equal: as many of each pathology.")
    ] = "proportional",
    first: Annotated[
        int | None, typer.Option(help="Of each differential so many are the reference: 5 in H-DDx. All, if none.")
    ] = None,
) -> None:
    """Patients of DDXPlus as cases for `dxmatch ask`, and as right answers for `dxmatch evaluate --references`."""
    from ..evaluation.lists.formats.ddxplus import cases as read
    from ..files.counted import counted
    from ..files.tables import check_output, write_table

    check_output(output)
    made = read(patients, cases, seed, allocation, first)
    write_table(made, output)
    typer.echo(f"{output}: {counted(made.num_rows, 'case')}.")
