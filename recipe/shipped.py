"""Trains the model that ships, `models/offline-en`, from the public data that its card names.

    python -m dxmatch.recipe.shipped --data FOLDER --encoder FOLDER --kept-back FOLDER -o models/offline-en

The silver pairs are made from the diseases that the second encoder has not seen, and get their features from it: M shall
not learn to trust a cosine as far as one may on the names that an encoder was trained on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import msgspec
import pyarrow as pa
from cyclopts import App, Parameter

from ..features.feature_set import FeatureSet
from ..files.pairs import Pairs, read_pairs
from ..files.reading import PairColumns, Reading
from ..files.tables import read_table, write_table
from ..matcher.batch import PairModel
from ..matcher.match_function import MatchFunction
from ..models.folder import ModelFolder
from ..models.relation import LEARNT_POLICIES, RelationFacts, RelationModel
from ..progress import shown
from ..terms.diseases.graph import DiseaseGraph
from ..terms.encoders.static import StaticEncoder
from ..terms.icd.index import IcdIndex, entries
from ..terms.icd.sources import open_tree
from ..terms.text.normalizer import Normalizer
from ..training.card import model_card, print_training
from ..training.examples import examples_of, read_extra
from ..training.fold_fit import directions_of
from ..training.labelled import treat_contained
from ..training.options import About, Encoders, Extra, LabelRules, Split
from ..training.statistics.split import held_out
from ..training.train import train
from .ablation import ablation_table
from .disease_codes import agreed_names, coded_names, more_names
from .diseases.compile import compiled_graph, half_hidden
from .encoder.data import JUDGED_PAIRS, KEPT_BACK_FOLD, MONDO_EXACT, ORPHADATA_SYNONYMS, common_synonyms, read_synonyms
from .plain_words import measure_plain_words, read_plain_words
from .relation.fit import fit_relation, thresholds_of
from .relation.pairs import relation_pairs
from .relation.policy import fit_policy
from .silver.pairs import silver_pairs
from .silver.pool import Pool
from .silver.vocabulary import Vocabulary

COLUMNS = PairColumns(a="expert", b="algorithm")
(LEARNT,) = LEARNT_POLICIES
SILVER_PAIRS, SILVER_WEIGHT = 6_000, 0.1
ABOUT = (Path(__file__).parent / "shipped.md").read_text("utf-8")

app = App()


def encoder_table(measured: Mapping[str, Any]) -> str:
    """What was measured of the encoder and its peer, as a Markdown table: one row per measure, one column per encoder."""
    encoders = [name for name, values in measured.items() if isinstance(values, Mapping)]
    lines = [f"| measure | {' | '.join(encoders)} |", "| --- " * (len(encoders) + 1) + "|"]
    for measure, value in measured[encoders[0]].items():
        if isinstance(value, Mapping):
            for part in ("at_1", "at_15"):
                cells = " | ".join(f"{measured[name][measure][part]:.3f}" for name in encoders)
                lines.append(f"| {measure}, n = {value['n']:,}, {part} | {cells} |")
        elif isinstance(value, float):
            lines.append(f"| {measure} | {' | '.join(f'{measured[name][measure]:.3f}' for name in encoders)} |")
    return "\n".join(lines)


def graph_of(data: Path, normalizer: Normalizer, encoder: StaticEncoder) -> DiseaseGraph:
    """The graph of diseases that ships; the encoder has a say in which codes its diseases get."""
    tree = open_tree("icd10cm")
    names = [common_synonyms(), *(read_synonyms(data / file) for file in (ORPHADATA_SYNONYMS, MONDO_EXACT))]
    coded = coded_names(data, tree, normalizer, encoder)
    index = IcdIndex.open("icd10cm", encoder, normalizer, more_names(coded))
    codes = more_names([*coded, *agreed_names(data, index, normalizer, coded)])
    return compiled_graph(data, normalizer, more=names, more_names=codes, other_names=entries(tree, normalizer)[0])


def pool_of(data: Path, normalizer: Normalizer) -> Pool:
    """The names of the diseases that the second encoder has not seen."""
    return Pool(Vocabulary(data, normalizer, KEPT_BACK_FOLD))


def silver_extra(pool: Pool, kept_back: Path, graph: DiseaseGraph, folder: Path, seed: int = 0) -> Extra:
    """The silver pairs of the shipped model, written to `folder`. kept_back : the encoder that has not seen their diseases."""
    path = folder / "silver.parquet"
    with shown("Silver pairs") as progress:
        made = silver_pairs(pool, SILVER_PAIRS, seed, progress)
    write_table(made, path)
    return Extra(pairs=path, weight=SILVER_WEIGHT, encoder=kept_back, graph=half_hidden(graph))


def read_craft_md(data: Path) -> Pairs:
    """The labelled pairs in the folder `data`. Rows of a pair that has both labels are left out."""
    with TemporaryDirectory() as folder:
        return read_pairs(
            data / JUDGED_PAIRS, a=COLUMNS.a, b=COLUMNS.b, label=COLUMNS.label, rejects=Path(folder) / "rejects.csv"
        )


def ablation_of(data: Path, silver: Extra, encoder: Path, graph: DiseaseGraph, seed: int = 0) -> str:
    """What each kind of silver pairs and each kind of feature brings on CRAFT-MD's training references."""
    feature_set, normalizer = FeatureSet.read("offline", None), Normalizer()
    seen, of_silver = (
        PairModel(feature_set, feature_set.open(normalizer, StaticEncoder.load(folder), graph=of), min_coverage=0)
        for folder, of in ((encoder, graph), (silver.encoder or encoder, silver.graph or graph))
    )
    came = read_craft_md(data)
    read, batch, _ = treat_contained(came, seen.batch(came.a, came.b), "set-aside", graph)
    examples = examples_of(read, batch)
    test = held_out(examples.groups, 0.2, seed)
    table = read_table(silver.pairs)
    kind = table.column("kind")
    kinds = {
        name: read_extra(
            replace(silver, pairs=table.data.filter(pa.array([k == name for k in kind]))), of_silver, examples
        )
        for name in dict.fromkeys(kind)
    }
    families: dict[str, list[int]] = defaultdict(list)
    for column, feature in enumerate(feature_set.features):
        families[feature.kind].append(column)
    families["ICD-10, all three"] = [
        column for kind in families if kind.startswith("icd_") for column in families[kind]
    ]
    with shown("Fits") as progress:
        return ablation_table(
            examples.take(~test), kinds, families, directions_of(feature_set), seed=seed,
            unseen=frozenset(examples.take(test).references.ravel().tolist()), progress=progress,
        )  # fmt: skip


