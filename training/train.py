"""Labels in, a match function out: features, grouped folds, trees, calibration, threshold, measurement."""

from __future__ import annotations

import datetime
import hashlib
import os
import warnings as python_warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..features.coverage import Coverage
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED, Providers
from ..files.pairs import Pairs, read_pairs
from ..matcher.match_function import MatchFunction, open_store
from ..models.folder import ModelFolder
from ..models.manifest import Manifest
from ..models.relation import RelationModel
from ..models.releases import SHAPE_FEATURES, installed_releases
from ..models.shipped import shipped_encoder_files, shipped_parts
from ..models.trees.text import validate
from ..terms.diseases.graph import DiseaseGraph
from ..terms.diseases.shipped import shipped_graph
from ..terms.diseases.words import vocabulary_of
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from .card import model_card
from .contained import contained_warning, treat_contained
from .correlated import as_facts, correlated
from .data_checks import check_examples
from .examples import Examples, ExtraExamples, examples_of, read_extra, reference_names
from .expert_agreement import expert_agreement
from .fold_fit import Fitted, directions_of, fit_folds
from .recipe import Recipe
from .statistics.measure import average_precision, group_draws, measure, percentile_interval
from .statistics.split import Groups, held_out
from .understood import understood_pairs

PLAIN = "lightgbm"
REPEATS, LEVEL = 1000, 0.95

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Training:
    """What came of a training: the match function, and the rows that it never saw.

    Attributes
    ----------
    matcher : MatchFunction
    held_out : bool[n]
        Over the rows that were kept.
    held_out_rows : pyarrow.Table
        Those rows, as they came.
    n_rejected : int
    coverage : mapping
        The share of rows, in [0, 1], that each feature is known for.
    warnings : sequence of str
        One line for each thing that is doubtful about the labelled pairs.
    """

    matcher: MatchFunction
    held_out: NDArray[np.bool_]
    held_out_rows: pa.Table
    n_rejected: int
    coverage: Coverage
    warnings: Sequence[str] = ()


def train(
    pairs: Any, features: str | os.PathLike[str] = "offline", engine: str = "lightgbm", **options: Any
) -> MatchFunction:
    """Trains a match function on labelled pairs: `fit`, without the list of held-out rows.

    What is doubtful about the pairs is a `UserWarning` each.

    Parameters
    ----------
    pairs : path or data frame
        With the columns `a`, `b` and `label` (0/1), or one column `label_<name>` per expert.
    features : str or path
        A built-in feature set, or a TOML file.
    engine : str
        "lightgbm", or "autogluon".
    **options
        By name, those of `training.recipe.Recipe`: the columns, the split, the threshold rule, refit, abbreviations,
        rejects, seed, ….

    Returns
    -------
    MatchFunction
        `.metrics` says how good it is on held-out references, `.save(folder)` keeps it.
    """
    result = fit(pairs, Recipe(features, engine, **options))
    for warning in result.warnings:
        python_warnings.warn(warning, stacklevel=2)
    return result.matcher


def fit(pairs: Any, recipe: Recipe | None = None, *, progress: Progress | None = None) -> Training:
    """Trains a match function on labelled pairs, and says which rows it has not seen.

    Parameters
    ----------
    pairs : path or data frame
        As of `train`.
    recipe : Recipe, optional
    progress : callable, optional
        Called as (done, total).

    Returns
    -------
    Training
        Its `.matcher.metrics` say how good it is on held-out references.
    """
    recipe = recipe or Recipe()
    inputs = Inputs(recipe)
    read = read_pairs(
        pairs, a=recipe.a, b=recipe.b, label=recipe.label, soft=recipe.soft, weight=recipe.weight, group=recipe.group,
        rejects=recipe.rejects,
    )  # fmt: skip
    read, set_aside = understood_pairs(read, inputs.providers.naming)
    read, inside = treat_contained(read, inputs.providers.naming, recipe.contained, inputs.graph)
    examples, coverage = examples_of(read, inputs.features, inputs.providers, min_coverage=recipe.min_coverage)
    dropped = None
    if recipe.drop_correlated is not None:
        shown = examples.take(~held_out(examples.groups, recipe.test_share, recipe.seed) & examples.open)
        gone = correlated(shown.table, shown.label, inputs.features, recipe.drop_correlated)
        dropped = as_facts(recipe.drop_correlated, gone)
        inputs = Inputs(recipe, inputs.features.without([one.feature for one in gone]))
        examples, coverage = examples_of(read, inputs.features, inputs.providers, min_coverage=recipe.min_coverage)
    warnings = [*set_aside, *check_examples(examples, inputs.features), *contained_warning(inside)]
    extra = None
    if recipe.extra is not None:
        extra = read_extra(recipe.extra, inputs.features, inputs.providers, inputs.providers_of, examples)
    test = held_out(examples.groups, recipe.test_share, recipe.seed)
    seen, unseen = examples.take(~test), examples.take(test)
    refit = recipe.refit and bool(test.any())
    directions = directions_of(inputs.features)

    fitted = fit_folds(
        seen, recipe, directions, extra=extra, unseen=reference_names(unseen), progress=_part(progress, 0, 1 + refit)
    )  # fmt: skip
    metrics = _measured(fitted, seen, unseen, recipe, directions, extra)
    if refit:
        fitted = fit_folds(examples, recipe, directions, extra=extra, progress=_part(progress, 1, 2))
    data = data_of(
        recipe, read, examples.groups, coverage=coverage, contained=inside, warnings=warnings,
        extra=None if extra is None else extra.sources, dropped=dropped, refitted=refit,
    )  # fmt: skip
    rows = read.table.data.filter(pa.array(test))
    return Training(
        inputs.matcher(fitted, data, metrics), test, rows, read.n_rejected, coverage, tuple(warnings)
    )  # fmt: skip


