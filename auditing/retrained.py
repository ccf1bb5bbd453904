"""Ablation by training anew: what trees of the same kind reach on the same pairs without a family of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..pages.figure import Row
from ..training.engines import lightgbm_engine
from ..training.fold_fit import directions_of
from ..training.split import grouped_folds
from ..training.threshold import choose_threshold
from .examined import Examined
from .opened import Opened
from .spoilt import Quality, Resamples, Tick, lost, quality


def retrained(
    opened: Opened, pairs: Examined, resamples: Resamples, *, folds: int, seed: int, tick: Tick
) -> tuple[Quality, list[Row]]:
    """The out-of-fold quality with all features, and for each family `name` and the rows of `lost` without it.

    The engine is `lightgbm`, with the folds over references the same each time. F1 is at the threshold that is best out of fold.

    Errors: `InputError` where the references are too few for the folds.
    """
    assert pairs.label is not None
    fold = grouped_folds(pairs.groups, pairs.label, folds, seed)
    every = range(len(opened.names))
    directions = directions_of(opened.matcher.features)

    def without(columns: list[int]) -> Quality:
        assert pairs.label is not None
        kept = [column for column in every if column not in columns]
        fitted = lightgbm_engine.fit(
            pairs.table[:, kept], pairs.label, None, fold, [directions[column] for column in kept], seed=seed
        )
        tick()
        return quality(fitted.out_of_fold, _best(fitted.out_of_fold, pairs.label), pairs, resamples)

    whole = without([])
    families = {name: columns for name, columns in opened.families.items() if len(columns) < len(every)}
    return whole, [{"name": name, **lost(whole, [without(columns)])} for name, columns in families.items()]


def _best(raw: NDArray[np.float64], label: NDArray[np.int8]) -> NDArray[np.bool_]:
    probability = 1 / (1 + np.exp(-raw))
    return probability >= choose_threshold(probability, label, "max_f1")
