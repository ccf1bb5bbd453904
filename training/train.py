"""Labels in, a match function out: features, grouped folds, trees, calibration, threshold, measurement."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .. import progress
from ..errors import warn
from ..features.coverage import MIN_COVERAGE
from ..features.feature_set import FeatureSet
from ..features.portable import without_paths
from ..features.providers import SHIPPED, Providers
from ..files.pairs import read_pairs
from ..files.reading import OF_TABLES, PairColumns, Reading
from ..files.tables import check_output, write_table
from ..matcher.batch import Batch, PairModel
from ..matcher.match_function import MatchFunction
from ..matcher.opening import open_store
from ..models.folder import Arrays, ModelFolder, shipped_parts
from ..models.manifest import Manifest
from ..models.relation import RelationModel
from ..options import Between, File, Serves, Table, checked
from ..progress import Progress
from ..stats.intervals import percentiles
from ..stats.resampling import group_draws
from ..terms.diseases.graph import DiseaseGraph
from ..terms.diseases.shipped import shipped_graph
from ..terms.diseases.words import vocabulary_of
from ..terms.encoders.kept import files_to_keep
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from ..votes.asking_options import Asking
from .card import model_card
from .conflicts import decide_conflicts
from .contained import contained_warning, treat_contained
from .correlated import as_facts, correlated
from .data_checks import check_examples
from .described import build_manifest, data_of
from .engines.engine import ENGINES, AutoGluon, LightGBM
from .engines.search_words import forecast_words
from .examples import Examples, examples_of, read_extra, reference_names
from .expert_agreement import agreement_of
from .fold_fit import Fitted, directions_of, fit_folds
from .held_out_checks import check_left, held_out_warnings
from .options import About, Encoders, LabelRules, Split
from .statistics.measure import average_precision, measure
from .statistics.split import held_out
from .statistics.threshold import Threshold
from .understood import understood_pairs

REPEATS, LEVEL = 1000, 0.95


@checked
def train(
    pairs: Table,
    *,
    features: str | os.PathLike[str] = "offline",
    columns: PairColumns = PairColumns(),
    labels: LabelRules = LabelRules(),
    split: Split = Split(),
    threshold: str | Threshold | None = None,
    engine: Literal["lightgbm", "autogluon"] | LightGBM | AutoGluon = LightGBM(),
    encoder: File | Encoders | None = None,
    about: str | About | None = None,
    min_coverage: Annotated[float, Between(0, 1)] = MIN_COVERAGE,
    reading: Annotated[Reading, Serves(*OF_TABLES)] = Reading(),
    asking: Annotated[Asking, Serves("endpoints", "store")] | None = None,
) -> MatchFunction:
    """Trains a match function on labelled pairs.

    What is doubtful about the pairs is a `UserWarning` each, and so is what to expect of a long search.

    Parameters
    ----------
    pairs : path or data frame
        With two columns of diagnoses and their label, 0 or 1, or one column `label_<name>` for each expert; the files of a list may differ
        in that.
    features : str or path
        A built-in feature set ("offline" needs no network and no language model), or a TOML file.
    columns : PairColumns
        Which column is what.
    labels : LabelRules
        What is learned of pairs with two labels and of contained ones, and what besides the labelled pairs.
    split : Split
        Which references are held out to measure on, and how M is cross-validated.
    threshold : str or Threshold, optional
        "minimax_f1" (the F1 that holds best where another share of pairs matches; the default), "max_f1", "half", "precision=0.95" or
        "recall=0.9"; an object also says what share of pairs will match.
    engine : str or LightGBM or AutoGluon
        "lightgbm" or "autogluon", or an object that says more.
    encoder : path or Encoders, optional
        The folder of a static encoder that `dxmatch.recipe.encoder` made; an object says more of what features are computed with.
    about : str or About, optional
        What the model's card says on purpose, sources, licences and limits; an object also names the model.
    min_coverage : float
        The least share of pairs that each vote and pick must be known for, from 0 to 1.
    reading : Reading
        How the pairs are read: `encoding`, `rejects`.
    asking : Asking, optional
        The vote store, for a feature set with votes or picks, and the endpoints of its models. The store is read; nothing is asked.

    Returns
    -------
    MatchFunction
        `.metrics` says how good it is on held-out references, `.data` what it was trained on, `.save(folder)` keeps it.

    Raises
    ------
    InputError
        For pairs that cannot be right, with file and row.
    OptionError
        For a value that is not allowed.
    MissingExtra
        Where the engine's library is absent.
    """
    threshold = Threshold(rule=threshold) if isinstance(threshold, str) else threshold or Threshold()
    engine = ENGINES[engine]() if isinstance(engine, str) else engine
    encoder = Encoders(folder=encoder) if isinstance(encoder, str | os.PathLike) else encoder or Encoders()
    about = About(text=about) if isinstance(about, str) else about or About()
    if split.held_out is not None:
        check_output(split.held_out)
    if isinstance(engine, AutoGluon):
        warn(forecast_words(engine.time_limit, split.refit))
    inputs = Inputs(features, encoder, asking or Asking(), labels.abbreviations)
    read = read_pairs(
        pairs, **vars(columns), encoding=reading.encoding, rejects=reading.rejects,
        visible=True, unlabelled=True, on_conflict=labels.on_conflict,
    )  # fmt: skip
    n = read.n_unlabelled
    left_out = [f"Rows without a label, left out: {n:,} of {len(read) + n:,}."] if n else []
    batch = inputs.model(min_coverage).batch(read.a, read.b)
    agreement = agreement_of(read, batch)
    read, batch, set_aside = understood_pairs(read, batch)
    read, batch, inside = treat_contained(read, batch, labels.contained, inputs.graph)
    read, batch, conflicts = decide_conflicts(read, batch, labels.on_conflict)
    examples = examples_of(read, batch)
    test = held_out(examples.groups, split.test_share, split.seed)
    dropped = None
    if engine.drop_correlated is not None:
        shown_to_it = examples.take(~test & examples.open)
        gone = correlated(shown_to_it.table, shown_to_it.label, inputs.features, engine.drop_correlated)
        dropped = as_facts(engine.drop_correlated, gone)
        inputs = inputs.without([one.feature for one in gone])
        batch = Batch(inputs.model(min_coverage), batch.names, batch.a, batch.b)
        examples = examples_of(read, batch)
    warnings = [*left_out, *set_aside, *check_examples(examples, inputs.features), *contained_warning(inside)]
    warnings += held_out_warnings(read.source, examples, test, split)
    check_left(examples, test, split)
    extra = None
    if labels.extras:
        extra = read_extra(labels.extras, inputs.features, inputs.providers, inputs.providers_of, examples)
    seen, unseen = examples.take(~test), examples.take(test)
    refit = split.refit and bool(test.any())
    fit = partial(fit_folds, split=split, threshold=threshold, directions=directions_of(inputs.features), extra=extra)

    with progress.shown("Training") as report:
        fitted = fit(seen, engine, unseen=reference_names(unseen), progress=_part(report, 0, 1 + refit))
        metrics = _measured(fitted, seen, unseen, threshold, split.seed)
        if isinstance(engine, AutoGluon):
            plain = fit(seen, LightGBM(), unseen=reference_names(unseen))
            metrics["gain_over_plain"] = gain_over_plain(fitted, plain, seen, unseen, split.seed)
        if refit:
            fitted = fit(examples, engine, progress=_part(report, 1, 2))
    data = data_of(
        columns, split, threshold, read, examples.groups, coverage=batch.coverage, contained=inside, warnings=warnings, refitted=refit,
        extra=None if extra is None else list(extra.sources), dropped=dropped, agreement=agreement, conflicts=conflicts or None,
    )  # fmt: skip
    manifest = build_manifest(about.name, engine, threshold, inputs.features, inputs.providers, fitted, data, metrics)
    if split.held_out is not None:
        write_table(read.table.data.filter(pa.array(test)), split.held_out)
    for warning in warnings:
        warn(warning)
    return inputs.matcher(fitted, manifest, about.text, min_coverage)


class Inputs:
    """What stands behind the features of a training: the set, the normaliser, the encoder, the graph of diseases, the votes."""

    def __init__(
        self,
        features: str | os.PathLike[str] | FeatureSet,
        encoder: Encoders,
        asking: Asking,
        abbreviations: Mapping[str, str] | File | None,
    ) -> None:
        if not isinstance(features, FeatureSet):
            features = without_paths(FeatureSet.read(features, asking.endpoints))
        self.features = features
        self._given = encoder, asking, abbreviations
        self.normalizer = Normalizer(self.features.language, abbreviations)
        self.encoder_arrays = _encoder_arrays(encoder.folder) if SHIPPED in self.features.encoders else None
        self.graph = (encoder.graph or shipped_graph()) if self.features.needs_graph else None
        self.vocabulary = None if self.graph is None else vocabulary_of(self.graph, self.features.language)
        self.votes = open_store(asking.store)
        self.encoder = None if self.encoder_arrays is None else StaticEncoder.from_arrays(self.encoder_arrays)
        self.providers = self.providers_of(None, None)

    def without(self, names: Sequence[str]) -> Inputs:
        """The same behind fewer features."""
        return Inputs(self.features.without(names), *self._given)

    def model(self, min_coverage: float) -> PairModel:
        """What pairs are seen with before anything decides."""
        return PairModel(self.features, self.providers, min_coverage=min_coverage)

    def providers_of(self, encoder: StaticEncoder | None, graph: DiseaseGraph | None) -> Providers:
        return self.features.open(
            self.normalizer,
            encoder or self.encoder,
            endpoints=self.features.endpoints,
            allow_download=self._given[0].allow_download,
            store=self.votes,
            graph=graph or self.graph,
            vocabulary=self.vocabulary,
        )

    def matcher(self, final: Fitted, manifest: Manifest, about: str, min_coverage: float) -> MatchFunction:
        """M as `load` gives it: the model that is returned is the one that will be on disk. about : of its card."""
        diseases = None if self.graph is None else self.graph.arrays()
        encoder, folders = self._given[0], self.features.folders
        kept = files_to_keep(folders, self.features.encoders) if encoder.keep else {}
        parts = ModelFolder(
            manifest, final.ensemble.trees, self._relation(encoder), self.encoder_arrays, diseases, kept, model_card(manifest, about)
        )  # fmt: skip
        return MatchFunction(
            parts, store=self.votes, endpoints=self.features.endpoints, encoders=None if kept else folders,
            allow_download=encoder.allow_download, min_coverage=min_coverage,
        )  # fmt: skip

    def _relation(self, encoder: Encoders) -> RelationModel | None:
        """The shipped relation model, where its columns are the shipped model's; it knows nothing of the labels."""
        if encoder.folder is not None or encoder.graph is not None:
            return None
        shipped = shipped_parts()
        return (
            shipped.relation if self.features.to_dict()["feature"] == shipped.manifest.feature_set["feature"] else None
        )


