"""RPAD and RRAD as functions of means over cases: for their differences between algorithms, and in subgroups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..metrics.relative import relative
from ..statistics.measure import Estimate, Measure, the_mean
from ..statistics.section import Context
from .rates import CaseCounts
from .rows import PanelRates, why_no_ratio

Values = NDArray[np.float64]
Combine = Callable[[Values], Values]


def relative_estimates(panels: Sequence[PanelRates], counts: CaseCounts, context: Context) -> list[Estimate]:
    """RPAD and RRAD at k of each algorithm, and its mean P and R with the experts; all have panels of one size.

    counts : of all cases, in the order of the lists. The values, and those in the resamples, are the panels' own.
    """
    k, hardness = context.relative_k, context.hardness
    names, cases = [panel.algorithm for panel in panels], np.arange(counts.n_cases)
    everyone = np.full(len(panels), counts.n_cases)
    shared: dict[str, Any] = {"raters": names, "cases": cases, "k": k}
    n_ae, n_ee = len(panels[0].ae), len(panels[0].ee)
    found = []
    for of, rate, ratio in (("P", "precision_at_k", "rpad"), ("R", "recall_at_k", "rrad")):
        sides = [panel.rates(of, k) for panel in panels]
        why = [why_no_ratio(p.experts, side[0][1], hardness, k) for p, side in zip(panels, sides, strict=True)]
        columns, mean_ae, combine = _columns(panels, counts, of, context)
        measures = (
            Measure(
                ratio, columns=columns, combine=combine, hardness=hardness, reason=why, n_pairs=n_ae + n_ee, **shared
            ),
            Measure(rate, columns=mean_ae[0], combine=mean_ae[1], of="AE mean", n_pairs=n_ae, **shared),
        )
        for measure, value in zip(
            measures, (lambda ae, ee: relative(ae, ee, hardness), lambda ae, _: ae.mean(-1)), strict=True
        ):
            data, repeats = (np.stack([value(*side[part]) for side in sides], -1) for part in (0, 1))
            found.append(Estimate(measure, data, repeats, everyone))
    return found


def _columns(
    panels: Sequence[PanelRates], counts: CaseCounts, of: str, context: Context
) -> tuple[tuple[Values, ...], tuple[tuple[Values, ...], Combine], Combine]:
    """What the ratio is made of, each [n, algorithms]; what the mean rate of the algorithm is, and how; and how the ratio is.

    Where the ratio is of means over the pairs of raters, the mean of each case does; else each pair is a column.
    """
    k, hardness = context.relative_k, context.hardness
    met = counts.mu[k - 1] if of == "P" else counts.mu[k - 1] > 0
    areas = counts.sizes[k - 1] if of == "P" and counts.sizes is not None else None
    scale = k * k if of == "P" and areas is None else 1

    def of_pairs(values: NDArray[Any], side: str) -> list[Values]:
        """One array [n, algorithms] for each pair of that side, in corresponding order."""
        pairs = np.array([getattr(panel, side) for panel in panels])
        return [values[:, pair].astype(float) for pair in pairs.T]

    if hardness == 1 and areas is None:
        ae, ee = (np.mean(of_pairs(met, side), axis=0) / scale for side in ("ae", "ee"))
        return (ae, ee), ((ae,), the_mean), lambda means: relative(means[..., :1], means[..., 1:], 1.0)
    sides = [[column / scale for column in of_pairs(met, side)] for side in ("ae", "ee")]
    below = [[] if areas is None else of_pairs(areas, side) for side in ("ae", "ee")]
    n_ae, n = len(sides[0]), len(sides[0]) + len(sides[1])

    def rates(means: Values, m: int) -> Values:
        return np.asarray(means[..., :m] if areas is None else means[..., :m] / means[..., m:])

    def combined(means: Values) -> Values:
        of_each = rates(means, n)
        return relative(of_each[..., :n_ae], of_each[..., n_ae:], hardness)

    return (
        (*sides[0], *sides[1], *below[0], *below[1]),
        ((*sides[0], *below[0]), lambda means: np.asarray(rates(means, n_ae).mean(-1))),
        combined,
    )
