"""The public labelled pairs that the shipped model is trained on, CRAFT-MD's, and what silver pairs and features bring on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from ..errors import InputError
from ..features.feature_set import FeatureSet
from ..features.providers import Providers
from ..files.pairs import Pairs, read_pairs
from ..files.tables import Table, read_table
from ..models.shipped import shipped_encoder_files
from ..progress import shown
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from .ablation_study import Ablation, ablate
from .contained import treat_contained
from .examples import examples_of
from .extra import Extra, read_extra, reference_names
from .fold_fit import directions_of
from .silver.pairs import silver_pairs
from .split import held_out

PAIRS = "craft_md_pairs.csv"
COLUMNS: dict[str, Any] = {"a": "expert", "b": "algorithm", "label": "label"}


def read_craft_md(data: Path) -> Pairs:
    """The pairs in the folder `data`. Rows of a pair that has both labels are left out."""
    with TemporaryDirectory() as folder:
        return read_pairs(data / PAIRS, **COLUMNS, rejects=Path(folder) / "rejects.csv")


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
    """What each kind of silver pairs and each kind of feature brings on CRAFT-MD's training references.

    Parameters
    ----------
    data : path
        The folder with `PAIRS` and the sources of silver pairs.
    silver : sequence of path, optional
        Silver pairs with a column `kind`; made anew if not given.
    silver_encoders : sequence of path, optional
        For each of them, a static encoder that has not seen its synonyms.
    encoder : path, optional
        A static encoder in place of the shipped one.
    features : str
        A built-in feature set, or a TOML file.
    weight : float
        How much a silver pair counts beside a labelled one.
    seed : int
        Random seed for splits, trees and resampling.
    """
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
    examples, _ = examples_of(read, feature_set, providers, min_coverage=0.0)
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