class Inputs:
    """What stands behind the features of a training: the set (the recipe's, if not given), the normaliser, the encoder, the votes."""

    def __init__(self, recipe: Recipe, features: FeatureSet | None = None) -> None:
        self.recipe = recipe
        self.features = features or FeatureSet.read(recipe.features, recipe.endpoints)
        self.normalizer = Normalizer(self.features.language, recipe.abbreviations)
        self.encoder_files = _encoder_files(recipe.encoder) if SHIPPED in self.features.encoders else None
        self.graph = (recipe.graph or shipped_graph()) if self.features.needs_graph else None
        self.vocabulary = None if self.graph is None else vocabulary_of(self.graph, self.features.language)
        self.votes = open_store(recipe.store)
        self.encoder = None if self.encoder_files is None else StaticEncoder.from_bytes(self.encoder_files)
        self.providers = self.providers_of(None, None)

    def providers_of(self, encoder: StaticEncoder | None, graph: DiseaseGraph | None) -> Providers:
        return self.features.open(
            self.normalizer,
            encoder or self.encoder,
            endpoints=self.features.endpoints,
            allow_download=self.recipe.allow_download,
            store=self.votes,
            graph=graph or self.graph,
            vocabulary=self.vocabulary,
        )

    def matcher(self, final: Fitted, data: Mapping[str, Any], metrics: Mapping[str, Any]) -> MatchFunction:
        """M as `load` gives it: the model that is returned is the one that will be on disk."""
        manifest = build_manifest(self.recipe, self.features, self.providers, final, data, metrics)
        names = self.features.names
        trees = tuple(validate(text, len(names), "trees", names) for text in final.ensemble.texts)
        diseases = None if self.graph is None else self.graph.to_bytes()
        parts = ModelFolder(
            manifest, trees, self.encoder_files, model_card(manifest, self.recipe.about), diseases, self._relation()
        )
        return MatchFunction(
            parts, store=self.votes, endpoints=self.features.endpoints, encoders=self.features.folders,
            allow_download=self.recipe.allow_download, min_coverage=self.recipe.min_coverage,
        )  # fmt: skip

    def _relation(self) -> RelationModel | None:
        """The shipped relation model, where its columns are the shipped model's; it knows nothing of the labels."""
        if self.recipe.encoder is not None or self.recipe.graph is not None:
            return None
        shipped = shipped_parts()
        return (
            shipped.relation if self.features.to_dict()["feature"] == shipped.manifest.feature_set["feature"] else None
        )


def _measured(
    fitted: Fitted,
    seen: Examples,
    unseen: Examples,
    recipe: Recipe,
    directions: Sequence[int],
    extra: ExtraExamples | None,
) -> dict[str, Any]:
    """The metrics of the manifest: out of fold, on held-out references, and beside the plain engine."""

    def of(part: Examples, probability: NDArray[np.float64]) -> dict[str, Any]:
        return measure(
            probability, part.label, part.groups.code, fitted.threshold, prevalence=recipe.prevalence, seed=recipe.seed
        )  # fmt: skip

    metrics = {"cross_validated": of(seen, fitted.out_of_fold)}
    if len(unseen):
        probability = unseen.with_rules(fitted.calibration(fitted.ensemble.raw(unseen.table)))
        differ = ~unseen.identical
        metrics["held_out"] = of(unseen, probability)
        metrics["held_out_not_identical"] = of(unseen.take(differ), probability[differ])
    if recipe.engine != PLAIN:
        metrics["gain_over_plain"] = gain_over_plain(fitted, seen, unseen, recipe, directions, extra=extra)
    return metrics


