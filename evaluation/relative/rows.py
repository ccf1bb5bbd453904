"""Rates of the data and of the resamples -> rows with value, interval, the count behind them and a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..metrics import REGISTRY
from ..metrics.relative import relative
from ..metrics.spread import sigma_algorithm, sigma_experts
from ..statistics.section import Context, measured
from ..statistics.significance import holm, two_sided_p
from .rates import CaseCounts, Rates

Values = NDArray[np.float64]


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

    def rates(self, of: str, k: int | None) -> tuple[tuple[Values, Values], tuple[Values, Values]]:
        """(ae, ee) of the data, then of the repeats; `of` is P, R or kappa."""

        def part(rates: Rates) -> tuple[Values, Values]:
            if k is None:
                return rates.kappa[..., self.ae], rates.kappa[..., self.ee]
            level = (rates.precision if of == "P" else rates.recall)[..., k - 1, :]
            return level[..., self.ae], level[..., self.ee]

        return part(self.data), part(self.repeats)


def table_rows(panel: PanelRates, context: Context) -> list[Row]:
    """One row for each metric and k."""
    rows = []
    for k in range(1, context.max_k + 1):
        for of in ("P", "R"):
            data, repeats = panel.rates(of, k)
            row = row_maker(panel, context, k, data, repeats)
            rows += _rate_rows(of, row)
            letter = of.lower()
            for name, hardness in ((f"{letter}_opt", 0.0), (f"{letter}_avg", 1.0), (f"r{letter}ad", context.hardness)):
                rows.append(
                    row(
                        name, lambda ae, ee, h=hardness: relative(ae, ee, h), len(panel.ae) + len(panel.ee),
                        hardness=hardness if name.endswith("ad") else None,
                        reason=why_no_ratio(panel.experts, data[1], hardness, k),
                    )
                )  # fmt: skip
            rows += _spread_rows(panel, of, row)
    data, repeats = panel.rates("kappa", None)
    row = row_maker(panel, context, None, data, repeats)
    return rows + _rate_rows("kappa", row, why_no_kappa(panel, data)) + _spread_rows(panel, "kappa", row)


def _rate_rows(of: str, row: Callable[..., Row], reason: str = "") -> list[Row]:
    name = {"P": "precision_at_k", "R": "recall_at_k", "kappa": "cohen_kappa"}[of]
    return [
        row(name, lambda ae, _: ae.mean(-1), None, of="AE mean", reason=reason),
        row(name, lambda ae, _: ae.max(-1), None, of="AE max", reason=reason),
        row(name, lambda _, ee: ee.mean(-1), None, of="EE mean", reason=reason),
        row(name, lambda _, ee: ee.min(-1), None, of="EE min", reason=reason),
    ]


def _spread_rows(panel: PanelRates, of: str, row: Callable[..., Row]) -> list[Row]:
    two = len(panel.experts) < 3
    why = "two experts: each has a single colleague, so z - 2 is 0" if two else f"a {of} is undefined"
    return [
        row("sigma_algorithm", lambda ae, _: sigma_algorithm(ae), len(panel.ae), of=of, reason=f"a {of} is undefined"),
        row("sigma_experts", lambda _, ee: sigma_experts(ee), len(panel.ee), of=of, reason=why),
    ]


def row_maker(
    panel: PanelRates,
    context: Context,
    k: int | None,
    data: tuple[Values, Values],
    repeats: tuple[Values, Values],
) -> Callable[..., Row]:
    """A function (metric, of rates ae and ee, pairs behind it) -> row, for one algorithm and one k."""

    def row(
        name: str,
        function: Callable[[Values, Values], Values],
        n_pairs: int | None,
        *,
        of: str = "",
        hardness: float | None = None,
        reason: str = "",
    ) -> Row:
        metric = REGISTRY[name]
        if n_pairs is None:
            n_pairs = len(panel.ae) if of.startswith("AE") else len(panel.ee)
        return {
            "algorithm": panel.algorithm,
            "metric": metric.symbol,
            "of": of,
            "k": k,
            "hardness": hardness,
            "name": metric.printed(k, hardness, of),
            **measured(float(function(*data)), function(*repeats), context.level, context.n_cases, reason),
            "n_cases": context.n_cases,
            "n_pairs": n_pairs,
        }

    return row


def why_no_ratio(experts: Sequence[str], ee: Values, hardness: float, k: int) -> str:
    """Why the panel's part of RPAD or RRAD is 0."""
    never = [f"{a} and {b}" for (a, b), rate in zip(combinations(experts, 2), ee, strict=True) if rate == 0]
    if len(never) == len(ee):
        return f"no two experts match in any case at k = {k}"
    if hardness == 0 and never:
        more = f" ({len(never)} of {len(ee)} pairs of experts do not)" if len(never) > 1 else ""
        return f"{never[0]} match in no case at k = {k}{more}"
    return ""


