"""`python -m dxmatch.recipe.silver --data FOLDER -o silver.csv`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pyarrow as pa
from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from ...errors import DxmatchError, InputError
from ...files.tables import check_output, write_table
from ...progress import shown
from .generators import GENERATORS
from .pairs import PAIRS, counts, silver_pairs

app = App(
    help_epilogue="Example: python -m dxmatch.recipe.silver --data data -o silver.csv --share random=0.2 --fold 0"
)


@app.default
def main(
    *,
    data: Path,
    output: Annotated[Path, Parameter(name=("--output", "-o"))],
    share: Annotated[
        list[str], Parameter(help=f"KIND=SHARE, as often as you like. Kinds: {', '.join(GENERATORS)}.")
    ] = [],  # noqa: B006 (read, never changed)
    n: Annotated[int, Parameter(name="-n")] = PAIRS,
    fold: int | None = None,
    seed: int = 0,
) -> None:
    """Makes labelled pairs from ICD-10-CM, Orphadata, MONDO and Meta-Inventory under the six expert criteria.

    Parameters
    ----------
    data
        The folder with the files of Orphadata, MONDO and Meta-Inventory.
    output
        The file of pairs: CSV, TSV, JSONL or Parquet.
    n
        How many pairs in all.
    fold
        0 to 4: of the diseases of one fold alone, which an encoder was kept from.
    seed
        Of everything random.
    """
    try:
        shares = dict(map(_share, share))
        check_output(output)
        with shown("Pairs") as progress:
            pairs = silver_pairs(data, shares=shares, n=n, fold=fold, seed=seed, progress=progress)
        write_table(pairs, output)
    except DxmatchError as error:
        print(f"dxmatch: {error}", file=sys.stderr)
        raise SystemExit(1) from None
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
