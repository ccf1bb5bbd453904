"""The match function of one set of examples: members by grouped folds, calibration and threshold from what they say out of fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.feature_set import FeatureSet
from ..features.registry import KINDS
from ..models.calibration import Sigmoid
from .engines import lightgbm_engine
from .engines.engine import LightGBM
from .engines.fitted import Ensemble, ExtraRows, Rows
from .examples import Examples, ExtraExamples, folds_of_references
from .options import Split
from .statistics.calibration import at_prevalence, fit_sigmoid
from .statistics.split import grouped_folds
from .statistics.threshold import Threshold, choose_threshold

MIN_WEIGHT = 1e-6
"""LightGBM takes no weight of 0: of a pair whose label, adjudicated, is what nobody voted for."""


def directions_of(features: FeatureSet) -> list[int]:
    """For each feature 1 or -1 where M may only rise or only fall as it grows, else 0."""
    kinds = [KINDS[feature.kind] for feature in features.features]
    return [0 if not kind.monotone else 1 if kind.alike == kind.range[1] else -1 for kind in kinds]


@dataclass(frozen=True)
class Fitted:
    """ensemble, calibration, threshold : M. out_of_fold : float64[n], the probability of each example from members that did
    not see its reference; 1 for a pair that is equal after normalisation, 0 for one that is excluded."""

    ensemble: Ensemble
    calibration: Sigmoid
    threshold: float
    out_of_fold: NDArray[np.float64]


def fit_folds(
    examples: Examples,
    engine: LightGBM,
    split: Split,
    threshold: Threshold,
    directions: Sequence[int],
    *,
    extra: ExtraExamples | None = None,
    unseen: Set[str] = frozenset(),
    progress: Callable[[int, int], None] | None = None,
) -> Fitted:
    """Fits M to the pairs that differ after normalisation; the others are matches without it.

    Parameters
    ----------
    directions : sequence of int
        As of `Rows`.
    extra : ExtraExamples, optional
        Training-only pairs.
    unseen : set of str
        The held-out references, of which no extra pair may tell.
    """
    differ = examples.take(examples.open)
    fold = grouped_folds(differ.groups, differ.label, split.folds, split.seed)
    weight, rows = differ.weight, None if extra is None else extra.rows(folds_of_references(differ, fold), unseen)
    if differ.soft is not None:
        weight, opposite = soft_rows(differ, fold)
        rows = ExtraRows.join([opposite] if rows is None else [rows, opposite])
    labelled = Rows(differ.table, differ.label, weight, fold, directions, rows)
    ensemble = engine.fit(labelled, seed=split.seed, progress=progress)
    calibration = fit_sigmoid(ensemble.out_of_fold, differ.label, differ.weight)
    if threshold.prevalence is not None:
        trained = float(np.average(differ.label, weights=differ.weight))
        calibration = at_prevalence(calibration, trained, threshold.prevalence)
    probability = calibration(ensemble.out_of_fold)
    chosen = choose_threshold(probability, differ.label, threshold)
    out_of_fold = np.zeros(len(examples))
    out_of_fold[examples.open] = probability
    return Fitted(ensemble, calibration, chosen, examples.with_rules(out_of_fold))


def soft_rows(examples: Examples, fold: NDArray[np.int64]) -> tuple[NDArray[np.float64], ExtraRows]:
    """The weight float64[n] of each pair's own label, and the rows that learn its opposite.

    The log loss of a pair with share s is -s log p - (1 - s) log(1 - p): a row labelled 1 of weight s and one labelled 0 of
    weight 1 - s, both times the pair's weight. A share that is NaN leaves the label as it is. fold : int64[n].
    """
    assert examples.soft is not None
    share = np.where(np.isnan(examples.soft), examples.label, examples.soft)
    own = np.where(examples.label == 1, share, 1 - share)
    weight = np.ones(len(examples)) if examples.weight is None else examples.weight
    divided = own < 1
    opposite = ExtraRows(
        examples.table[divided],
        (1 - examples.label[divided]).astype(np.int8),
        (weight * (1 - own))[divided],
        fold[divided],
    )
    return np.maximum(weight * own, MIN_WEIGHT), opposite


def out_of_fold(rows: Rows, columns: NDArray[np.int64], seed: int, **options: Any) -> NDArray[np.float64]:
    """Raw log-odds of each row from trees that saw neither its group nor other columns than these."""
    extra = rows.extra and rows.extra._replace(features=rows.extra.features[:, columns])
    directions = [rows.directions[i] for i in columns]
    kept = replace(rows, features=rows.features[:, columns], directions=directions, extra=extra)
    return lightgbm_engine.fit(kept, seed=seed, **options).out_of_fold
