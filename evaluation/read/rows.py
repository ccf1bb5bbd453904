"""The rows of the long form, each checked once: who said what of which case, in which place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import InputError, OptionError, plain, quoted
from ...files.pairs import refused_texts, why_refused
from ...files.wording import counted, hint
from ...terms.text.sentences import says_nothing
from .cells import check_commas, parted
from .findings import first_few
from .lists import ALGORITHM, EXPERT, FINAL, NO_DIAGNOSIS, REFERENCE, ROLES, UNUSED, Cell, References
from .long import COLUMN, GIVEN, IN_WORDS, ONCE, Codes, coded
from .names import RANK
from .sources import Long

Mask = NDArray[np.bool_]
_RANK = re.compile(r"0*([1-9]\d{0,3}|10000)(?:\.0*)?")


class Rows:
    """The rows as arrays, and what is wrong with them.

    Attributes
    ----------
    long : what the rows were read from, with its table, own. coded : `coded` of a column, once. is_none : whether a text means "no diagnosis". faults : row -> why it cannot be right, the first reason of a row.
    of_case : the rows whose fault is one of the whole case, not of one list.
    case, cases, rater, raters : codes of each row, -1 where unknown, and the names. list_of : the number of its list, case by case.
    role : rater -> its role, "" where nothing tells it. used : bool [raters + 1], raters whose lists
    are compared; the last for none.
    right : "reference" and "final" -> bool [rows], its right answers; is_right : either. place : of a right answer that stands once in a case,
    that of its column; -1 for others.
    ranked : bool [rows], those with an entry of a list that is compared. empty : those that are an empty list. silent : those without an entry
    that are no list. words : row -> answer in words. unread : row -> one without a list.
    rank, entry : of each row, its diagnosis in `strings`, -1 for none. by_place : the rows with an entry, list by list and from rank to rank.
    """

    def __init__(self, long: Long, algorithms: str | Iterable[str] | None, no_diagnosis: str | Iterable[str]) -> None:
        self.long, self.table, self.own, data = long, long.table, long.own, long.table.data
        self.coded, self.is_none = cache(lambda name: coded(data[name])), cache(_no_diagnosis(no_diagnosis))
        self.faults, self.of_case = dict[int, InputError](), set[int]()
        self.case, self.cases = coded(data["case_id"], optional=False)
        self.rater, self.raters = coded(data["rater"], optional=False)
        self.list_of = np.where((self.case < 0) | (self.rater < 0), -1, self.case * len(self.raters) + self.rater)
        self.place = data[ONCE].fill_null(-1).to_numpy()
        self._roles(algorithms)
        for what, ours, of in (("case", "case_id", self.case), ("rater", "rater", self.rater + self.is_right)):
            for row in np.flatnonzero((of < 0) & (self.place < 0)).tolist():
                self.add(row, f"the {what} has no name", ours, "a name", of_case=True)
        (diagnosis, self.strings), (rank, ranks) = coded(data["diagnosis"], optional=False), coded(data[RANK])
        none, given = (diagnosis < 0) & (rank < 0), data[GIVEN].fill_null(True).to_numpy()
        self.ranked, self.empty, self.silent = self.used[self.rater] & ~none, none & given, none & ~given
        in_words = np.flatnonzero(data[IN_WORDS].is_valid())
        self.words = dict(zip(in_words.tolist(), data[IN_WORDS].take(in_words).to_pylist(), strict=True))
        self.unread = {row: text for row, text in self.words.items() if self.silent[row]}
        found = [*map(_RANK.fullmatch, ranks), None]  # 1 to 10,000; the last for blanks
        self.rank = np.array([0 if one is None else int(one[1]) for one in found])[rank]
        for row in np.flatnonzero(self.ranked & (self.rank == 0)).tolist():
            self.add(row, "a rank that is no rank", RANK, "1, 2, 3, … (1 is likeliest)")
        self._diagnoses(diagnosis)
        self._check_ranks()

    def texts(self, name: str, rows: Codes, blank: Any = None) -> list[Any]:
        """The texts of a column in some rows; `blank` for a blank, and for the row -1."""
        codes, words = self.coded(name)
        return np.array([*words, blank], object)[np.append(codes, -1)[rows]].tolist()

    def column_of(self, row: int, ours: str) -> str:
        """What the column of a cell is called in the user's own table."""
        said = self.table.data[COLUMN][row].as_py()
        is_its = ours == "diagnosis" or self.place[row] >= 0 or (ours in ("rater", RANK) and ours not in self.own)
        return said if said and is_its else self.own.get(ours, ours)

    def whose(self, row: int) -> str:
        """Whose list a row is of."""
        return f"by {quoted(self.raters[self.rater[row]])} for case {quoted(self.cases[self.case[row]])}"

    def of_lists(self, texts: Mapping[int, str]) -> dict[tuple[str, str], str]:
        """Texts of rows, by the case and rater whose list they are of."""
        own = ((row, text) for row, text in texts.items() if self.list_of[row] >= 0)
        return {(self.cases[self.case[row]], self.raters[self.rater[row]]): text for row, text in own}

    def add(self, row: int, problem: str, ours: str, allowed: str, *, of_case: bool = False, **details: Any) -> None:
        """Adds a fault, which is of the cell in one of our columns, to a row that has none."""
        if row not in self.faults:
            told = {"allowed": allowed, "got": self.table.data[ours][row].as_py(), **details}
            self.faults[row] = self.table.error(problem, row, self.column_of(row, ours), **told)
            self.of_case |= {row} if of_case else set()

    def same(self, ours: str, what: str, of: Codes, names: Sequence[str], codes: Codes) -> Codes:
        """The first row of each of some names (-1 for none); a row that says another in one of our columns is at fault.

        of : the name of each row. codes : what it says; -1 in either does not count.
        """
        there = np.flatnonzero((of >= 0) & (codes >= 0))
        first = first_of(of, there, len(names))
        for row in there[codes[there] != codes[first[of[there]]]].tolist():
            problem = f"the {self.column_of(row, ours)} differs within the {what} {quoted(names[int(of[row])])}"
            as_first = quoted(self.table.data[ours][int(first[of[row]])].as_py())
            self.add(row, problem, ours, f"{as_first}, as in its first row", of_case=True)
        return first

    def _roles(self, algorithms: str | Iterable[str] | None) -> None:
        """Who is an expert, an algorithm or the reference, by the column role and by those named as algorithms."""
        codes, values = coded(self.table.data["role"], optional=False)
        said = np.array([*((*ROLES, value).index(value) for value in map(str.casefold, values)), -1])[codes]
        self.right = {role: said == ROLES.index(role) for role in (REFERENCE, FINAL)}
        self.is_right = self.right[REFERENCE] | self.right[FINAL]
        told = bool(((said >= 0) & ~self.is_right).any())
        for row in np.flatnonzero((said == len(ROLES)) | (told & (said < 0))).tolist():
            self.add(row, "a role that is none", "role", ", ".join(ROLES))
        # the final diagnosis may stand under the name of the reference, or of nobody else
        known = np.where(said == len(ROLES), -1, np.where(self.is_right, ROLES.index(REFERENCE), said))
        first = self.same("role", "rater", self.rater, self.raters, known)
        self.same("rater", "role", np.where(self.is_right, said, -1), ROLES, self.rater)
        roles = ["" if row < 0 else ROLES[known[row]] for row in first.tolist()]
        self.role = dict(zip(self.raters, roles, strict=True))
        if algorithms is not None:
            self._name_algorithms(algorithms)
        self.used = np.array([*(role not in (REFERENCE, UNUSED) for role in self.role.values()), False])

    def _name_algorithms(self, algorithms: str | Iterable[str]) -> None:
        """Those named are the algorithms.

        The others are the panel, but for raters whose role was "algorithm" already: they are left out ("unused").

        Raises
        ------
        InputError
            For a name that no rater has.
        """
        given = [algorithms] if isinstance(algorithms, str) else list(algorithms)
        if not given or not all(isinstance(name, str) and name.strip() for name in given):
            raise OptionError("algorithms", "one or more names of raters", algorithms)
        role_of = {name: role for name, role in self.role.items() if role != REFERENCE}
        for name in (name for name in given if name not in role_of):
            problem, allowed = f"no rater is called {quoted(name)}{hint(name, role_of)}", ", ".join(map(plain, role_of))
            raise InputError(problem, source=self.table.source, allowed=f"{allowed} as algorithms", got=name)
        others = {name: UNUSED if role == ALGORITHM else EXPERT for name, role in role_of.items()}
        self.role |= others | dict.fromkeys(given, ALGORITHM)

    def _diagnoses(self, codes: Codes) -> None:
        raw = [*self.strings, ""]  # the code -1 is a blank
        none = np.array([*map(self.is_none, raw)])
        self.entry = np.where(none[codes], NO_DIAGNOSIS, codes)
        for row in np.flatnonzero((refused_texts(pa.array(raw)) & ~none)[codes] & self.ranked).tolist():
            problem, allowed = why_refused(raw[codes[row]])
            self.add(row, problem, "diagnosis", allowed)
        times = np.bincount(codes[self.ranked] % len(raw), minlength=len(raw)).tolist()
        said = Counter({text: n for text, n, is_one in zip(raw, times, none, strict=True) if n and is_one})
        self.long.told.extend(_taken_as_none(said, int(self.ranked.sum())))

    def _check_ranks(self) -> None:
        """A rank is given once in a list. Ranks that are skipped are told, but of lists that hold a fault, whose consequence the gap is."""
        at = np.flatnonzero(self.ranked & (self.list_of >= 0))
        self.by_place = at = at[np.lexsort((self.rank[at], self.list_of[at]))]
        lists, rank, number = self.list_of[at], self.rank[at], self.table.row_numbers()
        starts = np.diff(lists, prepend=-1) != 0
        before = np.where(starts, 0, np.roll(rank, 1))
        allowed = "each rank once in a list, told by a column 'rank'; each case, and each prompt and repeat of a rater ('gpt4 [free #2]'), under a name of its own; the column that says which is the model or the case, named in the option 'columns' (rater=COLUMN, case_id=COLUMN)"
        for place in np.flatnonzero((rank == before) & ~starts).tolist():
            row, first = int(at[place]), number[at[place - 1]]
            problem = f"a second answer of rank {rank[place]} {self.whose(row)} (the first is in row {first}; read as {self.long.recognised})"
            column, of_case = (RANK, False) if RANK in self.own else ("case_id", "rater" not in self.own)
            self.add(row, problem, column, allowed, of_case=of_case)
        gaps = np.flatnonzero((rank - before > 1) & ~np.isin(lists, self.list_of[sorted(self.faults)]))
        for place in gaps[:1].tolist():
            row, many = int(at[place]), len(np.unique(lists[gaps]))
            first = f"row {number[row]}, the list {self.whose(row)} goes from {before[place]} to {rank[place]}"
            of = f"{many:,} of {int(starts.sum()):,} lists"
            self.long.told.append(f"{of} skip ranks: a place without a diagnosis matches nothing ({first}).")


