"""Rows -> lists: which row belongs to which list and in which place, which lists are not there, and what is refused or set aside."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import SET_ASIDE, InputError, Remedy, quoted
from ...files.tables import Table, write_rejects
from ...files.wording import counted
from .columns import Codes, Named, Problems
from .lists import Rejected

EMPTY, OWN, REFUSE = "empty", "own", "refuse"
AS_EMPTY = Remedy("counts it as an empty answer", missing=EMPTY)


@dataclass(frozen=True)
class Rows:
    """case, rater : codes of each row, -1 where unknown. rank : as given. ranked : rows that hold an entry of a list in use.

    empty : rows that stand for an empty list. unread : row -> an answer that could not be read; it is an empty list
    where `unread_is_empty` says so, else none.
    """

    case: Named
    rater: Named
    rank: Codes
    ranked: NDArray[np.bool_]
    empty: NDArray[np.bool_]
    unread: Mapping[int, str | None]
    unread_is_empty: bool = False

    @property
    def list_of(self) -> Codes:
        """The number of each row's list, case by case; -1 where its case or rater is unknown."""
        case, rater = self.case[0], self.rater[0]
        return np.where((case < 0) | (rater < 0), -1, case * len(self.rater[1]) + rater)

    def by_place(self) -> Codes:
        """The rows with an entry, list by list and from rank to rank."""
        of = self.list_of
        rows = np.flatnonzero(self.ranked & (of >= 0))
        return rows[np.lexsort((rows, self.rank[rows], of[rows]))]

    def whose(self, row: int) -> str:
        (case, cases), (rater, raters) = self.case, self.rater
        return f"the list by {quoted(raters[rater[row]])} for case {quoted(cases[case[row]])}"


def check_ranks(rows: Rows, column: str, problems: Problems) -> list[str]:
    """Adds a problem for each rank that is given twice in one list; a sentence on ranks that are skipped.

    Lists that hold a row with a problem already are passed over: the gap is only its consequence.
    """
    of = rows.list_of
    at = rows.by_place()
    lists, rank = of[at], rows.rank[at]
    starts = np.diff(lists, prepend=-1) != 0
    before = np.where(starts, 0, np.roll(rank, 1))
    for place in np.flatnonzero((rank == before) & ~starts).tolist():
        row = int(at[place])
        problem = f"the rank {rank[place]} is given twice in {rows.whose(row)}"
        problems.add(row, problem, column, allowed="1, 2, 3, …, each once in a list", got=int(rank[place]))
    gaps = np.flatnonzero((rank - before > 1) & ~np.isin(lists, problems.rows_of(of)))
    if not len(gaps):
        return []
    row, place = int(at[gaps[0]]), gaps[0]
    first = f"row {problems.table.row_number(row)}, {rows.whose(row)} goes from {before[place]} to {rank[place]}"
    many = f"{len(np.unique(lists[gaps])):,} of {int(starts.sum()):,} lists"
    return [f"{many} skip ranks: a place without a diagnosis matches nothing ({first})."]


def lists_given(rows: Rows, spoilt: Codes) -> NDArray[np.bool_]:
    """bool [cases, raters]: the lists that have a row, are readable, and are not among the numbers `spoilt`."""
    of = rows.list_of
    kept = (rows.ranked | rows.empty) & (of >= 0)
    if not rows.unread_is_empty:
        kept[list(rows.unread)] = False
    there = np.zeros(len(rows.case[1]) * len(rows.rater[1]), bool)
    there[of[kept]] = True
    there[spoilt[spoilt >= 0]] = False
    return there.reshape(len(rows.case[1]), len(rows.rater[1]))


