"""Each two raters in each metric on the same cases: difference, interval, p-value, corrected for how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..metrics import REGISTRY
from .bootstrap import by_name
from .estimates import estimates
from .measure import Estimate, Measure
from .permutation import Pairs, PermutationTest, Statistic, permutation_test
from .section import Context, measured
from .significance import holm

Values = NDArray[np.float64]


def difference_rows(
    found: Sequence[Estimate],
    compared: Sequence[str],
    cases: Sequence[str],
    context: Context,
    absent: NDArray[np.bool_] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> tuple[list[Row], list[str]]:
    """The rows of `Report.differences`, first less second, and how p was found, in sentences.

    compared : whom to compare, in this order. pairs : which two of them; each two if None. cases : the names of all cases of the lists.
    absent : bool [cases, compared], lists that were not given: two raters are compared in the cases that both have.

    p is two-sided and of paired permutations; p_holm is corrected for the n_comparisons of this metric.
    """
    place = {rater: i for i, rater in enumerate(compared)}
    named = combinations(compared, 2) if pairs is None else pairs
    places = [(place[one], place[other]) for one, other in named]
    of_both = [one for one in found if set(compared) <= set(one.measure.raters)]
    if not places or not of_both:
        return [], []
    first, second = (np.array(side) for side in zip(*places, strict=True))
    together = None
    if absent is not None and absent.any():
        together = ~(absent[:, first] | absent[:, second])
    summands, statistics = _summands([one.measure for one in of_both], compared, cases, first, second, together)
    tested = permutation_test(summands, statistics, context.seed)
    sides = [
        _of_pair(of_both, cases, context, None if together is None else together[:, i]) for i in range(len(places))
    ]
    rows: list[Row] = []
    for i, one in enumerate(of_both):
        said = np.logical_or.reduce([~np.isnan(column) for column in one.measure.columns])
        own = []
        for pair, (a, b) in enumerate(places):
            both = None if together is None else together[one.measure.cases, pair]
            own.append(_row(sides[pair][i], said, compared[a], compared[b], context, both))
            undefined = own[-1]["value"] is None or own[-1]["n_cases"] < 2
            own[-1]["p"] = None if undefined else float(tested.p[i, pair])
        known = [row for row in own if row["p"] is not None]
        for row in own:
            row |= {"p_holm": None, "n_comparisons": len(known)}
        for row, corrected in zip(known, holm([row["p"] for row in known]).tolist(), strict=True):
            row["p_holm"] = corrected
        rows += own
    return rows, _told(tested, len(places))


def _of_pair(
    found: Sequence[Estimate], cases: Sequence[str], context: Context, together: NDArray[np.bool_] | None
) -> Sequence[Estimate]:
    if together is None or together.all():
        return found
    return estimates([one.measure for one in found], cases, context, together)


def _told(tested: PermutationTest, pairs: int) -> list[str]:
    words = (
        "Differences between raters: p is two-sided, of paired permutations, in each of which the two change places in cases drawn at "
        f"random: of all of them where cases differ in few ways (McNemar's exact test for top-k accuracy), else of {tested.swaps:,}"
    )
    if tested.approximate.any():
        words += (
            f"; for {int(tested.approximate.sum()):,} of {tested.approximate.size:,} differences, of the normal approximation of these, "
            "with their exact variance"
        )
    return [
        f"{words}. It is corrected for the {pairs:,} comparisons of each metric (Holm)." if pairs > 1 else f"{words}."
    ]


def _summands(
    measures: Sequence[Measure],
    compared: Sequence[str],
    cases: Sequence[str],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    together: NDArray[np.bool_] | None,
) -> tuple[Pairs, list[Statistic]]:
    """In the order of the cases' names, so that the order of the rows changes no p."""
    order = by_name(cases)
    place = np.argsort(order)
    columns: list[NDArray[np.number] | NDArray[np.bool_]] = []
    at: dict[object, int] = {}

    def number(key: object, values: NDArray[np.number] | NDArray[np.bool_]) -> int:
        if key not in at:
            at[key] = len(columns)
            columns.append(values)
        return at[key]

    statistics = []
    for measure in measures:
        raters = [list(measure.raters).index(rater) for rater in compared]
        values, held = [], []
        for column in measure.columns:
            if (id(column), "held") not in at:
                own = np.zeros((len(cases), len(raters)))
                own[place[measure.cases]] = column[:, raters]
                there = np.zeros(own.shape, bool)
                there[place[measure.cases]] = ~np.isnan(column[:, raters])
                own[~there] = 0
                number(id(column), own)
                at[id(column), "held"] = number(there.tobytes(), there)
            values.append(at[id(column)])
            held.append(at[id(column), "held"])
        statistics.append(Statistic(np.array(values), np.array(held), measure.combine))
    return Pairs(columns, first, second, None if together is None else together[order]), statistics


def _row(
    one: Estimate,
    said: NDArray[np.bool_],
    first: str,
    second: str,
    context: Context,
    together: NDArray[np.bool_] | None,
) -> Row:
    """said : bool [n, r], where a rater has a value. together : bool [n], where both are compared."""
    measure = one.measure
    a, b = (list(measure.raters).index(rater) for rater in (first, second))
    either = said[:, a] | said[:, b]
    n_cases = int((either if together is None else either & together).sum())
    why = next((measure.why(i) for i in (a, b) if np.isnan(one.value[i])), "")
    declared = REGISTRY[measure.metric]
    repeats = one.repeats[:, a] - one.repeats[:, b]
    return {
        "first": first,
        "second": second,
        "metric": declared.symbol,
        "of": measure.of,
        "k": measure.k,
        "name": declared.printed(measure.k, measure.hardness, measure.of),
        **measured(float(one.value[a] - one.value[b]), repeats, context.level, n_cases, why),
        "n_cases": n_cases,
    }
