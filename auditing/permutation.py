"""What M loses without features: they are shuffled over the pairs, or never trained on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from ..pages.rows import Row, known
from ..progress import Progress
from ..stats.agreement import divided
from ..stats.intervals import percentiles
from ..stats.resampling import Resampling, group_draws
from ..training.engines.fitted import Rows
from ..training.fold_fit import directions_of, out_of_fold
from ..training.statistics.measure import ranking_and_decisions
from ..training.statistics.threshold import MAX_F1, choose_threshold
from .scored_pairs import ScoredPairs

_LOWEST = -1e9
"""Log-odds below those of any trees, and finite, so that differences of them are numbers."""
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
    """Holds pairs, and how often each reference counts: int64 [1 + r, groups], once each, then in r resamples.

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
        found = ranking_and_decisions(raw, said, self.pairs.label, self.pairs.groups.code, self.weights)
        return dict(zip(("ap", "f1"), found, strict=True))


def measured(row: Row, name: str) -> Row:
    """Gives a measure of a row, with its interval beside it, as the row of a value."""
    reason = UNDEFINED if row[name] is None else None
    return {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"], "reason": reason}


def permutation_rows(
    matcher: MatchFunction,
    resamples: Resamples,
    parts: Mapping[str, Sequence[int]],
    repeats: int,
    seed: int,
    progress: Progress,
) -> list[Row]:
    """Shuffles the columns of each part over the pairs, together: permutation importance (Breiman 2001).

    A row for each part: `name`, `flipped`, the share of decisions that change, the mean over the repeats; and what `lost` says.
    """
    pairs, generator = resamples.pairs, np.random.default_rng(seed)

    def seen(table: NDArray[np.float32]) -> tuple[Values, NDArray[np.bool_]]:
        """What ranks pairs, log-odds below all others where what they say excludes, and what is said of them."""
        raw = np.where(matcher.features.excludes(table), _LOWEST, matcher.parts.trees.raw(table))
        return raw, matcher.parts.manifest.decision.calibration(raw) >= matcher.threshold

    ranks, decided = seen(pairs.table)
    before, rows = resamples.quality(ranks, decided), list[Row]()
    for name, columns in parts.items():
        flipped, after = [], []
        for turn in range(repeats):
            table = pairs.table.copy()
            table[:, columns] = pairs.table[generator.permutation(len(table))][:, columns]
            raw, said = seen(table)
            flipped.append(float((said != decided).mean()))
            after.append(resamples.every(turn, repeats).quality(raw, said))
        rows.append({"name": name, "flipped": float(np.mean(flipped)), **resamples.lost(before, after)})
        progress(len(rows), len(parts))
    return rows


def ablation_rows(
    matcher: MatchFunction,
    resamples: Resamples,
    parts: Mapping[str, Sequence[int]],
    fold: NDArray[np.int64],
    seed: int,
    progress: Progress,
) -> list[Row]:
    """Trains new trees without the columns of each part, measured out of fold, beside new trees with all of them.

    The engine is `lightgbm`; F1 is at the threshold that is best out of fold. A row for each part: `name`, and what `lost` says.
    """
    pairs, rows = resamples.pairs, list[Row]()
    trained = Rows(pairs.table, pairs.label, np.ones(len(fold)), fold, directions_of(matcher.features))
    every = np.arange(pairs.table.shape[1])

    def quality(columns: NDArray[np.int64]) -> Quality:
        raw = out_of_fold(trained, columns, seed)
        probability = 1 / (1 + np.exp(-raw))
        return resamples.quality(raw, probability >= choose_threshold(probability, pairs.label, MAX_F1))

    before = quality(every)
    for name, columns in parts.items():
        rows.append({"name": name, **resamples.lost(before, [quality(np.setdiff1d(every, columns))])})
        progress(len(rows), len(parts))
    return rows
