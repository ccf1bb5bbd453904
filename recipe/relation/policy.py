"""What the labelled pairs teach of a policy: which answers they let pass, narrower or broader than the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.feature_set import FeatureSet
from ...features.providers import Providers
from ...files.pairs import Pairs
from ...matcher.batch import PairModel
from ...models.ensemble import Sigmoid, TreeEnsemble
from ...stats.resampling import Resampling
from ...training.engines import lightgbm_engine
from ...training.engines.fitted import Rows
from ...training.examples import groups_of
from ...training.fold_fit import fit_sigmoid
from ...training.statistics.measure import measure
from ...training.statistics.split import Groups, grouped_folds, held_out
from ...training.statistics.threshold import MAX_F1, choose_threshold

FOLDS = 5
TEST_SHARE = 0.2


@dataclass(frozen=True)
class LearntPolicy:
    """trees, calibration, threshold : of the policy. measured : on held-out references, before it was fitted again with all."""

    trees: TreeEnsemble
    calibration: Sigmoid
    threshold: float
    measured: dict[str, Any]


def fit_policy(
    read: Pairs,
    features: FeatureSet,
    providers: Providers,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> LearntPolicy:
    """Trees over M's columns and the direction from `a`, the reference, to `b`, the answer; the labels stay as they are.

    Parameters
    ----------
    read : labelled pairs.
    """
    assert read.label is not None
    batch = PairModel(features, providers, min_coverage=0).batch(read.a, read.b)
    rows = batch.pair_of_row
    columns = np.hstack([batch.features[rows], batch.directions])
    equal = batch.equal[rows]
    excluding = features.excludes(batch.features)[rows] & ~equal
    groups = groups_of(read, batch)
    test = held_out(groups, TEST_SHARE, seed)
    decided = equal | excluding

    trees, calibration, threshold = fit_trees(columns, read.label, groups, ~decided & ~test, seed)
    if progress is not None:
        progress(1, 2)
    probability = np.where(equal, 1.0, 0.0)
    open_rows = test & ~decided
    probability[open_rows] = calibration(trees.raw(columns[open_rows]))
    measured = measure(
        probability[test], read.label[test], groups.take(test).code, threshold, resampling=Resampling(seed=seed)
    )
    trees, calibration, threshold = fit_trees(columns, read.label, groups, ~decided, seed)
    if progress is not None:
        progress(2, 2)
    return LearntPolicy(trees, calibration, threshold, measured)


def fit_trees(
    columns: NDArray[np.float32], label: NDArray[np.int8], groups: Groups, kept: NDArray[np.bool_], seed: int
) -> tuple[TreeEnsemble, Sigmoid, float]:
    own, y = groups.take(kept), label[kept]
    fold = grouped_folds(own, y, FOLDS, seed)
    fitted = lightgbm_engine.fit(
        Rows(columns[kept], y, np.ones(len(y)), fold, [0] * columns.shape[1]),
        seed=seed,
        candidates=lightgbm_engine.CANDIDATES[1:2],
    )
    calibration = fit_sigmoid(fitted.out_of_fold, y)
    # learnt from these labels, so that its threshold is for data like them
    return fitted.trees, calibration, choose_threshold(calibration(fitted.out_of_fold), y, MAX_F1)
