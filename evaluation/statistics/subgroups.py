"""Every metric in the cases of each subgroup: of a specialty, of rare diseases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import quoted
from ...pages.rows import Row
from .estimates import estimate_row, estimates
from .measure import Estimate
from .section import Context

FEW = 10
"""Of fewer cases a group says little."""
_SHOWN = 3


def subgroup_rows(
    found: Sequence[Estimate], groups: Mapping[str, Sequence[str | None]], cases: Sequence[str], context: Context
) -> list[Row]:
    """by, group and the columns of `Report.table`; a group of None holds the cases without a value.

    groups : the column's name -> its value for each of the cases. The cases of a group are resampled among themselves.
    """
    rows: list[Row] = []
    for by, values in groups.items():
        for group in [*sorted({value for value in values if value is not None}), None]:
            among = np.array([value == group for value in values])
            if not among.any():
                continue
            for one in estimates([one.measure for one in found], cases, context, among):
                for rater in range(len(one.measure.raters)):
                    rows.append({"by": by, "group": group, **_flagged(estimate_row(one, rater, context))})
    return rows


def warnings_of_groups(groups: Mapping[str, Sequence[str | None]]) -> list[str]:
    """A sentence for each column with groups whose names differ in nothing but capitals and blanks."""
    said = []
    for by, values in groups.items():
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
