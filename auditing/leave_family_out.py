"""Ablation by training anew: what trees of the same kind reach on the same pairs without a family of features."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from ..training.engines import lightgbm_engine
from ..training.engines.fitted import Rows
from ..training.fold_fit import directions_of
from ..training.statistics.split import grouped_folds
from ..training.statistics.threshold import choose_threshold
from .permutation import Quality, quality
from .scored_pairs import ScoredPairs


class LeaveFamilyOut:
    """Trains on labelled pairs, cross-validated, with the same folds over references each time. The engine is `lightgbm`.

    Raises
    ------
    InputError
        Where the references are too few for the folds.
    """

    def __init__(
        self, matcher: MatchFunction, pairs: ScoredPairs, draws: NDArray[np.int64], folds: int, seed: int
    ) -> None:
        assert pairs.label is not None
        self._pairs, self._label, self._draws, self._seed = pairs, pairs.label, draws, seed
        self._fold = grouped_folds(pairs.groups, pairs.label, folds, seed)
        self._directions = directions_of(matcher.features)

    def without(self, columns: Collection[int]) -> Quality:
        """Out of fold, with the other columns; F1 at the threshold that is best out of fold."""
        kept = [column for column in range(self._pairs.table.shape[1]) if column not in columns]
        directions = [self._directions[column] for column in kept]
        rows = Rows(self._pairs.table[:, kept], self._label, None, self._fold, directions)
        raw = lightgbm_engine.fit(rows, seed=self._seed).out_of_fold
        probability = 1 / (1 + np.exp(-raw))
        predicted = probability >= choose_threshold(probability, self._label, "max_f1")
        return quality(raw, predicted, self._pairs, self._draws)
