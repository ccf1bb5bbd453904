"""What M loses without features: shuffled over the pairs, or never trained on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from ..pages.rows import Row, known
from ..stats.agreement import divided
from ..stats.intervals import percentiles
from ..stats.resampling import Resampling, group_draws
from ..training.ablation import out_of_fold
from ..training.engines.fitted import Rows
from ..training.fold_fit import directions_of
from ..training.statistics.measure import ranking_and_decisions
from ..training.statistics.threshold import MAX_F1, choose_threshold
from .scored_pairs import ScoredPairs

UNDEFINED = "it cannot be computed on these pairs"

Found = Callable[[str], list[Row]]
"""Name of a table -> its rows; none where it could not be made."""
Made = Mapping[str, Any]
"""Settings and counts of an audit."""
Values = NDArray[np.float64]
Quality = dict[str, Values]
"""`ap` (average precision) and `f1`, float64 [1 + r] each: of the pairs as they are, then of each resample."""


@dataclass(frozen=True)
class Resamples:
    """Holds labelled pairs, and how often each reference counts: int64 [1 + r, groups], once each, then in r resamples.

    level : of the intervals.
    """

    pairs: ScoredPairs
    weights: NDArray[np.int64]
    level: float

    @classmethod
    def of(cls, pairs: ScoredPairs, resampling: Resampling) -> Resamples:
        """Draws the resamples of the references."""
        groups = len(pairs.groups.names)
        drawn = group_draws(groups, resampling.resamples, resampling.seed)
        return cls(pairs, np.vstack([np.ones((1, groups), np.int64), drawn]), resampling.level)

    def every(self, start: int, step: int) -> Resamples:
        """Keeps every step-th resample from the start-th on."""
        return replace(self, weights=np.vstack([self.weights[:1], self.weights[1:][start::step]]))

    def measured(self, said: NDArray[np.bool_]) -> Row:
        """Computes precision, recall, F1 and accuracy of bool [n], who says yes, each with `_low` and `_high`.

        None where undefined: the precision of who never says yes.
        """
        match, code = self.pairs.match, self.pairs.groups.code

        def count(rows: NDArray[np.bool_]) -> Values:
            return (self.weights @ np.bincount(code[rows], minlength=self.weights.shape[1])).astype(float)

        both, yes, matches, right, every = map(count, (said & match, said, match, said == match, np.ones_like(said)))
        parts = {
            "precision": (both, yes),
            "recall": (both, matches),
            "f1": (2 * both, yes + matches),
            "accuracy": (right, every),
        }
        row: Row = {"pairs": len(said), "matches": int(match.sum())}
        for name, (above, below) in parts.items():
            values = divided(above, below)
            row |= {name: known(float(values[0])), **self.interval(name, values[1:])}
        return row

    def interval(self, name: str, resampled: Values) -> Row:
        """Gives the interval of a measure as `_low` and `_high`."""
        low, high = percentiles(resampled, self.level)
        return {f"{name}_low": low, f"{name}_high": high}

    def lost(self, before: Quality, after: Sequence[Quality]) -> Row:
        """Computes `ap_lost` and `f1_lost` with `_low` and `_high`: the mean over `after` of what is lost, and its interval.

        The k-th of n in `after` has every n-th resample from the k-th on, so the interval spans references and shuffles.
        """
        row: Row = {}
        for name, values in before.items():
            differences = values[1:].copy()
            for turn, one in enumerate(after):
                differences[turn :: len(after)] -= one[name][1:]
            mean = float(np.mean([one[name][0] for one in after]))
            row |= {f"{name}_lost": float(values[0]) - mean, **self.interval(f"{name}_lost", differences)}
        return row

    def quality(self, raw: Values, said: NDArray[np.bool_]) -> Quality:
        """Measures a ranking and decisions. raw : float64 [n], by which pairs are ranked. said : bool [n]."""
        assert self.pairs.label is not None
        found = ranking_and_decisions(raw, said, self.pairs.label, self.pairs.groups.code, self.weights)
        return dict(zip(("ap", "f1"), found, strict=True))


def measured(row: Row, name: str) -> Row:
    """Gives a measure of a row, with its interval beside it, as the row of a value."""
    return {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"], "reason": UNDEFINED}


@dataclass(frozen=True)
class Losses:
    """Asks M again, or trains anew, without some columns of features.

    resamples : of pairs, with labels or without. fold : int64 [n], of references, or why there is none. seed : of training.
    Rows have what `lost` says, where the pairs have labels, and of M `flipped` (the share of decisions that change).
    """

    matcher: MatchFunction
    resamples: Resamples
    fold: NDArray[np.int64] | str
    seed: int

    @cached_property
    def before(self) -> Quality:
        """Gives the quality with all features."""
        pairs = self.resamples.pairs
        return self.resamples.quality(self.matcher.ranked(pairs.table), pairs.probability >= self.matcher.threshold)

    @cached_property
    def retrained(self) -> Quality:
        """Gives the quality of new trees with all features, out of fold."""
        return self._trained(())

    def shuffled(self, columns: Sequence[int], repeats: int, generator: np.random.Generator) -> Row:
        """Shuffles some columns over the pairs, together: permutation importance (Breiman 2001); the mean over the repeats."""
        pairs, threshold = self.resamples.pairs, self.matcher.threshold
        flipped, after = [], []
        for turn in range(repeats):
            table = pairs.table.copy()
            table[:, columns] = pairs.table[generator.permutation(len(table))][:, columns]
            raw = self.matcher.ranked(table)
            said = self.matcher.scorer.calibration(raw) >= threshold
            flipped.append(float((said != (pairs.probability >= threshold)).mean()))
            if pairs.label is not None:
                after.append(self.resamples.every(turn, repeats).quality(raw, said))
        return {"flipped": float(np.mean(flipped))} | (self.resamples.lost(self.before, after) if after else {})

    def without(self, columns: Sequence[int]) -> Row:
        """Trains without some columns, cross-validated; F1 at the threshold that is best out of fold. The engine is `lightgbm`."""
        return self.resamples.lost(self.retrained, [self._trained(columns)])

    def _trained(self, gone: Sequence[int]) -> Quality:
        pairs = self.resamples.pairs
        assert pairs.label is not None
        assert not isinstance(self.fold, str)
        rows = Rows(pairs.table, pairs.label, None, self.fold, directions_of(self.matcher.features))
        raw = out_of_fold(rows, np.setdiff1d(np.arange(pairs.table.shape[1]), gone), self.seed)
        probability = 1 / (1 + np.exp(-raw))
        return self.resamples.quality(raw, probability >= choose_threshold(probability, pairs.label, MAX_F1))
