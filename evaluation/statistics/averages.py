"""Two averages over the subsets of the cases: weighted by their quantity, and plain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...pages.rows import Row
from .measure import Estimate, Values
from .section import Context, metric_row

WEIGHTED, PLAIN = "quantity-weighted average", "mean of the subsets"
AVERAGES = (WEIGHTED, PLAIN)
"""What they are called in the column of groups."""
_OF_DISEASES = "disease_recall"


def average_rows(of_groups: Mapping[str, Sequence[Estimate]], context: Context) -> list[Row]:
    """group and the columns of `Report.table`: the averages of every metric over the groups; none of fewer than two groups.

    of_groups : group -> the estimates of all measures, in one order.

    Weights are the numbers of cases; for recall of diseases those of reference diseases, as in ClinBench-HPB (Avg_p and Avg_d of
    Table 3). A group in which a rater has no value is left out of that rater's averages, which say so. The groups are resampled
    each on its own, so that the resamples of one say nothing of another's.
    """
    if len(of_groups) < 2:
        return []
    names, found = list(of_groups), list(of_groups.values())
    generator = np.random.default_rng(context.seed)
    orders = [generator.permutation(context.repeats) for _ in names]
    rows: list[Row] = []
    for group in AVERAGES:
        for several in zip(*found, strict=True):
            measure = several[0].measure
            values = np.stack([one.value for one in several])
            repeats = np.stack([_shuffled(one.repeats, order) for one, order in zip(several, orders, strict=True)])
            weights = np.stack([_quantities(one) for one in several]) if group == WEIGHTED else np.ones(values.shape)
            for i, rater in enumerate(measure.raters):
                there = ~np.isnan(values[:, i])
                own = weights[there, i]
                out = [quoted(name) for name, known in zip(names, there.tolist(), strict=True) if not known]
                row = metric_row(
                    rater, measure.metric, _mean(values[there, i], own), _mean(repeats[there, :, i], own), context,
                    of=measure.of, k=measure.k, hardness=measure.hardness,
                    n_cases=int(sum(one.n_cases[i] for one in several)), n_pairs=measure.n_pairs, reason=measure.why(i),
                )  # fmt: skip
                without = f"without {', '.join(out)}, where it is undefined" if out and there.any() else ""
                rows.append({"group": group} | row | {"reason": "; ".join(filter(None, (without, row["reason"])))})
    return rows


def _quantities(one: Estimate) -> Values:
    """[r], how many cases the value is of; of recall of diseases how many reference diseases."""
    if one.measure.metric == _OF_DISEASES:
        return np.nansum(one.measure.columns[1], 0)
    return one.n_cases.astype(float)


def _shuffled(repeats: Values, order: NDArray[np.integer]) -> Values:
    return repeats[order] if len(repeats) == len(order) else np.full((len(order), *repeats.shape[1:]), np.nan)


def _mean(values: Values, weights: Values) -> Values:
    """Over the first axis; NaN of nothing."""
    if not len(values) or not weights.sum():
        return np.full(values.shape[1:], np.nan)
    return np.tensordot(weights, values, 1) / weights.sum()
