"""Labels in, a match function out: features, grouped folds, trees, calibration, threshold, measurement."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa

from .. import progress
from ..errors import warn
from ..features.compute import MIN_COVERAGE
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED
from ..files.pairs import Pairs, read_pairs
from ..files.reading import OF_TABLES, PairColumns, Reading
from ..files.tables import check_output, write_table
from ..matcher.batch import PairModel
from ..matcher.loading import open_store
from ..matcher.match_function import MatchFunction
from ..models.folder import ModelFolder, shipped_parts
from ..models.manifest import SHAPE_FEATURES, Column, Decision, Made, Manifest, installed_releases
from ..models.relation import RelationModel
from ..options import Between, File, Table, checked
from ..stats.intervals import percentiles
from ..stats.resampling import Resampling, group_draws
from ..terms.diseases.graph import DiseaseGraph, shipped_graph, vocabulary_of
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from ..votes.asking_options import Asking
from .card import model_card
from .data_checks import check_examples, check_held_out
from .engines.autogluon_engine import ENGINES, AutoGluon
from .engines.lightgbm_engine import LightGBM
from .examples import Examples, examples_of, read_extra
from .fold_fit import Fitted, directions_of, fit_folds
from .labelled import agreement_of, contained_warning, decide_conflicts, hash_of, treat_contained, understood_pairs
from .options import About, Encoders, Extra, LabelRules, Split
from .statistics.correlation import correlated
from .statistics.measure import measure, ranking_and_decisions
from .statistics.split import held_out
from .statistics.threshold import Threshold


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
    reading: Annotated[Reading, *OF_TABLES] = Reading(),
    asking: Annotated[Asking, "endpoints", "store"] | None = None,
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
        warn(engine.forecast(split.refit))
    inputs = Inputs(features, encoder, asking or Asking(), labels.abbreviations, min_coverage)
    read = read_pairs(
        pairs, **vars(columns), encoding=reading.encoding, rejects=reading.rejects,
        visible=True, unlabelled=True, on_conflict=labels.on_conflict,
    )  # fmt: skip
    n = read.n_unlabelled
    left_out = [f"Rows without a label, left out: {n:,} of {len(read) + n:,}."] if n else []
    batch = inputs.model.batch(read.a, read.b)
    agreement = agreement_of(read, batch)
    read, batch, set_aside = understood_pairs(read, batch)
    read, batch, inside = treat_contained(read, batch, labels.contained, inputs.graph)
    read, batch, conflicts, divided = decide_conflicts(read, batch, labels.on_conflict)
    examples = examples_of(read, batch)
    test = held_out(examples.groups, split.test_share, split.seed)
    dropped = None
    if engine.drop_correlated is not None:
        shown_to_it = examples.take(~test & examples.open)
        gone = correlated(shown_to_it.table, shown_to_it.label, inputs.features, engine.drop_correlated)
        dropped = {"limit": engine.drop_correlated, "features": gone}
        inputs = inputs.without([one["feature"] for one in gone])
        kept = [batch.model.features.names.index(name) for name in inputs.features.names]
        examples = replace(examples, table=examples.table[:, kept])
    coverage = {name: share for name, share in batch.coverage.items() if name in inputs.features.names}
    warnings = [*left_out, *set_aside, *check_examples(examples, inputs.features), *divided, *contained_warning(inside)]
    warnings += check_held_out(examples, test, split)
    extra = [read_extra(one, inputs.seeing(one), examples) for one in labels.extras]
    seen, unseen = examples.take(~test), examples.take(test)
    refit, held = split.refit and bool(test.any()), set(unseen.references.ravel().tolist())
    fit = partial(fit_folds, split=split, threshold=threshold, directions=directions_of(inputs.features), extra=extra)

    with progress.shown("Training") as report:
        fitted = fit(seen, engine, unseen=held, progress=lambda done, total: report(done, (1 + refit) * total))
        metrics = _measured(fitted, seen, unseen, threshold, split.seed)
        if isinstance(engine, AutoGluon):
            plain = fit(seen, LightGBM(), unseen=held)
            metrics["gain_over_plain"] = gain_over_plain(fitted, plain, seen, unseen, split.seed)
        if refit:
            fitted = fit(examples, engine, progress=lambda done, total: report(total + done, 2 * total))
    data = _data(
        read, examples, split, coverage=coverage, contained=inside, warnings=warnings, agreement=agreement,
        conflicts=conflicts or None, dropped=dropped, extra=[one.source for one in extra] or None, soft=columns.soft,
        prevalence=threshold.prevalence, refitted=refit, engine=type(engine).__name__.lower(), **fitted.ensemble.facts,
    )  # fmt: skip
    matcher = inputs.matcher(fitted, threshold, about, data, metrics)
    if split.held_out is not None:
        write_table(read.table.data.filter(pa.array(test)), split.held_out)
    for warning in warnings:
        warn(warning)
    return matcher


class Inputs:
    """What stands behind the features of a training: the set, the normaliser, the encoder, the graph of diseases, the votes.

    model : what pairs are seen with before anything decides.
    """

    def __init__(
        self,
        features: str | os.PathLike[str] | FeatureSet,
        encoder: Encoders,
        asking: Asking,
        abbreviations: Mapping[str, str] | File | None,
        min_coverage: float = MIN_COVERAGE,
    ) -> None:
        if not isinstance(features, FeatureSet):
            features = FeatureSet.read(features, asking.endpoints)
        self.features = features
        self._opening = encoder
        self.normalizer = Normalizer(features.language, abbreviations)
        self.encoder = _static(encoder.folder) if SHIPPED in features.encoders else None
        self.graph = (encoder.graph or shipped_graph()) if features.needs_graph else None
        self.vocabulary = None if self.graph is None else vocabulary_of(self.graph, features.language)
        self.votes = open_store(asking.store)
        self.model = self._seeing(self.encoder, self.graph, min_coverage)

    def _seeing(self, encoder: StaticEncoder | None, graph: DiseaseGraph | None, min_coverage: float) -> PairModel:
        providers = self.features.open(
            self.normalizer,
            encoder,
            endpoints=self.features.endpoints,
            allow_download=self._opening.allow_download,
            store=self.votes,
            graph=graph,
            vocabulary=self.vocabulary,
        )
        return PairModel(self.features, providers, min_coverage=min_coverage)

    def seeing(self, extra: Extra) -> PairModel:
        """What extra pairs are seen with: where they have an encoder or a graph of their own, these in place of the model's."""
        if extra.encoder is None and extra.graph is None:
            return replace(self.model, min_coverage=0)
        encoder = self.encoder if extra.encoder is None else _static(extra.encoder)
        return self._seeing(encoder, extra.graph or self.graph, 0)

    def without(self, names: Sequence[str]) -> Inputs:
        """The same behind fewer features."""
        fewer = copy(self)
        fewer.features = self.features.without(names)
        fewer.model = replace(self.model, features=fewer.features)
        return fewer

    def matcher(
        self, final: Fitted, threshold: Threshold, about: About, data: dict[str, Any], metrics: dict[str, Any]
    ) -> MatchFunction:
        """M as `load` gives it: the model that is returned is the one that will be on disk. data, metrics : of its manifest."""
        features, providers, encoder = self.features, self.model.providers, self._opening
        arrays = self.encoder.arrays() if self.encoder is not None and SHIPPED in features.encoders else None
        graph = self.graph.arrays() if self.graph is not None and features.needs_graph else None
        libraries = installed_releases(("lightgbm", "numpy", *SHAPE_FEATURES))
        manifest = Manifest(
            name=about.name,
            made=Made(datetime.date.today().isoformat(), metadata.version("dxmatch"), libraries),
            features=tuple(map(Column, features.names)),
            feature_set=features.to_dict(),
            normalizer=self.normalizer.spec(),
            encoders={name: providers.encoder(name).identity for name in features.encoders},
            decision=Decision(final.calibration, final.threshold, threshold.words),
            data=data,
            metrics=metrics,
        )
        parts = ModelFolder(
            manifest,
            final.ensemble.trees,
            self._relation(encoder),
            arrays,
            graph,
            model_card(manifest, about.text),
        )
        return MatchFunction(
            parts, store=self.votes, endpoints=features.endpoints, encoders=features.folders,
            allow_download=encoder.allow_download, min_coverage=self.model.min_coverage,
        )  # fmt: skip

    def _relation(self, encoder: Encoders) -> RelationModel | None:
        """The shipped relation model, where its columns are the shipped model's; it knows nothing of the labels."""
        if encoder.folder is not None or encoder.graph is not None:
            return None
        shipped, own = shipped_parts(), self.features.to_dict()["feature"]
        return shipped.relation if own == shipped.manifest.feature_set["feature"] else None