def gain_over_plain(
    fitted: Fitted,
    seen: Examples,
    unseen: Examples,
    recipe: Recipe,
    directions: Sequence[int],
    *,
    extra: ExtraExamples | None = None,
) -> dict[str, Any]:
    """The average precision of `fitted` and of the plain engine, and the difference as {"value", "low", "high"}.

    seen : what `fitted` was fitted to, under `recipe`. unseen : the held-out pairs; where there are none, out-of-fold scores
        are compared. Pairs that are equal after normalisation are left out.
    low, high : 95 % bootstrap over references, the same resamples for both engines.
    """
    plain = fit_folds(seen, replace(recipe, engine=PLAIN), directions, extra=extra, unseen=reference_names(unseen))
    part = unseen if len(unseen) else seen
    part = part.take(part.open)
    ensembles = fitted.ensemble, plain.ensemble
    scores = [each.raw(part.table) if len(unseen) else each.out_of_fold for each in ensembles]
    own, of_plain = (float(average_precision(score, part.label)[0]) for score in scores)
    groups = len(part.groups.names)
    draws = group_draws(groups, REPEATS, recipe.seed).astype(np.float64)
    own_resampled, plain_resampled = (
        np.concatenate([average_precision(score, part.label, few[:, part.groups.code]) for few in np.split(draws, 20)])
        for score in scores
    )
    low, high = percentile_interval(own_resampled - plain_resampled, LEVEL)
    return {
        "measured_on": "held_out_not_identical" if len(unseen) else "cross_validated",
        "pairs": len(part),
        "groups": groups,
        "level": LEVEL,
        "average_precision": own,
        "plain_average_precision": of_plain,
        "gain": {"value": own - of_plain, "low": low, "high": high},
    }


def _encoder_files(folder: str | os.PathLike[str] | None) -> Mapping[str, bytes]:
    return shipped_encoder_files() if folder is None else StaticEncoder.load(Path(folder)).files()


def _part(progress: Progress | None, number: int, parts: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, parts * total)


def build_manifest(
    recipe: Recipe,
    features: FeatureSet,
    providers: Providers,
    final: Fitted,
    data: Mapping[str, Any],
    metrics: Mapping[str, Any],
) -> Manifest:
    """The manifest of M. final : the fit that M is. data, metrics : as `data_of` and `measure.measure` give them."""
    ensemble = final.ensemble
    return Manifest(
        name=recipe.name,
        created=datetime.date.today().isoformat(),
        dxmatch=metadata.version("dxmatch"),
        feature_names=features.names,
        feature_set=features.to_dict(),
        normalizer=providers.normalizer.spec(),
        calibration=final.calibration,
        threshold=final.threshold,
        threshold_rule=recipe.rule.words(recipe.prevalence),
        encoders={encoder: providers.encoder(encoder).identity for encoder in features.encoders},
        libraries=installed_releases(("lightgbm", "numpy", *SHAPE_FEATURES)),
        data={
            **data,
            "engine": recipe.engine,
            "chosen": ensemble.chosen,
            **({"leaderboard": list(ensemble.leaderboard)} if ensemble.leaderboard else {}),
            **({"search": dict(ensemble.search)} if ensemble.search else {}),
        },
        metrics=dict(metrics),
        ensemble=ensemble.combination,
    )


def data_of(
    recipe: Recipe,
    read: Pairs,
    groups: Groups,
    *,
    coverage: Mapping[str, float],
    contained: Mapping[str, Any],
    warnings: Sequence[str],
    extra: Sequence[Mapping[str, Any]] | None,
    dropped: Mapping[str, Any] | None = None,
    refitted: bool,
) -> dict[str, Any]:
    """What the manifest says of the labelled pairs `read`. extra : one entry for each source of training-only pairs. dropped : as of `as_facts`."""
    assert read.label is not None
    digest = hashlib.sha256()
    for a, b, y in zip(read.a.to_pylist(), read.b.to_pylist(), read.label.tolist(), strict=True):
        digest.update(f"{a}\t{b}\t{y}\n".encode())
    known = {
        "agreement": None if read.ballots is None else expert_agreement(read.ballots),
        "soft": recipe.soft,
        "prevalence": recipe.prevalence,
        "extra": None if extra is None else list(extra),
        "dropped": dropped,
    }
    return {
        "sha256": digest.hexdigest(),
        "rows": len(read),
        "matches": int(read.label.sum()),
        "groups": len(groups.names),
        "set_aside": read.n_rejected,
        "source": Path(read.source).name,
        "label": recipe.label,
        "coverage": dict(coverage),
        "contained": dict(contained),
        "warnings": list(warnings),
        **{name: value for name, value in known.items() if value is not None},
        "refitted": refitted,
    }
