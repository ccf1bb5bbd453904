"""Relative precision and recall of each algorithm against its panel: the first sections of a report."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..lists.lists import Lists, Panel
from ..matches.case_matches import match_cases
from ..matches.categories import top_categories
from ..matches.multiplicity import expected_multiplicities, multiplicities, sizes
from ..matches.policy import between_peers
from ..statistics.bootstrap import by_name
from ..statistics.section import RELATIVE, Context, Section, measured, spread_over
from .correction.corrected import corrected
from .disagreements import disagreement_rows
from .estimates import relative_estimates
from .rates import CaseCounts, Rates, resampled
from .rows import PanelRates, curve_rows, expected_rows, table_rows

HARDNESSES = tuple(h / 10 for h in range(11))


def relative_sections(
    read: Lists, judged: list[Panel], context: Context, pairs_per_call: int
) -> tuple[list[Section], dict[str, Any]]:
    """The section, that of the correction where there are labelled pairs, and the counts for "how it was made".

    The section's tables: curves (over k and hardness), pairs (each two raters, at k) and (the cases where algorithm and panel differ most, at k).
    """
    k, widest = context.relative_k, context.max_k
    first, second = _rater_pairs(judged, len(read.raters))
    matches = match_cases(
        read.top(widest), first, second, read.strings, between_peers(context.matcher),
        pairs_per_call=pairs_per_call, progress=context.progress, keep_probabilities=True,
    )  # fmt: skip
    mu = multiplicities(matches)
    categories = top_categories(matches)
    areas = None
    if context.denominator == "observed":
        areas = np.stack([sizes(read.lengths, first, second, level_k) for level_k in range(1, widest + 1)])
    counts = CaseCounts(mu, areas, categories.of, first, second)
    order = by_name(read.cases)
    ordered = CaseCounts(mu[:, order], None if areas is None else areas[:, order], categories.of[order], first, second)
    data, repeats = counts.rates(), resampled(ordered, context.repeats, context.seed)

    pair_of = np.full((len(read.raters),) * 2, -1)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    results = [
        PanelRates(
            read.raters[panel.algorithm], [read.raters[e] for e in panel.experts], data, repeats, *panel.pairs(pair_of)
        )
        for panel in judged
    ]
    section = Section(
        RELATIVE,
        "Relative to the panel",
        rows=[row for panel in results for row in table_rows(panel, context)]
        + expected_rows(
            results,
            *expected_multiplicities(matches.top(k)),
            None if areas is None else areas[k - 1],
            context,
            order,
        ),
        tables={
            "curves": [row for panel in results for row in curve_rows(panel, context, HARDNESSES)],
            "pairs": _pair_rows(read.raters, first, second, data, repeats, context),
            "disagreements": disagreement_rows(
                read, judged, pair_of, mu[k - 1], matches.top(k), context.matcher.threshold
            ),
        },
        per_case=_per_case(results, mu[k - 1], read),
        estimates=relative_estimates(results, counts, context),
    )
    sections = [section]
    if context.labelled is not None:
        sections.append(corrected(read, judged, pair_of, matches, context))
    return sections, {
        "denominator": context.denominator,
        "pairs_asked": len(matches.codes),
        "short_lists": {str(level_k): int((read.lengths < level_k).sum()) for level_k in range(1, widest + 1)},
        "kappa_categories": categories.count,
        "kappa_agreements": categories.agreements,
        "kappa_agreements_by_chain": categories.chained,
    }


def _rater_pairs(judged: list[Panel], raters: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of raters that some panel needs, each once, the smaller index first."""
    number = np.arange(raters * raters).reshape(raters, raters)
    needed = np.concatenate([side for panel in judged for side in panel.pairs(np.minimum(number, number.T))])
    first, second = np.divmod(np.unique(needed), raters)
    return first, second


def _per_case(results: list[PanelRates], mu: NDArray[np.unsignedinteger], read: Lists) -> dict[str, list[Any]]:
    """mu and chi of the algorithm with the experts and among the experts, averaged; None for raters that are not judged.

    mu : [n, m].
    """
    columns = {}
    for side in ("ae", "ee"):
        for name, values in (("mu", mu), ("chi", mu > 0)):
            means = np.full((len(mu), len(read.raters)), np.nan)
            for panel in results:
                means[:, read.raters.index(panel.algorithm)] = values[:, getattr(panel, side)].mean(1)
            columns[f"{name}_{side.upper()}_mean"] = spread_over(means, np.arange(len(mu)), len(mu))
    return columns


def _pair_rows(
    raters: list[str],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    data: Rates,
    repeats: Rates,
    context: Context,
) -> list[Row]:
    """P@k, R@k and kappa of each two raters that some panel compares."""
    same = "both give one and the same first diagnosis in every case"
    rows = []
    for metric, k in (("P", context.relative_k), ("R", context.relative_k), ("kappa", None)):
        values, again = data.of(metric, k), repeats.of(metric, k)
        for pair, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            found = measured(float(values[pair]), again[:, pair], context.level, context.n_cases, same)
            rows.append({"first": raters[i], "second": raters[j], "metric": metric, "k": k, **found})
    return rows
