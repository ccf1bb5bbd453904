"""What each kind of silver pair and each family of features brings: M is fitted again without it.

The folds, the labelled pairs and their features are the same in every fit; only trees are grown anew. Measured out of fold on
the labelled pairs that differ after normalisation; differences with a paired bootstrap over references (Efron & Tibshirani
1993, §16.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..stats.intervals import percentiles
from ..stats.resampling import group_draws
from ..training.engines import lightgbm_engine
from ..training.engines.fitted import Rows
from ..training.examples import Examples, ExtraExamples, folds_of_references
from ..training.fold_fit import out_of_fold
from ..training.statistics.measure import ranking_and_decisions
from ..training.statistics.split import grouped_folds
from ..training.statistics.threshold import choose_threshold

WHOLE, NO_SILVER = "everything", "no silver pairs"
REPEATS = 1000
LEVEL = 0.95
_CANDIDATES = lightgbm_engine.CANDIDATES[:1]


@dataclass(frozen=True)
class Change:
    """A measure without the part less the same with everything: below 0 where the part helps. low, high : its 95 % interval."""

    value: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        between = "" if self.low is None or self.high is None else f" [{self.low:+.3f}, {self.high:+.3f}]"
        return f"{self.value:+.3f}{between}"


@dataclass(frozen=True)
class Ablated:
    """What M is without one part. left_out : silver pairs or columns that were left out; the changes are None for everything."""

    name: str
    left_out: int
    average_precision: float
    f1: float
    average_precision_change: Change | None = None
    f1_change: Change | None = None


@dataclass(frozen=True)
class Ablation:
    """rows : everything, then each part left out. pairs, matches, groups : what it was measured on; silver : pairs learned besides."""

    rows: tuple[Ablated, ...]
    pairs: int
    matches: int
    groups: int
    silver: int

    def markdown(self) -> str:
        """The table of the model card."""
        return "\n".join(
            [
                f"Out of fold on {self.pairs:,} pairs ({self.matches:,} matches) of {self.groups:,} references, with {self.silver:,} silver"
                " pairs learned besides. Change: without the part, less with it; below 0 the part helps. 95 % bootstrap over references.",
                "",
                "| without | left out | average precision | change | F1 | change |",
                "| --- | --- | --- | --- | --- | --- |",
                *(
                    f"| {row.name} | {row.left_out:,} | {row.average_precision:.3f} | {row.average_precision_change or ''} "
                    f"| {row.f1:.3f} | {row.f1_change or ''} |"
                    for row in self.rows
                ),
            ]
        )


def ablate(
    examples: Examples,
    silver: Mapping[str, ExtraExamples],
    families: Mapping[str, Sequence[int]],
    directions: Sequence[int],
    *,
    seed: int = 0,
    repeats: int = REPEATS,
    unseen: frozenset[str] = frozenset(),
    progress: Callable[[int, int], None] | None = None,
) -> Ablation:
    """Fits M with everything, without each kind of silver pairs, without any, and without each family of features.

    Parameters
    ----------
    examples : the labelled pairs of the references that may be trained on.
    silver : by kind. unseen : the held-out references, of which no silver pair may tell.
    families : by name, the columns of the features that belong together. directions : as of `Rows`.
    """
    differ = examples.take(examples.open)
    fold = grouped_folds(differ.groups, differ.label, 5, seed)
    references = folds_of_references(differ, fold)
    rows = {kind: part.rows(references, unseen) for kind, part in silver.items()}
    every = np.arange(differ.table.shape[1])
    parts: list[tuple[str, int, list[str], NDArray[np.int64]]] = [(WHOLE, 0, list(rows), every)]
    if rows:
        parts += [(kind, len(rows[kind].label), [k for k in rows if k != kind], every) for kind in rows]
        parts.append((NO_SILVER, sum(len(part.label) for part in rows.values()), [], every))
    parts += [(name, len(columns), list(rows), np.setdiff1d(every, columns)) for name, columns in families.items()]
    done, fits = [], len(parts)
    for name, left_out, kinds, columns in parts:
        extra = [rows[kind] for kind in kinds]
        whole = Rows(differ.table, differ.label, differ.weight, fold, directions, extra)
        raw = out_of_fold(whole, columns, seed, candidates=_CANDIDATES)
        score = 1 / (1 + np.exp(-raw))  # not calibrated: neither measure asks for more than the order
        done.append((name, left_out, score, choose_threshold(score, differ.label)))
        if progress is not None:
            progress(len(done), fits)
    silver_pairs = sum(len(part.label) for part in rows.values())
    return Ablation(
        _compared(done, differ, repeats, seed),
        len(differ),
        int(differ.label.sum()),
        len(differ.groups.names),
        silver_pairs,
    )


def _compared(
    done: Sequence[tuple[str, int, NDArray[np.float64], float]], differ: Examples, repeats: int, seed: int
) -> tuple[Ablated, ...]:
    """The first of `done` is what the others are compared with, on the same resamples of references."""
    groups = len(differ.groups.names)
    # once each, then as often as each resample has them
    draws = np.vstack([np.ones((1, groups), np.int64), group_draws(groups, repeats, seed)])
    found = [
        ranking_and_decisions(score, score >= threshold, differ.label, differ.groups.code, draws)
        for _, _, score, threshold in done
    ]
    out = []
    for (name, left_out, _, _), values in zip(done, found, strict=True):
        changes = [Change(float(one[0]), *percentiles(one[1:], LEVEL)) for one in values - found[0]]
        out.append(Ablated(name, left_out, *values[:, 0].tolist(), *(changes if out else ())))
    return tuple(out)
