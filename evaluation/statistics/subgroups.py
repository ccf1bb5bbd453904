"""Every metric in the cases of each subgroup, of a specialty, of rare diseases; and its averages over the subgroups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...pages.rows import Row
from ...stats.agreement import divided
from ...stats.resampling import Resampling
from ..read.findings import Finding
from ..score.scores import Score, Values
from .estimates import Absent, Estimate, Pair, difference_rows, estimates, of_cases, row_of

WEIGHTED, PLAIN = "quantity-weighted average", "mean of the subsets"
"""What the averages are called in the column of groups."""
Groups = Mapping[str, Sequence[str | None]]
"""Column -> its value for each of the cases, None where blank."""


def subgroup_rows(scores: Sequence[Score], groups: Groups, cases: Sequence[str], resampling: Resampling) -> list[Row]:
    """Makes by, group and the columns of `Report.table`; a group of None holds the cases without a value.

    The cases of a group are resampled among themselves. Then come the averages over the groups, see `_average_rows`.
    """
    scores = [one for one in scores if one.compared and one.statistic is None]
    rows: list[Row] = []
    for by, values in groups.items():
        of_groups: dict[str, list[Estimate]] = {}
        for group, among in each_group(values):
            found = estimates(of_cases(scores, among), cases, resampling)
            if group is not None:
                of_groups[group] = found
            every = [row_of(one, at, resampling.level) for one in found for at in range(len(one.score.raters))]
            rows += [{"by": by, "group": group, **row} for row in every]
        rows += [{"by": by, **row} for row in _average_rows(of_groups, resampling)]
    return rows


def subgroup_differences(
    scores: Sequence[Score], groups: Groups, pairs: Sequence[Pair], cases: Sequence[str], resampling: Resampling, absent: Absent
) -> list[Row]:  # fmt: skip
    """Makes by, group and the columns of `Report.differences`, of each pair in the cases of each group. absent : as of `difference_rows`."""
    return [
        {"by": by, "group": group, **row}
        for by, values in groups.items()
        for group, among in each_group(values)
        for row in difference_rows(of_cases(scores, among), pairs, cases, resampling, absent)
    ]


def each_group(values: Sequence[str | None]) -> Iterator[tuple[str | None, NDArray[np.bool_]]]:
    """Gives each group with its cases, bool [cases]; those without a value last."""
    for group in [*sorted({value for value in values if value is not None}), None]:
        among = np.array([value == group for value in values])
        if among.any():
            yield group, among


def _average_rows(of_groups: Mapping[str, Sequence[Estimate]], resampling: Resampling) -> list[Row]:
    """The averages of every metric over the groups, weighted by quantity and plain; none of fewer than two groups.

    Weights are the numbers of cases; for recall of diseases those of reference diseases, as in ClinBench-HPB (Avg_p and Avg_d of
    Table 3). Of a rater without a value in some group they are undefined. The groups are resampled each on its own, so that the
    resamples of one say nothing of another's.
    """
    if len(of_groups) < 2:
        return []
    generator = np.random.default_rng(resampling.seed)
    orders = [generator.permutation(resampling.resamples) for _ in of_groups]
    rows: list[Row] = []
    for group in (WEIGHTED, PLAIN):
        for several in zip(*of_groups.values(), strict=True):
            values = np.stack([one.value for one in several])
            repeats = np.stack([_shuffled(one.repeats, order) for one, order in zip(several, orders, strict=True)])
            weights = np.stack([_quantities(one) for one in several]) if group == WEIGHTED else np.ones(values.shape)
            share = divided(weights, weights.sum(0, keepdims=True))
            whole = replace(
                several[0].score, values=np.concatenate([one.score.values for one in several]), cases=np.concatenate([one.score.cases for one in several]),
                reason=[f"undefined in {', '.join(map(quoted, compress(of_groups, gone)))}" for gone in np.isnan(values).T],
            )  # fmt: skip
            average = Estimate(whole, (share * values).sum(0), (share[:, None] * repeats).sum(0))
            rows += [{"group": group, **row_of(average, i, resampling.level)} for i in range(len(whole.raters))]
    return rows


def _quantities(one: Estimate) -> Values:
    """[r], how many cases the value is of; of recall of diseases how many reference diseases."""
    if one.score.measure.metric == "disease_recall":
        return np.nansum(one.score.values[:, one.score.at[:, 1]], 0, dtype=float)
    return one.n_cases.astype(float)


def _shuffled(repeats: Values, order: NDArray[np.integer]) -> Values:
    return repeats[order] if len(repeats) == len(order) else np.full((len(order), *repeats.shape[1:]), np.nan)


def findings_of_groups(groups: Groups) -> list[Finding]:
    """Finds columns that are blank throughout."""
    blank = [by for by, values in groups.items() if all(value is None for value in values)]
    return [Finding("groups", place=quoted(by), example="every case is blank: it makes no groups") for by in blank]