def check_missing(rows: Rows, there: NDArray[np.bool_], refused: Codes, column: str, problems: Problems) -> None:
    """Adds a problem to the first row of each case that one of the raters `refused` has no list for.

    Cases that hold a problem of a row already are passed over: the row that would have made the list is refused for a reason.
    """
    (case, cases), (_, raters) = rows.case, rows.rater
    for row, text in rows.unread.items():
        if text is not None and rows.rater[0][row] in refused:
            problem = f"no list could be read from {rows.whose(row).replace('list', 'answer')}"
            allowed = "a list of names, numbered lines, or JSON"
            problems.add(row, problem, column, of_case=True, allowed=allowed, got=text)
    lacking = ~there[:, refused]
    faulty = problems.rows_of(case)
    lacking[faulty[faulty >= 0]] = False
    if not lacking.any():
        return
    counts = zip(refused, lacking.sum(0), strict=True)
    tally = ", ".join(f"{quoted(raters[r])} lacks {n:,} of {len(cases):,} cases" for r, n in counts if n)
    for i in np.flatnonzero(lacking.any(1)).tolist():
        absent = [raters[r] for r, lacks in zip(refused, lacking[i], strict=True) if lacks]
        problem = f"the case {quoted(cases[i])} has no list by {', '.join(map(quoted, absent))} ({tally})"
        allowed = "a list of every rater for every case"
        of_case = np.flatnonzero(case == i).tolist()
        # a row of a list that is not there, where a blank cell stands for it
        row = next((r for r in of_case if raters[rows.rater[0][r]] in absent), of_case[0])
        problems.add(row, problem, column, of_case=True, allowed=allowed, remedy=AS_EMPTY)


def told_missing(rows: Rows, there: NDArray[np.bool_], cases: Codes, used: Codes, own: bool, table: Table) -> list[str]:
    """Sentences on the lists that are not there, rater by rater, and on answers that could not be read.

    cases, used : the codes of the cases and raters that are left. own : they are out of the rater's n.
    """
    rater, raters = rows.rater
    unread = {row: text for row, text in rows.unread.items() if text is not None and rater[row] in used}

    def of_raters(at: Iterable[int]) -> Counter[str]:
        return Counter(raters[rater[row]] for row in at)

    of_unread, said = of_raters(unread), []
    for r in used.tolist():
        count = int((~there[cases, r]).sum()) - (0 if rows.unread_is_empty else of_unread[raters[r]])
        if count > 0:
            means = "they are out of its figures" if own else "each counts as an empty answer"
            said.append(f"{raters[r]} has no list for {count:,} of {len(cases):,} cases; {means}.")
    blank = np.flatnonzero(rows.empty & there[rows.case[0], rater] & np.isin(rater, used)).tolist()
    if told := of_raters(row for row in blank if row not in rows.unread):
        are = "answer is an empty list" if told.total() == 1 else "answers are empty lists"
        said.append(f"{told.total():,} {are} ({_tally(told)}).")
    if unread:
        row, text = next(iter(unread.items()))
        first = f"the first is {raters[rater[row]]}'s in row {table.row_number(row)}: {quoted(' '.join(text.split()))}"
        means = "out of its model's figures" if own and not rows.unread_is_empty else "an empty answer"
        many = counted(len(unread), "answer")
        said.append(f"No diagnoses could be read from {many} ({_tally(of_unread)}), each {means}; {first}.")
    read = {raters[r] for r in np.unique(rater[rows.ranked & (rater >= 0)]).tolist()}
    return said + [
        f"Not one of the {count:,} answers of {name} could be read: its figures say how it writes, not what it knows."
        for name, count in of_unread.items()
        if count > 1 and name not in read
    ]


def _tally(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


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
    of_cases = np.isin(rows.rater[0], refused) | ~(rows.ranked | rows.empty) | ~np.append(answered, True)[case]
    list_of, of_case, of_list = rows.list_of, dict[int, int](), dict[int, int]()
    for row in sorted(problems):
        if row in problems.of_case or of_cases[row]:
            of_case.setdefault(int(case[row]), row)
        of_list.setdefault(int(list_of[row]), row)
    out[[i for i in of_case if i >= 0]] = True
    reasons = {row: str(problem) for row, problem in problems.items()}
    for row in np.flatnonzero((out[case] & (case >= 0)) | np.isin(list_of, spoilt[spoilt >= 0])).tolist():
        whole = of_case.get(int(case[row]))
        first = of_list[int(list_of[row])] if whole is None else whole
        reasons.setdefault(row, f"left out with its {'list' if whole is None else 'case'}: {problems[first]}")
    write_rejects(problems.table, reasons, rejects, broken)
    lost = spoilt[(spoilt >= 0) & ~out[spoilt // max(len(rows.rater[1]), 1)]]
    return out[:-1], Rejected(len(reasons) + len(broken), int(out[:-1].sum()), os.fspath(rejects), len(lost))


def told_broken(broken: Sequence[InputError]) -> list[str]:
    """A sentence on the lines that could not be read."""
    if not broken:
        return []
    return [f"Could not be read and was set aside: {counted(len(broken), 'line')}; the first is {broken[0].finding}"]
