"""Scores -> their values, those in the resamples of the cases, and rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ...stats.intervals import percentile_interval
from ...stats.resampling import CaseMeans, Resampling, Statistic
from ..score.scores import Score, Values, the_mean

NO_INTERVAL = "no interval: "


@dataclass(frozen=True)
class Estimate:
    """A score's values. value : [r]. repeats : [repeats, r], in the resamples. rows : [n, m], the values of the cases that they are of;
    none of a score with a `statistic`, and `n` is how many cases these are."""

    score: Score
    value: Values
    repeats: Values
    rows: NDArray[Any]
    n: int

    @cached_property
    def n_cases(self) -> NDArray[np.integer]:
        """int [r]: cases in which a rater has a value."""
        return np.full(len(self.value), self.n) if self.score.statistic else has_value(self.score, self.rows).sum(0)

    def deviation(self, rater: int) -> float | None:
        """Gives the deviation of the cases, of the population, where the value is their mean."""
        if self.score.statistic or self.score.combine is not the_mean:
            return None
        values = self.rows[:, self.score.at[rater, 0]].astype(float)
        there = values[~np.isnan(values)]
        return float(there.std()) if len(there) else None


def estimates(
    scores: Sequence[Score], names: Sequence[str], resampling: Resampling, among: NDArray[np.bool_] | None = None
) -> list[Estimate]:
    """Computes all scores, in the data and in resamples that are the same for all scores over the same cases.

    names : of all cases of the answers. among : bool [cases], those that count, resampled among themselves; all by default.
    """
    found: dict[int, Estimate] = {}
    for together in _over_the_same_cases(scores):
        cases = together[0].cases
        kept = np.arange(len(cases)) if among is None else np.flatnonzero(among[cases])
        whole = len(kept) == len(cases)
        rows = {id(one.values): one.values if whole else one.values[kept] for one in together if one.statistic is None}
        own = {id(one.statistic): one.statistic for one in together if one.statistic is not None}
        made = _means(rows) + [((key,), statistic, ()) for key, statistic in own.items()]

        def every(weights: Values, together: Sequence[Score] = together, made: Sequence[_Made] = made) -> Values:
            parts = [(keys, np.split(statistic(weights), ends, 1)) for keys, statistic, ends in made]
            of = {key: part for keys, split in parts for key, part in zip(keys, split, strict=True)}
            return np.concatenate([one.combine(of[_made_of(one)][:, one.at]) for one in together], 1)

        data = every(np.ones((1, len(kept))))[0]
        names_of_kept = [names[int(i)] for i in cases[kept]]
        repeats = resampling.resampled(every, names_of_kept) if len(kept) else np.empty((0, len(data)))
        ends = np.cumsum([len(one.raters) for one in together])[:-1]
        for one, value, again in zip(together, np.split(data, ends), np.split(repeats, ends, 1), strict=True):
            found[id(one)] = Estimate(one, value, again, rows.get(id(one.values), one.values), len(kept))
    return [found[id(score)] for score in scores]


_Made = tuple[Sequence[int], Statistic, Sequence[int]]


def _means(rows: Mapping[int, NDArray[Any]]) -> list[_Made]:
    """Makes one product with the weights of all arrays of a kind: their keys, the means of their columns, and where to part these."""
    kinds: dict[np.dtype[Any], list[int]] = {}
    for key, values in rows.items():
        kinds.setdefault(values.dtype, []).append(key)
    return [
        (
            keys,
            CaseMeans(np.concatenate([rows[key] for key in keys], 1)),
            np.cumsum([rows[k].shape[1] for k in keys])[:-1].tolist(),
        )
        for keys in kinds.values()
    ]


def _made_of(score: Score) -> int:
    return id(score.values if score.statistic is None else score.statistic)


def has_value(score: Score, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tells in which cases a rater has a value: bool [n, r]. values : those of the score, or some of its rows."""
    if values.dtype.kind != "f":
        return np.ones((len(values), len(score.raters)), bool)
    there = ~np.isnan(values)
    return np.stack([there[:, places].any(1) for places in score.at], 1)


def _over_the_same_cases(scores: Iterable[Score]) -> list[list[Score]]:
    groups: dict[bytes, list[Score]] = {}
    for score in scores:
        groups.setdefault(score.cases.tobytes(), []).append(score)
    return list(groups.values())


def measured(value: float, repeats: Values, level: float, n_cases: int, reason: str) -> Row:
    """Makes value, low, high, undefined_repeats and reason of a row; None instead of NaN, with the reason why."""
    if np.isnan(value):
        undefined = int(np.isnan(repeats).sum())
        return {"value": None, "low": None, "high": None, "undefined_repeats": undefined, "reason": reason}
    interval = percentile_interval(repeats, level, n_cases)
    return {
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "undefined_repeats": interval.undefined,
        "reason": f"{NO_INTERVAL}{interval.reason}" if interval.reason else "",
    }


def name_of(score: Score) -> Row:
    """Makes the columns of a row that name a score: metric, of, k, hardness, name."""
    return {"metric": score.symbol, "of": score.of, "k": score.k, "hardness": score.hardness, "name": score.name}


def row_of(one: Estimate, rater: int, level: float) -> Row:
    """Makes a row of `Report.table`, with the labels of the score before it."""
    score, n = one.score, int(one.n_cases[rater])
    found = measured(float(one.value[rater]), one.repeats[:, rater], level, n, score.why(rater))
    return {
        **score.labels, "algorithm": score.raters[rater], **name_of(score), **found, "n_cases": n, "n_pairs": score.n_pairs,
        "sd": one.deviation(rater),
    }  # fmt: skip


def rows_of(found: Sequence[Estimate], level: float) -> list[Row]:
    """Makes the rows of all scores of the first rater, then of the second, …, in the order in which raters come."""
    raters = dict.fromkeys(rater for one in found for rater in one.score.raters)
    places = [(one, {rater: at for at, rater in enumerate(one.score.raters)}) for one in found]
    return [row_of(one, at[rater], level) for rater in raters for one, at in places if rater in at]
