"""Whoever says yes or no: M, each feature by itself, and which n of m voters to ask, as the source chose its five."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..features.feature_set import FeatureSet, FeatureSpec
from ..features.registry import KINDS
from ..matcher.match_function import MatchFunction
from ..pages.rows import Row
from ..training.statistics.likeness import UNKNOWN, likeness, value_at
from ..training.statistics.threshold import choose_threshold
from .families import family_of, label_of
from .permutation import Resamples

MEASURES = ("precision", "recall", "f1", "accuracy")
VOTER = "vote"
YES = 0.5
"""From here up a vote that is a mean or a probability says yes."""
MOST_SUBSETS = 20_000
"""Every choice of so many voters is tried."""
_NEVER = "it is unknown for every pair"

Choice = tuple[tuple[int, ...], int]
"""Which columns of the votes, and how many of them must say yes."""


def by_folds(score: NDArray[np.float64], label: NDArray[np.int8], fold: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Finds the pairs of each fold at the threshold of highest F1 in the others: bool [n]. score : as of `likeness`."""
    said = np.zeros(len(score), bool)
    for held in (fold == one for one in np.unique(fold)):
        said[held] = score[held] >= choose_threshold(score[~held], label[~held], "max_f1")
    return said & (score != UNKNOWN)


def alone_rows(matcher: MatchFunction, resamples: Resamples, fold: NDArray[np.int64]) -> list[Row]:
    """Measures M, then each feature, the highest F1 first. fold : int64 [n], whole references.

    A value of 0 or 1 is taken as it is. Any other is a match from a threshold on, that of highest F1 in the folds of references
    that the pair is not in; the `threshold` told is that of all pairs. A feature that is unknown for a pair says no match.
    """
    pairs, features = resamples.pairs, zip(matcher.features.features, resamples.pairs.table.T, strict=True)
    rows = [_alone(feature, values, resamples, fold) for feature, values in features]
    rows.sort(key=lambda row: 1.0 if row["f1"] is None else -row["f1"])
    m: Row = {
        "feature": "M", "family": "", "label": "the match function", "rule": "from", "threshold": matcher.threshold, "known": 1.0,
        "reason": "", **resamples.measured(pairs.probability >= matcher.threshold),
    }  # fmt: skip
    return [m, *rows]


def _alone(feature: FeatureSpec, values: NDArray[np.floating], resamples: Resamples, fold: NDArray[np.int64]) -> Row:
    kind, there, label = KINDS[feature.kind], np.isfinite(values), resamples.pairs.label
    assert label is not None
    rule, threshold, score = "as it is", None, likeness(feature, values)
    said = score == 1
    if kind.range != (0.0, 1.0) or not set(np.unique(values[there])) <= {0.0, 1.0}:
        rule = "from" if kind.alike == kind.range[1] else "up to"
        threshold, said = value_at(feature, choose_threshold(score, label, "max_f1")), by_folds(score, label, fold)
    row: Row = {
        "feature": feature.name, "family": family_of(feature), "label": label_of(feature), "rule": rule, "threshold": threshold,
        "known": float(there.mean()), "reason": "", **resamples.measured(said),
    }  # fmt: skip
    unmeasured = {key: None for key in row if key.startswith(MEASURES)} | {
        "rule": "",
        "threshold": None,
        "reason": _NEVER,
    }
    return row if there.any() else row | unmeasured


def check_voters(count: int | None, features: FeatureSet) -> None:
    """Refuses voters of a feature set without votes, more than it has, or with too many choices. Errors: `OptionError`."""
    there = sum(feature.kind == VOTER for feature in features.features)
    if count is None:
        return
    if not there:
        allowed = f"asked for where the feature set {features.name!r} has features of kind 'vote'"
        raise OptionError("voters", allowed, count)
    if not 1 <= count <= there:
        raise OptionError("voters", f"from 1 to {there}, the voters of the feature set", count)
    if (choices := comb(there, count)) > MOST_SUBSETS:
        allowed = f"a number with at most {MOST_SUBSETS:,} choices of the {there} voters, all of which are tried; these are {choices:,}"
        raise OptionError("voters", allowed, count)


