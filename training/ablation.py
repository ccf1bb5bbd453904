"""The command that measures what silver pairs and features bring: `python -m dxmatch.training.ablation --help`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import DxmatchError
from ..files.atomic import whole_file
from .craft_md import PAIRS, ablation_of

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(
    epilog="Example: python -m dxmatch.training.ablation --data data --silver silver.csv --weight 0.3 -o ablation.md"
)
def main(
    data: Annotated[Path, typer.Option(help=f"The folder with {PAIRS} and the sources of silver pairs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table, as Markdown.")],
    silver: Annotated[
        list[Path] | None,
        typer.Option(help="Silver pairs with a column kind, as often as you like; made anew if not given."),
    ] = None,
    silver_encoder: Annotated[
        list[Path] | None, typer.Option(help="For each --silver FILE, a static encoder that has not seen its synonyms.")
    ] = None,
    encoder: Annotated[Path | None, typer.Option(help="A static encoder in place of the shipped one.")] = None,
    features: Annotated[str, typer.Option(help="A built-in feature set, or a TOML file.")] = "offline",
    weight: Annotated[float, typer.Option(help="How much a silver pair counts beside a labelled one.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Random seed for splits, trees and resampling.")] = 0,
) -> None:
    """Fits M without each kind of silver pairs, and without each family of features, on the references that are trained on."""
    try:
        found = ablation_of(
            data,
            silver=silver,
            silver_encoders=silver_encoder,
            encoder=encoder,
            features=features,
            weight=weight,
            seed=seed,
        )
        with whole_file(output) as temporary:
            temporary.write_text(found.markdown() + "\n", "utf-8")
    except DxmatchError as error:
        typer.echo(f"dxmatch: {error}", err=True)
        raise typer.Exit(1) from None
    print(found.markdown())


if __name__ == "__main__":
    app()
