"""`python -m dxmatch.training.silver --data FOLDER -o silver.csv`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer
from rich.console import Console
from rich.table import Table

from ...errors import DxmatchError, InputError
from ...files.tables import check_output, write_table
from ...progress import shown
from .generators import GENERATORS
from .pairs import PAIRS, counts, silver_pairs

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(epilog="Example: python -m dxmatch.training.silver --data data -o silver.csv --share random=0.2 --fold 0")
def main(
    data: Annotated[Path, typer.Option(help="The folder with the files of Orphadata, MONDO and Meta-Inventory.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of pairs: CSV, TSV, JSONL or Parquet.")],
    share: Annotated[
        list[str] | None, typer.Option(help=f"KIND=SHARE, as often as you like. Kinds: {', '.join(GENERATORS)}.")
    ] = None,
    n: Annotated[int, typer.Option("-n", help="How many pairs in all.")] = PAIRS,
    fold: Annotated[
        int | None, typer.Option(help="0 to 4: of the diseases of one fold alone, which an encoder was kept from.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
) -> None:
    """Makes labelled pairs from ICD-10-CM, Orphadata, MONDO and Meta-Inventory under the six expert criteria."""
    try:
        shares = dict(map(_share, share or []))
        check_output(output)
        with shown("Pairs") as progress:
            pairs = silver_pairs(data, shares=shares, n=n, fold=fold, seed=seed, progress=progress)
        write_table(pairs, output)
    except DxmatchError as error:
        typer.echo(f"dxmatch: {error}", err=True)
        raise typer.Exit(1) from None
    _print_summary(pairs, counts(shares, n))
    print(f"{output}: {len(pairs):,} pairs")


def _share(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise InputError("a share that cannot be read", allowed="KIND=NUMBER, such as random=0.1", got=text) from None


def _print_summary(pairs: pa.Table, wanted: dict[str, int]) -> None:
    kinds = pairs.column("kind").to_pylist()
    table = Table("Kind", "Label", "Why", "Pairs", "Wanted", title="Silver pairs")
    for name, count in wanted.items():
        kind = GENERATORS[name]
        table.add_row(name, str(kind.label), kind.criterion, f"{kinds.count(name):,}", f"{count:,}")
    Console().print(table)


if __name__ == "__main__":
    app()
