"""Resamples of cases, or of clusters of these: the same ones for every metric and rater, so that differences are paired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError, quoted, warn
from ..options import Between, Options

CASES_ALONE = "resamples", "seed", "level"
"""The options of those whose cases are in no clusters."""
FEW_CLUSTERS = 20
"""From fewer, resampling whole clusters tells too little of how these differ (Cameron, Gelbach & Miller 2008)."""
Values = NDArray[np.float64]
Statistic = Callable[[Values], Values]
"""Weights [b, n], how often each case counts -> the values [b, ...] of a metric under each of b weightings."""

_BYTES_PER_BLOCK = 32_000_000
_EXACT_IN_FLOAT32 = 2**24


@dataclass(frozen=True, kw_only=True)
class Resampling(Options):
    """How intervals and tests are drawn.

    Parameters
    ----------
    resamples : int
        Resamples of the cases behind each interval, 0 to 1,000,000; 0 for no intervals.
    seed : int
        Of every random draw, 0 or more.
    level : float
        Of the percentile intervals, between 0 and 1.
    cluster : str, optional
        A column of the cases, such as the patient, where several cases of one are not independent: whole clusters are drawn, and change
        places in tests. It is said of every case, and makes no subgroups.

    Raises
    ------
    OptionError
        For a number outside these ranges.
    """

    resamples: Annotated[int, Between(0, 1_000_000)] = 1000
    seed: Annotated[int, Between(0)] = 0
    level: Annotated[float, Between(0, 1, apart=True)] = 0.95
    cluster: str | None = None

    @property
    def drawn(self) -> str:
        """What is drawn, in words; "" where it is the cases."""
        return "" if self.cluster is None else f"clusters of {quoted(self.cluster)}"

    def clusters(self, cases: Sequence[str], groups: Mapping[str, Sequence[str | None]]) -> Sequence[str]:
        """Names what is drawn of each case: its cluster, or the case itself.

        groups : column -> its value for each case.

        Raises
        ------
        OptionError
            Where a case is in no cluster.
        """
        of = cases if self.cluster is None else groups[self.cluster]
        named = [one for one in of if one is not None]
        if len(named) < len(of):
            got = f"{len(of) - len(named):,} of {len(of):,} cells are blank; the first is of case {quoted(cases[list(of).index(None)])}"
            raise OptionError("resampling.cluster", "a column that is filled in for every case", got)
        if self.cluster is not None and (few := len(set(named))) < FEW_CLUSTERS:
            warn(
                f"The {len(of):,} cases are in {few:,} clusters of {quoted(self.cluster)}: intervals from so few are too narrow, and p too small."
            )
        return named

    def resampled(self, statistic: Statistic, names: Sequence[str]) -> Values:
        """Computes a statistic in every resample: float64 [resamples, ...].

        Parameters
        ----------
        statistic : Statistic
            Of n cases.
        names : sequence of str
            Of the n cases, or of their clusters: they are drawn in the order of their names, so that the order of the input changes no interval.
        """
        once = statistic(np.ones((1, len(names))))
        out, start = np.empty((self.resamples if len(names) else 0, *once.shape[1:])), 0
        for weights in case_weights(by_name(names), self.resamples, self.seed, once.size) if len(names) else ():
            out[start : (start := start + len(weights))] = statistic(weights)
        return out


def by_name(names: Sequence[str]) -> NDArray[np.intp]:
    """Numbers the unlike names of n cases, or of their clusters, in order: int [n]."""
    return np.unique(np.array(names, dtype=object), return_inverse=True)[1].ravel()


def case_weights(units: NDArray[np.integer], repeats: int, seed: int, width: int = 1) -> Iterator[Values]:
    """Draws multinomial counts in blocks [b, n]: how often each of n cases stands in each resample; n is at least 1.

    units : [n], of each case the number of the unit that is drawn, from 0: a cluster of cases (Davison & Hinkley 1997, §3.8), or the
        case itself. As many are drawn as there are. width : how many values are made of each resample: blocks of these are small, too.
    """
    generator, m = np.random.default_rng(seed), int(units.max()) + 1
    step = max(1, _BYTES_PER_BLOCK // (8 * max(len(units), width)))
    for start in range(0, repeats, step):
        block = np.empty((min(step, repeats - start), len(units)))
        for row in block:
            row[:] = np.bincount(generator.integers(0, m, m), minlength=m)[units]
        yield block


def group_draws(groups: int, repeats: int, seed: int) -> NDArray[np.int64]:
    """Draws how often each of the groups stands in each resample: int64 [repeats, groups].

    The bootstrap over groups (Efron & Tibshirani 1993, §13.3), where cases of one group are not independent.
    """
    # in one call, not as `case_weights` draws: the intervals on the card of every trained model rest on these draws
    return np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), size=repeats)


class CaseMeans:
    """Means of per-case values [n, m] under weights: a `Statistic` whose value is float64 [b, m].

    Parameters
    ----------
    values : array [n, m]
        Numbers or bool. NaN where a case has no value: the mean is over the others, each as often as it is drawn, and NaN
        where none of them is drawn.
    """

    def __init__(self, values: ArrayLike) -> None:
        cases = np.asarray(values)
        whole = cases.dtype.kind in "biu"
        # sums of whole numbers below 2^24 are exact in float32, at twice the speed
        small = whole and len(cases) * max(1, int(cases.max(initial=0))) < _EXACT_IN_FLOAT32
        self._kind = np.float32 if small else np.float64
        missing = np.zeros(cases.shape, bool) if whole else np.isnan(cases)
        self._gaps = np.flatnonzero(missing.any(0))
        patterns, self._pattern = np.unique(missing[:, self._gaps], axis=1, return_inverse=True)
        self._there = (~patterns).astype(float)
        self._filled = np.where(missing, 0, cases) if len(self._gaps) else cases

    def __call__(self, weights: Values) -> Values:
        sums = (weights.astype(self._kind) @ self._filled.astype(self._kind, copy=False)).astype(float)
        held = np.repeat(weights.sum(1, keepdims=True), sums.shape[1], 1)
        held[:, self._gaps] = (weights @ self._there)[:, self._pattern.ravel()]
        return np.divide(sums, held, out=np.full(sums.shape, np.nan), where=held > 0)