def _static(folder: File | None) -> StaticEncoder:
    return StaticEncoder.from_arrays(shipped_parts().encoder or {}) if folder is None else StaticEncoder.load(folder)


def _data(read: Pairs, examples: Examples, split: Split, **known: Any) -> dict[str, Any]:
    """What the manifest says of the labelled pairs `read`. known : what is said besides, where it is not None."""
    return {
        "sha256": hash_of(read.a.to_pylist(), read.b.to_pylist(), examples.label.tolist()),
        "rows": len(read),
        "matches": int(examples.label.sum()),
        "groups": len(examples.groups.names),
        "set_aside": read.n_rejected,
        "source": Path(read.source).name,
        "split": {"seed": split.seed, "test_share": split.test_share},
        **{name: value for name, value in known.items() if value is not None},
    }


def _measured(fitted: Fitted, seen: Examples, unseen: Examples, threshold: Threshold, seed: int) -> dict[str, Any]:
    """The metrics of the manifest: out of fold, and on held-out references."""

    of = partial(measure, threshold=fitted.threshold, prevalence=threshold.prevalence, resampling=Resampling(seed=seed))
    metrics = {"cross_validated": of(fitted.out_of_fold, seen.label, seen.groups.code)}
    if len(unseen):
        probability = unseen.with_rules(fitted.calibration(fitted.ensemble.trees.raw(unseen.table)))
        different = unseen.take(~unseen.identical)
        metrics["held_out"] = of(probability, unseen.label, unseen.groups.code)
        metrics["held_out_not_identical"] = of(probability[~unseen.identical], different.label, different.groups.code)
    return metrics


