"""Scores -> their values, those in the resamples of the cases, and rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ...statistics.intervals import percentile_interval
from ...statistics.resampling import CaseMeans, Resampling
from ..score.declare import REGISTRY
from ..score.scores import Score, Values

NO_INTERVAL = "no interval: "


@dataclass(frozen=True)
class Estimate:
    """A score's values.

    value : [r]. repeats : [repeats, r], in the resamples. n_cases : int [r], cases with a value.
    sums : [r, c], of the columns that each rater's value is made of; empty of a score with a `statistic`.
    """

    score: Score
    value: Values
    repeats: Values
    n_cases: NDArray[np.integer]
    sums: Values


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
        arrays = {id(one.values): one.values for one in together if one.statistic is None}
        rows = {key: values if len(kept) == len(values) else values[kept] for key, values in arrays.items()}
        means = {key: CaseMeans(values) for key, values in rows.items()}

        def every(weights: Values, together: Sequence[Score] = together, means: dict[int, CaseMeans] = means) -> Values:
            of = {key: mean(weights) for key, mean in means.items()}
            return np.concatenate(
                [
                    one.combine(of[id(one.values)][:, one.at]) if one.statistic is None else one.statistic(weights)
                    for one in together
                ],
                1,
            )

        own = [names[int(i)] for i in cases[kept]]
        data = every(np.ones((1, len(kept))))[0]
        repeats = resampling.resampled(every, own) if len(kept) else np.empty((0, len(data)))
        ends = np.cumsum([len(one.raters) for one in together])[:-1]
        for one, value, again in zip(together, np.split(data, ends), np.split(repeats, ends, 1), strict=True):
            own_rows = None if one.statistic is not None else rows[id(one.values)]
            n = np.full(len(one.raters), len(kept)) if own_rows is None else has_value(one, own_rows).sum(0)
            sums = np.zeros((0, 0)) if own_rows is None else np.nansum(own_rows, 0, dtype=float)[one.at]
            found[id(one)] = Estimate(one, value, again, n, sums)
    return [found[id(score)] for score in scores]


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
    declared = REGISTRY[score.metric]
    return {
        "metric": declared.symbol,
        "of": score.of,
        "k": score.k,
        "hardness": score.hardness,
        "name": declared.printed(score.k, score.hardness, score.of),
    }


def row_of(one: Estimate, rater: int, level: float) -> Row:
    """Makes a row of `Report.table`, with the labels of the score before it."""
    score, n = one.score, int(one.n_cases[rater])
    found = measured(float(one.value[rater]), one.repeats[:, rater], level, n, score.why(rater))
    return {
        **score.labels, "algorithm": score.raters[rater], **name_of(score), **found, "n_cases": n, "n_pairs": score.n_pairs
    }  # fmt: skip


def rows_of(found: Sequence[Estimate], level: float) -> list[Row]:
    """Makes the rows of all scores of the first rater, then of the second, …, in the order in which raters come."""
    raters = dict.fromkeys(rater for one in found for rater in one.score.raters)
    return [
        row_of(one, list(one.score.raters).index(rater), level)
        for rater in raters
        for one in found
        if rater in one.score.raters
    ]
