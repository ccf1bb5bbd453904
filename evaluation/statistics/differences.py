"""Each two raters in each metric on the same cases: difference, interval, p-value, corrected for how many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ...stats.permutation import Contrast, holm, permutation_test
from ...stats.resampling import Resampling, by_name
from ..score.scores import Score, Values
from .estimates import Estimate, estimates, has_value, measured, name_of, of_cases

Pair = tuple[str, str]


def difference_rows(
    scores: Sequence[Score],
    pairs: Sequence[Pair],
    cases: Sequence[str],
    resampling: Resampling,
    absent: Mapping[str, NDArray[np.bool_]],
    found: Mapping[int, Estimate] | None = None,
) -> list[Row]:
    """Makes the rows of `Report.differences`, first less second, of each pair in the cases in which both have a list.

    cases : the names of all cases. absent : rater -> bool [cases], where it has no list; nothing where all have all.
    found : id of a score -> its estimate, where they are known.

    p is two-sided and of paired permutations; p_holm is corrected for the n_comparisons of this metric.
    """
    raters = {rater for pair in pairs for rater in pair}
    scores = [one for one in scores if one.compared and one.statistic is None and raters <= set(one.raters)]
    if not pairs or not scores:
        return []
    known = estimates(scores, cases, resampling) if found is None else [found[id(one)] for one in scores]
    order = np.argsort(by_name(cases))
    of_pairs: list[Sequence[Estimate]] = []
    for first, second in pairs:
        both = ~(absent[first] | absent[second]) if absent else np.ones(len(cases), bool)
        of_pairs.append(known if both.all() else estimates(of_cases(scores, both), cases, resampling))
    contrasts = [_contrast(one.score, pair, order) for pair, own in zip(pairs, of_pairs, strict=True) for one in own]
    p = permutation_test(contrasts, len(pairs), resampling.seed).reshape(len(pairs), len(scores))
    rows: list[Row] = []
    for i, score in enumerate(scores):
        own = [
            _row(of[i], *pair, p[at, i], resampling.level)
            for at, (pair, of) in enumerate(zip(pairs, of_pairs, strict=True))
        ]
        with_p = [row for row in own if row["p"] is not None]
        for row, corrected in zip(with_p, holm([row["p"] for row in with_p]).tolist(), strict=True):
            row["p_holm"] = corrected
        rows += [row | {"n_comparisons": len(with_p), **score.labels} for row in own]
    return rows


def _contrast(score: Score, pair: Pair, order: NDArray[np.intp]) -> Contrast:
    """In the order of the cases' names, so that the order of the rows changes no p."""
    raters, place = list(score.raters), score.at
    columns = place.shape[1]
    of_cases = np.zeros((len(order), 2, columns)), np.zeros((len(order), 2, columns))
    at = order[score.cases]
    for side, rater in enumerate(pair):
        values = score.values[:, place[raters.index(rater)]].astype(float)
        there = ~np.isnan(values)
        of_cases[0][at, side], of_cases[1][at, side] = np.where(there, values, 0), there
    sums = np.concatenate(of_cases, 2)
    change, totals = sums[:, 1] - sums[:, 0], sums.sum(0)
    # what the two never differ in is no matter of permutations
    used = np.asarray(change.any(0))
    return Contrast(change[:, used], totals[:, used], _metric(score.combine, totals, used, columns))


def _metric(
    combine: Callable[[Values], Values], totals: Values, used: NDArray[np.bool_], columns: int
) -> Callable[[Values], Values]:
    def of(sums: Values) -> Values:
        every = np.broadcast_to(totals[0], (*sums.shape[:-1], totals.shape[1])).copy()
        every[..., used] = sums
        above, below = every[..., :columns], every[..., columns:]
        means = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0.5)
        return np.asarray(combine(means[..., None, :]))[..., 0]

    return of


def _row(one: Estimate, first: str, second: str, p: float, level: float) -> Row:
    score = one.score
    a, b = (list(score.raters).index(rater) for rater in (first, second))
    n_cases = int(has_value(score)[:, [a, b]].any(1).sum())
    why = next((score.why(i) for i in (a, b) if np.isnan(one.value[i])), "")
    named = {key: value for key, value in name_of(score).items() if key != "hardness"}
    found = measured(float(one.value[a] - one.value[b]), one.repeats[:, a] - one.repeats[:, b], level, n_cases, why)
    undefined = found["value"] is None or n_cases < 2
    return {
        "first": first, "second": second, **named, **found, "n_cases": n_cases, "p": None if undefined else float(p), "p_holm": None
    }  # fmt: skip
