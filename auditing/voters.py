"""Whoever says yes or no: M, each feature by itself, and which n of m voters to ask, as the source chose its five."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..features.feature_set import FeatureSet, FeatureSpec
from ..features.registry import KINDS
from ..matcher.match_function import MatchFunction
from ..pages.rows import Row
from ..training.statistics.correlation import UNKNOWN, likeness, value_at
from ..training.statistics.threshold import MAX_F1, choose_threshold
from .families import family_of, label_of
from .permutation import Resamples

VOTER = "vote"
YES = 0.5
"""From here up a vote that is a mean or a probability says yes."""
MOST_SUBSETS = 20_000
"""Every choice of so many voters is tried."""


def by_folds(score: NDArray[np.float64], label: NDArray[np.int8], fold: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Finds the pairs of each fold at the threshold of highest F1 in the others: bool [n]. score : as of `likeness`."""
    said = np.zeros(len(score), bool)
    for held in (fold == one for one in np.unique(fold)):
        said[held] = score[held] >= choose_threshold(score[~held], label[~held], MAX_F1)
    return said & (score != UNKNOWN)


def alone_rows(matcher: MatchFunction, resamples: Resamples, fold: NDArray[np.int64]) -> list[Row]:
    """Measures M, then each feature, the highest F1 first. fold : int64 [n], whole references.

    A value of 0 or 1 is taken as it is. Any other is a match from a threshold on, that of highest F1 in the folds of references
    that the pair is not in; the `threshold` told is that of all pairs. A feature that is unknown for a pair says no match.
    """
    pairs, features = resamples.pairs, zip(matcher.features.features, resamples.pairs.table.T, strict=True)
    rows = [_alone(feature, values, resamples, fold) for feature, values in features]
    rows.sort(key=lambda row: -row["f1"])
    m: Row = {
        "feature": "M", "family": "", "label": "the match function", "rule": "from", "threshold": matcher.threshold, "known": 1.0,
        **resamples.measured(pairs.probability >= matcher.threshold),
    }  # fmt: skip
    return [m, *rows]


def _alone(feature: FeatureSpec, values: NDArray[np.floating], resamples: Resamples, fold: NDArray[np.int64]) -> Row:
    kind, there, label = KINDS[feature.kind], np.isfinite(values), resamples.pairs.label
    rule, threshold, score = "as it is", None, likeness(feature, values)
    said = score == 1
    if kind.range != (0.0, 1.0) or not set(np.unique(values[there])) <= {0.0, 1.0}:
        rule = "from" if kind.alike == kind.range[1] else "up to"
        threshold, said = value_at(feature, choose_threshold(score, label, MAX_F1)), by_folds(score, label, fold)
    return {
        "feature": feature.name, "family": family_of(feature), "label": label_of(feature), "rule": rule, "threshold": threshold,
        "known": float(there.mean()), **resamples.measured(said),
    }  # fmt: skip


def voter_columns(features: FeatureSet, table: NDArray[np.float32], count: int) -> list[int]:
    """Finds the votes with an answer. table : float32 [n, f]. Errors: `OptionError` where `count` cannot be chosen of them."""
    answered = np.atleast_1d(np.isfinite(table).any(axis=0))
    columns = [i for i, feature in enumerate(features.features) if feature.kind == VOTER and answered[i]]
    if not 0 < (choices := comb(len(columns), count)) <= MOST_SUBSETS:
        voters = ", ".join(features.names[column] for column in columns) or "none"
        allowed = f"a number of the {len(columns)} features of kind 'vote' with an answer ({voters}), of at most {MOST_SUBSETS:,} choices"
        raise OptionError("voters", allowed, f"{count}, of {choices:,} choices")
    return columns


def voter_rows(
    features: FeatureSet, resamples: Resamples, fold: NDArray[np.int64], columns: Sequence[int], count: int
) -> list[Row]:
    """Measures the best `count` voters of `columns`, by each way to choose them.

    A choice is some voters and how many of them must say yes. It is made for each fold of references on the other folds, by F1, and
    measured on the fold; so no pair both chooses and measures. `f1_same_pairs` is the F1 of the choice that all pairs make, on the
    pairs that made it: what the source reports, and too good. `folds` : in how many folds these very voters were chosen.

    together : those with the highest F1 together, of all choices of `count`.
    highest F1 alone : the source's way, "selected by the highest F1".
    all : every voter that has an answer.
    """
    with np.errstate(invalid="ignore"):
        yes = resamples.pairs.table[:, columns] >= YES  # a vote that is unknown is no yes
    parts = int(fold.max()) + 1
    place = fold * 2 + resamples.pairs.match

    def f1(some: Sequence[int]) -> NDArray[np.float64]:
        """Where 1, 2, … of these voters must say yes: float64 [parts + 1, voters], on all pairs but those of each fold, at last on all."""
        size = len(some) + 1
        counts = np.bincount(place * size + yes[:, some].sum(1), minlength=parts * 2 * size).reshape(parts, 2, size)
        seen = counts.sum(0) - np.concatenate([counts, np.zeros((1, 2, size), int)])
        # from each number of yes up
        (false, true), matches = np.moveaxis(seen[..., ::-1].cumsum(2)[..., -2::-1], 1, 0), seen[:, 1].sum(1)
        return 2 * true / np.maximum(true + false + matches[:, None], 1)

    ranked = np.argsort([-f1([voter])[:, 0] for voter in range(len(columns))], axis=0, kind="stable")
    every = list(combinations(range(len(columns)), count))
    best = np.argmax([f1(some).max(1) for some in every], axis=0)
    ways = {"together": [every[one] for one in best], "highest F1 alone": ranked[:count].T.tolist()}
    if len(columns) > count:
        ways["all"] = [range(len(columns))] * (parts + 1)
    rows = []
    for way, chosen in ways.items():
        reached = [f1(some)[part] for part, some in enumerate(chosen)]
        needed = [int(one.argmax()) + 1 for one in reached]
        said = np.zeros(len(fold), bool)
        for part, some in enumerate(chosen[:-1]):
            said[fold == part] = yes[fold == part][:, some].sum(1) >= needed[part]
        final = chosen[-1]
        rows.append({
            "way": way, "n": len(final), "of": len(columns), "voters": ", ".join(features.names[columns[voter]] for voter in final),
            "yes": needed[-1], "folds": sum(set(some) == set(final) for some in chosen[:-1]), **resamples.measured(said),
            "f1_same_pairs": float(reached[-1].max()),
        })  # fmt: skip
    return rows
