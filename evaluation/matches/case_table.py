"""What was matched with what: a row for each case, rater and rank, as a table and in files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...matcher.policy import RELATIONS
from ...matcher.protocol import Matcher
from ..lists.lists import ABSENT, Lists
from ..statistics.section import Context
from .nearest import (
    DOUBTS,
    NEAR,
    UNKNOWN,
    Nearest,
    Told,
    doubtful_lists,
    near_interval,
    near_threshold,
    nearest_answers,
    told_of,
)
from .reference_matches import ReferenceMatches, shared_matches

_NOT_COMPARED = (
    "no diagnosis is said",
    "the answer is empty",
    "no answer was given",
    "the case has no right answer",
    "no diagnosis could be read from the answer",
)
_NOTHING_SAID, _EMPTY, _NOT_GIVEN, _NO_REFERENCE, _UNREAD = range(len(_NOT_COMPARED))
_LONGEST_ANSWER = 4_000
_ROWS_PER_CHUNK = 500_000
_NUMBER = re.compile(r"0|[1-9]\d{0,14}", re.ASCII)
"""Of digits that Excel holds."""


@dataclass(frozen=True)
class CaseTable:
    """The lists of n cases beside their right answers, with what M made of them; computed when it is asked for.

    k : the diagnoses of each list that count. M is asked about relations at the first use of `told`.
    judged : (case, rater) -> what a judge said of each reference diagnosis, in sentences.
    """

    lists: Lists = field(repr=False)
    matches: ReferenceMatches = field(repr=False)
    matcher: Matcher = field(repr=False)
    k: int
    judged: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict, repr=False)

    @property
    def threshold(self) -> float:
        """From this probability up a pair matches."""
        return float(self.matcher.threshold)

    @cached_property
    def nearest(self) -> Nearest:
        """Of all cases."""
        return nearest_answers(self.lists, self.matches)

    def in_order(self, raters: Sequence[str]) -> CaseTable:
        """The same with the raters in this order, those that are not named behind."""
        wanted = {rater: place for place, rater in enumerate(raters)}
        at = sorted(range(len(self.lists.raters)), key=lambda i: wanted.get(self.lists.raters[i], len(wanted)))
        found = replace(
            self.matches,
            probabilities=self.matches.probabilities[:, at],
            hits=self.matches.hits[:, at],
            found=self.matches.found[:, at],
        )
        return replace(self, lists=self.lists.of_raters(at), matches=found)

    @cached_property
    def unread(self) -> dict[tuple[int, int], str]:
        """(case, rater), as places in the lists -> the answer that no diagnosis could be read from, cut to 4,000 characters."""
        cases, raters = ({name: place for place, name in enumerate(of)} for of in (self.lists.cases, self.lists.raters))
        return {
            (cases[case], raters[rater]): text
            if len(text) <= _LONGEST_ANSWER
            else f"{text[:_LONGEST_ANSWER]} … (cut at {_LONGEST_ANSWER:,} of {len(text):,} characters)"
            for (case, rater), text in self.lists.unread.items()
            if case in cases and rater in raters
        }

    @cached_property
    def told(self) -> Told:
        """Of the pairs of `nearest`."""
        return told_of(self.nearest, self.lists, self.matcher)

    @cached_property
    def table(self) -> pa.Table:
        """A row for each case, rater and rank; see `chunks`. Texts are dictionaries: each is held once."""
        return pa.concat_tables(self.chunks(), promote_options="default").unify_dictionaries()

    def chunks(self) -> Iterator[pa.Table]:
        """case_id, algorithm, rank, diagnosis, reference, probability, match, relation, why, doubtful, references, answer.

        diagnosis : null where the list says none, and in the one row of a list without an answer, whose rank is null, too.
        reference : the right answer that M holds likeliest to name the same disease as the diagnosis; null where the case has none.
        probability : of the two; null where one of them is not understood. match : null where nothing was compared.
        relation : what `diagnosis` is to `reference`: "same", "narrower" (a kind of the right answer), "broader", "related", "unrelated" or
            "excluded" (it cannot be the right answer; `why` says what opposes).
        why : a sentence on the relation, or on why nothing was compared. doubtful : one of `DOUBTS`, or null.
        references : all right answers of the case, joined by "; ". answer : what the model wrote, where no diagnosis
        could be read from it. final : the final diagnosis, where it is told apart. Then the columns of subgroups.
        """
        n, raters, k = self.nearest.entries.shape
        step = max(1, _ROWS_PER_CHUNK // max(1, raters * k))
        for start in range(0, n, step):
            yield self._chunk(np.arange(start, min(n, start + step)))

    def _chunk(self, cases: NDArray[np.intp]) -> pa.Table:
        lists, nearest, told = self.lists, self.nearest, self.told
        entries = nearest.entries[cases]
        # an empty list has one row, its first place
        empty = lists.lengths[cases] == 0
        shown = entries != ABSENT
        shown[:, :, 0] |= empty
        case, rater, rank = np.nonzero(shown)
        pair = entries[case, rater, rank]
        said, nothing_there = pair >= 0, empty[case, rater]
        at = np.where(said, pair, 0) if len(nearest.match) else np.zeros(len(pair), int)
        of = _Gather(at, said)
        reference = of(nearest.reference, -1)
        compared = reference >= 0
        probability, doubt = of(nearest.probability, np.nan), of(told.doubt, -1)
        unknown = doubt == DOUBTS.index(UNKNOWN)
        why = of(told.why, 0)
        unread = {(i, r): text for (i, r), text in self.unread.items() if cases[0] <= i <= cases[-1]}
        answers = list(unread.values())
        answer = np.full((len(cases), len(lists.raters)), -1)
        for place, (i, r) in enumerate(unread):
            answer[i - cases[0], r] = place
        answer = np.where(nothing_there, answer[case, rater], -1)
        given = np.select(
            [answer >= 0, nothing_there & lists.absent[cases][case, rater], nothing_there, ~said, ~compared],
            [_UNREAD, _NOT_GIVEN, _EMPTY, _NOTHING_SAID, _NO_REFERENCE],
            -1,
        )
        why = np.where(given >= 0, len(told.reasons) + given, np.where(why > 0, why, -1))
        joined = ["; ".join(dict.fromkeys(lists.reference[i])) for i in cases.tolist()]
        columns: dict[str, Any] = {
            "case_id": _texts(case, [lists.cases[i] for i in cases.tolist()]),
            "algorithm": _texts(rater, lists.raters),
            "rank": pa.array((rank + 1).astype(np.int32), mask=nothing_there),
            "diagnosis": _texts(of(nearest.diagnosis, -1), lists.strings),
            "reference": _texts(reference, nearest.references),
            "probability": pa.array(probability.astype(float).round(6), mask=~compared | unknown),
            "match": pa.array(of(nearest.match, False), mask=~compared),
            "relation": _texts(of(told.relation, -1), list(RELATIONS)),
            "why": _texts(why, [*told.reasons, *_NOT_COMPARED]),
            "doubtful": _texts(doubt, list(DOUBTS)),
            "references": _texts(np.where(np.array([bool(text) for text in joined])[case], case, -1), joined),
            "answer": _texts(answer, answers),
        }
        if lists.has_final:
            final = ["; ".join(lists.final[i]) for i in cases.tolist()]
            columns["final"] = _texts(np.where(np.array([bool(text) for text in final])[case], case, -1), final)
        for name, values in lists.groups.items():
            texts = [values[i] for i in cases.tolist()]
            numbers = np.where(np.array([text is not None for text in texts])[case], case, -1)
            columns.setdefault(name, _texts(numbers, [text or "" for text in texts]))
        return pa.table(columns)

    def save(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes `chunks` by the suffix of `path`, whole or not at all, one after another.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.
        In a workbook case_id is a number where every case is called by a whole number, so that a look-up finds it.

        Raises
        ------
        InputError
            For another suffix, or an absent folder.
        DxmatchError
            Where it cannot be written.
        """
        from ...files.tables import check_output, write_tables

        check_output(path)
        numbered = Path(path).suffix.lower() == ".xlsx" and all(map(_is_number, self.lists.cases))
        plain = (_with_numbers(table) if numbered else table for table in map(_plain, self.chunks()))
        return write_tables(plain, path, spreadsheet=spreadsheet or None)

    @cached_property
    def doubtful(self) -> NDArray[np.bool_]:
        """bool [n, r]: the lists without a sure match whose first k hold a diagnosis near the threshold."""
        nearest = self.nearest
        near = near_threshold(nearest.probability, self.threshold)
        return doubtful_lists(nearest.entries[:, :, : self.k], nearest.match, near)

    def notes(self) -> list[str]:
        """That lists are longer than what the table holds, in a sentence; none where none is."""
        held = self.matches.hits.shape[2]
        longer = int((self.lists.lengths > held).sum())
        if not longer:
            return []
        many = "1 list goes" if longer == 1 else f"{longer:,} lists go"
        return [f"The table of matches holds the first {held} diagnoses of each list; {many} on beyond them."]

    def warnings(self) -> list[str]:
        """How many verdicts are near the threshold, in a sentence; none where none is."""
        count = int(self.doubtful.sum())
        if not count:
            return []
        low, high = near_interval(self.threshold)
        judged = np.asarray(self.matches.given.any(1))[:, None] & ~self.lists.absent
        are = "is" if count == 1 else "are"
        return [
            f"{count:,} of {int(judged.sum()):,} answers {are} judged by a diagnosis {NEAR} (probability {low:.2f} to {high:.2f}, a match from "
            f"{self.threshold:.2f} up), so that their verdicts could turn; the cases of the page show them."
        ]


