"""Which n of m voters to ask: those that decide best together, beside those that are best alone, as the source chose its five."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..features.feature_set import FeatureSet
from ..pages.figure import Row
from .alone import Decisions, names_of

VOTER = "vote"
YES = 0.5
"""From here up a vote that is a mean or a probability says yes."""
MOST_SUBSETS = 20_000
"""Up to so many, every choice is tried; of more, one voter after the other is added."""

Choice = tuple[tuple[int, ...], int]
"""Which columns of the votes, and how many of them must say yes."""


@dataclass(frozen=True)
class Votes:
    """bool[n, m] of the m voters that have an answer: yes or not. columns : their places in the feature set.

    silent : the names of the voters without any answer.
    """

    yes: NDArray[np.bool_]
    columns: tuple[int, ...]
    silent: tuple[str, ...]

    @classmethod
    def of(cls, features: FeatureSet, table: NDArray[np.floating]) -> Votes:
        """table : float32[n, f]; a vote that is unknown is no yes."""
        asked = [column for column, feature in enumerate(features.features) if feature.kind == VOTER]
        answered = tuple(column for column in asked if np.isfinite(table[:, column]).any())
        silent = tuple(features.names[column] for column in asked if column not in answered)
        with np.errstate(invalid="ignore"):
            return cls(table[:, list(answered)] >= YES, answered, silent)


def check_voters(count: int | None, features: FeatureSet) -> None:
    """Errors: `OptionError` for a feature set without votes, or more than it has."""
    if count is None:
        return
    there = sum(feature.kind == VOTER for feature in features.features)
    if not there:
        raise OptionError(
            "voters", f"asked for where the feature set {features.name!r} has features of kind 'vote'", count
        )
    if not 1 <= count <= there:
        raise OptionError("voters", f"from 1 to {there}, the voters of the feature set", count)


def voter_rows(features: FeatureSet, of: Decisions, count: int) -> list[Row]:
    """What the best `count` voters reach, by each way to choose them.

    A choice is some voters and how many of them must say yes. It is made for each fold of references on the other folds, by F1, and
    measured on the fold; so no pair both chooses and measures. `f1_same_pairs` is the F1 of the choice that all pairs make, on the
    pairs that made it: what the source reports, and too good. `folds` : in how many folds these very voters were chosen.

    together : those with the highest F1 together, of all choices of `count` (of more than 20,000, by forward selection).
    highest F1 alone : the source's way, "selected by the highest F1".
    all : every voter that has an answer.
    """
    votes = Votes.of(features, of.pairs.table)
    there = len(votes.columns)
    if count > there:
        silent = f"; no answer at all of {', '.join(votes.silent)}" if votes.silent else ""
        raise OptionError("voters", f"from 1 to {there}, the voters that have an answer{silent}", count)
    tallies = _Tallies(votes.yes, of)
    exhaustive = comb(there, count) <= MOST_SUBSETS
    together = "together" if exhaustive else "together, one after the other"
    ways: list[tuple[str, int, Callable[[Sequence[int]], Choice]]] = [
        (together, count, lambda folds: tallies.together(count, folds, exhaustive)),
        ("highest F1 alone", count, lambda folds: tallies.alone(count, folds)),
    ]
    if there > count:
        ways.append(("all", there, lambda folds: tallies.needed(tuple(range(there)), folds)))
    return [_way_row(way, size, choose, votes, tallies, features, of) for way, size, choose in ways]


def _way_row(
    way: str,
    size: int,
    choose: Callable[[Sequence[int]], Choice],
    votes: Votes,
    tallies: _Tallies,
    features: FeatureSet,
    of: Decisions,
) -> Row:
    every = np.unique(of.fold).tolist()
    final, said, same = choose(every), np.zeros(len(of.label), bool), 0
    for fold in every:
        chosen, need = choose([other for other in every if other != fold])
        held = of.fold == fold
        said[held] = votes.yes[held][:, list(chosen)].sum(1) >= need
        same += set(chosen) == set(final[0])
    return {
        "way": way,
        "n": size,
        "of": len(votes.columns),
        "voters": names_of(features.features, [votes.columns[voter] for voter in final[0]]),
        "yes": final[1],
        "folds": same,
        "pairs": len(of.label),
        "matches": int(of.label.sum()),
        **of.measured(said),
        "f1_same_pairs": tallies.f1(final[0], every)[final[1] - 1],
    }


class _Tallies:
    """How many matches and others of each fold have how many yes, for any choice of voters."""

    def __init__(self, yes: NDArray[np.bool_], of: Decisions) -> None:
        self._yes = yes
        self._folds = int(of.fold.max()) + 1
        self._place = (of.fold * 2 + (of.label == 1)).astype(np.int64)
        self._known: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def _of(self, voters: tuple[int, ...]) -> NDArray[np.int64]:
        """int64[folds, 2, n + 1]: pairs by fold, label and how many of n voters say yes."""
        if voters not in self._known:
            size = len(voters) + 1
            place = self._place * size + self._yes[:, list(voters)].sum(1)
            self._known[voters] = np.bincount(place, minlength=self._folds * 2 * size).reshape(self._folds, 2, size)
        return self._known[voters]

    def f1(self, voters: tuple[int, ...], folds: Sequence[int]) -> list[float]:
        """In these folds, where 1, 2, … of the voters must say yes."""
        others, matches = self._of(tuple(sorted(voters)))[list(folds)].sum(0)
        true, false = (counts[::-1].cumsum()[::-1][1:] for counts in (matches, others))
        return (2 * true / np.maximum(true + false + matches.sum(), 1)).tolist()

    def needed(self, voters: tuple[int, ...], folds: Sequence[int]) -> Choice:
        """How many must say yes for the highest F1; of equals the fewest."""
        f1 = self.f1(voters, folds)
        return voters, 1 + max(range(len(f1)), key=lambda place: f1[place])

    def alone(self, count: int, folds: Sequence[int]) -> Choice:
        """Those with the highest F1 alone; of equals the earlier."""
        ranked = sorted(range(self._yes.shape[1]), key=lambda voter: -self.f1((voter,), folds)[0])
        return self.needed(tuple(ranked[:count]), folds)

    def together(self, count: int, folds: Sequence[int], exhaustive: bool) -> Choice:
        """Those with the highest F1 together; of equals those that are named earlier."""
        voters = range(self._yes.shape[1])
        if exhaustive:
            best = max(combinations(voters, count), key=lambda some: max(self.f1(some, folds)))
            return self.needed(best, folds)
        chosen: tuple[int, ...] = ()
        while len(chosen) < count:
            left = [voter for voter in voters if voter not in chosen]
            chosen = (*chosen, max(left, key=lambda one: max(self.f1((*chosen, one), folds))))
        return self.needed(chosen, folds)
