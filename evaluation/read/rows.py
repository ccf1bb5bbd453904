"""The rows of the long form, each checked once: who said what of which case, in which place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.limits import MAX_CHARACTERS
from ...files.wording import counted
from .cells import check_commas, parted
from .lists import FINAL, NO_DIAGNOSIS, REFERENCE, ROLES, UNUSED, Cell, assign_roles
from .long import COLUMN, GIVEN, IN_WORDS, ONCE, Codes, coded
from .names import RANK
from .no_diagnosis import NoDiagnosis, taken_as_none
from .sources import Long

MAX_RANK = 10_000
_WORD = re.compile(r"[^\W_]")
_WHOLE = re.compile(r"(\d{1,9})(?:\.0*)?")
Mask = NDArray[np.bool_]
Right = tuple[list[tuple[str, ...]], dict[str, list[tuple[Cell, ...]]]]


class Rows:
    """The rows as arrays, and what is wrong with them.

    Attributes
    ----------
    table : the rows as they are shown. faults : row -> why it cannot be right, the first reason of a row. of_case : the rows whose fault is one
        of the whole case, not of one list. told : sentences on what is doubtful. notes : sentences that belong elsewhere.
    case, cases, rater, raters : codes of each row, -1 where unknown, and the names. list_of : the number of its list, case by case.
    role : rater -> its role, "" where nothing tells it; not of the reference. is_told : whether anything tells the roles.
    right : "reference" and "final" -> bool [rows], its right answers. used : bool [raters + 1], raters whose lists are compared; the last for none.
    ranked : bool [rows], those with an entry of a list that is compared. empty : those without an entry. given : whether such a row is an empty list.
    rank, entry : of each row, its diagnosis in `strings`, -1 for none. words : row -> answer in words. unread : row -> one without a list.
    by_place : the rows with an entry, list by list and from rank to rank.
    """

    def __init__(self, long: Long, algorithms: str | Iterable[str] | None, is_none: NoDiagnosis) -> None:
        self.data, self.own, self.told, self.notes = long.table.data, long.own, long.told, list[str]()
        shown = [name for name in self.data.column_names if not name.startswith("_")]
        self.table = replace(long.table, data=self.data.select(shown))
        self.faults, self.of_case = dict[int, InputError](), set[int]()
        self.case, self.cases = coded(self.data["case_id"], optional=False)
        self.rater, self.raters = coded(self.data["rater"], optional=False)
        self.list_of = np.where((self.case < 0) | (self.rater < 0), -1, self.case * len(self.raters) + self.rater)
        self.given = self.data[GIVEN].fill_null(True).to_numpy()
        (diagnosis, raw), (rank, ranks) = coded(self.data["diagnosis"], optional=False), coded(self.data[RANK])
        self._roles(algorithms)
        self.once, is_right = self.data[ONCE].is_valid().to_numpy(), self.right[REFERENCE] | self.right[FINAL]
        for what, column, of in (("case", "case_id", self.case), ("rater", "rater", np.where(is_right, 0, self.rater))):
            for row in np.flatnonzero((of < 0) & ~self.once).tolist():
                self.add(row, f"the {what} has no name", column, of_case=True, allowed="a name", got=None)
        self.empty = (diagnosis < 0) & (rank < 0)
        self.ranked = self.used[self.rater] & ~self.empty
        texts, in_words = self.data[IN_WORDS].to_pylist(), np.flatnonzero(self.data[IN_WORDS].is_valid()).tolist()
        self.words = {row: texts[row] for row in in_words}
        self.unread = {row: text for row, text in self.words.items() if self.empty[row] and not self.given[row]}
        self.rank = np.array([*map(_as_rank, ranks), 0], np.int64)[rank]
        for row in np.flatnonzero((self.rank == 0) & self.ranked).tolist():
            got = None if rank[row] < 0 else ranks[rank[row]]
            self.add(row, "a rank that is no rank", RANK, allowed="1, 2, 3, … (1 is likeliest)", got=got)
        self._diagnoses(diagnosis, raw, is_none)
        self._check_ranks()
        self._check_right()

    def column_of(self, row: int, ours: str) -> str:
        """What the column of a cell is called in the user's own table."""
        said = self.data[COLUMN][row].as_py()
        of_lists = ours == "diagnosis" or (ours in ("rater", RANK) and ours not in self.own)
        return said if said and of_lists else self.own.get(ours, ours)

    def whose(self, row: int) -> str:
        """Whose list a row is of."""
        return f"by {quoted(self.raters[self.rater[row]])} for case {quoted(self.cases[self.case[row]])}"

    def of_lists(self, texts: Mapping[int, str]) -> dict[tuple[str, str], str]:
        """Texts of rows, by the case and rater whose list they are of."""
        own = ((row, text) for row, text in texts.items() if self.list_of[row] >= 0)
        return {(self.cases[self.case[row]], self.raters[self.rater[row]]): text for row, text in own}

    def add(self, row: int, problem: str, ours: str, *, of_case: bool = False, **details: Any) -> None:
        """Adds a fault to a row that has none."""
        if row not in self.faults:
            self.faults[row] = self.table.error(problem, row, self.column_of(row, ours), **details)
            self.of_case |= {row} if of_case else set()

    def same(
        self, column: str, what: str, of: Codes, names: Sequence[str], codes: Codes, values: Sequence[str]
    ) -> Codes:
        """The first row of each of some names (-1 for none); a row that says another than it is at fault.

        of : the name of each row. codes : what it says; -1 in either does not count.
        """
        there, first = np.flatnonzero((of >= 0) & (codes >= 0)), np.full(len(names), -1)
        first[of[there[::-1]]] = there[::-1]
        for row in there[codes[there] != codes[first[of[there]]]].tolist():
            problem = f"the {self.column_of(row, column)} differs within the {what} {quoted(names[int(of[row])])}"
            allowed = f"{quoted(values[int(codes[first[of[row]]])])}, as in its first row"
            self.add(row, problem, column, of_case=True, allowed=allowed, got=values[int(codes[row])])
        return first

    def _roles(self, algorithms: str | Iterable[str] | None) -> None:
        """Who is an expert, an algorithm or the reference, by the column role and by those named as algorithms."""
        codes, values = coded(self.data["role"], optional=False)
        number = {role: at for at, role in enumerate(ROLES)}
        said = np.array([*(number.get(value.casefold(), len(ROLES)) for value in values), -1])[codes]
        self.right = {role: said == number[role] for role in (REFERENCE, FINAL)}
        is_right = self.right[REFERENCE] | self.right[FINAL]
        told = bool(((said >= 0) & ~is_right).any())
        for row in np.flatnonzero((said == len(ROLES)) | (told & (said < 0))).tolist():
            got = None if codes[row] < 0 else values[codes[row]]
            self.add(row, "a role that is none", "role", allowed=", ".join(ROLES), got=got)
        # the final diagnosis may stand under the name of the reference, or of nobody else
        known = np.where(said == len(ROLES), -1, np.where(self.right[FINAL], number[REFERENCE], said))
        first = self.same("role", "rater", self.rater, self.raters, known, ROLES)
        self.same("rater", "role", np.where(is_right, said, -1), ROLES, self.rater, self.raters)
        role = ["" if row < 0 else ROLES[known[row]] for row in first.tolist()]
        listed = [i for i, one in enumerate(role) if one != REFERENCE]
        names, assigned = [self.raters[i] for i in listed], tuple(role[i] for i in listed)
        if algorithms is not None:
            assigned = assign_roles(names, assigned if told else None, algorithms, self.table.source)
            if unused := [name for name, one in zip(names, assigned, strict=True) if one == UNUSED]:
                self.notes.append(f"Algorithms that were not named and were left out: {', '.join(unused)}.")
        self.role, self.is_told = dict(zip(listed, assigned, strict=True)), told or algorithms is not None
        self.used = np.array([self.role.get(i, UNUSED) != UNUSED for i in range(len(self.raters))] + [False])

    def _diagnoses(self, codes: Codes, raw: Sequence[str], is_none: NoDiagnosis) -> None:
        raw = [*raw, ""]  # the code -1 is a blank
        none = {text for text in raw if (is_none(text) if text else is_none.by_default)}
        self.strings = sorted({*raw[:-1]} - none)
        index = {text: i for i, text in enumerate(self.strings)}
        self.entry = np.array([index.get(text, NO_DIAGNOSIS) for text in raw], np.int64)[codes]
        faults = [None if text in none else fault_of(text) for text in raw]
        for row in np.flatnonzero(np.array([fault is not None for fault in faults])[codes] & self.ranked).tolist():
            problem, allowed = faults[codes[row]] or ("", "")
            self.add(row, problem, "diagnosis", allowed=allowed, got=raw[codes[row]] or None)
        times = np.bincount(codes[self.ranked] % len(raw), minlength=len(raw)).tolist()
        said = Counter({text: n for text, n in zip(raw, times, strict=True) if n and text in none})
        self.told += taken_as_none(said, int(self.ranked.sum()))

    def _check_ranks(self) -> None:
        """A rank is given once in a list. Ranks that are skipped are told, but of lists that hold a fault, whose consequence the gap is."""
        at = np.flatnonzero(self.ranked & (self.list_of >= 0))
        self.by_place = at = at[np.lexsort((at, self.rank[at], self.list_of[at]))]
        lists, rank, number = self.list_of[at], self.rank[at], self.table.row_numbers()
        starts = np.diff(lists, prepend=-1) != 0
        before = np.where(starts, 0, np.roll(rank, 1))
        allowed = "each rank once in a list, told by a column 'rank'"
        if "rater" not in self.own:
            allowed += "; the column that says which is the model, named in the option 'columns' (rater=COLUMN)"
        for place in np.flatnonzero((rank == before) & ~starts).tolist():
            row, first = int(at[place]), number[at[place - 1]]
            problem = f"a second answer of rank {rank[place]} {self.whose(row)} (the first is in row {first})"
            column, of_case = (RANK, False) if RANK in self.own else ("case_id", "rater" not in self.own)
            self.add(row, problem, column, of_case=of_case, allowed=allowed)
        gaps = np.flatnonzero((rank - before > 1) & ~np.isin(lists, self.list_of[sorted(self.faults)]))
        for place in gaps[:1].tolist():
            row, many = int(at[place]), len(np.unique(lists[gaps]))
            first = f"row {number[row]}, the list {self.whose(row)} goes from {before[place]} to {rank[place]}"
            of = f"{many:,} of {int(starts.sum()):,} lists"
            self.told.append(f"{of} skip ranks: a place without a diagnosis matches nothing ({first}).")

    def _check_right(self) -> None:
        """A column beside lists says one right answer of a case, and not what rows with a role say, too."""
        place = self.data[ONCE].fill_null(0).to_numpy().astype(np.int64)
        several = int(place.max()) + 1
        of = np.where(self.once & (self.case >= 0), self.case * several + place, -1)
        names = [case for case in self.cases for _ in range(several)]
        for role in self.right:
            for ours in (name for name in ("diagnosis", "icd10", "severity") if name in self.data.column_names):
                codes, texts = coded(self.data[ours])
                told = np.flatnonzero(self.right[role] & (codes >= 0))
                first = self.same("diagnosis", "case", np.where(self.right[role], of, -1), names, codes, texts)
                by_column, by_row = told[self.once[told]], told[~self.once[told]]
                if len(by_column) and len(by_row):
                    name = self.column_of(int(by_column[0]), "diagnosis")
                    allowed = f"a column {name!r} or rows with the role {role}, not both"
                    raise self.table.error(f"a second {role}", int(by_row[0]), name, allowed=allowed)
                self.right[role][np.setdiff1d(by_column, first)] = False


