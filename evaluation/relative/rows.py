"""Rates of the data and of the resamples -> rows with value, interval, the count behind them and a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..metrics.relative import relative
from ..metrics.spread import sigma_algorithm, sigma_experts
from ..statistics.bootstrap import resampled_means
from ..statistics.section import Context, metric_row
from .rates import Rates

Values = NDArray[np.float64]
Sides = tuple[tuple[Values, Values], tuple[Values, Values]]
"""Rates of the algorithm with each expert, [..., z], and of each two experts; of the data, then of the resamples."""

_RATIOS = {"P": "rpad", "R": "rrad"}
_CURVE = ("algorithm", "metric", "k", "hardness", "value", "low", "high", "undefined_repeats", "reason")


@dataclass(frozen=True)
class PanelRates:
    """One algorithm and its experts.

    data, repeats : the rates of all pairs of raters. ae, ee : the pairs of the algorithm with each expert, and of
    each two experts in the order (1,2), (1,3), …, (2,3), ….
    """

    algorithm: str
    experts: list[str]
    data: Rates
    repeats: Rates
    ae: NDArray[np.integer]
    ee: NDArray[np.integer]

    def rates(self, of: str, k: int | None = None) -> Sides:
        """`of` is P, R or kappa."""
        return self.sides(self.data.of(of, k), self.repeats.of(of, k))

    def sides(self, data: Values, repeats: Values) -> Sides:
        """From [..., m], of all pairs."""
        return (data[..., self.ae], data[..., self.ee]), (repeats[..., self.ae], repeats[..., self.ee])


def table_rows(panel: PanelRates, context: Context) -> list[Row]:
    """One row for each metric and k."""
    rows = []
    for k in range(1, context.max_k + 1):
        for of, rate in (("P", "precision_at_k"), ("R", "recall_at_k")):
            rates, letter = panel.rates(of, k), of.lower()
            rows += side_rows(panel, rates, context, rate, ("AE mean", "AE max", "EE mean", "EE min"), k=k)
            ratios = ((f"{letter}_opt", 0.0), (f"{letter}_avg", 1.0), (f"r{letter}ad", context.hardness))
            rows += [ratio_row(panel, rates, context, name, hardness, k) for name, hardness in ratios]
            rows += _spread_rows(panel, rates, context, of, k)
    rates, why = panel.rates("kappa"), why_no_kappa(panel)
    rows += side_rows(panel, rates, context, "cohen_kappa", ("AE mean", "AE max", "EE mean", "EE min"), reason=why)
    return rows + _spread_rows(panel, rates, context, "kappa", None)


def side_rows(
    panel: PanelRates, rates: Sides, context: Context, metric: str, parts: Sequence[str], **told: Any
) -> list[Row]:
    """The mean, the highest or the lowest ("AE mean", "EE min") of the rates of one side."""
    rows = []
    for of in parts:
        side, how = of.split()
        data, repeats = (getattr(pair[side == "EE"], how)(-1) for pair in rates)
        n_pairs = len(panel.ee if side == "EE" else panel.ae)
        rows.append(metric_row(panel.algorithm, metric, data, repeats, context, of=of, n_pairs=n_pairs, **told))
    return rows


def ratio_row(panel: PanelRates, rates: Sides, context: Context, metric: str, hardness: float, k: int) -> Row:
    """The algorithm's part over the panel's."""
    data, repeats = (relative(*pair, hardness) for pair in rates)
    return metric_row(
        panel.algorithm, metric, data, repeats, context, k=k, hardness=hardness if metric.endswith("ad") else None,
        n_pairs=len(panel.ae) + len(panel.ee), reason=why_no_ratio(panel.experts, rates[0][1], hardness, k),
    )  # fmt: skip


def _spread_rows(panel: PanelRates, rates: Sides, context: Context, of: str, k: int | None) -> list[Row]:
    two = len(panel.experts) < 3
    why = "two experts: each has a single colleague, so z - 2 is 0" if two else f"a {of} is undefined"
    sides = (("sigma_algorithm", sigma_algorithm, f"a {of} is undefined"), ("sigma_experts", sigma_experts, why))
    return [
        metric_row(
            panel.algorithm, metric, sigma(rates[0][side]), sigma(rates[1][side]), context,
            of=of, k=k, n_pairs=len((panel.ae, panel.ee)[side]), reason=reason,
        )
        for side, (metric, sigma, reason) in enumerate(sides)
    ]  # fmt: skip


def expected_rows(
    panels: Sequence[PanelRates],
    mu: NDArray[np.float32],
    chi: NDArray[np.float32],
    sizes: NDArray[np.integer] | None,
    context: Context,
    order: NDArray[np.integer],
) -> list[Row]:
    """E[P], E[R], E[RPAD] and E[RRAD] at k of each algorithm: M's probabilities in place of its verdicts.

    mu, chi : [n, m], from `expected_multiplicities`. sizes : [n, m], the lists' own lengths, or None for n k^2.
    order : [n], the cases by name.
    """
    m = mu.shape[1]
    area = np.full((len(mu), 1), context.relative_k**2) if sizes is None else sizes
    columns = np.hstack([mu, chi, area])

    def rates(means: Values) -> tuple[Values, Values]:
        return means[..., :m] / means[..., 2 * m :], means[..., m : 2 * m]

    data = rates(columns.mean(0, dtype=float))
    again = rates(resampled_means(columns, context.repeats, context.seed, order))
    rows = []
    for panel in panels:
        for rate, ratio, one, many in zip(
            ("expected_precision_at_k", "expected_recall_at_k"), ("expected_rpad", "expected_rrad"), data, again, strict=True
        ):  # fmt: skip
            sides = panel.sides(one, many)
            rows += side_rows(panel, sides, context, rate, ("AE mean", "EE mean"), k=context.relative_k)
            rows.append(ratio_row(panel, sides, context, ratio, context.hardness, context.relative_k))
    return rows


def why_no_ratio(experts: Sequence[str], ee: Values, hardness: float, k: int) -> str:
    """Why the panel's part of RPAD or RRAD is 0."""
    never = [f"{a} and {b}" for (a, b), rate in zip(combinations(experts, 2), ee, strict=True) if rate == 0]
    if len(never) == len(ee):
        return f"no two experts match in any case at k = {k}"
    if hardness == 0 and never:
        more = f" ({len(never)} of {len(ee)} pairs of experts do not)" if len(never) > 1 else ""
        return f"{never[0]} match in no case at k = {k}{more}"
    return ""


def why_no_kappa(panel: PanelRates) -> str:
    """Whose kappa is undefined."""
    pairs = [(panel.algorithm, expert) for expert in panel.experts] + list(combinations(panel.experts, 2))
    for (a, b), value in zip(pairs, np.concatenate(panel.rates("kappa")[0]), strict=True):
        if np.isnan(value):
            return f"{a} and {b} give one and the same first diagnosis in every case, so chance leaves nothing open"
    return ""


def curve_rows(panel: PanelRates, context: Context, hardnesses: Sequence[float]) -> list[Row]:
    """RPAD and RRAD over k = 1 … max_k and over `hardnesses` and the one asked for."""
    rows = [
        ratio_row(panel, panel.rates(of, k), context, name, hardness, k)
        for of, name in _RATIOS.items()
        for k in range(1, context.max_k + 1)
        for hardness in sorted({*hardnesses, context.hardness})
    ]
    return [{name: row[name] for name in _CURVE} for row in rows]
