"""Checks of whole lists: ranks 1, 2, 3, … once each, and a list of every rater for every case."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .columns import Codes, Named, Problems


def check_ranking(
    column: str, case: Named, rater: Named, rank: Codes, ranked: NDArray[np.bool_], problems: Problems
) -> None:
    """Adds a problem for each rank that is given twice in one list, or that leaves a gap before it.

    ranked : rows that belong to a list.
    Lists that hold a row with a problem already are passed over: the gap is only its consequence.
    """
    codes_case, cases = case
    codes_rater, raters = rater
    list_of = np.where((codes_case < 0) | (codes_rater < 0), -1, codes_case * len(raters) + codes_rater)
    rows = np.flatnonzero(ranked & (list_of >= 0) & ~np.isin(list_of, problems.rows_of(list_of)))
    rows = rows[np.lexsort((rows, rank[rows], list_of[rows]))]
    if not len(rows):
        return
    starts = np.append(True, list_of[rows][1:] != list_of[rows][:-1])
    before = np.where(starts, 0, np.append(0, rank[rows][:-1]))
    step = rank[rows] - before
    for at in np.flatnonzero(step != 1).tolist():
        row = int(rows[at])
        whose = f"the list by {raters[codes_rater[row]]!r} for case {cases[codes_case[row]]!r}"
        if step[at] == 0:
            problem = f"the rank {rank[row]} is given twice in {whose}"
        elif before[at] == 0:
            problem = f"{whose} does not start at 1"
        else:
            problem = f"the rank {before[at] + 1} is missing in {whose}"
        problems.add(row, problem, column, allowed="1, 2, 3, …, each once in a list", got=int(rank[row]))


def missing_lists(column: str, case: Named, rater: Named, used: Codes, problems: Problems) -> None:
    """Adds a problem to the first row of each case that one of the raters `used` lacks.

    Cases that hold a problem already are passed over: the row that would have made the list is refused for a reason.
    """
    codes_case, cases = case
    codes_rater, raters = rater
    there = np.zeros((len(cases), len(raters)), bool)
    known = (codes_case >= 0) & (codes_rater >= 0)
    there[codes_case[known], codes_rater[known]] = True
    lacking = ~there[:, used]
    faulty = problems.rows_of(codes_case)
    lacking[faulty[faulty >= 0]] = False
    if not lacking.any():
        return
    total = lacking.sum(0)
    first_row = np.full(len(cases), -1)
    place, rows = np.unique(codes_case, return_index=True)
    first_row[place[place >= 0]] = rows[place >= 0]
    tally = ", ".join(
        f"{raters[r]!r} lacks {count:,} of {len(cases):,} cases" for r, count in zip(used, total, strict=True) if count
    )
    for i in np.flatnonzero(lacking.any(1)).tolist():
        absent = [raters[r] for r, lacks in zip(used, lacking[i], strict=True) if lacks]
        problem = f"the case {cases[i]!r} has no list by {', '.join(map(repr, absent))} ({tally})"
        allowed = "a list of every rater for every case; --rejects FILE leaves such cases out"
        problems.add(int(first_row[i]), problem, column, allowed=allowed)