def right_answers(rows: Rows, role: str, is_none: NoDiagnosis, separator: str | None) -> Right:
    """Reads them.

    role : "reference", or "final" for the final diagnoses.

    Returns
    -------
    tuple
        The right answers of each case; of their codes and severities a cell for each of them, or one for the case.

    Raises
    ------
    InputError
        Where nothing tells what commas among them are.
    """
    at = np.flatnonzero(rows.right[role] & (rows.case >= 0))
    at = at[np.lexsort((at, rows.rank[at], rows.case[at]))]
    n, numbers = len(rows.cases), rows.table.row_numbers()
    beside = [ours for ours in ("icd10", "severity") if len(at) and ours in rows.data.column_names]
    texts = dict[str, list[str | None]]()
    for ours in ("diagnosis", *beside):
        codes, words = coded(rows.data[ours])
        texts[ours] = np.array([*words, None], object)[codes[at]].tolist()
    parts = [() if text is None else parted(text, separator) for text in texts["diagnosis"]]
    of_case = [list[int]() for _ in range(n)]
    for place, case in enumerate(rows.case[at].tolist()):
        of_case[case].append(place)
    if separator is None and all(
        sum(bool(parts[place]) for place in places) < 2 for places in of_case
    ):  # else rows part them
        cells = [
            (row, cell)
            for row, cell, of in zip(at.tolist(), texts["diagnosis"], parts, strict=True)
            if cell and len(of) == 1
        ]
        open_ = {row: cell for row, cell in cells if "," in cell and not cell.startswith("[")}
        column = rows.column_of(next(iter(open_), 0), "diagnosis")
        rows.told += check_commas(open_, sum(map(bool, parts)), "right answers", rows.table, column)
    none_said = set(filter(is_none, {name for of in parts for name in of}))
    kept = [[name for name in of if name not in none_said] for of in parts]
    for row, of in zip(at.tolist(), kept, strict=True):
        if fault := next(filter(None, map(fault_of, of)), None):
            rows.add(row, fault[0].replace("diagnosis", "reference", 1), "diagnosis", of_case=True, allowed=fault[1])
    names = [tuple(name for place in places for name in kept[place]) for places in of_case]
    more = {ours: [list[Cell]() for _ in range(n)] for ours in beside}
    for ours, cells in more.items():
        for case, places in enumerate(of_case):
            # a code without a name beside it is of all names of the case
            alone = [place for place in places if texts["diagnosis"][place] is None and texts[ours][place] is not None]
            for place in alone or places:
                count = len(names[case]) if alone else len(kept[place])
                cell = Cell(texts[ours][place], int(numbers[at[place]]), rows.table.source_of(at[place]))
                cells[case] += _beside(cell, count) if count else [cell] * (cell.value is not None)
    told = [text for text, of in zip(texts["diagnosis"], parts, strict=True) if text and len(of) > 1]
    if told:
        example = Counter(told).most_common(1)[0][0]
        shown = " and ".join(map(quoted, parted(example, separator)))
        have = counted(len(told), "case has", "cases have")
        rows.told.append(f"{have} several right answers in one cell ({quoted(example)} is {shown}).")
    return names, {ours: [tuple(of) * any(cell.value for cell in of) for of in cells] for ours, cells in more.items()}


def _beside(cell: Cell, count: int) -> list[Cell]:
    """A cell of codes or severities beside `count` right answers: one for each, or the cell where the numbers differ."""
    if not cell.value:
        return [cell] * count
    ways = (parted(cell.value), parted(cell.value, ",")) if count > 1 else ()
    parts = next((way for way in ways if way is not None and len(way) == count), None)
    return [cell] if parts is None else [cell._replace(value=part) for part in parts]


def _as_rank(text: str) -> int:
    """A whole number from 1; 0 for anything else."""
    found = _WHOLE.fullmatch(text)
    return int(found[1]) if found and int(found[1]) <= MAX_RANK else 0


def fault_of(text: str) -> tuple[str, str] | None:
    """What is wrong with a diagnosis, and what is allowed."""
    if len(text) > MAX_CHARACTERS:
        return f"a diagnosis of {len(text):,} characters", f"at most {MAX_CHARACTERS:,} characters"
    if not text:
        return "the diagnosis is blank", "a diagnosis in words, or a word for no diagnosis"
    return None if _WORD.search(text) else ("a diagnosis without a letter or digit", "a diagnosis in words")