def gain_over_plain(fitted: Fitted, plain: Fitted, seen: Examples, unseen: Examples, seed: int) -> dict[str, Any]:
    """The average precision of `fitted` and of the plain engine, and the difference as {"value", "low", "high"}.

    seen : what both were fitted to. unseen : the held-out pairs; where there are none, out-of-fold scores are compared. Pairs that are
        equal after normalisation are left out.
    low, high : 95 % bootstrap over references, the same resamples for both engines.
    """
    part = unseen if len(unseen) else seen
    part = part.take(part.open)
    groups, resampling = len(part.groups.names), Resampling(seed=seed)
    draws = np.vstack([np.ones((1, groups), np.int64), group_draws(groups, resampling.resamples, seed)])
    scores = [
        each.ensemble.trees.raw(part.table) if len(unseen) else each.ensemble.out_of_fold for each in (fitted, plain)
    ]
    own, of_plain = (
        ranking_and_decisions(score, score >= 0, part.label, part.groups.code, draws)[0] for score in scores
    )
    low, high = percentiles(own[1:] - of_plain[1:], resampling.level)
    return {
        "measured_on": "held_out_not_identical" if len(unseen) else "cross_validated",
        "pairs": len(part),
        "groups": groups,
        "average_precision": float(own[0]),
        "plain_average_precision": float(of_plain[0]),
        "gain": {"value": float(own[0] - of_plain[0]), "low": low, "high": high},
    }
