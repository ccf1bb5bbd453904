"""Agreement beyond chance in the first diagnosis: among the experts, and with an algorithm as one rater more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...pages.rows import Row
from ..lists.lists import ALGORITHM, Lists
from ..matches.case_matches import match_cases
from ..matches.categories import top_categories
from ..matches.policy import between_peers
from ..metrics import REGISTRY
from ..statistics.bootstrap import by_name
from ..statistics.section import Context, Section, metric_row
from .group_agreement import (
    METRICS,
    NO_CROSS_CASE_PAIRS,
    FirstDiagnoses,
    Values,
    cross_case_pairs,
    group_agreement,
    non_matches,
)

NAME, TITLE = "agreement", "Agreement beyond chance in the first diagnosis"
GROUPS = ("experts", "with the algorithm", "change")
OTHER_MODELS = "other models"
"""What the first group is called where no role says that anybody is an expert."""
_HEADLINE = METRICS.index("krippendorff_alpha")


def missing(lists: Lists, context: Context) -> str | None:
    """What is missing where no two experts, or other models, can be compared."""
    algorithms, experts = _parts(lists)
    if len(experts) - (not algorithms) < 2:
        return "a third model" if lists.roles is None else "a second expert"
    return None


def compute(lists: Lists, context: Context) -> Section:
    """Mean Cohen's kappa over pairs of raters, Fleiss' kappa, Krippendorff's alpha, and alpha with 1 - M as distance.

    For each algorithm (each rater in turn, where none is named): among the experts, with the algorithm as one rater more,
    and the change. The categories are those of `categories`; alpha_M needs none, but M on diagnoses of different cases.
    """
    order = by_name(lists.cases)
    entries = lists.top(1)[order, :, 0]
    raters = len(lists.raters)
    first, second = np.triu_indices(raters, 1)
    peers = between_peers(context.matcher)
    matches = match_cases(entries[:, :, None], first, second, lists.strings, peers, progress=context.progress)
    categories = top_categories(matches)
    said = FirstDiagnoses(entries, categories.of, non_matches(matches))
    cross_case = NO_CROSS_CASE_PAIRS
    if context.across_cases:
        cross_case = cross_case_pairs(entries, lists.strings, peers, context.seed, context.progress)

    algorithms, experts = _parts(lists)
    groups = [
        np.array(group)
        for algorithm in algorithms or experts
        for group in ([e for e in experts if e != algorithm], sorted({*experts, algorithm}))
    ]
    data, repeats = group_agreement(said, cross_case, groups, context.repeats, context.seed)
    section = Section(NAME, TITLE)
    for place, algorithm in enumerate(algorithms or experts):
        both = slice(2 * place, 2 * place + 2)
        sizes = [len(group) for group in groups[both]]
        names = (OTHER_MODELS if lists.roles is None else GROUPS[0], *GROUPS[1:])
        rows = _rows(lists.raters[algorithm], names, data[both], repeats[:, both], sizes, context, len(lists.cases))
        section.rows += rows
        section.words += _words(rows, sizes[0])
    if not context.across_cases:
        symbol = REGISTRY[METRICS[-1]].symbol
        section.rows = [row for row in section.rows if row["metric"] != symbol]
        section.notes.append(
            f"{symbol} was left out: it asks M about diagnoses of different cases, and this M rests on votes. "
            f"Ask for it by name, {METRICS[-1]}, in the option 'metrics'."
        )
    if cross_case.asked < cross_case.all:
        section.notes.append(
            f"The disagreement by chance of {REGISTRY[METRICS[-1]].symbol} is estimated from {cross_case.asked:,} pairs of "
            f"first diagnoses drawn from {cross_case.all:,}."
        )
    if categories.chained:
        section.notes.append(
            f"{categories.chained:,} of {categories.agreements:,} agreements in a category rest on a chain of matches; "
            f"{REGISTRY[METRICS[-1]].symbol} does without categories."
        )
    return section


def _parts(lists: Lists) -> tuple[list[int], list[int]]:
    """The algorithms and the experts; where nobody is named an algorithm, all are experts and judged in turn."""
    roles = lists.roles or ("",) * len(lists.raters)
    everyone = range(len(roles))
    return [i for i in everyone if roles[i] == ALGORITHM], [i for i in everyone if roles[i] != ALGORITHM]


def _rows(
    algorithm: str,
    names: Sequence[str],
    data: Values,
    repeats: Values,
    sizes: Sequence[int],
    context: Context,
    n_cases: int,
) -> list[Row]:
    """names : of the two groups and of the change. data : [2, 4], without and with the algorithm. repeats : [repeats, 2, 4]."""
    rows = []
    for metric, name in enumerate(METRICS):
        values = [*data[:, metric], data[1, metric] - data[0, metric]]
        again = [*repeats[:, :, metric].T, repeats[:, 1, metric] - repeats[:, 0, metric]]
        for of, value, many in zip(names, values, again, strict=True):
            size = sizes[0] if of == names[0] else sizes[1]
            rows.append(
                metric_row(
                    algorithm, name, value, many, context, of=of, n_cases=n_cases, n_pairs=size * (size - 1) // 2,
                    reason="all give one and the same first diagnosis in every case, or hardly any gives one",
                )
            )  # fmt: skip
    return rows


def _words(rows: Sequence[Row], others: int) -> list[str]:
    """What the algorithm does to alpha."""
    among, together, change = rows[3 * _HEADLINE : 3 * _HEADLINE + 3]
    if None in (among["value"], together["value"], change["low"]):
        return []
    how = "leaves alpha where it is, within what chance allows"
    if change["low"] > 0 or change["high"] < 0:
        how = f"{'raises' if change['value'] > 0 else 'lowers'} alpha"
    one_more, group = ("model", "other models") if among["of"] == OTHER_MODELS else ("expert", "experts")
    return [
        f"Counted as one more {one_more}, {among['algorithm']} {how}: {together['value']:.3f} with it, "
        f"{among['value']:.3f} among the {others} {group} "
        f"(change {change['value']:+.3f} [{change['low']:+.3f}, {change['high']:+.3f}])."
    ]