def right_answers(rows: Rows, role: str, separator: str | None) -> References:
    """Reads and checks them.

    A column beside lists says one right answer of a case, and not what rows with a role say, too.

    role : "reference", or "final" for the final diagnoses.

    Raises
    ------
    InputError
        Where nothing tells what commas among them are, or both a column and rows say them.
    """
    is_right, of_column, table = rows.right[role] & (rows.case >= 0), rows.place, rows.table
    columns = [ours for ours in ("diagnosis", "icd10", "severity") if is_right.any() and ours in table.names]
    for ours in columns:
        codes = rows.coded(ours)[0]
        told = np.flatnonzero(is_right & (codes >= 0))
        by_column, by_row = told[of_column[told] >= 0], told[of_column[told] < 0]
        if len(by_column) and len(by_row):
            name = rows.column_of(int(by_column[0]), "diagnosis")
            allowed = f"a column {name!r} or rows with the role {role}, not both"
            raise table.error(f"a second {role}", int(by_row[0]), name, allowed=allowed)
        for one in np.unique(of_column[by_column]):
            of = np.where(is_right & (of_column == one), rows.case, -1)
            first = rows.same(ours, "case", of, rows.cases, codes)
            is_right[np.setdiff1d(by_column[of_column[by_column] == one], first)] = False
    at = np.flatnonzero(is_right)
    at = at[np.lexsort((rows.rank[at], rows.case[at]))]
    names = [list[str]() for _ in rows.cases]
    lines = [
        (row, case, text, of := parted(text, separator), [name for name in of if not rows.is_none(name)])
        for row, case, text in zip(at.tolist(), rows.case[at].tolist(), rows.texts("diagnosis", at, ""), strict=True)
    ]
    filled = [case for _, case, _, of, _ in lines if of]
    if separator is None and len({*filled}) == len(filled):  # else rows part them
        open_ = {row: text for row, _, text, of, _ in lines if len(of) == 1 and "," in text and text[0] != "["}
        column = rows.column_of(next(iter(open_), 0), "diagnosis")
        rows.long.told.extend(check_commas(open_, len(filled), "right answers", table, column))
    texts = list({name for *_, kept in lines for name in kept})
    refused = {text for text, bad in zip(texts, refused_texts(pa.array(texts, pa.string())), strict=True) if bad}
    for row, case, _, _, kept in lines:
        names[case] += kept
        for problem, allowed in map(why_refused, refused.intersection(kept)):
            rows.add(row, problem.replace("diagnosis", "right answer", 1), "diagnosis", allowed, of_case=True)
    more = dict[str, list[tuple[Cell, ...]]]()
    for ours in columns[1:]:
        named, alone = ([list[Cell]() for _ in rows.cases] for _ in range(2))
        for (row, case, text, _, kept), value in zip(lines, rows.texts(ours, at), strict=True):
            cell = Cell(value, table.row_number(row), table.source_of(row))
            if text:
                named[case] += _beside(cell, len(kept))
            elif value:  # a code without a name beside it is of all names of the case
                alone[case] += _beside(cell, len(names[case]))
        together = (own or beside for own, beside in zip(alone, named, strict=True))
        more[ours] = [tuple(of) * any(cell.value for cell in of) for of in together]
    if told := [text for _, _, text, of, _ in lines if len(of) > 1]:
        example = Counter(told).most_common(1)[0][0]
        shown = " and ".join(map(quoted, parted(example, separator)))
        have = counted(len(told), "case has", "cases have")
        rows.long.told.append(f"{have} several right answers in one cell ({quoted(example)} is {shown}).")
    return References([*map(tuple, names)], more)


