"""Rows -> lists: which row belongs to which list and in which place, and which lists are not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Remedy, quoted
from ...files.counted import counted
from ...files.tables import Table
from .columns import Codes, Named, Problems

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

    def places(self, rows: Codes) -> Codes:
        """The place of each of these rows in its list, from 1: its rank, or one more in a list that counts from 0."""
        of = self.list_of
        from_zero = of[np.flatnonzero(self.ranked & (self.rank == 0))]
        return self.rank[rows] + np.isin(of[rows], from_zero)

    def whose(self, row: int) -> str:
        (case, cases), (rater, raters) = self.case, self.rater
        return f"the list by {quoted(raters[rater[row]])} for case {quoted(cases[case[row]])}"


def check_ranks(rows: Rows, column: str, problems: Problems) -> list[str]:
    """Adds a problem for each rank that is given twice in one list; a sentence on ranks that are skipped, and one on ranks from 0.

    Lists that hold a row with a problem already are passed over: the gap is only its consequence.
    """
    of = rows.list_of
    at = rows.by_place()
    if not len(at):
        return []
    lists, rank = of[at], rows.rank[at]
    starts = np.append(True, lists[1:] != lists[:-1])
    before = np.where(starts, 0, np.append(0, rank[:-1]))
    for place in np.flatnonzero((rank == before) & ~starts).tolist():
        row = int(at[place])
        problem = f"the rank {rank[place]} is given twice in {rows.whose(row)}"
        problems.add(row, problem, column, allowed="1, 2, 3, …, each once in a list", got=int(rank[place]))
    sound = ~np.isin(lists, problems.rows_of(of))
    from_zero = np.isin(lists, lists[starts & (rank == 0)])
    gap = sound & (rank - before > 1)
    said = []
    if gap.any():
        place = int(np.flatnonzero(gap)[0])
        where = "does not start at 1" if starts[place] else f"goes from {before[place]} to {rank[place]}"
        many = len(np.unique(lists[gap]))
        of_all = f"{many:,} of {int(starts.sum()):,} lists"
        first = f"row {problems.table.row_number(int(at[place]))}, {rows.whose(int(at[place]))} {where}"
        said.append(
            f"{of_all} skip{'s' if many == 1 else ''} ranks: a place without a diagnosis matches nothing ({first})."
        )
    if from_zero.any():
        said.append(
            f"{len(np.unique(lists[from_zero])):,} of {int(starts.sum()):,} lists count from 0; that is rank 1."
        )
    return said


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

    def of_raters(at: Iterable[int]) -> dict[str, int]:
        counts = Counter(rater[list(at)].tolist())
        return {raters[r]: counts[r] for r in used.tolist() if counts[r]}

    of_unread = of_raters(unread)
    said = []
    for r in used.tolist():
        count = int((~there[cases, r]).sum()) - (0 if rows.unread_is_empty else of_unread.get(raters[r], 0))
        if count > 0:
            means = "they are out of its figures" if own else "each counts as an empty answer"
            said.append(f"{raters[r]} has no list for {count:,} of {len(cases):,} cases; {means}.")
    blank = np.flatnonzero(rows.empty & there[rows.case[0], rater]).tolist()
    if told := of_raters(row for row in blank if row not in rows.unread):
        are = "answer is an empty list" if sum(told.values()) == 1 else "answers are empty lists"
        said.append(f"{sum(told.values()):,} {are} ({', '.join(f'{name} {n:,}' for name, n in told.items())}).")
    if not unread:
        return said
    row, text = next(iter(unread.items()))
    first = f"the first is {raters[rater[row]]}'s in row {table.row_number(row)}: {quoted(' '.join(text.split()))}"
    left_out = own and not rows.unread_is_empty
    one = ("is left out" if left_out else "counts as an empty answer") if len(unread) == 1 else None
    means = one or ("are left out" if left_out else "count as empty answers")
    whose = f" ({', '.join(f'{name} {n:,}' for name, n in of_unread.items())})" if len(of_unread) > 1 else ""
    said.append(f"No diagnoses could be read from {counted(len(unread), 'answer')}{whose}, which {means}; {first}.")
    read = of_raters(np.flatnonzero(rows.ranked & (rater >= 0)).tolist())
    return said + [
        f"Not one of the {count:,} answers of {name} could be read: its figures say how it writes, not what it knows."
        for name, count in of_unread.items()
        if count > 1 and name not in read
    ]
