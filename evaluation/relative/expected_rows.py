"""The expected relative metrics of an evaluation, as rows: M's probabilities in place of its verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..metrics.relative import relative
from ..statistics.bootstrap import resampled_means
from ..statistics.section import Context
from .rows import PanelRates, row_maker, why_no_ratio


def expected_rows(
    panels: Sequence[PanelRates],
    mu: NDArray[np.float32],
    chi: NDArray[np.float32],
    sizes: NDArray[np.integer] | None,
    context: Context,
    order: NDArray[np.integer],
) -> list[Row]:
    """E[P], E[R], E[RPAD] and E[RRAD] at k of each algorithm.

    mu, chi : [n, m], from `expected_multiplicities`. sizes : [n, m], the lists' own lengths, or None for n k^2.
    order : [n], the cases by name.
    """
    m = mu.shape[1]
    area = np.full((len(mu), 1), context.k**2) if sizes is None else sizes
    columns = np.hstack([mu, chi, area])

    def rates(means: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return means[..., :m] / means[..., 2 * m :], means[..., m : 2 * m]

    data = rates(columns.mean(0, dtype=float))
    again = rates(resampled_means(columns, context.repeats, context.seed, order))
    rows = []
    for panel in panels:
        for letter, one, many in zip("PR", data, again, strict=True):
            sides = (one[panel.ae], one[panel.ee])
            row = row_maker(panel, context, context.k, sides, (many[:, panel.ae], many[:, panel.ee]))
            name = {"P": "expected_precision_at_k", "R": "expected_recall_at_k"}[letter]
            rows.append(row(name, lambda ae, _: ae.mean(-1), None, of="AE mean"))
            rows.append(row(name, lambda _, ee: ee.mean(-1), None, of="EE mean"))
            rows.append(
                row(
                    f"expected_r{letter.lower()}ad", lambda ae, ee: relative(ae, ee, context.hardness),
                    len(panel.ae) + len(panel.ee), hardness=context.hardness,
                    reason=why_no_ratio(panel.experts, sides[1], context.hardness, context.k),
                )
            )  # fmt: skip
    return rows
