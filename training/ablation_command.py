"""The command that measures what silver pairs and features bring: `python -m dxmatch.training.ablation --help`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from ..errors import DxmatchError, InputError
from ..features.feature_set import FeatureSet
from ..features.providers import Providers
from ..files.atomic import whole_file
from ..files.tables import Table, read_table
from ..models.shipped import shipped_encoder_files
from ..progress import shown
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from .ablation import Ablation, ablate
from .contained import treat_contained
from .craft_md import PAIRS, read_craft_md
from .examples import examples_of
from .extra import Extra, read_extra, reference_names
from .fold_fit import directions_of
from .silver import silver_pairs
from .split import held_out

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
    seed: Annotated[int, typer.Option(help="Of splits, trees and resampling.")] = 0,
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


def ablation_of(
    data: Path,
    *,
    silver: Sequence[Path] | None = None,
    silver_encoders: Sequence[Path] | None = None,
    encoder: Path | None = None,
    features: str = "offline",
    weight: float = 1.0,
    seed: int = 0,
) -> Ablation:
    """What each kind of silver pairs and each kind of feature brings on CRAFT-MD's training references; arguments as of the command."""
    if silver_encoders and len(silver_encoders) != len(silver or ()):
        raise InputError(
            "as many encoders as files of silver pairs", source="--silver-encoder", allowed=f"{len(silver or ())}",
            got=len(silver_encoders),
        )  # fmt: skip
    feature_set, normalizer = FeatureSet.read(features, None), Normalizer()
    tables = (
        [read_table(path) for path in silver] if silver else [read_table(silver_pairs(data, normalizer, seed=seed))]
    )
    own = StaticEncoder.from_bytes(shipped_encoder_files()) if encoder is None else StaticEncoder.load(encoder)

    def providers_of(static: StaticEncoder | None) -> Providers:
        return feature_set.open(normalizer, static)

    providers = providers_of(own)
    read, _ = treat_contained(read_craft_md(data), providers.naming, "set-aside")
    examples, _ = examples_of(read, feature_set, providers, a="expert", group="expert", min_coverage=0.0)
    test = held_out(examples.groups, 0.2, seed)
    kinds = {
        kind: read_extra(
            [Extra(part, weight, static) for part, static in parts], feature_set, providers, providers_of, examples
        )
        for kind, parts in _by_kind(tables, silver_encoders).items()
    }
    families: dict[str, list[int]] = defaultdict(list)
    for column, feature in enumerate(feature_set.features):
        families[feature.kind].append(column)
    with shown("Fits") as progress:
        return ablate(
            examples.take(~test), kinds, families, directions_of(feature_set), seed=seed,
            unseen=frozenset(reference_names(examples.take(test))), progress=progress,
        )  # fmt: skip


def _by_kind(tables: Sequence[Table], encoders: Sequence[Path] | None) -> dict[str, list[tuple[pa.Table, Path | None]]]:
    """The rows of each kind, table by table, with the encoder of each table."""
    out: dict[str, list[tuple[pa.Table, Path | None]]] = defaultdict(list)
    for table, encoder in zip(tables, encoders or [None] * len(tables), strict=True):
        table.require("kind", "the kind of a silver pair")
        for kind in dict.fromkeys(table.column("kind")):
            out[kind].append((table.data.filter(pa.array([k == kind for k in table.column("kind")])), encoder))
    return out
