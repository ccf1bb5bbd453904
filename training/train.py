"""Labels in, a match function out: features, grouped folds, trees, calibration, threshold, measurement."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..features.coverage import MIN_COVERAGE, Coverage, covered_table
from ..features.encoders.static import StaticEncoder
from ..features.errors import InputError, OptionError
from ..features.feature_set import FeatureSet
from ..features.interning import intern_pairs
from ..features.pairs import Pairs, read_pairs
from ..features.registry import KINDS
from ..features.representations import SHIPPED, Providers
from ..features.text import Normalizer
from ..models.calibration import Sigmoid
from ..models.folder import ModelFolder
from ..models.manifest import Manifest
from ..models.match_function import SHAPE_FEATURES, MatchFunction, open_store
from ..models.shipped import shipped_encoder_files
from ..models.trees import validate
from . import lightgbm_engine
from .calibrate import fit_sigmoid
from .card import model_card
from .measure import measure
from .split import Groups, grouped_folds, held_out
from .threshold import RULES, choose_threshold

ENGINES = ("lightgbm",)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Training:
    """What came of a training: the match function, and the rows that it never saw.

    held_out : bool[n] over the rows that were kept. held_out_rows : those rows, as they came.
    coverage : the share of rows, in [0, 1], that each feature is known for.
    """

    matcher: MatchFunction
    held_out: NDArray[np.bool_]
    held_out_rows: pa.Table
    n_rejected: int
    coverage: Coverage


@dataclass(frozen=True)
class _Examples:
    """n labelled pairs as numbers. `identical`: equal after normalisation, which M calls a match without the trees."""

    table: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64] | None
    identical: NDArray[np.bool_]
    groups: Groups

    def take(self, rows: NDArray[np.bool_]) -> _Examples:
        weight = None if self.weight is None else self.weight[rows]
        return _Examples(self.table[rows], self.label[rows], weight, self.identical[rows], self.groups.take(rows))


@dataclass(frozen=True)
class _Fitted:
    ensemble: lightgbm_engine.Ensemble
    calibration: Sigmoid
    threshold: float
    out_of_fold: NDArray[np.float64]


def train(
    pairs: Any, features: str | os.PathLike[str] = "offline", engine: str = "lightgbm", **options: Any
) -> MatchFunction:
    """Trains a match function on labelled pairs: `fit`, without the list of held-out rows.

    pairs : a path or data frame with the columns `a`, `b` and `label` (0/1), or one column `label_<name>` per expert.
    features : a built-in feature set, or a TOML file. engine : "lightgbm".
    options : by name, those of `fit`: the columns, the split, the threshold rule, refit, abbreviations, rejects, seed, ….

    `.metrics` of the result says how good it is on held-out references, `.save(folder)` keeps it.
    """
    return fit(pairs, features, engine, **options).matcher


def fit(
    pairs: Any,
    features: str | os.PathLike[str] = "offline",
    engine: str = "lightgbm",
    *,
    a: str = "a",
    b: str = "b",
    label: str = "label",
    weight: str | None = None,
    group: str | None = None,
    test_share: float = 0.2,
    folds: int = 5,
    threshold_rule: str = "max_f1",
    refit: bool = False,
    store: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    min_coverage: float = MIN_COVERAGE,
    abbreviations: Mapping[str, str] | None = None,
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
    engine : "lightgbm".
    group : the column of the reference diagnosis, `a` if not given. All rows of one reference (after normalisation)
        lie on one side of every split.
    test_share : the share of references held out; with 0 nothing is held out and the measurements are out-of-fold.
    folds : the folds over the remaining references; one booster each, M averages their raw log-odds.
    threshold_rule : how the threshold is chosen from out-of-fold probabilities: "max_f1" or "half".
    store : the vote store, for a feature set with votes or picks. It is read; `dxmatch votes ask` fills it.
    endpoints : a TOML file whose `[endpoint.NAME]` tables go before those of the feature set.
    min_coverage : the least share of pairs that each vote and pick must be known for; fewer are refused.
    abbreviations : your own, `{"NASH": "nonalcoholic steatohepatitis"}`; stored with the model.
    encoder : a folder that `dxmatch.training.encoder` made, to use in place of the shipped static encoder.
    about : what the model's card shall say on purpose, sources, licences and limits.
    refit : after the measurement, train once more with the held-out references too.
    rejects : a file for rows that cannot be right; without it the first of them is an `InputError`.

    Returns
    -------
    A `Training`; its `.matcher.metrics` say how good it is on held-out references.
    """
    if engine not in ENGINES:
        raise OptionError("engine", f"one of {', '.join(ENGINES)}", engine)
    if threshold_rule not in RULES:
        raise OptionError("threshold_rule", f"one of {', '.join(RULES)}", threshold_rule)
    feature_set = FeatureSet.read(features, endpoints)
    normalizer = Normalizer(feature_set.language, abbreviations)
    encoder_files = _encoder_files(encoder) if SHIPPED in feature_set.encoders else None
    read = read_pairs(pairs, a=a, b=b, label=label, weight=weight, rejects=rejects)
    votes = open_store(store)
    providers = Providers.of(
        feature_set,
        normalizer,
        None if encoder_files is None else StaticEncoder.from_bytes(encoder_files),
        endpoints=feature_set.endpoints,
        store=votes,
    )
    examples, known = _examples(read, feature_set, providers, group or a, min_coverage)
    test = held_out(examples.groups, test_share, seed)
    directions = [_direction(feature.kind) for feature in feature_set.features]

    rounds = 2 if refit and test.any() else 1
    seen = examples.take(~test)
    fitted = _fit(seen, directions, folds, threshold_rule, seed, _part(progress, 0, rounds))
    metrics: dict[str, Any] = {"cross_validated": _measured(seen, fitted.out_of_fold, fitted.threshold, seed)}

    def matcher(final: _Fitted) -> MatchFunction:
        manifest = Manifest(
            name=name,
            created=datetime.date.today().isoformat(),
            dxmatch=metadata.version("dxmatch"),
            feature_names=feature_set.names,
            feature_set=feature_set.to_dict(),
            normalizer=normalizer.spec(),
            calibration=final.calibration,
            threshold=final.threshold,
            threshold_rule=RULES[threshold_rule],
            encoders={encoder: providers.encoder(encoder).identity for encoder in feature_set.encoders},
            libraries={library: metadata.version(library) for library in ("lightgbm", "numpy", *SHAPE_FEATURES)},
            data={
                **_data(read, label, examples.groups),
                "coverage": known,
                "refitted": rounds == 2,
                "chosen": final.ensemble.chosen,
            },
            metrics=metrics,
        )
        # As `load` gives them: the model that is measured here is the one that will be on disk.
        trees = tuple(
            validate(text, len(feature_set.names), "trees", feature_set.names) for text in final.ensemble.texts
        )
        parts = ModelFolder(manifest, trees, encoder_files, model_card(manifest, about))
        return MatchFunction(parts, store=votes, endpoints=feature_set.endpoints, min_coverage=min_coverage)

    if test.any():
        unseen = examples.take(test)
        first = matcher(fitted)
        probability = fitted.calibration(first.raw(unseen.table))
        probability[unseen.identical] = 1.0
        metrics["held_out"] = _measured(unseen, probability, fitted.threshold, seed)
        metrics["held_out_not_identical"] = _measured(
            unseen.take(~unseen.identical), probability[~unseen.identical], fitted.threshold, seed
        )
    if rounds == 2:
        fitted = _fit(examples, directions, folds, threshold_rule, seed, _part(progress, 1, rounds))
    return Training(matcher(fitted), test, read.table.data.filter(pa.array(test)), read.n_rejected, known)


