"""Every metric in the cases of each subgroup: of a specialty, of rare diseases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...pages.rows import Row
from .averages import average_rows
from .differences import difference_rows
from .estimates import estimate_row, estimates
from .measure import Estimate, Measure, Values
from .section import Context

FEW = 10
"""Of fewer cases a group says little."""
_SHOWN = 3


def subgroup_rows(
    found: Sequence[Estimate], groups: Mapping[str, Sequence[str | None]], cases: Sequence[str], context: Context
) -> list[Row]:
    """by, group and the columns of `Report.table`; a group of None holds the cases without a value.

    groups : the column's name -> its value for each of the cases. The cases of a group are resampled among themselves. Then the
    two averages over the groups, of `average_rows`, without the cases that have no value.
    """
    rows: list[Row] = []
    for by, values in groups.items():
        of_groups: dict[str, list[Estimate]] = {}
        for group, among in _each(values):
            # those of a group hold no array that others share
            of_group = estimates(_among([one.measure for one in found], among), cases, context)
            if group is not None:
                of_groups[group] = of_group
            for one in of_group:
                for rater in range(len(one.measure.raters)):
                    rows.append({"by": by, "group": group, **_flagged(estimate_row(one, rater, context))})
        rows += [{"by": by, **row} for row in average_rows(of_groups, context)]
    return rows


def subgroup_differences(
    found: Sequence[Estimate],
    groups: Mapping[str, Sequence[str | None]],
    pairs: Sequence[tuple[str, str]],
    cases: Sequence[str],
    context: Context,
    absent: NDArray[np.bool_],
) -> list[Row]:
    """by, group and the columns of `Report.differences`: first less second of each pair in the cases of each group.

    absent : bool [cases, raters of the pairs, each once], lists that were not given.
    p_holm is corrected for the pairs within a metric and group.
    """
    return [
        {"by": by, "group": group, **row}
        for by, values in (groups if pairs else {}).items()
        for group, among in _each(values)
        for row in differences_among(found, among, pairs, cases, context, absent)
    ]


def differences_among(
    found: Sequence[Estimate],
    among: NDArray[np.bool_],
    pairs: Sequence[tuple[str, str]],
    cases: Sequence[str],
    context: Context,
    absent: NDArray[np.bool_] | None = None,
) -> list[Row]:
    """The rows of `Report.differences` in some of the cases. among : bool [cases]. absent : as in `difference_rows`."""
    measures = _among([one.measure for one in found], among)
    compared = list(dict.fromkeys(rater for pair in pairs for rater in pair))
    rows, _ = difference_rows(estimates(measures, cases, context), compared, cases, context, absent, pairs)
    return rows


def _each(values: Sequence[str | None]) -> Iterator[tuple[str | None, NDArray[np.bool_]]]:
    """Each group with its cases, those without a value last."""
    for group in [*sorted({value for value in values if value is not None}), None]:
        among = np.array([value == group for value in values])
        if among.any():
            yield group, among


def _among(measures: Sequence[Measure], among: NDArray[np.bool_]) -> list[Measure]:
    """`Measure.among` of each, with the arrays that measures share still shared."""
    made: dict[tuple[int, bytes], Values] = {}
    out = []
    for measure in measures:
        kept = np.flatnonzero(among[measure.cases])
        key = measure.cases.tobytes()
        for column in measure.columns:
            if (id(column), key) not in made:
                made[id(column), key] = column[kept]
        columns = tuple(made[id(column), key] for column in measure.columns)
        out.append(replace(measure, columns=columns, cases=measure.cases[kept]))
    return out


def warnings_of_groups(groups: Mapping[str, Sequence[str | None]]) -> list[str]:
    """A sentence for each column that is blank throughout, or with groups whose names differ in nothing but capitals and blanks."""
    said = []
    for by, values in groups.items():
        if all(value is None for value in values):
            said.append(f"{quoted(by)} is blank in every case: it makes no groups.")
        spellings: dict[str, list[str]] = {}
        for value in sorted({value for value in values if value is not None}):
            spellings.setdefault(" ".join(value.split()).casefold(), []).append(value)
        alike = [names for names in spellings.values() if len(names) > 1]
        if alike:
            named = ", ".join(" and ".join(map(quoted, names)) for names in alike[:_SHOWN])
            more = f" and {len(alike) - _SHOWN:,} more" if len(alike) > _SHOWN else ""
            said.append(
                f"In {quoted(by)} names that differ only in capitals or blanks are groups of their own: {named}{more}."
            )
    return said


def _flagged(row: Row) -> Row:
    few = f"{row['n_cases']} case{'' if row['n_cases'] == 1 else 's'} only" if row["n_cases"] < FEW else ""
    return row | {"reason": "; ".join(filter(None, (few, row["reason"])))}
