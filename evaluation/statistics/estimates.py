"""Scores -> their values, those in the resamples of the cases, and rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ...stats.intervals import percentile_interval
from ...stats.resampling import CaseMeans, Resampling, Statistic
from ..score.scores import Score, Values, the_mean


@dataclass(frozen=True)
class Estimate:
    """A score's values. value : [r]. repeats : [repeats, r], in the resamples of its cases."""

    score: Score
    value: Values
    repeats: Values

    @cached_property
    def n_cases(self) -> NDArray[np.integer]:
        """int [r]: cases in which a rater has a value."""
        return np.full(len(self.value), len(self.score.cases)) if self.score.statistic else has_value(self.score).sum(0)

    def deviation(self, rater: int) -> float | None:
        """Gives the deviation of the cases, of the population, where the value is their mean."""
        if self.score.statistic or self.score.combine is not the_mean:
            return None
        values = self.score.values[:, self.score.at[rater, 0]].astype(float)
        there = values[~np.isnan(values)]
        return float(there.std()) if len(there) else None


def of_cases(scores: Sequence[Score], among: NDArray[np.bool_]) -> list[Score]:
    """Makes the same scores of some cases, without those of a `statistic`. among : bool, over all cases of the answers."""
    kept: dict[int, NDArray[Any]] = {}
    made = []
    for score in scores:
        if score.statistic is None:
            rows = among[score.cases]
            if id(score.values) not in kept:
                kept[id(score.values)] = score.values[rows]
            made.append(replace(score, values=kept[id(score.values)], cases=score.cases[rows]))
    return made


def estimates(scores: Sequence[Score], names: Sequence[str], resampling: Resampling) -> list[Estimate]:
    """Computes all scores, in the data and in resamples that are the same for all scores over the same cases.

    names : of all cases of the answers.
    """
    groups: dict[bytes, list[Score]] = {}
    for score in scores:
        groups.setdefault(score.cases.tobytes(), []).append(score)
    found: dict[int, Estimate] = {}
    for together in groups.values():
        cases, statistic = together[0].cases, _statistic_of(together)
        data = statistic(np.ones((1, len(cases))))[0]
        repeats = resampling.resampled(statistic, [names[int(i)] for i in cases])
        ends = np.cumsum([len(one.raters) for one in together])[:-1]
        for one, value, again in zip(together, np.split(data, ends), np.split(repeats, ends, 1), strict=True):
            found[id(one)] = Estimate(one, value, again)
    return [found[id(score)] for score in scores]


def _statistic_of(scores: Sequence[Score]) -> Statistic:
    """Makes one statistic of all scores over the same cases: what several of them hold is computed once."""
    own = {id(one.statistic): one.statistic for one in scores if one.statistic is not None}
    kinds: dict[np.dtype[Any], dict[int, NDArray[Any]]] = {}
    for one in scores:
        if one.statistic is None:
            kinds.setdefault(one.values.dtype, {})[id(one.values)] = one.values
    # one product with the weights of all arrays of a kind
    products = [
        (of.keys(), CaseMeans(np.concatenate([*of.values()], 1)), np.cumsum([v.shape[1] for v in of.values()])[:-1])
        for of in kinds.values()
    ]

    def every(weights: Values) -> Values:
        of = {key: statistic(weights) for key, statistic in own.items()}
        for keys, means, ends in products:
            of |= zip(keys, np.split(means(weights), ends, 1), strict=True)
        held = [of[id(one.values if one.statistic is None else one.statistic)] for one in scores]
        return np.concatenate([one.combine(means[:, one.at]) for one, means in zip(scores, held, strict=True)], 1)

    return every


def has_value(score: Score) -> NDArray[np.bool_]:
    """Tells in which cases a rater has a value: bool [n, r]."""
    if score.values.dtype.kind != "f":
        return np.ones((len(score.values), len(score.raters)), bool)
    there = ~np.isnan(score.values)
    return np.stack([there[:, places].any(1) for places in score.at], 1)


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
        "reason": f"no interval: {interval.reason}" if interval.reason else "",
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
