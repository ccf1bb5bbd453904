"""Scores -> their values, those in the resamples of the cases, and rows of tables: of each rater, and of each two of them on the same cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row, known
from ...stats.agreement import divided
from ...stats.intervals import measured
from ...stats.permutation import Contrast, holm, permutation_test
from ...stats.resampling import CaseMeans, Resampling, Statistic, by_name
from ..score.scores import Score, Values, the_mean

Pair = tuple[str, str]
Absent = Mapping[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class Estimate:
    """A score's values. value : [r]. repeats : [repeats, r], in the resamples of its cases; none where these are not kept, but `told` of each rater."""

    score: Score
    value: Values
    repeats: Values
    told: Sequence[Row] = ()

    @cached_property
    def n_cases(self) -> NDArray[np.integer]:
        """int [r]: cases in which a rater has a value."""
        return np.full(len(self.value), len(self.score.cases)) if self.score.statistic else has_value(self.score).sum(0)

    def measured(self, rater: int, level: float) -> Row:
        """Makes the value of a rater with its interval."""
        if self.told:
            return self.told[rater]
        values = float(self.value[rater]), self.repeats[:, rater]
        return measured(*values, level, int(self.n_cases[rater]), self.score.why(rater))

    def deviation(self, rater: int) -> float | None:
        """Gives the deviation of the cases, of the population, where the value is their mean."""
        if self.score.statistic or self.score.combine is not the_mean:
            return None
        values = self.score.values[:, self.score.at[rater, 0]].astype(float)
        there = values[~np.isnan(values)]
        return float(there.std()) if len(there) else None


def of_cases(scores: Sequence[Score], among: NDArray[np.bool_]) -> list[Score]:
    """Makes the same scores of some cases, without those of a `statistic`. among : bool, over all cases of the answers."""
    own = [one for one in scores if one.statistic is None]
    kept = {id(one.values): one.values[among[one.cases]] for one in own}
    return [replace(one, values=kept[id(one.values)], cases=one.cases[among[one.cases]]) for one in own]


def estimates(
    scores: Sequence[Score], names: Sequence[str], resampling: Resampling, *, kept: bool = True
) -> list[Estimate]:
    """Computes all scores, in the data and in resamples that are the same for all scores over the same cases.

    names : of all cases of the answers, or of the clusters that they are in. kept : whether the resamples are; those of thousands of raters
    are told and left.
    """
    groups: dict[Any, list[Score]] = {}
    for score in scores:
        apart = () if kept else id(score.values if score.statistic is None else score.statistic)
        groups.setdefault((score.cases.tobytes(), apart), []).append(score)
    found: dict[int, Estimate] = {}
    for together in groups.values():
        cases, statistic = together[0].cases, _statistic_of(together)
        data = statistic(np.ones((1, len(cases))))[0]
        repeats = resampling.resampled(statistic, [names[int(i)] for i in cases])
        ends = np.cumsum([len(one.raters) for one in together])[:-1]
        for one, value, again in zip(together, np.split(data, ends), np.split(repeats, ends, 1), strict=True):
            found[id(one)] = whole = Estimate(one, value, again)
            if not kept:
                told = [whole.measured(rater, resampling.level) for rater in range(len(value))]
                found[id(one)] = replace(whole, repeats=again[:0].copy(), told=told)
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


def row_of(one: Estimate, rater: int, level: float) -> Row:
    """Makes a row of `Report.table`, with the labels of the score before it."""
    score = one.score
    return {
        **score.labels, "algorithm": score.raters[rater], **score.measure.columns, **one.measured(rater, level), "n_cases": int(one.n_cases[rater]),
        "n_pairs": score.n_pairs, "sd": one.deviation(rater),
    }  # fmt: skip


def rows_of(found: Sequence[Estimate], level: float) -> list[Row]:
    """Makes the rows of all scores of the first rater, then of the second, …, in the order in which raters come."""
    raters = dict.fromkeys(rater for one in found for rater in one.score.raters)
    places = [(one, {rater: at for at, rater in enumerate(one.score.raters)}) for one in found]
    return [row_of(one, own[rater], level) for rater in raters for one, own in places if rater in own]