def with_relation(
    matcher: MatchFunction,
    data: Path,
    pool: Pool,
    kept_back: Path,
    graph: DiseaseGraph,
    encoder: Path,
    about: str,
    seed: int = 0,
) -> MatchFunction:
    """The same M with its relation model, and what was measured of it in the manifest and on the card."""
    features, normalizer = matcher.features, matcher.providers.normalizer
    unseen = features.open(normalizer, StaticEncoder.load(kept_back), graph=half_hidden(graph))
    own = features.open(normalizer, StaticEncoder.load(encoder), graph=graph)
    pairs = relation_pairs(pool, seed=seed)
    with shown("Relation") as progress:
        model, measured = fit_relation(pairs, features, unseen, seed=seed, progress=progress)
    thresholds = thresholds_of(matcher, model, pairs, unseen)
    with shown("Policy") as progress:
        learnt = fit_policy(read_craft_md(data), features, own, seed=seed, progress=progress)
    facts = RelationFacts(
        {**model.facts.calibration, LEARNT: learnt.calibration},
        model.facts.direction,
        {**thresholds, LEARNT: learnt.threshold},
    )
    model = RelationModel({**model.trees, LEARNT: learnt.trees}, facts)
    metrics = {"relation": measured, "policies": {LEARNT: learnt.measured}}
    return with_metrics(replace(matcher.parts, relation=model), metrics, about)


def with_metrics(parts: ModelFolder, metrics: Mapping[str, Any], about: str) -> MatchFunction:
    """M with more measures in its manifest and on its card. about : of the card."""
    manifest = msgspec.structs.replace(
        parts.manifest, metrics={**parts.manifest.metrics, **metrics}, relation=parts.relation and parts.relation.facts
    )
    return MatchFunction(replace(parts, manifest=manifest, card=model_card(manifest, about)))


@app.default
def main(
    *,
    data: Annotated[Path, Parameter(help=f"The folder with {JUDGED_PAIRS} and the sources of silver pairs.")],
    encoder: Path,
    kept_back: Path,
    output: Annotated[Path, Parameter(name=("--output", "-o"))],
    plain_words: Path | None = None,
    seed: int = 0,
) -> None:
    """Trains the shipped match function; measures on held-out references, then trains again with all.

    Parameters
    ----------
    encoder
        The folder that dxmatch.recipe.encoder made.
    kept_back
        The encoder that has not seen the first fold of the diseases.
    output
        The model folder to make or replace.
    plain_words
        Pairs in plain words, by kind, on which the model is measured; none if not given.
    seed
        Random seed for splits, trees and resampling.
    """
    words = None if plain_words is None else read_plain_words(plain_words)
    normalizer = Normalizer()
    pool = pool_of(data, normalizer)
    with TemporaryDirectory() as folder:
        graph = graph_of(data, normalizer, StaticEncoder.load(encoder))
        silver = silver_extra(pool, kept_back, graph, Path(folder), seed)
        ablation = ablation_of(data, silver, encoder, graph, seed)
        measured = StaticEncoder.load(encoder).measured
        about = ABOUT.format(ablation=ablation, what=measured["what"], encoder=encoder_table(measured))
        matcher = train(
            data / JUDGED_PAIRS,
            columns=COLUMNS,
            labels=LabelRules(contained="set-aside", extra=silver),
            split=Split(seed=seed, refit=True),
            encoder=Encoders(folder=encoder, graph=graph),
            about=About(name="offline-en", text=about),
            reading=Reading(rejects=Path(folder) / "rejects.csv"),
        )
    matcher = with_relation(matcher, data, pool, kept_back, graph, encoder, about, seed)
    if words is not None:
        matcher = with_metrics(matcher.parts, {"plain_words": measure_plain_words(matcher, words)}, about)
    matcher.save(output, overwrite=True)
    print_training(matcher, output)


if __name__ == "__main__":
    app()