class _Gather:
    """Values of pairs at the rows of a table; another value where nothing is said."""

    def __init__(self, at: NDArray[np.integer], said: NDArray[np.bool_]) -> None:
        self.at, self.said = at, said

    def __call__(self, values: NDArray[Any], otherwise: Any) -> NDArray[Any]:
        return np.where(self.said, values[self.at], otherwise) if len(values) else np.full(len(self.at), otherwise)


def _texts(numbers: NDArray[np.integer], texts: list[str]) -> pa.DictionaryArray:
    """The text of each number; null for a negative one. A text that several numbers share is one in the dictionary."""
    index: dict[str, int] = {}
    at = np.array([*(index.setdefault(text, len(index)) for text in texts), 0], np.int32)
    indices = pa.array(at[numbers], mask=numbers < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(index), pa.string()))


def _plain(table: pa.Table) -> pa.Table:
    """Dictionaries as the texts themselves."""
    return table.cast(
        pa.schema(
            pa.field(f.name, f.type.value_type) if pa.types.is_dictionary(f.type) else f for f in table.schema
        )
    )  # fmt: skip


def _is_number(case: str) -> bool:
    """Whether a name is a whole number as a spreadsheet would show it, without zeros before it."""
    return _NUMBER.fullmatch(case) is not None


def _with_numbers(table: pa.Table) -> pa.Table:
    place = table.schema.get_field_index("case_id")
    return table.set_column(place, "case_id", table.column(place).cast(pa.int64()))


def case_table(lists: Lists, context: Context) -> CaseTable | None:
    """Of lists with right answers; None without them, and where asking M again would cost votes that nobody asked for."""
    if not any(lists.reference) or (context.profile.rests_on_votes and "reference_matches" not in context.made):
        return None
    return CaseTable(lists, shared_matches(lists, context), context.matcher, context.relative_k)