# Differences


def difference_rows(
    scores: Sequence[Score], pairs: Sequence[Pair], cases: Sequence[str], resampling: Resampling, absent: Absent,
    found: Mapping[int, Estimate] | None = None,
) -> list[Row]:  # fmt: skip
    """Makes the rows of `Report.differences`, first less second, of each pair in the cases in which both have a list.

    cases : the names of all cases, or of the clusters that they are in. absent : rater -> bool [cases], where it has no list; nothing where all have all.
    found : id of a score -> its estimate, where they are known.

    p is two-sided and of paired permutations; p_holm is corrected for the n_comparisons of this metric.
    """
    raters = {rater for pair in pairs for rater in pair}
    scores = [one for one in scores if one.compared and one.statistic is None and raters <= set(one.raters)]
    if not pairs or not scores:
        return []
    whole = estimates(scores, cases, resampling) if found is None else [found[id(one)] for one in scores]
    units = by_name(cases)
    of_pairs: list[Sequence[Estimate]] = []
    for first, second in pairs:
        both = ~(absent[first] | absent[second]) if absent else np.ones(len(cases), bool)
        of_pairs.append(whole if both.all() else estimates(of_cases(scores, both), cases, resampling))
    contrasts = [_contrast(one.score, pair, units) for pair, own in zip(pairs, of_pairs, strict=True) for one in own]
    p = permutation_test(contrasts, len(pairs), resampling.seed).reshape(len(pairs), len(scores))
    rows: list[Row] = []
    for i, score in enumerate(scores):
        of_score = list(zip(pairs, of_pairs, p[:, i].tolist(), strict=True))
        own = [_difference_row(of[i], *pair, value, resampling.level) for pair, of, value in of_score]
        corrected = holm([np.nan if row["p"] is None else row["p"] for row in own])
        rows += [
            row | {"p_holm": known(value), "n_comparisons": int((~np.isnan(corrected)).sum()), **score.labels}
            for row, value in zip(own, corrected.tolist(), strict=True)
        ]
    return rows


def _contrast(score: Score, pair: Pair, units: NDArray[np.intp]) -> Contrast:
    """In the order of the names of cases or clusters, so that the order of the rows changes no p. units : of all cases, by `by_name`."""
    raters, columns = list(score.raters), score.at.shape[1]
    sums, at = np.zeros((2, units.max() + 1, 2 * columns)), units[score.cases]
    for side, rater in enumerate(pair):
        values = score.values[:, score.at[raters.index(rater)]].astype(float)
        there = ~np.isnan(values)
        np.add.at(sums[side], at, np.concatenate([np.where(there, values, 0), there], 1))
    change, totals = sums[1] - sums[0], sums.sum(1)
    # what the two never differ in is no matter of permutations
    used = np.asarray(change.any(0))

    def metric(moved: Values) -> Values:
        every = np.broadcast_to(totals[0], (*moved.shape[:-1], 2 * columns)).copy()
        every[..., used] = moved
        means = divided(every[..., :columns], np.where(every[..., columns:] > 0.5, every[..., columns:], 0))
        return np.asarray(score.combine(means[..., None, :]))[..., 0]

    return Contrast(change[:, used], totals[:, used], metric)


def _difference_row(one: Estimate, first: str, second: str, p: float, level: float) -> Row:
    score = one.score
    a, b = (list(score.raters).index(rater) for rater in (first, second))
    n_cases = int(has_value(score)[:, [a, b]].any(1).sum())
    why = next((score.why(i) for i in (a, b) if np.isnan(one.value[i])), "")
    named = {key: value for key, value in score.measure.columns.items() if key != "hardness"}
    found = measured(float(one.value[a] - one.value[b]), one.repeats[:, a] - one.repeats[:, b], level, n_cases, why)
    p = np.nan if found["value"] is None or n_cases < 2 else p
    return {"first": first, "second": second, **named, **found, "n_cases": n_cases, "p": known(p)}
