"""What each kind of silver pair and each family of features brings: M is fitted again without it.

The folds, the labelled pairs and their features are the same in every fit; only trees are grown anew. Measured out of fold on
the labelled pairs that differ after normalisation; differences with a paired bootstrap over references (Efron & Tibshirani
1993, §16.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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

REPEATS = 1000
LEVEL = 0.95


def ablation_table(
    examples: Examples,
    silver: Mapping[str, ExtraExamples],
    families: Mapping[str, Sequence[int]],
    directions: Sequence[int],
    *,
    seed: int = 0,
    unseen: frozenset[str] = frozenset(),
    progress: Callable[[int, int], None],
) -> str:
    """The model card's table of M with everything, without each kind of silver pairs, without any, and without each family of features.

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
    every, groups = np.arange(differ.table.shape[1]), len(differ.groups.names)
    size = {kind: len(part.label) for kind, part in rows.items()}
    total = sum(size.values())
    without: dict[str, tuple[int, set[str], NDArray[np.int64]]] = {"everything": (0, set(), every)}
    without |= {kind: (size[kind], {kind}, every) for kind in rows} | {"no silver pairs": (total, {*rows}, every)}
    without |= {name: (len(of), set(), np.setdiff1d(every, of)) for name, of in families.items()}
    # once each, then as often as each resample has them
    draws = np.vstack([np.ones((1, groups), np.int64), group_draws(groups, REPEATS, seed)])
    lines, whole = list[str](), None
    for name, (left_out, kinds, columns) in without.items():
        extra = [part for kind, part in rows.items() if kind not in kinds]
        raw = out_of_fold(
            Rows(differ.table, differ.label, differ.weight, fold, directions, extra),
            columns,
            seed,
            candidates=lightgbm_engine.CANDIDATES[:1],
        )
        score = 1 / (1 + np.exp(-raw))  # not calibrated: neither measure asks for more than the order
        said = score >= choose_threshold(score, differ.label)
        found = np.array(ranking_and_decisions(score, said, differ.label, differ.groups.code, draws))
        changes = ["", ""] if whole is None else map(_change, found - whole)
        whole = found if whole is None else whole
        cells = (f"{value:.3f} | {change}" for value, change in zip(found[:, 0], changes, strict=True))
        lines.append(f"| {name} | {left_out:,} | {' | '.join(cells)} |")
        progress(len(lines), len(without))
    return "\n".join(
        [
            f"Out of fold on {len(differ):,} pairs ({int(differ.label.sum()):,} matches) of {groups:,} references, with {total:,} silver"
            " pairs learned besides. Change: without the part, less with it; below 0 the part helps. 95 % bootstrap over references.",
            "",
            "| without | left out | average precision | change | F1 | change |",
            "| --- | --- | --- | --- | --- | --- |",
            *lines,
        ]
    )


def _change(values: NDArray[np.float64]) -> str:
    """The first, and the interval of the others, which are of resamples."""
    low, high = percentiles(values[1:], LEVEL)
    between = "" if low is None or high is None else f" [{low:+.3f}, {high:+.3f}]"
    return f"{values[0]:+.3f}{between}"
