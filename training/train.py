"""Labels in, a match function out: features, grouped folds, trees, calibration, threshold, measurement."""

from __future__ import annotations

import datetime
import hashlib
import os
import warnings as python_warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..features.coverage import MIN_COVERAGE, Coverage
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED, Providers
from ..files.pairs import Pairs, read_pairs
from ..matcher.match_function import SHAPE_FEATURES, MatchFunction, open_store
from ..models.folder import ModelFolder
from ..models.manifest import Manifest
from ..models.shipped import shipped_encoder_files
from ..models.trees.text import validate
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from .card import model_card
from .contained import check_contained, contained_warning, treat_contained
from .data_checks import check_examples
from .engine_gain import PLAIN, gain_over_plain
from .engines.engine import TIME_LIMIT, check_engine
from .examples import Examples, examples_of
from .expert_agreement import expert_agreement
from .extra import Extra, read_extra, reference_names
from .fold_fit import Fitted, Recipe, directions_of, fit_folds
from .measure import measure
from .split import Groups, held_out
from .threshold import Rule, check_prevalence

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Training:
    """What came of a training: the match function, and the rows that it never saw.

    held_out : bool[n] over the rows that were kept. held_out_rows : those rows, as they came.
    coverage : the share of rows, in [0, 1], that each feature is known for.
    warnings : one line for each thing that is doubtful about the labelled pairs.
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

    pairs : a path or data frame with the columns `a`, `b` and `label` (0/1), or one column `label_<name>` per expert.
    features : a built-in feature set, or a TOML file. engine : "lightgbm", or "autogluon".
    options : by name, those of `fit`: the columns, the split, the threshold rule, refit, abbreviations, rejects, seed, ….

    `.metrics` of the result says how good it is on held-out references, `.save(folder)` keeps it. What is doubtful about the
    pairs is a `UserWarning` each.
    """
    result = fit(pairs, features, engine, **options)
    for warning in result.warnings:
        python_warnings.warn(warning, stacklevel=2)
    return result.matcher