def first_of(of: Codes, at: Codes, n: int) -> Codes:
    """The first of some rows with each of n numbers; -1 where there is none."""
    first = np.full(n, -1)
    first[of[at[::-1]]] = at[::-1]
    return first


def _beside(cell: Cell, count: int) -> list[Cell]:
    """A cell of codes or severities beside `count` right answers: one for each, or the cell where the numbers differ."""
    if not cell.value:
        return [cell] * count
    ways = (parted(cell.value), parted(cell.value, ",")) if count > 1 else ()
    parts = next((way for way in ways if way is not None and len(way) == count), None)
    return [cell] if parts is None else [cell._replace(value=part) for part in parts]


def _no_diagnosis(words: str | Iterable[str]) -> Callable[[str], bool]:
    """Gives what tells whether a text means "no diagnosis", in any case.

    words : more words than the default ones (none, N/A, unknown, multiple, a dash, …); with the word "keep" among them
        they stand in the place of the default.
    """
    given = {_bare(str(word)) for word in ([words] if isinstance(words, str) else words)}
    return lambda text: _bare(text) in given - {"keep"} or ("keep" not in given and says_nothing(text))


def _bare(text: str) -> str:
    """Without case, and the signs around it, which are lost where an answer is read from a cell: "#NAME?" is "name"."""
    return text.strip().casefold().strip(" #?!.*_`\"'<>[]()") or text.strip().casefold()


def _taken_as_none(counts: Counter[str], of: int) -> list[str]:
    """The sentence that says how many entries were taken as no diagnosis, and in which words; "" is a blank cell."""
    shown = first_few((f"{quoted(text) if text else 'blank'} {n:,}" for text, n in counts.most_common()), 4)
    said = f"diagnoses in the lists {'names' if counts.total() == 1 else 'name'} none ({shown}); ranks stay, and such a word matches nothing."
    return [f"{counts.total():,} of {of:,} {said}"] if counts else []