def _measured(fitted: Fitted, seen: Examples, unseen: Examples, threshold: Threshold, seed: int) -> dict[str, Any]:
    """The metrics of the manifest: out of fold, and on held-out references."""

    def of(part: Examples, probability: NDArray[np.float64]) -> dict[str, Any]:
        return measure(
            probability, part.label, part.groups.code, fitted.threshold, prevalence=threshold.prevalence, seed=seed
        )

    metrics = {"cross_validated": of(seen, fitted.out_of_fold)}
    if len(unseen):
        probability = unseen.with_rules(fitted.calibration(fitted.ensemble.raw(unseen.table)))
        differ = ~unseen.identical
        metrics["held_out"] = of(unseen, probability)
        metrics["held_out_not_identical"] = of(unseen.take(differ), probability[differ])
    return metrics


def gain_over_plain(fitted: Fitted, plain: Fitted, seen: Examples, unseen: Examples, seed: int) -> dict[str, Any]:
    """The average precision of `fitted` and of the plain engine, and the difference as {"value", "low", "high"}.

    seen : what both were fitted to. unseen : the held-out pairs; where there are none, out-of-fold scores are compared. Pairs that are
        equal after normalisation are left out.
    low, high : 95 % bootstrap over references, the same resamples for both engines.
    """
    part = unseen if len(unseen) else seen
    part = part.take(part.open)
    ensembles = fitted.ensemble, plain.ensemble
    scores = [each.raw(part.table) if len(unseen) else each.out_of_fold for each in ensembles]
    own, of_plain = (float(average_precision(score, part.label)[0]) for score in scores)
    groups = len(part.groups.names)
    draws = group_draws(groups, REPEATS, seed).astype(np.float64)
    own_resampled, plain_resampled = (
        np.concatenate([average_precision(score, part.label, few[:, part.groups.code]) for few in np.split(draws, 20)])
        for score in scores
    )
    low, high = percentiles(own_resampled - plain_resampled, LEVEL)
    return {
        "measured_on": "held_out_not_identical" if len(unseen) else "cross_validated",
        "pairs": len(part),
        "groups": groups,
        "level": LEVEL,
        "average_precision": own,
        "plain_average_precision": of_plain,
        "gain": {"value": own - of_plain, "low": low, "high": high},
    }


def _encoder_arrays(folder: str | os.PathLike[str] | None) -> Arrays | None:
    return shipped_parts().encoder if folder is None else StaticEncoder.load(Path(folder)).arrays()


def _part(report: Progress, number: int, parts: int) -> Progress:
    return lambda done, total: report(number * total + done, parts * total)
