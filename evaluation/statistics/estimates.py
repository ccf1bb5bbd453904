"""Measures -> their values, those in the resamples of the cases, and rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..metrics.hierarchical import mean_of_defined
from .bootstrap import by_name, resampled_means
from .measure import Estimate, Measure, Values
from .section import Context, metric_row


def estimates(
    measures: Sequence[Measure], names: Sequence[str], context: Context, among: NDArray[np.bool_] | None = None
) -> list[Estimate]:
    """The values of all measures and their values in the resamples, which are the same for all over the same cases.

    names : of all cases of the lists; they are resampled in the order of their names.
    among : bool [cases of the lists], those that count; all by default. They are resampled among themselves.
    """
    found: dict[int, Estimate] = {}
    for together in _over_the_same_cases(measures):
        cases = together[0].cases
        kept = np.arange(len(cases)) if among is None else np.flatnonzero(among[cases])
        arrays = {id(column): column for measure in together for column in measure.columns}
        data, repeats, held = _means(arrays, kept, [names[int(i)] for i in cases[kept]], context)
        for measure in together:
            own = [id(column) for column in measure.columns]
            found[id(measure)] = Estimate(
                measure,
                measure.combine(np.stack([data[i] for i in own], -1)),
                measure.combine(np.stack([repeats[i] for i in own], -1)),
                np.logical_or.reduce([held[i] for i in own]).sum(0),
            )
    return [found[id(measure)] for measure in measures]


def _means(
    arrays: dict[int, Values], kept: NDArray[np.integer], names: list[str], context: Context
) -> tuple[dict[int, Values], dict[int, Values], dict[int, NDArray[np.bool_]]]:
    """Of each array: its means [r], those in the resamples [repeats, r], and where it has a value [kept, r]."""
    rows = {i: column if len(kept) == len(column) else column[kept] for i, column in arrays.items()}
    widths = [column.shape[1] for column in rows.values()]
    flat = np.concatenate(list(rows.values()), 1)
    data = mean_of_defined(flat)
    if len(kept):
        repeats = resampled_means(flat, context.repeats, context.seed, by_name(names))
    else:
        repeats = np.empty((0, flat.shape[1]))
    ends = np.cumsum(widths)[:-1]
    return (
        dict(zip(rows, np.split(data, ends), strict=True)),
        dict(zip(rows, np.split(repeats, ends, 1), strict=True)),
        {i: ~np.isnan(column) for i, column in rows.items()},
    )


def _over_the_same_cases(measures: Iterable[Measure]) -> list[list[Measure]]:
    groups: dict[Any, list[Measure]] = {}
    for measure in measures:
        groups.setdefault(measure.cases.tobytes(), []).append(measure)
    return list(groups.values())


def estimate_row(one: Estimate, rater: int, context: Context) -> Row:
    """A row of `Report.table`."""
    measure = one.measure
    return metric_row(
        measure.raters[rater], measure.metric, one.value[rater], one.repeats[:, rater], context,
        of=measure.of, k=measure.k, hardness=measure.hardness, n_cases=int(one.n_cases[rater]),
        n_pairs=measure.n_pairs, reason=measure.why(rater),
    )  # fmt: skip


def table_rows(found: Sequence[Estimate], context: Context) -> list[Row]:
    """All metrics of the first rater, then those of the second, …; all are of the same raters."""
    raters = range(len(found[0].measure.raters)) if found else ()
    return [estimate_row(estimate, rater, context) for rater in raters for estimate in found]
