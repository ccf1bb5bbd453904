"""What M loses without features: shuffled over the pairs, unknown, or never trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from ..pages.rows import Row
from ..statistics.intervals import percentiles
from ..training.engines import lightgbm_engine
from ..training.engines.fitted import Rows
from ..training.fold_fit import directions_of
from ..training.statistics.measure import average_precision
from ..training.statistics.split import grouped_folds
from ..training.statistics.threshold import choose_threshold
from .scored_pairs import ScoredPairs

LEVEL = 0.95
_CELLS = 4_000_000

Values = NDArray[np.float64]
Quality = dict[str, Values]
"""`average_precision` and `f1` at the threshold, float64 [1 + r] each: of the pairs as they are, then of each resample."""


@dataclass(frozen=True)
class Resamples:
    """Holds pairs, and how often each reference counts: int64 [1 + r, groups], once each, then in r resamples."""

    pairs: ScoredPairs
    weights: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: ScoredPairs, draws: NDArray[np.int64]) -> Resamples:
        """Puts the pairs as they are before the resamples. draws : int64 [r, groups]."""
        return cls(pairs, np.vstack([np.ones((1, draws.shape[1]), np.int64), draws]))

    def every(self, start: int, step: int) -> Resamples:
        """Keeps every step-th resample from the start-th on."""
        return Resamples.of(self.pairs, self.weights[1:][start::step])

    def counts(self, rows: NDArray[np.bool_]) -> Values:
        """Counts the pairs of bool [n] in each resample: float64 [1 + r]."""
        return (self.weights @ np.bincount(self.pairs.groups.code[rows], minlength=self.weights.shape[1])).astype(float)

    def measures(self, said: NDArray[np.bool_]) -> dict[str, Values]:
        """Computes precision, recall, F1 and accuracy of bool [n], who says yes; NaN where undefined."""
        match = self.pairs.match
        both, yes, matches = self.counts(said & match), self.counts(said), self.counts(match)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = both / yes, both / matches, 2 * both / (yes + matches)
        return {
            **dict(zip(("precision", "recall", "f1"), values, strict=True)),
            "accuracy": self.counts(said == match) / self.counts(np.ones(len(said), bool)),
        }

    def quality(self, raw: Values, said: NDArray[np.bool_]) -> Quality:
        """Measures a ranking and decisions. raw : float64 [n], by which pairs are ranked. said : bool [n]."""
        pairs = self.pairs
        assert pairs.label is not None
        per = max(1, _CELLS // len(raw))
        ranked = [
            average_precision(raw, pairs.label, self.weights[start : start + per][:, pairs.groups.code].astype(float))
            for start in range(0, len(self.weights), per)
        ]
        return {"average_precision": np.concatenate(ranked), "f1": self.measures(said)["f1"]}


def lost(before: Quality, after: Sequence[Quality]) -> Row:
    """Computes `ap_lost` and `f1_lost` with `_low` and `_high`: the mean over `after` of what is lost, and its interval.

    The k-th of n in `after` has every n-th resample from the k-th on, so the interval spans references and shuffles.
    """
    row: Row = {}
    for name, short in (("average_precision", "ap_lost"), ("f1", "f1_lost")):
        row[short] = float(before[name][0]) - float(np.mean([one[name][0] for one in after]))
        differences = before[name][1:].copy()
        for turn, one in enumerate(after):
            differences[turn :: len(after)] -= one[name][1:]
        row[f"{short}_low"], row[f"{short}_high"] = percentiles(differences, LEVEL)
    return row


@dataclass(frozen=True)
class Disturbed:
    """Asks M again about pairs whose features were disturbed.

    Rows have `flipped` (the share of decisions that change, the mean over the repeats), and with labels those of `lost`.
    before : the quality without, None without labels.
    """

    matcher: MatchFunction
    resamples: Resamples
    before: Quality | None

    def shuffled(self, columns: Sequence[int], repeats: int, generator: np.random.Generator) -> Row:
        """Shuffles some columns over the pairs, together: permutation importance (Breiman 2001)."""
        tables = []
        for _ in range(repeats):
            table = self.resamples.pairs.table.copy()
            table[:, columns] = table[generator.permutation(len(table))][:, columns]
            tables.append(table)
        return self._row(tables)

    def masked(self, columns: Sequence[int]) -> Row:
        """Makes some columns unknown (NaN) for every pair."""
        table = self.resamples.pairs.table.copy()
        table[:, columns] = np.nan
        return self._row([table])

    def _row(self, tables: Sequence[NDArray[np.float32]]) -> Row:
        threshold = self.matcher.threshold
        said = self.resamples.pairs.probability >= threshold
        flipped, after = [], []
        for turn, table in enumerate(tables):
            raw = self.matcher.ranked(table)
            now = self.matcher.scorer.calibration(raw) >= threshold
            flipped.append(float((now != said).mean()))
            if self.before is not None:
                after.append(self.resamples.every(turn, len(tables)).quality(raw, now))
        row: Row = {"flipped": float(np.mean(flipped))}
        return row if self.before is None else row | lost(self.before, after)


@dataclass(frozen=True)
class Retrained:
    """Trains anew on labelled pairs, cross-validated, with the same folds of references each time. The engine is `lightgbm`."""

    matcher: MatchFunction
    resamples: Resamples
    folds: int
    seed: int

    @cached_property
    def whole(self) -> Quality:
        """Gives the quality with all features. Errors: `InputError` where the references are too few for the folds."""
        return self._quality(())

    def without(self, columns: Sequence[int]) -> Row:
        """Tells what is lost, out of fold, without some columns; F1 at the threshold that is best out of fold."""
        return lost(self.whole, [self._quality(columns)])

    @cached_property
    def _fold(self) -> NDArray[np.int64]:
        pairs = self.resamples.pairs
        assert pairs.label is not None
        return grouped_folds(pairs.groups, pairs.label, self.folds, self.seed)

    def _quality(self, gone: Sequence[int]) -> Quality:
        pairs = self.resamples.pairs
        assert pairs.label is not None
        directions = directions_of(self.matcher.features)
        kept = [column for column in range(pairs.table.shape[1]) if column not in gone]
        rows = Rows(pairs.table[:, kept], pairs.label, None, self._fold, [directions[column] for column in kept])
        raw = lightgbm_engine.fit(rows, seed=self.seed).out_of_fold
        probability = 1 / (1 + np.exp(-raw))
        return self.resamples.quality(raw, probability >= choose_threshold(probability, pairs.label, "max_f1"))