def voter_rows(features: FeatureSet, resamples: Resamples, fold: NDArray[np.int64], count: int) -> list[Row]:
    """Measures the best `count` voters, by each way to choose them.

    A choice is some voters and how many of them must say yes. It is made for each fold of references on the other folds, by F1, and
    measured on the fold; so no pair both chooses and measures. `f1_same_pairs` is the F1 of the choice that all pairs make, on the
    pairs that made it: what the source reports, and too good. `folds` : in how many folds these very voters were chosen.

    together : those with the highest F1 together, of all choices of `count`.
    highest F1 alone : the source's way, "selected by the highest F1".
    all : every voter that has an answer.
    """
    table = resamples.pairs.table
    asked = [column for column, feature in enumerate(features.features) if feature.kind == VOTER]
    columns = [column for column in asked if np.isfinite(table[:, column]).any()]
    if count > len(columns):
        silent = ", ".join(features.names[column] for column in asked if column not in columns)
        allowed = f"from 1 to {len(columns)}, the voters that have an answer; no answer at all of {silent}"
        raise OptionError("voters", allowed, count)
    with np.errstate(invalid="ignore"):
        tallies = _Tallies(table[:, columns] >= YES, resamples, fold)  # a vote that is unknown is no yes
    ways: list[tuple[str, int, Callable[[Sequence[int]], Choice]]] = [
        ("together", count, lambda folds: tallies.together(count, folds)),
        ("highest F1 alone", count, lambda folds: tallies.alone(count, folds)),
    ]
    if len(columns) > count:
        ways.append(("all", len(columns), lambda folds: tallies.needed(tuple(range(len(columns))), folds)))
    rows = []
    for way, size, choose in ways:
        row, chosen = tallies.row(choose)
        names = ", ".join(features.names[columns[voter]] for voter in chosen)
        rows.append({"way": way, "n": size, "of": len(columns), "voters": names, **row})
    return rows


class _Tallies:
    """Counts how many matches and others of each fold have how many yes, for any choice of voters. yes : bool [n, m]."""

    def __init__(self, yes: NDArray[np.bool_], resamples: Resamples, fold: NDArray[np.int64]) -> None:
        self._yes, self._resamples, self._fold = yes, resamples, fold
        self._place = fold * 2 + resamples.pairs.match
        self._folds: list[int] = np.unique(fold).tolist()
        self._known: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def row(self, choose: Callable[[Sequence[int]], Choice]) -> tuple[Row, tuple[int, ...]]:
        """Measures the choices that folds make for each other; and gives the voters that all folds choose."""
        (final, needed), said, same = choose(self._folds), np.zeros(len(self._fold), bool), 0
        for held in self._folds:
            chosen, need = choose([other for other in self._folds if other != held])
            said[self._fold == held] = self._yes[self._fold == held][:, list(chosen)].sum(1) >= need
            same += set(chosen) == set(final)
        f1 = self.f1(final, self._folds)[needed - 1]
        return {"yes": needed, "folds": same, **self._resamples.measured(said), "f1_same_pairs": f1}, final

    def f1(self, voters: tuple[int, ...], folds: Sequence[int]) -> list[float]:
        """Computes F1 in these folds, where 1, 2, … of the voters must say yes."""
        voters = tuple(sorted(voters))
        if voters not in self._known:
            size, count = len(voters) + 1, len(self._folds)
            place = self._place * size + self._yes[:, list(voters)].sum(1)
            self._known[voters] = np.bincount(place, minlength=count * 2 * size).reshape(count, 2, size)
        others, matches = self._known[voters][list(folds)].sum(0)
        true, false = (counts[::-1].cumsum()[::-1][1:] for counts in (matches, others))
        return (2 * true / np.maximum(true + false + matches.sum(), 1)).tolist()

    def needed(self, voters: tuple[int, ...], folds: Sequence[int]) -> Choice:
        """Finds how many must say yes for the highest F1; of equals the fewest."""
        f1 = self.f1(voters, folds)
        return voters, 1 + max(range(len(f1)), key=f1.__getitem__)

    def alone(self, count: int, folds: Sequence[int]) -> Choice:
        """Chooses those with the highest F1 alone; of equals the earlier."""
        ranked = sorted(range(self._yes.shape[1]), key=lambda voter: -self.f1((voter,), folds)[0])
        return self.needed(tuple(ranked[:count]), folds)

    def together(self, count: int, folds: Sequence[int]) -> Choice:
        """Chooses those with the highest F1 together; of equals those that are named earlier."""
        every = combinations(range(self._yes.shape[1]), count)
        return self.needed(max(every, key=lambda some: max(self.f1(some, folds))), folds)