def _examples(
    read: Pairs, features: FeatureSet, providers: Providers, group: str, min_coverage: float
) -> tuple[_Examples, dict[str, float]]:
    assert read.label is not None
    read.table.require(group, "the reference diagnosis")
    unique = intern_pairs(read.a, read.b, providers.naming)
    table, known = covered_table(unique, features, providers, min_coverage)
    references = Groups.of(providers.naming(read.table.required_text(group).to_pylist()))
    equal = unique.equal[unique.pair_of_row]
    return _Examples(table[unique.pair_of_row], read.label, read.weight, equal, references), known


def _encoder_files(folder: str | os.PathLike[str] | None) -> Mapping[str, bytes]:
    return shipped_encoder_files() if folder is None else StaticEncoder.load(Path(folder)).files()


def _direction(kind: str) -> int:
    """1 or -1 where M may only rise or only fall as the value grows, else 0."""
    declared = KINDS[kind]
    return 0 if not declared.monotone else 1 if declared.alike == declared.range[1] else -1


def _fit(
    examples: _Examples, directions: list[int], folds: int, rule: str, seed: int, progress: Progress | None
) -> _Fitted:
    """Trees and calibration from the pairs that differ; the threshold from all, with 1 for the identical ones."""
    if len(set(examples.label.tolist())) < 2:
        raise InputError("only one label among the pairs to train on", allowed="both matches (1) and non-matches (0)")
    differ = examples.take(~examples.identical)
    fold = grouped_folds(differ.groups, differ.label, folds, seed)
    ensemble = lightgbm_engine.fit(
        differ.table, differ.label, differ.weight, fold, directions, seed=seed, progress=progress
    )
    calibration = fit_sigmoid(ensemble.out_of_fold, differ.label, differ.weight)
    out_of_fold = np.ones(len(examples.label))
    out_of_fold[~examples.identical] = calibration(ensemble.out_of_fold)
    return _Fitted(ensemble, calibration, choose_threshold(out_of_fold, examples.label, rule), out_of_fold)


def _measured(examples: _Examples, probability: NDArray[np.float64], threshold: float, seed: int) -> dict[str, Any]:
    return measure(probability, examples.label, examples.groups.code, threshold, seed=seed)


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
