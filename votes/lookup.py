"""Votes out of the store, as arrays over the unique names of a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .store.store import VoteStore
from .voters import Voter

Index = NDArray[np.int32]
Column = NDArray[np.float32]


@dataclass(frozen=True)
class PairVotes:
    """One voter's answers on the pairs of u names that it gave a verdict on.

    pairs : int64[v], ascending: the pair (i, j), i < j, is i * u + j.
    means, spreads : float32[v], mean and standard deviation (n - 1; NaN for one) over orders and repeats.
    """

    n_names: int
    pairs: NDArray[np.int64]
    means: Column
    spreads: Column

    @classmethod
    def read(cls, store: VoteStore, voter: Voter, names: Sequence[str]) -> PairVotes:
        """What the store holds of `voter` on pairs of `names`; answers without a verdict count as none."""
        number = {name: i for i, name in enumerate(names)}
        keys: list[int] = []
        values: list[float] = []
        for first, second, repeat, verdict, probability, _ in store.answers(voter.config, names):
            value = probability if voter.soft else verdict
            if value is None or repeat >= voter.repeats or (first > second and not voter.both_orders):
                continue
            i, j = number[first], number[second]
            keys.append(min(i, j) * len(names) + max(i, j))
            values.append(value)
        pairs, of = np.unique(np.array(keys, np.int64), return_inverse=True)
        value = np.array(values, np.float64)
        count = np.bincount(of, minlength=len(pairs))
        mean = np.bincount(of, value, len(pairs)) / np.maximum(count, 1)
        squares = np.bincount(of, np.square(value - mean[of]), len(pairs))
        spread = np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
        return cls(len(names), pairs, mean.astype(np.float32), spread.astype(np.float32))

    def mean(self, first: Index, second: Index, out: Column) -> None:
        """out[p] : the mean vote on the names (first[p], second[p]); 1 for one and the same name; NaN for none."""
        self._gather(self.means, first, second, out)
        out[first == second] = 1.0

    def spread(self, first: Index, second: Index, out: Column) -> None:
        """out[p] : the standard deviation; 0 for one and the same name; NaN for fewer than two votes."""
        self._gather(self.spreads, first, second, out)
        out[first == second] = 0.0

    def _gather(self, values: Column, first: Index, second: Index, out: Column) -> None:
        if not len(self.pairs):
            out[:] = np.nan
            return
        wanted = np.minimum(first, second).astype(np.int64) * self.n_names + np.maximum(first, second)
        at = np.minimum(np.searchsorted(self.pairs, wanted), len(self.pairs) - 1)
        out[:] = np.where(self.pairs[at] == wanted, values[at], np.nan)
