"""`dxmatch icd`: free text to ICD-10, offline or with a language model's picks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Encoding, Model, say_read
from .votes import STORE, Endpoints, quiet_retries, say_asked


def icd(
    strings: Annotated[
        list[str],
        typer.Argument(help="A table of diagnoses (.csv, .tsv, .jsonl, .xlsx, .parquet), or the diagnoses themselves."),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the mapping goes; shown here if not given.")
    ] = None,
    column: Annotated[str, typer.Option(help="The column of the diagnoses.")] = "diagnosis",
    k: Annotated[
        int | None, typer.Option("--k", help="Candidates for each diagnosis: 15, or as the pick says.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="icd10cm (if not given), icd10 (WHO), or a CSV with code, name, parent.")
    ] = None,
    unique: Annotated[
        bool, typer.Option("--unique", help="One row for each different string: a reference table.")
    ] = False,
    pick: Annotated[
        str | None,
        typer.Option("--pick", help="The language model that picks among the candidates, as --features names it."),
    ] = None,
    features: Annotated[str, typer.Option(help="With --pick: the feature set that declares it.")] = "paper17",
    endpoints: Endpoints = None,
    store: Annotated[Path, typer.Option(help="With --pick: the vote store, which keeps the picks.")] = STORE,
    max_calls: Annotated[int | None, typer.Option(help="With --pick: stop after so many calls.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="With --pick: stop before this cost.")] = None,
    model: Model = None,
    encoding: Encoding = None,
) -> None:
    """Map free text to ICD-10, with the candidates: by name, by code, else the best of the nearest, or a language model's pick."""
    from ..files.counted import counted
    from ..files.tables import check_keeps_input, check_output, write_table
    from ..matcher.icd_mapping import flat_candidates, is_path, map_icd
    from ..progress import shown

    if output is not None:
        check_output(output)
        if is_path(strings[0]):
            check_keeps_input(strings[0], output)
    one_or_more = strings[0] if len(strings) == 1 else strings
    if pick is not None:
        quiet_retries()
    with shown("Asking") as progress:
        result = map_icd(
            one_or_more, column=column, unique=unique, k=k, source=source, model=model, pick=pick, features=features, endpoints=endpoints,
            store=store, max_calls=max_calls, max_cost=max_cost, encoding=encoding, progress=progress,
        )  # fmt: skip
    mapped = result.table
    say_read(result.read.note)
    if output is None:
        _print_icd(mapped)
    else:
        write_table(mapped if output.suffix in (".jsonl", ".parquet") else flat_candidates(mapped), output)
        unmapped = mapped.column("icd10").null_count
        told = f", {unmapped:,} of them to no code" if unmapped else ""
        typer.echo(f"{output}: {counted(mapped.num_rows, 'diagnosis', 'diagnoses')} mapped{told}.")
    if result.asked is not None:
        say_asked(result.asked)


def _print_icd(mapped: object) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("Diagnosis", "ICD-10", "Name", "How", "Score")
    for row in mapped.to_pylist():  # type: ignore[attr-defined]
        score = "" if row["score"] is None else f"{row['score']:.3f}"
        table.add_row(row["diagnosis"], row["icd10"] or "", row["name"] or "", row["how"], score)
    Console().print(table)