def why_no_kappa(panel: PanelRates, data: tuple[Values, Values]) -> str:
    """Whose kappa is undefined."""
    pairs = [(panel.algorithm, expert) for expert in panel.experts] + list(combinations(panel.experts, 2))
    for (a, b), value in zip(pairs, np.concatenate(data), strict=True):
        if np.isnan(value):
            return f"{a} and {b} give one and the same first diagnosis in every case, so chance leaves nothing open"
    return ""


def curve_rows(panel: PanelRates, context: Context, hardnesses: Sequence[float]) -> list[Row]:
    """RPAD and RRAD over k = 1 … max_k and over `hardnesses` and the one asked for."""
    rows = []
    for of, name in (("P", "rpad"), ("R", "rrad")):
        for k in range(1, context.max_k + 1):
            data, repeats = panel.rates(of, k)
            for hardness in sorted({*hardnesses, context.hardness}):
                value = float(relative(*data, hardness))
                rows.append(
                    {
                        "algorithm": panel.algorithm,
                        "metric": REGISTRY[name].symbol,
                        "k": k,
                        "hardness": hardness,
                        **measured(
                            value,
                            relative(*repeats, hardness),
                            context.level,
                            context.n_cases,
                            why_no_ratio(panel.experts, data[1], hardness, k),
                        ),
                    }
                )
    return rows


def comparisons(results: Sequence[PanelRates], context: Context) -> list[Row]:
    """The difference of each two algorithms in RPAD and RRAD, from the same resamples of the cases.

    `p` is two-sided, from the resamples; `p_holm` is corrected for all `n_comparisons` that have a p, RPAD and RRAD
    together. Both are None where there is no interval.
    """
    rows: list[Row] = []
    for one, other in combinations(results, 2):
        for of, name in (("P", "rpad"), ("R", "rrad")):
            data, repeats, why = [], [], ""
            for panel in (one, other):
                rates, again = panel.rates(of, context.k)
                data.append(float(relative(*rates, context.hardness)))
                repeats.append(relative(*again, context.hardness))
                why = why or why_no_ratio(panel.experts, rates[1], context.hardness, context.k)
            differences = repeats[0] - repeats[1]
            defined = differences[~np.isnan(differences)]
            found = measured(data[0] - data[1], differences, context.level, context.n_cases, why)
            rows.append(
                {
                    "first": one.algorithm,
                    "second": other.algorithm,
                    "name": REGISTRY[name].printed(context.k, context.hardness),
                    **found,
                    "first_higher": float((defined > 0).mean()) if len(defined) else None,
                    "p": None if found["low"] is None else two_sided_p(differences),
                    "n_cases": context.n_cases,
                }
            )
    tested = [row for row in rows if row["p"] is not None]
    for row in rows:
        row |= {"p_holm": None, "n_comparisons": len(tested)}
    for row, corrected in zip(tested, holm([row["p"] for row in tested]).tolist(), strict=True):
        row["p_holm"] = corrected
    return rows


def per_case_columns(
    results: Sequence[PanelRates], counts: CaseCounts, cases: Sequence[str], k: int
) -> dict[str, list[Any]]:
    """By case and algorithm, at k: mu and chi of the algorithm with the experts and among the experts, averaged."""
    mu = counts.mu[k - 1]
    columns: dict[str, list[Any]] = {
        name: [] for name in ("case_id", "algorithm", "mu_AE_mean", "chi_AE_mean", "mu_EE_mean", "chi_EE_mean")
    }
    for panel in results:
        columns["case_id"] += list(cases)
        columns["algorithm"] += [panel.algorithm] * len(cases)
        for side, pairs in (("AE", panel.ae), ("EE", panel.ee)):
            columns[f"mu_{side}_mean"] += mu[:, pairs].mean(1).tolist()
            columns[f"chi_{side}_mean"] += (mu[:, pairs] > 0).mean(1).tolist()
    return columns