def fit(
    pairs: Any,
    features: str | os.PathLike[str] = "offline",
    engine: str = "lightgbm",
    *,
    a: str = "a",
    b: str = "b",
    label: str = "label",
    soft: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    contained: str = "keep",
    test_share: float = 0.2,
    folds: int = 5,
    threshold_rule: str | None = None,
    prevalence: float | None = None,
    time_limit: float = TIME_LIMIT,
    refit: bool = False,
    store: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    min_coverage: float = MIN_COVERAGE,
    abbreviations: Mapping[str, str] | None = None,
    extra: Extra | Sequence[Extra] | None = None,
    encoder: str | os.PathLike[str] | None = None,
    about: str = "",
    name: str = "match-function",
    seed: int = 0,
    rejects: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Training:
    """Trains a match function on labelled pairs, and says which rows it has not seen.

    Parameters
    ----------
    pairs : a path or data frame with columns `a`, `b` and `label` (0/1), or one column `label_<name>` per expert, of
        which the majority decides (a tie or blank needs `adjudicated`).
    features : a built-in feature set, or a TOML file.
    engine : "lightgbm"; or "autogluon", which searches for `time_limit` seconds.
    soft : a column with the share of votes for "match", in [0, 1]; the name of `label` stands for the experts' own votes. A
        pair that voters are divided on is learned as both, in that proportion. Measured on the labels all the same.
    group : the column of the reference diagnosis, `a` if not given. All rows of one reference (after normalisation)
        lie on one side of every split.
    contained : what becomes of pairs labelled 0 although the words of one side contain the other's ("leukemia", "acute
        leukemia"): "keep" them, "set-aside", or "match": label them 1.
    test_share : the share of references held out; with 0 nothing is held out and the measurements are out-of-fold.
    folds : the folds over the remaining references; the members of one fold have not seen its references.
    threshold_rule : how the threshold is chosen from out-of-fold probabilities: "minimax_f1" (the F1 that holds best where
        another share of pairs matches), "max_f1", "half", "precision=0.95", "recall=0.9". "minimax_f1" if not given, or
        "max_f1" where the prevalence is.
    prevalence : the share of matches, in (0, 1), among the pairs that M will see, equal ones apart. Probabilities, threshold
        and measurements are for such data; for data like the labelled pairs if not given.
    store : the vote store, for a feature set with votes or picks. It is read; `dxmatch votes ask` fills it.
    endpoints : a TOML file whose `[endpoint.NAME]` tables go before those of the feature set.
    min_coverage : the least share of pairs that each vote and pick must be known for; fewer are refused.
    abbreviations : your own, `{"NASH": "nonalcoholic steatohepatitis"}`; stored with the model.
    extra : more labelled pairs, such as silver pairs, that are learned from and never measured on. One of which a name is
        a held-out reference is not learned from.
    encoder : a folder that `dxmatch.training.encoder.fit` made, to use in place of the shipped static encoder.
    about : what the model's card shall say on purpose, sources, licences and limits.
    refit : after the measurement, train once more with the held-out references too.
    rejects : a file for rows that cannot be right; without it the first of them is an `InputError`.

    Returns
    -------
    A `Training`; its `.matcher.metrics` say how good it is on held-out references.
    """
    check_engine(engine, time_limit)
    check_prevalence(prevalence)
    check_contained(contained)
    rule = Rule.parse(threshold_rule or ("minimax_f1" if prevalence is None else "max_f1"))
    feature_set = FeatureSet.read(features, endpoints)
    normalizer = Normalizer(feature_set.language, abbreviations)
    encoder_files = _encoder_files(encoder) if SHIPPED in feature_set.encoders else None
    votes = open_store(store)

    def providers_of(static: StaticEncoder | None) -> Providers:
        return feature_set.open(normalizer, static, endpoints=feature_set.endpoints, store=votes)

    providers = providers_of(None if encoder_files is None else StaticEncoder.from_bytes(encoder_files))
    read = read_pairs(pairs, a=a, b=b, label=label, soft=soft, weight=weight, rejects=rejects)
    read, inside = treat_contained(read, providers.naming, contained)
    examples, known = examples_of(read, feature_set, providers, a=a, group=group or a, min_coverage=min_coverage)
    warnings = [*check_examples(examples, feature_set), *contained_warning(inside)]
    silver = None if extra is None else read_extra(extra, feature_set, providers, providers_of, examples)
    test = held_out(examples.groups, test_share, seed)

    rounds = 2 if refit and test.any() else 1
    recipe = Recipe(engine, directions_of(feature_set), folds, rule, prevalence, time_limit, seed)
    seen, unseen = examples.take(~test), examples.take(test)
    fitted = fit_folds(
        seen, recipe, extra=silver, unseen=reference_names(unseen), progress=_part(progress, 0, rounds)
    )  # fmt: skip

    def measured(part: Examples, probability: NDArray[np.float64]) -> dict[str, Any]:
        return measure(probability, part.label, part.groups.code, fitted.threshold, prevalence=prevalence, seed=seed)

    metrics: dict[str, Any] = {"cross_validated": measured(seen, fitted.out_of_fold)}

    def matcher(final: Fitted) -> MatchFunction:
        manifest = Manifest(
            name=name,
            created=datetime.date.today().isoformat(),
            dxmatch=metadata.version("dxmatch"),
            feature_names=feature_set.names,
            feature_set=feature_set.to_dict(),
            normalizer=normalizer.spec(),
            calibration=final.calibration,
            threshold=final.threshold,
            threshold_rule=rule.words(prevalence),
            encoders={encoder: providers.encoder(encoder).identity for encoder in feature_set.encoders},
            libraries={library: metadata.version(library) for library in ("lightgbm", "numpy", *SHAPE_FEATURES)},
            data={
                **_data(read, label, examples.groups),
                "coverage": known,
                "contained": inside,
                "warnings": warnings,
                **({} if read.ballots is None else {"agreement": expert_agreement(read.ballots)}),
                **({} if soft is None else {"soft": soft}),
                **({} if prevalence is None else {"prevalence": prevalence}),
                **({} if silver is None else {"extra": list(silver.told)}),
                "refitted": rounds == 2,
                "engine": engine,
                "chosen": final.ensemble.chosen,
                **({"leaderboard": list(final.ensemble.leaderboard)} if final.ensemble.leaderboard else {}),
            },
            metrics=metrics,
            ensemble=final.ensemble.combination,
        )
        # As `load` gives them: the model that is measured here is the one that will be on disk.
        trees = tuple(
            validate(text, len(feature_set.names), "trees", feature_set.names) for text in final.ensemble.texts
        )
        parts = ModelFolder(manifest, trees, encoder_files, model_card(manifest, about))
        return MatchFunction(parts, store=votes, endpoints=feature_set.endpoints, min_coverage=min_coverage)

    if test.any():
        probability = fitted.calibration(matcher(fitted).raw(unseen.table))
        probability[unseen.identical] = 1.0
        metrics["held_out"] = measured(unseen, probability)
        metrics["held_out_not_identical"] = measured(
            unseen.take(~unseen.identical), probability[~unseen.identical]
        )  # fmt: skip
    if engine != PLAIN:
        metrics["gain_over_plain"] = gain_over_plain(fitted, seen, unseen, recipe, extra=silver)
    if rounds == 2:
        fitted = fit_folds(examples, recipe, extra=silver, progress=_part(progress, 1, rounds))
    rows = read.table.data.filter(pa.array(test))
    return Training(matcher(fitted), test, rows, read.n_rejected, known, tuple(warnings))


def _encoder_files(folder: str | os.PathLike[str] | None) -> Mapping[str, bytes]:
    return shipped_encoder_files() if folder is None else StaticEncoder.load(Path(folder)).files()


def _data(read: Pairs, label: str, groups: Groups) -> dict[str, Any]:
    digest = hashlib.sha256()
    assert read.label is not None
    for a, b, y in zip(read.a.to_pylist(), read.b.to_pylist(), read.label.tolist(), strict=True):
        digest.update(f"{a}\t{b}\t{y}\n".encode())
    return {
        "sha256": digest.hexdigest(),
        "rows": len(read),
        "matches": int(read.label.sum()),
        "groups": len(groups.names),
        "set_aside": read.n_rejected,
        "source": Path(read.table.source).name,
        "label": label,
    }


def _part(progress: Progress | None, number: int, parts: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, parts * total)
