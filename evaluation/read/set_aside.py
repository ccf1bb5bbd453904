"""What cannot be right is refused, or set aside: rows past every metric's reach, lists, cases."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import SET_ASIDE, InputError
from ...files.counted import counted
from ...files.tables import write_rejects
from .columns import Codes, Problems
from .lists import Rejected
from .ranking import Rows


def spoilt_lists(rows: Rows, problems: Problems) -> Codes:
    """The numbers of the lists that hold a row with a problem of its own."""
    found = sorted(set(problems) - problems.of_case)
    return np.unique(rows.list_of[found]) if found else np.empty(0, np.int64)


def set_aside(
    rows: Rows,
    problems: Problems,
    spoilt: Codes,
    refused: Codes,
    answered: NDArray[np.bool_],
    rejects: str | os.PathLike[str] | None,
    broken: Sequence[InputError] = (),
) -> tuple[NDArray[np.bool_], Rejected]:
    """bool [cases], those that are left out; what is wrong with them, and with the lists `spoilt`, is written to `rejects`.

    broken : lines that could not be read, which go there too.

    Raises
    ------
    InputError
        The first problem, where `rejects` is None.
    """
    case, cases = rows.case
    out = np.zeros(len(cases) + 1, bool)
    if problems and rejects is None:
        raise problems[min(problems)].with_remedy(SET_ASIDE)
    if rejects is None or not (problems or broken):
        return out[:-1], Rejected(path=None if rejects is None else os.fspath(rejects))
    of_cases = np.isin(rows.rater[0], refused) | ~(rows.ranked | rows.empty)
    culprit_of_case, culprit_of_list = dict[int, int](), dict[int, int]()
    list_of = rows.list_of
    for row in sorted(problems):
        if row in problems.of_case or of_cases[row]:
            culprit_of_case.setdefault(int(case[row]), row)
        culprit_of_list.setdefault(int(list_of[row]), row)
    out[[i for i in culprit_of_case if i >= 0]] = True
    out[:-1] |= ~answered & np.isin(np.arange(len(cases)), case[list(problems)])
    reasons = {row: str(problem) for row, problem in problems.items()}
    for row in np.flatnonzero(out[case] & (case >= 0)).tolist():
        first = culprit_of_case.get(int(case[row]), culprit_of_list.get(int(list_of[row]), row))
        reasons.setdefault(row, f"left out with its case: {problems[first]}")
    for row in np.flatnonzero(np.isin(list_of, spoilt[spoilt >= 0])).tolist():
        reasons.setdefault(row, f"left out with its list: {problems[culprit_of_list[int(list_of[row])]]}")
    write_rejects(problems.table, reasons, rejects, broken)
    lost = spoilt[(spoilt >= 0) & ~out[spoilt // max(len(rows.rater[1]), 1)]]
    return out[:-1], Rejected(len(reasons) + len(broken), int(out[:-1].sum()), os.fspath(rejects), len(lost))


def told_broken(broken: Sequence[InputError]) -> list[str]:
    """A sentence on the lines that could not be read."""
    if not broken:
        return []
    return [f"Could not be read and was set aside: {counted(len(broken), 'line')}; the first is {broken[0].finding}"]
