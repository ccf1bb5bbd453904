"""Labels in, a match function out: features, grouped folds, trees, calibration, threshold, measurement."""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import OptionError
from ..features.coverage import MIN_COVERAGE, Coverage
from ..features.feature_set import FeatureSet
from ..features.portable import without_paths
from ..features.providers import SHIPPED, Providers
from ..files.pairs import REFUSE, read_labelled
from ..files.tables import check_output, write_table
from ..matcher.match_function import MatchFunction, open_store
from ..models.folder import ModelFolder
from ..models.relation import RelationModel
from ..models.shipped import shipped_encoder_files, shipped_parts
from ..models.trees.text import validate
from ..stats.intervals import percentiles
from ..stats.resampling import group_draws
from ..terms.diseases.graph import DiseaseGraph
from ..terms.diseases.shipped import shipped_graph
from ..terms.diseases.words import vocabulary_of
from ..terms.encoders.kept import files_to_keep
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from .card import model_card
from .conflicts import decide_conflicts
from .contained import contained_warning, treat_contained
from .correlated import as_facts, correlated
from .data_checks import check_examples
from .described import build_manifest, data_of
from .engines.engine import EXPORTED
from .engines.fitted import TIME_LIMIT
from .engines.search_words import forecast_words
from .examples import Examples, Extra, ExtraExamples, examples_of, read_extra, reference_names
from .expert_agreement import agreement_of
from .fold_fit import Fitted, directions_of, fit_folds
from .held_out_checks import check_left, held_out_warnings, repeats_warning
from .recipe import Recipe
from .statistics.measure import average_precision, measure
from .statistics.split import held_out
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
    pairs: Any,
    features: str | os.PathLike[str] = "offline",
    engine: str = PLAIN,
    *,
    a: str = "a",
    b: str = "b",
    label: str = "label",
    soft: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    contained: str = "keep",
    on_conflict: str = REFUSE,
    test_share: float = 0.2,
    folds: int = 5,
    threshold_rule: str | None = None,
    prevalence: float | None = None,
    time_limit: float = TIME_LIMIT,
    models: str = EXPORTED,
    drop_correlated: float | None = None,
    refit: bool = False,
    store: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    allow_download: bool = False,
    min_coverage: float = MIN_COVERAGE,
    abbreviations: Mapping[str, str] | None = None,
    extra: Extra | Sequence[Extra] | None = None,
    encoder: str | os.PathLike[str] | None = None,
    graph: DiseaseGraph | None = None,
    keep_encoders: bool = False,
    about: str = "",
    name: str = "match-function",
    seed: int = 0,
    rejects: str | os.PathLike[str] | None = None,
    held_out: str | os.PathLike[str] | None = None,
) -> MatchFunction:
    """Trains a match function on labelled pairs: `fit`, without the list of held-out rows.

    What is doubtful about the pairs is a `UserWarning` each, and so is what to expect of a long search.

    Parameters
    ----------
    pairs : path or data frame, or several of them
        With the columns `a`, `b` and `label` (0/1), or one column `label_<name>` per expert. The files of a list may differ in that.
    features : str or path
        A built-in feature set, or a TOML file.
    engine : str
        "lightgbm"; or "autogluon", which searches for `time_limit` seconds.
    a, b, label : str
        The columns of the diagnoses and of the label; without that column, one `label_<name>` per expert, of which the majority
        decides (a tie or blank needs `adjudicated`).
    soft : str, optional
        A column with the share of votes for "match", in [0, 1], to learn from; the name of `label` stands for the experts' own votes.
    weight, group : str, optional
        The columns of the pairs' weights, above 0, and of the reference diagnosis where that is not `a`: all rows of one reference lie on
        one side of every split.
    contained : str
        Pairs labelled 0 though one side's words contain the other's: "keep" them, "set-aside", or "match": label them 1.
    on_conflict : str
        A pair with two labels: "refuse"; "majority" learns from the rows that say what more than half say, "drop" from none.
    test_share, folds, seed
        The share of references held out, in [0, 1) (0: measured out of fold); the folds over the others; the random seed of splits, trees
        and resampling.
    threshold_rule : str, optional
        "minimax_f1" (the F1 that holds best where another share of pairs matches; the default), "max_f1" (that where `prevalence` is
        given), "half", "precision=0.95" or "recall=0.9".
    prevalence : float, optional
        The share of matches, in (0, 1), among the pairs that M will see; as among the labelled ones if not given.
    time_limit, models
        For "autogluon": the seconds that it may search; the families it tries, "GBM,CAT,XGB,RF,XT,NN_TORCH" by its names, or "default" for
        all. M is always made of "GBM"; where another wins, the card says by how much.
    drop_correlated : float, optional
        Leaves out features whose rank correlation with a better one is that strong, in (0, 1].
    refit : bool
        After the measurement, trains once more with the held-out references too.
    store, endpoints : path, optional
        The vote store, which `dxmatch votes ask` fills and which is only read; a TOML file that says where models are served.
    allow_download : bool
        The hub may be asked for encoders; else its cache on this machine is taken.
    min_coverage : float
        The least share of pairs that each vote and pick must be known for.
    abbreviations : mapping, optional
        Your own, `{"NASH": "nonalcoholic steatohepatitis"}`; stored with the model.
    extra : Extra or sequence of Extra, optional
        Training-only pairs, such as silver pairs; those with a held-out reference are not learned from.
    encoder, graph : optional
        A folder that `dxmatch.training.encoder` made, and a graph of diseases, in place of the shipped ones.
    keep_encoders : bool
        The model folder also holds encoders that lie in folders, so that it can be moved.
    about, name : str
        What the card shall say, and the model's name.
    rejects, held_out : path, optional
        Files for rows that cannot be right (else the first is an error), and for the rows of the held-out references.

    Returns
    -------
    MatchFunction
        `.metrics` says how good it is on held-out references, `.save(folder)` keeps it.

    Raises
    ------
    InputError
        For pairs that cannot be right, with file and row.
    OptionError
        For a value that is not allowed.
    MissingExtra
        Where the engine's library is absent.
    """
    choices = {name: value for name, value in locals().items() if name not in ("pairs", "held_out")}
    if held_out is not None:
        check_output(held_out)
    if not isinstance(features, str | os.PathLike):
        raise OptionError(
            "features",
            "the name or the file of a feature set; labels are a column of the pairs",
            type(features).__name__,
        )
    recipe = Recipe(**choices)
    if engine != PLAIN:
        python_warnings.warn(forecast_words(time_limit, refit), stacklevel=2)
    result = fit(pairs, recipe)
    if held_out is not None:
        write_table(result.held_out_rows, held_out)
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
    read, unlabelled = read_labelled(
        pairs, a=recipe.a, b=recipe.b, label=recipe.label, soft=recipe.soft, weight=recipe.weight, group=recipe.group,
        on_conflict=recipe.on_conflict, rejects=recipe.rejects,
    )  # fmt: skip
    left_out = [f"Rows without a label, left out: {unlabelled:,} of {len(read) + unlabelled:,}."] if unlabelled else []
    agreement = agreement_of(read, inputs.providers.naming)
    read, set_aside = understood_pairs(read, inputs.providers.naming)
    read, inside = treat_contained(read, inputs.providers.naming, recipe.contained, inputs.graph)
    read, conflicts = decide_conflicts(read, inputs.providers.naming, recipe.on_conflict)
    examples, coverage = examples_of(read, inputs.features, inputs.providers, min_coverage=recipe.min_coverage)
    dropped = None
    if recipe.drop_correlated is not None:
        shown = examples.take(~held_out(examples.groups, recipe.test_share, recipe.seed) & examples.open)
        gone = correlated(shown.table, shown.label, inputs.features, recipe.drop_correlated)
        dropped = as_facts(recipe.drop_correlated, gone)
        inputs = Inputs(recipe, inputs.features.without([one.feature for one in gone]))
        examples, coverage = examples_of(read, inputs.features, inputs.providers, min_coverage=recipe.min_coverage)
    test = held_out(examples.groups, recipe.test_share, recipe.seed)
    warnings = [*left_out, *set_aside, *check_examples(examples, inputs.features), *contained_warning(inside)]
    warnings += [*repeats_warning(read), *held_out_warnings(read, examples, test, recipe)]
    check_left(examples, test, recipe)
    extra = None
    if recipe.extra is not None:
        extra = read_extra(recipe.extra, inputs.features, inputs.providers, inputs.providers_of, examples)
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
        recipe, read, examples.groups, coverage=coverage, contained=inside, warnings=warnings, refitted=refit,
        extra=None if extra is None else list(extra.sources), dropped=dropped, agreement=agreement, conflicts=conflicts or None,
    )  # fmt: skip
    rows = read.table.data.filter(pa.array(test))
    return Training(
        inputs.matcher(fitted, data, metrics), test, rows, read.n_rejected, coverage, tuple(warnings)
    )  # fmt: skip


class Inputs:
    """What stands behind the features of a training: the set (the recipe's, if not given), the normaliser, the encoder, the votes."""

    def __init__(self, recipe: Recipe, features: FeatureSet | None = None) -> None:
        self.recipe = recipe
        self.features = features or without_paths(FeatureSet.read(recipe.features, recipe.endpoints))
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
        folders = self.features.folders
        kept = files_to_keep(folders, self.features.encoders) if self.recipe.keep_encoders else {}
        parts = ModelFolder(
            manifest, trees, self.encoder_files, model_card(manifest, self.recipe.about), diseases, self._relation(),
            encoders=kept,
        )  # fmt: skip
        return MatchFunction(
            parts, store=self.votes, endpoints=self.features.endpoints, encoders=None if kept else folders,
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


def _encoder_files(folder: str | os.PathLike[str] | None) -> Mapping[str, bytes]:
    return shipped_encoder_files() if folder is None else StaticEncoder.load(Path(folder)).files()


def _part(progress: Progress | None, number: int, parts: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, parts * total)
