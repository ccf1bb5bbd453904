"""Relative precision and recall of each algorithm against its panel: the first sections of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..lists.lists import Lists, Panel
from ..matches.case_matches import match_cases
from ..matches.categories import top_categories
from ..matches.multiplicity import expected_multiplicities, multiplicities, sizes
from ..statistics.section import RELATIVE, Context, Section, measured
from .correction.corrected import corrected
from .disagreements import disagreement_rows
from .expected_rows import expected_rows
from .rates import CaseCounts, Rates, resampled
from .rows import PanelRates, comparisons, curve_rows, per_case_columns, table_rows

HARDNESSES = tuple(h / 10 for h in range(11))


@dataclass(frozen=True)
class Relative:
    """The options of the relative metrics alone; see `evaluate`."""

    denominator: str
    pairs_per_call: int
    labelled: Any = None


def relative_sections(
    read: Lists, judged: list[Panel], context: Context, options: Relative
) -> tuple[list[Section], dict[str, Any]]:
    """The section, that of the correction where there are labelled pairs, and the counts for "how it was made".

    The section's tables: curves (over k and hardness), comparisons (of two algorithms), pairs (each two raters, at k) and
    disagreements (the cases where algorithm and panel differ most, at k).
    """
    k, widest = context.k, context.max_k
    first, second = _rater_pairs(judged, len(read.raters))
    entries = read.top(widest)
    matches = match_cases(
        entries, first, second, read.strings, context.matcher,
        pairs_per_call=options.pairs_per_call, progress=context.progress, keep_probabilities=True,
    )  # fmt: skip
    mu = multiplicities(entries, first, second, matches)
    categories = top_categories(entries[:, :, 0], first, second, read.strings, matches)
    areas = None
    if options.denominator == "observed":
        areas = np.stack([sizes(read.lengths, first, second, level_k) for level_k in range(1, widest + 1)])
    counts = CaseCounts(mu, areas, categories.of, first, second)
    # resampled in the order of the names, so that the order of the rows changes no interval
    by_name = np.argsort(np.array(read.cases, dtype=object), kind="stable")
    ordered = CaseCounts(
        mu[:, by_name], None if areas is None else areas[:, by_name], categories.of[by_name], first, second
    )
    data, repeats = counts.rates(), resampled(ordered, context.repeats, context.seed)

    pair_of = np.full((len(read.raters),) * 2, -1)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    results = [_panel_rates(panel, read.raters, pair_of, data, repeats) for panel in judged]
    section = Section(
        RELATIVE,
        "Relative to the panel",
        rows=[row for panel in results for row in table_rows(panel, context)]
        + expected_rows(
            results,
            *expected_multiplicities(entries[:, :, :k], first, second, matches),
            None if areas is None else areas[k - 1],
            context,
            by_name,
        ),
        tables={
            "curves": [row for panel in results for row in curve_rows(panel, context, HARDNESSES)],
            "comparisons": comparisons(results, context),
            "pairs": _pair_rows(read.raters, first, second, data, repeats, context),
            "disagreements": disagreement_rows(
                read, judged, pair_of, mu[k - 1], entries[:, :, :k], matches, context.matcher.threshold
            ),
        },
        per_case=_per_case(per_case_columns(results, counts, read.cases, k), judged, len(read.raters)),
    )
    sections = [section]
    if options.labelled is not None:
        sections.append(
            corrected(read, judged, pair_of, matches, options.labelled, context, denominator=options.denominator)
        )
    return sections, {
        "denominator": options.denominator,
        "pairs_asked": len(matches.codes),
        "short_lists": {str(level_k): int((read.lengths < level_k).sum()) for level_k in range(1, widest + 1)},
        "kappa_categories": categories.count,
        "kappa_agreements": categories.agreements,
        "kappa_agreements_by_chain": categories.chained,
    }


def _rater_pairs(judged: list[Panel], raters: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of raters that some panel needs, each once, the smaller index first."""
    needed = np.zeros((raters, raters), bool)
    for panel in judged:
        for place, expert in enumerate(panel.experts):
            for other in (panel.algorithm, *panel.experts[:place]):
                needed[min(expert, other), max(expert, other)] = True
    first, second = np.nonzero(needed)
    return first, second


def _panel_rates(
    panel: Panel, raters: list[str], pair_of: NDArray[np.integer], data: Rates, repeats: Rates
) -> PanelRates:
    experts = np.array(panel.experts)
    i, j = np.triu_indices(len(experts), 1)
    return PanelRates(
        raters[panel.algorithm], [raters[e] for e in experts], data, repeats,
        ae=pair_of[panel.algorithm, experts], ee=pair_of[experts[i], experts[j]],
    )  # fmt: skip


def _per_case(columns: dict[str, list[Any]], judged: list[Panel], raters: int) -> dict[str, list[Any]]:
    """From one value for each (algorithm, case) to one for each (case, rater), None for raters that are not judged."""
    of_rater = [panel.algorithm for panel in judged]
    spread = {}
    for name in columns.keys() - {"case_id", "algorithm"}:
        values = np.array(columns[name], dtype=object).reshape(len(judged), -1)
        every = np.full((values.shape[1], raters), None, dtype=object)
        every[:, of_rater] = values.T
        spread[name] = every.ravel().tolist()
    return {name: spread[name] for name in columns if name in spread}


def _pair_rows(
    raters: list[str],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    data: Rates,
    repeats: Rates,
    context: Context,
) -> list[Row]:
    """P@k, R@k and kappa of each two raters that some panel compares."""
    at = context.k - 1
    kinds = {
        "P": (context.k, data.precision[at], repeats.precision[:, at]),
        "R": (context.k, data.recall[at], repeats.recall[:, at]),
        "kappa": (None, data.kappa, repeats.kappa),
    }
    same = "both give one and the same first diagnosis in every case"
    return [
        {
            "first": raters[i],
            "second": raters[j],
            "metric": metric,
            "k": k,
            **measured(float(values[pair]), again[:, pair], context.level, context.n_cases, same),
        }
        for metric, (k, values, again) in kinds.items()
        for pair, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    ]
