"""Lists of diagnoses as the metrics see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.table import as_text
from .findings import SHOWN

EXPERT, ALGORITHM, REFERENCE, FINAL, UNUSED = "expert", "algorithm", "reference", "final", "unused"
ROLES = (EXPERT, ALGORITHM, REFERENCE, FINAL)
NO_DIAGNOSIS, ABSENT = -1, -2


def looked_up(of_entries: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """The value of the entry at each place of `Lists.places`; -1 past the end of a list, also where no list holds anything.

    of_entries : [entries], signed.
    """
    return np.append(of_entries, of_entries.dtype.type(-1))[places]


class Cell(NamedTuple):
    """A value as it came, None for a blank, the number of its row as the user sees it, and the file that holds it."""

    value: Any
    row: int
    source: str = ""


@dataclass(frozen=True)
class References:
    """What is right in each of n cases.

    names : the right answers, () where there is none. more : what came of their icd10 and severity: for each case a cell for each of its right
        answers, from rows with the role reference; or one cell, from the columns reference_icd10 and reference_severity.
    groups : columns of the case (specialty, rarity) -> its value in each case, None where blank.
    final : the final diagnosis beside the set; None where nobody tells the two apart.
    """

    names: list[tuple[str, ...]]
    more: Mapping[str, list[tuple[Cell, ...]]] = field(default_factory=dict)
    groups: Mapping[str, list[str | None]] = field(default_factory=dict)
    final: References | None = None

    def of_cases(self, cases: Sequence[int]) -> References:
        """What is right in some of the cases."""
        more = {name: [of[i] for i in cases] for name, of in self.more.items()}
        groups = {name: [of[i] for i in cases] for name, of in self.groups.items()}
        final = self.final and self.final.of_cases(cases)
        return References([self.names[i] for i in cases], more, groups, final)


@dataclass(frozen=True)
class Origin:
    """What the lists were read from, and what is to be known of that.

    source : the file, for errors and the report. recognised : in one line, what it was read as. columns : the user's own, for errors.
    warnings : sentences that belong above the figures. notes : those that need not.
    rejected_rows, rejected_cases : how many rows were set aside, in the file `rejects`, and the cases that are gone with them.
    unread : (case, rater) -> what the rater wrote, where no list could be read from it; its list is empty, or absent.
    answers : (case, rater) -> the answer in words that a list was read from, or none could be; empty unless they are kept.
    """

    source: str
    recognised: str = ""
    columns: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rejected_rows: int = 0
    rejected_cases: int = 0
    rejects: str | None = None
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

    def of_final(self) -> Lists:
        """The same lists, with the final diagnoses as the right answers."""
        return replace(self, references=self.references.final or References([()] * len(self.cases)))

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

    def preview(self) -> list[str]:
        """Says what was read: as what, the first cases with their lists, all answers that are unread, and what is doubtful."""
        unread = self.origin.unread
        lines = [f"Read as {self.origin.recognised}."]
        for case, reference in [*zip(self.cases, self.reference, strict=True)][:SHOWN]:
            lines.append(f"{case}: the right answer is {'; '.join(reference) or 'not given'}")
            for rater in self.raters:
                names = ", ".join(f"{rank}. {name or '–'}" for rank, name in enumerate(self.list_of(case, rater), 1))
                lines.append(f"  {rater}: {names or ('unread' if (case, rater) in unread else 'no answer')}")
        lines += [f"Unread, of {rater} in {case}: {' '.join(text.split())}" for (case, rater), text in unread.items()]
        return [*lines, *self.origin.warnings, *self.origin.notes]

    def no_right_answers(self) -> InputError:
        """The error of lists that nothing can be compared with."""
        allowed = "a column named in the option 'columns' (reference=COLUMN), a file, or experts to compare with"
        remedy = "the option 'references' (FILE) reads the right answers from a file of their own"
        got = self.origin.columns or self.raters
        return InputError("no right answers were found", source=self.source, allowed=allowed, got=got, remedy=remedy)


def cell_text(value: Any) -> str:
    """A value of a table as a text without blanks around it; "" for a blank. 7 and 7.0 are "7"."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return (as_text(whole) or "").strip()
