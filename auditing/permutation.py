"""What M loses when features are permuted (shuffled over the pairs) or masked (taken away)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from ..pages.figure import Row
from ..training.statistics.measure import average_precision, percentile_interval
from .scored_pairs import ScoredPairs

_CELLS = 4_000_000
LEVEL = 0.95

Quality = dict[str, NDArray[np.float64]]
"""`average_precision` and `f1` at the threshold, float64[1 + r] each: of the pairs as they are, then of each resample."""


def quality(
    raw: NDArray[np.float64], predicted: NDArray[np.bool_], pairs: ScoredPairs, draws: NDArray[np.int64]
) -> Quality:
    """raw : float64[n], by which pairs are ranked. predicted : bool[n], M's decisions. draws : int64[r, groups], as `group_draws`."""
    assert pairs.label is not None
    label, group = pairs.label, pairs.groups.code
    per = max(1, _CELLS // len(label))
    every = np.vstack([np.ones((1, draws.shape[1]), np.int64), draws])
    found = []
    for start in range(0, len(every), per):
        weight = every[start : start + per][:, group].astype(float)
        found.append((average_precision(raw, label, weight), _f1(predicted, label, weight)))
    ranked, decided = map(np.concatenate, zip(*found, strict=True))
    return {"average_precision": ranked, "f1": decided}


def _f1(predicted: NDArray[np.bool_], label: NDArray[np.int8], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of r weightings `weight[r, n]`; NaN with neither a match nor a decision for one."""
    both = weight[:, predicted & (label == 1)].sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * both / (weight[:, predicted].sum(1) + weight[:, label == 1].sum(1))


def lost(before: Quality, after: Sequence[Quality]) -> Row:
    """`ap_lost`, `f1_lost` with `_low` and `_high`: the mean over `after` of what is lost, and its interval.

    The k-th of n in `after` has every n-th resample from the k-th on, so the interval spans references and shuffles.
    """
    row: Row = {}
    for name, short in (("average_precision", "ap_lost"), ("f1", "f1_lost")):
        row[short] = float(before[name][0]) - float(np.mean([quality[name][0] for quality in after]))
        differences = before[name][1:].copy()
        for turn, quality in enumerate(after):
            differences[turn :: len(after)] -= quality[name][1:]
        row[f"{short}_low"], row[f"{short}_high"] = percentile_interval(differences, LEVEL)
    return row


@dataclass(frozen=True)
class Disturbed:
    """M asked again about pairs whose features were disturbed. Rows have `flipped` (the share of decisions that change, the mean over the
    repeats), and with labels those of `lost`.

    before : the quality without, None without labels. draws : the resamples.
    """

    matcher: MatchFunction
    pairs: ScoredPairs
    before: Quality | None
    draws: NDArray[np.int64]

    def shuffled(self, columns: Sequence[int], repeats: int, generator: np.random.Generator) -> Row:
        """With some columns shuffled over the pairs, together: permutation importance (Breiman 2001)."""
        tables = []
        for _ in range(repeats):
            table = self.pairs.table.copy()
            table[:, columns] = table[generator.permutation(len(table))][:, columns]
            tables.append(table)
        return self._row(tables)

    def masked(self, columns: Sequence[int]) -> Row:
        """With some columns unknown (NaN) for every pair."""
        table = self.pairs.table.copy()
        table[:, columns] = np.nan
        return self._row([table])

    def _row(self, tables: Sequence[NDArray[np.float32]]) -> Row:
        said = self.pairs.probability >= self.matcher.threshold
        flipped, after = [], []
        for turn, table in enumerate(tables):
            raw = self.matcher.ranked(table)
            predicted = self.matcher.scorer.calibration(raw) >= self.matcher.threshold
            flipped.append(float((predicted != said).mean()))
            if self.before is not None:
                after.append(quality(raw, predicted, self.pairs, self.draws[turn :: len(tables)]))
        row: Row = {"flipped": float(np.mean(flipped))}
        return row if self.before is None else row | lost(self.before, after)
