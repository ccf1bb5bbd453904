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


@dataclass(frozen=True)
class Resamples:
    """Bootstrap over references: int64[r, g], how often each of the g groups is drawn; the same for all that is compared."""

    draws: NDArray[np.int64]

    @classmethod
    def of(cls, groups: int, repeats: int, seed: int) -> Resamples:
        generator = np.random.default_rng(seed)
        return cls(generator.multinomial(groups, np.full(groups, 1 / groups), size=repeats))

    def turn(self, number: int, of: int) -> Resamples:
        """Every `of`-th resample, from `number` on."""
        return Resamples(self.draws[number::of])


@dataclass(frozen=True)
class Quality:
    """Average precision and F1 at the threshold: `value` on the pairs as they are, and of each resample float64[r]."""

    value: dict[str, float]
    resampled: dict[str, NDArray[np.float64]]


def quality(
    raw: NDArray[np.float64], predicted: NDArray[np.bool_], pairs: ScoredPairs, resamples: Resamples
) -> Quality:
    """raw : float64[n], by which pairs are ranked. predicted : bool[n], M's decisions."""
    assert pairs.label is not None
    label, group = pairs.label, pairs.groups.code
    one = np.ones((1, len(label)))
    per = max(1, _CELLS // len(label))
    parts = [resamples.draws[i : i + per][:, group].astype(float) for i in range(0, len(resamples.draws), per)]
    return Quality(
        {"average_precision": float(average_precision(raw, label, one)[0]), "f1": float(_f1(predicted, label, one)[0])},
        {
            "average_precision": np.concatenate(
                [np.zeros(0), *(average_precision(raw, label, part) for part in parts)]
            ),
            "f1": np.concatenate([_f1(predicted, label, part) for part in parts]),
        },
    )


def _f1(predicted: NDArray[np.bool_], label: NDArray[np.int8], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of r weightings `weight[r, n]`; NaN with neither a match nor a decision for one."""
    both = weight[:, predicted & (label == 1)].sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * both / (weight[:, predicted].sum(1) + weight[:, label == 1].sum(1))


def lost(before: Quality, after: Sequence[Quality]) -> Row:
    """`ap_lost`, `f1_lost` with `_low` and `_high`: the mean over `after` of what is lost, and its interval.

    Each of `after` has its turn of the resamples (`Resamples.turn`), so the interval spans references and shuffles.
    """
    row: Row = {}
    for name, short in (("average_precision", "ap_lost"), ("f1", "f1_lost")):
        row[short] = before.value[name] - float(np.mean([quality.value[name] for quality in after]))
        differences = before.resampled[name].copy()
        for turn, quality in enumerate(after):
            differences[turn :: len(after)] -= quality.resampled[name]
        row[f"{short}_low"], row[f"{short}_high"] = percentile_interval(differences, LEVEL)
    return row


@dataclass(frozen=True)
class Disturbed:
    """M asked again about pairs whose features were disturbed. Rows have `flipped` (the share of decisions that change, the mean over the
    repeats), and with labels those of `lost`.

    before : the quality without, and the resamples; None without labels.
    """

    matcher: MatchFunction
    pairs: ScoredPairs
    before: tuple[Quality, Resamples] | None

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
            raw = self.matcher.raw(table)
            predicted = self.matcher.scorer.calibration(raw) >= self.matcher.threshold
            flipped.append(float((predicted != said).mean()))
            if self.before is not None:
                resamples = self.before[1].turn(turn, len(tables))
                after.append(quality(raw, predicted, self.pairs, resamples))
        row: Row = {"flipped": float(np.mean(flipped))}
        return row if self.before is None else row | lost(self.before[0], after)
