"""Lists of diagnoses as the metrics see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, Open, OptionError, Remedy, plain, quoted
from ...files.wording import hint

T = TypeVar("T")
EXPERT, ALGORITHM, REFERENCE, FINAL, UNUSED = "expert", "algorithm", "reference", "final", "unused"
ROLES = (EXPERT, ALGORITHM, REFERENCE, FINAL)
NO_DIAGNOSIS, ABSENT = -1, -2
NO_CATEGORY = -1
"""Of a rater who gives no diagnosis: agrees with nothing, not even with itself."""


def looked_up(of_entries: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """The value of the entry at each place of `Lists.places`; -1 past the end of a list, also where no list holds anything.

    of_entries : [entries], signed.
    """
    return np.append(of_entries, of_entries.dtype.type(-1))[places]


@dataclass(frozen=True)
class Rejected:
    """What was set aside: rows written to `path`, and the cases that are gone with them."""

    rows: int = 0
    cases: int = 0
    path: str | None = None


class Cell(NamedTuple):
    """A value as it came, None for a blank, the number of its row as the user sees it, and the file that holds it."""

    value: Any
    row: int
    source: str = ""


@dataclass(frozen=True)
class References:
    """What is known of each of n cases.

    names : the reference diagnoses, () where there is none. more : what came of their icd10 and severity: for each case a cell for each of
        its diagnoses, from rows with the role reference; or one cell, from the columns reference_icd10 and reference_severity.
    final, final_more : the same of the final diagnosis beside the set; () everywhere where nobody tells the two apart.
    groups : columns of the case (specialty, rarity) -> its value in each case, None where blank.
    """

    names: list[tuple[str, ...]]
    more: Mapping[str, list[tuple[Cell, ...]]]
    final: list[tuple[str, ...]]
    final_more: Mapping[str, list[tuple[Cell, ...]]]
    groups: Mapping[str, list[str | None]]

    def of_cases(self, cases: Sequence[int]) -> References:
        """What is known of some of the cases."""

        def some(told: Mapping[str, list[T]]) -> dict[str, list[T]]:
            return {name: [cells[i] for i in cases] for name, cells in told.items()}

        names, final = ([of[i] for i in cases] for of in (self.names, self.final))
        return References(names, some(self.more), final, some(self.final_more), some(self.groups))


@dataclass(frozen=True)
class Origin:
    """What the lists were read from, and what is to be known of that.

    source : the file, for errors and the report. recognised : in one line, what it was read as. columns : the user's own, for errors.
    warnings : sentences that belong above the figures. notes : those that need not.
    unread : (case, rater) -> what the rater wrote, where no list could be read from it; its list is empty, or absent.
    answers : (case, rater) -> the answer in words that a list was read from, or none could be; empty unless they are kept.
    """

    source: str
    recognised: str = ""
    columns: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rejected: Rejected = Rejected()
    unread: Mapping[tuple[str, str], str] = field(default_factory=dict)
    answers: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lists:
    """n cases, r raters, each with a ranked list in each case.

    cases : n names, in order of first appearance. raters : r names, likewise, without the reference.
    roles : "expert" or "algorithm" for each rater; None where nothing says.
    strings : the unique diagnoses as they were written, ascending.
    entries : int32, index of each diagnosis into `strings`, by case, rater and rank; -1 is a word for no diagnosis.
    lengths : int64 [n, r], of each list; 0 is an empty answer, or none.
    rows : int64, the row of each entry as the user sees it, in the order of `entries`.
    more : the optional columns that came (icd10, severity, relation, category), in the order of `entries`.
    absent : bool [n, r], lists that are not there in cases that are out of that rater's n; False where they count as empty.
    references : what is right in each case. origin : what all this was read from.
    """

    cases: list[str]
    raters: list[str]
    roles: tuple[str, ...] | None
    strings: list[str]
    entries: NDArray[np.int32]
    lengths: NDArray[np.int64]
    rows: NDArray[np.int64]
    more: Mapping[str, list[Any]]
    absent: NDArray[np.bool_]
    references: References
    origin: Origin

    @property
    def source(self) -> str:
        """The file, for errors."""
        return self.origin.source

    @property
    def reference(self) -> list[tuple[str, ...]]:
        """The right answers of each case."""
        return self.references.names

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """int64 [n, r]: where each list starts in `entries`."""
        return (np.cumsum(self.lengths) - self.lengths.ravel()).reshape(self.lengths.shape)

    @property
    def has_final(self) -> bool:
        """Whether a final diagnosis is told apart from the set of right answers in some case."""
        return any(self.references.final)

    def of_final(self) -> Lists:
        """The same lists, with the final diagnoses as the right answers."""
        own, none = self.references, [()] * len(self.cases)
        return replace(self, references=replace(own, names=own.final, more=own.final_more, final=none, final_more={}))

    def top(self, k: int) -> NDArray[np.int32]:
        """int32 [n, r, k]: the first k of each list; -1 where no diagnosis is said, -2 past the end of a list."""
        at = self.places(k)
        return np.where(at >= 0, looked_up(self.entries, at), np.int32(ABSENT))

    def places(self, k: int) -> NDArray[np.int64]:
        """int64 [n, r, k]: where the first k of each list stand in `entries`; -1 past the end of a list."""
        rank = np.arange(k)
        return np.where(rank < self.lengths[:, :, None], self.offsets[:, :, None] + rank, -1)

    def cells(self, column: str, depth: int | None = None) -> tuple[NDArray[np.int64], dict[str, int]]:
        """One of `more` as codes, in the order of `entries`, into its unique texts, each with its first row; -1 where blank or not there.

        depth : cells past this rank are not looked at; they count as blank.
        """
        if column not in self.more:
            return np.full(len(self.entries), -1), {}
        n, index = len(self.entries), dict[str, int]()
        place = np.arange(n) - np.repeat(self.offsets.ravel(), self.lengths.ravel())
        cells = zip(self.more[column], (place < (n if depth is None else depth)).tolist(), strict=True)
        codes = np.array(
            [index.setdefault(text, len(index)) if keep and text else -1 for text, keep in cells], np.int64
        )
        first = np.full(len(index) + 1, np.iinfo(np.int64).max)
        np.minimum.at(first, codes, self.rows)
        return codes, dict(zip(index, first.tolist(), strict=False))

    def list_of(self, case: str, rater: str) -> list[str | None]:
        """One list as it came; None where no diagnosis is said."""
        return self.list_at(self.cases.index(case), self.raters.index(rater))

    def list_at(self, case: int, rater: int) -> list[str | None]:
        """The list in the place of one; None where no diagnosis is said."""
        start = int(self.offsets[case, rater])
        entries = self.entries[start : start + int(self.lengths[case, rater])].tolist()
        return [None if e < 0 else self.strings[e] for e in entries]

    def preview(self, cases: int = 3) -> list[str]:
        """Says what was read: as what, the first cases with their lists, all answers that are unread, and what is doubtful."""
        unread = self.origin.unread
        lines = [f"Read as {self.origin.recognised}."]
        for case, reference in [*zip(self.cases, self.reference, strict=True)][:cases]:
            lines.append(f"{case}: the right answer is {'; '.join(reference) or 'not given'}")
            for rater in self.raters:
                names = ", ".join(f"{rank}. {name or '–'}" for rank, name in enumerate(self.list_of(case, rater), 1))
                lines.append(f"  {rater}: {names or ('unread' if (case, rater) in unread else 'no answer')}")
        lines += [f"Unread, of {rater} in {case}: {' '.join(text.split())}" for (case, rater), text in unread.items()]
        return [*lines, *self.origin.warnings, *self.origin.notes]

    def no_right_answers(self) -> InputError:
        """The error of lists that nothing can be compared with."""
        near = [name for name in self.origin.columns if name not in self.raters]
        return InputError(
            "no right answers were found", source=self.source,
            allowed="a column of right answers, named in the option 'columns' (reference=COLUMN), or a file of them; experts to compare "
            "with, who are all raters but those named in the option 'algorithms'",
            got=near or self.raters,
            remedy=Remedy("reads the right answers from a file of their own", references=Open("FILE")),
        )  # fmt: skip


def as_text(value: Any) -> str:
    """A value of a table as text; "" for a blank. 7 and 7.0 are "7"."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def assign_roles(
    raters: Sequence[str], roles: Sequence[str] | None, algorithms: Iterable[str], source: str
) -> tuple[str, ...]:
    """Those named in `algorithms` are the algorithms; one text may name several, with commas between them.

    The others are the panel, but for raters whose role was "algorithm" already: they are left out ("unused").

    Raises
    ------
    InputError
        For a name that no rater has.
    """
    given = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    if not given or not all(isinstance(name, str) for name in given):
        raise OptionError("algorithms", "one or more names of raters", algorithms)
    # "a,b" is two names, unless a rater is called so
    named = [name for one in given for name in ([one] if one in raters else map(str.strip, one.split(","))) if name]
    for name in (name for name in named or given if name not in raters):
        problem, allowed = f"no rater is called {quoted(name)}{hint(name, raters)}", ", ".join(map(plain, raters))
        raise InputError(problem, source=source, allowed=f"{allowed} as algorithms", got=name)
    others = [UNUSED if role in (ALGORITHM, UNUSED) else EXPERT for role in roles or [EXPERT] * len(raters)]
    return tuple(ALGORITHM if rater in named else other for rater, other in zip(raters, others, strict=True))
