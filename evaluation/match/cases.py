"""What was matched with what: each diagnosis beside the right answer that it comes nearest to, as a table and in files."""

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

from ...files.tables import check_output, write_tables
from ...matcher.policy import BROADER, EXCLUDED, NARROWER, POLICIES, RELATIONS, SPECIFICATION
from ...matcher.protocol import Matcher, not_understood, tells_relations
from ..lists.lists import ABSENT, Lists
from ..read.findings import Finding
from .pairs import RELATIONS_PER_CALL, ReferenceMatches, related

NEAR_ODDS = 2.0
"""A probability is near the threshold where its odds are at most this many times those of the threshold, or those of it."""
NEAR, DISAGREES, UNKNOWN = DOUBTS = ("near the threshold", "relation disagrees", "not understood")
_OTHER_WAY = {NARROWER: BROADER, BROADER: NARROWER}
_TURNED = np.array([RELATIONS.index(_OTHER_WAY.get(name, name)) for name in RELATIONS] + [-1], np.int8)
"""Relation of the right answer to the diagnosis -> that of the diagnosis to the right answer; the last is for none."""
_ANOTHER = "another disease"
_NOT_COMPARED = (
    "no diagnosis could be read from the answer", "no answer was given", "the answer is empty", "no diagnosis is said",
    "the case has no right answer",
)  # fmt: skip
_LONGEST_ANSWER = 4_000
_ROWS_PER_CHUNK = 500_000
_NUMBER = re.compile(r"0|[1-9]\d{0,14}", re.ASCII)
"""Of digits that Excel holds."""


@dataclass(frozen=True)
class ShownPairs:
    """n cases, r raters, K ranks, as u different pairs of a diagnosis and the likeliest of the right answers of its case.

    entries : int32 [n, r, K], the pair of each place; -1 where no diagnosis is said, -2 past the end of a list.
    references : the different right answers of all cases, ascending.
    diagnosis : int32 [u], into the strings of the answers. reference : int32 [u], into `references`; -1 where the case has none.
    probability : float32 [u], NaN where the case has no right answer. match : bool [u], the verdicts of M.
    relation : int8 [u], what the diagnosis is to the right answer, into `RELATIONS`; -1 where M does not say.
    why : int32 [u], into `reasons`, of which the first is "". doubt : int8 [u], into `DOUBTS`; -1 where nothing is doubtful.
    """

    entries: NDArray[np.int32]
    references: list[str]
    diagnosis: NDArray[np.int32]
    reference: NDArray[np.int32]
    probability: NDArray[np.float32]
    match: NDArray[np.bool_]
    relation: NDArray[np.int8]
    why: NDArray[np.int32]
    reasons: list[str]
    doubt: NDArray[np.int8]


def near_interval(threshold: float) -> tuple[float, float]:
    """Finds the lowest and the highest probability near the threshold; (1, 0) where none is."""
    if not 0 < threshold < 1:
        return 1.0, 0.0
    odds = threshold / (1 - threshold)
    low, high = odds / NEAR_ODDS, odds * NEAR_ODDS
    return low / (1 + low), high / (1 + high)


def near_threshold(probability: NDArray[np.floating[Any]], threshold: float) -> NDArray[np.bool_]:
    """Tells whether twice or half the odds of the threshold would turn the verdict: bool, as `probability`."""
    low, high = near_interval(threshold)
    return (probability >= low) & (probability <= high)


@dataclass(frozen=True)
class CaseTable:
    """The answers in n cases beside their right answers, with what M made of them; computed when it is asked for.

    k : the diagnoses of each list that count. judged : (case, rater) -> what a judge said of each right answer, in sentences.
    M is asked about relations at the first use of `pairs`, and only about pairs that are shown.
    """

    answers: Lists = field(repr=False)
    matches: ReferenceMatches = field(repr=False)
    matcher: Matcher = field(repr=False)
    k: int
    judged: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict, repr=False)

    @property
    def threshold(self) -> float:
        """From this probability up a pair matches."""
        return float(self.matcher.threshold)

    def in_order(self, raters: Sequence[str]) -> CaseTable:
        """Puts the raters in this order, those that are not named behind."""
        wanted = {rater: place for place, rater in enumerate(raters)}
        names = self.answers.raters
        at = sorted(range(len(names)), key=lambda i: wanted.get(names[i], len(wanted)))
        of_raters = {
            name: getattr(self.matches, name)[:, at] for name in ("probabilities", "hits", "found", "distance")
        }
        return replace(self, answers=self.answers.of_raters(at), matches=replace(self.matches, **of_raters))

    @cached_property
    def doubtful(self) -> NDArray[np.bool_]:
        """Tells which lists have no sure match, and among their first k a diagnosis near the threshold: bool [n, r]."""
        near = near_threshold(_likeliest(self.matches.probabilities[:, :, : self.k])[0], self.threshold)
        match = self.matches.hits[:, :, : self.k].any(-1)
        return np.asarray(near.any(-1) & ~(match & ~near).any(-1))

    @cached_property
    def unread(self) -> dict[tuple[int, int], str]:
        """Finds the answers that no diagnosis could be read from, cut to 4,000 characters, by places of case and rater."""
        cases, raters = ({name: i for i, name in enumerate(of)} for of in (self.answers.cases, self.answers.raters))
        return {
            (cases[case], raters[rater]): text
            if len(text) <= _LONGEST_ANSWER
            else f"{text[:_LONGEST_ANSWER]} … (cut at {_LONGEST_ANSWER:,} of {len(text):,} characters)"
            for (case, rater), text in self.answers.unread.items()
            if case in cases and rater in raters
        }

    @cached_property
    def pairs(self) -> ShownPairs:
        """The pairs of all cases."""
        return self.shown(np.arange(len(self.answers.cases)))

    def shown(self, cases: NDArray[np.integer]) -> ShownPairs:
        """Finds the pairs of some cases, whose places are then 0 … m - 1, and asks M about their relations, where it knows any.

        Raises
        ------
        ModelError
            Where M gives something other than one relation per pair.
        """
        answers, matches = self.answers, self.matches
        of_cases = [tuple(dict.fromkeys(answers.reference[i])) for i in cases.tolist()]
        references = sorted({text for texts in of_cases for text in texts})
        number = {text: i for i, text in enumerate(references)}
        right = np.full((len(cases), matches.given.shape[1] + 1), -1, np.int64)
        for i, texts in enumerate(of_cases):
            right[i, : len(texts)] = [number[text] for text in texts]

        best, place = _likeliest(matches.probabilities[cases])
        said = answers.top(best.shape[2])[cases]
        there = said >= 0
        # a case without a right answer: number -1, so that the codes of its pairs are negative, too
        codes = right[np.arange(len(cases))[:, None, None], place] * len(answers.strings) + said
        unique, first, inverse = np.unique(codes[there], return_index=True, return_inverse=True)
        entries = said.astype(np.int32, copy=True)
        entries[there] = inverse
        reference, diagnosis = (side.astype(np.int32) for side in np.divmod(unique, max(len(answers.strings), 1)))
        match = np.asarray(matches.hits[cases].any(-1))[there][first]
        found = ShownPairs(
            entries, references, diagnosis, reference, best[there][first], match,
            np.full(len(unique), -1, np.int8), np.zeros(len(unique), np.int32), [""], np.full(len(unique), -1, np.int8),
        )  # fmt: skip
        return _with_doubts(_with_relations(found, answers, self.matcher), answers, self.matcher)

    @cached_property
    def table(self) -> pa.Table:
        """A row for each case, rater and rank; see `chunks`. Texts are dictionaries: each is held once."""
        return pa.concat_tables(self.chunks(), promote_options="default").unify_dictionaries()

    def chunks(self) -> Iterator[pa.Table]:
        """Yields case_id, algorithm, rank, diagnosis, reference, probability, match, relation, why, doubtful, references, answer.

        diagnosis : null where the list says none, and in the one row of a list without an answer, whose rank is null, too.
        reference : the right answer that M holds likeliest to name the same disease as the diagnosis; null where the case has none.
        probability : of the two; null where one of them is not understood. match : null where nothing was compared.
        relation : what `diagnosis` is to `reference`: "same", "narrower" (a kind of the right answer), "broader", "related",
        "unrelated" or "excluded" (it cannot be the right answer; `why` says what opposes).
        why : a sentence on the relation, or on why nothing was compared. doubtful : one of `DOUBTS`, or null.
        references : all right answers of the case, joined by "; ". answer : what the model wrote, where no diagnosis
        could be read from it. final : the final diagnosis, where it is told apart. Then the columns of subgroups.
        """
        n, raters, k = self.pairs.entries.shape
        step = max(1, _ROWS_PER_CHUNK // max(1, raters * k))
        for start in range(0, n, step):
            yield self._chunk(slice(start, min(n, start + step)))

    def _chunk(self, cases: slice) -> pa.Table:
        answers, pairs = self.answers, self.pairs
        entries, empty, absent = pairs.entries[cases], answers.lengths[cases] == 0, answers.absent[cases]
        # an empty list has one row, its first place
        shown = entries != ABSENT
        shown[:, :, 0] |= empty
        case, rater, rank = np.nonzero(shown)
        pair, nothing_there = entries[case, rater, rank], empty[case, rater]

        def of(values: NDArray[Any], otherwise: Any) -> NDArray[Any]:
            """Of the pair of each row; another value where nothing is said."""
            return np.append(values, values.dtype.type(otherwise))[np.where(pair >= 0, pair, len(values))]

        written: list[str] = []
        answer = np.full(len(pair), -1)
        for row in np.flatnonzero(nothing_there).tolist():
            text = self.unread.get((cases.start + int(case[row]), int(rater[row])))
            if text is not None:
                answer[row] = len(written)
                written.append(text)
        reference, doubt, why = of(pairs.reference, -1), of(pairs.doubt, -1), of(pairs.why, 0)
        compared = reference >= 0
        reasons = [answer >= 0, nothing_there & absent[case, rater], nothing_there, pair < 0, ~compared]
        not_compared = np.select(reasons, list(range(len(reasons))), -1)
        why = np.where(not_compared >= 0, len(pairs.reasons) + not_compared, np.where(why > 0, why, -1))
        unscored = ~compared | (doubt == DOUBTS.index(UNKNOWN))

        def of_case(texts: Sequence[str | None]) -> pa.DictionaryArray:
            return _texts(
                np.where(np.array([bool(text) for text in texts], bool)[case], case, -1), [text or "" for text in texts]
            )

        columns: dict[str, Any] = {
            "case_id": _texts(case, answers.cases[cases]),
            "algorithm": _texts(rater, answers.raters),
            "rank": pa.array((rank + 1).astype(np.int32), mask=nothing_there),
            "diagnosis": _texts(of(pairs.diagnosis, -1), answers.strings),
            "reference": _texts(reference, pairs.references),
            "probability": pa.array(of(pairs.probability, np.nan).astype(float).round(6), mask=unscored),
            "match": pa.array(of(pairs.match, False), mask=~compared),
            "relation": _texts(of(pairs.relation, -1), list(RELATIONS)),
            "why": _texts(why, [*pairs.reasons, *_NOT_COMPARED]),
            "doubtful": _texts(doubt, list(DOUBTS)),
            "references": of_case(["; ".join(dict.fromkeys(texts)) for texts in answers.reference[cases]]),
            "answer": _texts(answer, written),
        }
        if answers.has_final:
            columns["final"] = of_case(["; ".join(texts) for texts in answers.final[cases]])
        for name, values in answers.groups.items():
            columns.setdefault(name, of_case(values[cases]))
        return pa.table(columns)

    def save(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes `chunks` by the suffix of `path`, whole or not at all, one after another.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.
        In a workbook case_id is a number where every case is called by a whole number, so that a look-up finds it.

        Raises
        ------
        InputError
            For another suffix, or an absent folder; `DxmatchError` where it cannot be written.
        """
        check_output(path)
        numbered = Path(path).suffix.lower() == ".xlsx" and all(map(_NUMBER.fullmatch, self.answers.cases))
        return write_tables((_plain(table, numbered) for table in self.chunks()), path, spreadsheet=spreadsheet or None)

    def findings(self) -> list[Finding]:
        """Says how many verdicts are near the threshold, and how many lists go on beyond what the table holds."""
        found, held = [], self.matches.hits.shape[2]
        if count := int(self.doubtful.sum()):
            low, high = near_interval(self.threshold)
            near = f"probability {low:.2f} to {high:.2f}, a match from {self.threshold:.2f} up"
            judged = np.asarray(self.matches.given.any(1))[:, None] & ~self.answers.absent
            found.append(Finding("near_threshold", count, int(judged.sum()), example=near))
        if longer := int((self.answers.lengths > held).sum()):
            place = f"longer than the {held} diagnoses that the table of matches holds"
            found.append(Finding("lengths", longer, self.answers.lengths.size, place))
        return found


def _likeliest(probabilities: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """The highest of the last axis, and its place, the first of equals; NaN and 0 where all are NaN."""
    shape = probabilities.shape[:-1]
    best, place = np.full(shape, np.nan, np.float32), np.zeros(shape, np.intp)
    for j in range(probabilities.shape[-1]):
        of = probabilities[..., j]
        better = (of > best) | (np.isnan(best) & ~np.isnan(of))
        best[better], place[better] = of[better], j
    return best, place


def _with_relations(pairs: ShownPairs, answers: Lists, matcher: Any) -> ShownPairs:
    if not tells_relations(matcher):
        return pairs
    relation, why, reasons = pairs.relation, pairs.why, {"": 0}
    number = {kind: i for i, kind in enumerate(RELATIONS)}
    compared = np.flatnonzero(pairs.reference >= 0)
    for start in range(0, len(compared), RELATIONS_PER_CALL):
        at = compared[start : start + RELATIONS_PER_CALL]
        right = [pairs.references[i] for i in pairs.reference[at].tolist()]
        found = related(matcher, right, [answers.strings[i] for i in pairs.diagnosis[at].tolist()], why=True)
        relation[at] = [number.get(kind, -1) for kind in found.kinds]
        words = getattr(found, "why", ()) or [""] * len(at)
        said = (text or (_ANOTHER if kind == EXCLUDED else "") for text, kind in zip(words, found.kinds, strict=True))
        why[at] = [reasons.setdefault(text, len(reasons)) for text in said]
    return replace(pairs, relation=relation, why=why, reasons=list(reasons))


def _with_doubts(pairs: ShownPairs, answers: Lists, matcher: Matcher) -> ShownPairs:
    """What is near the threshold, where the likeliest relation says otherwise, and what M does not understand; relations turned."""
    doubt, why, reasons = pairs.doubt, pairs.why, {text: i for i, text in enumerate(pairs.reasons)}
    followed = POLICIES.get(str(getattr(matcher, "policy", "")), POLICIES[SPECIFICATION])
    counts = np.array([name in followed.counts for name in RELATIONS], bool)
    doubt[(pairs.relation >= 0) & (counts[pairs.relation] != pairs.match)] = DOUBTS.index(DISAGREES)
    doubt[near_threshold(pairs.probability, matcher.threshold)] = DOUBTS.index(NEAR)
    unknown = not_understood(matcher, list(dict.fromkeys([*answers.strings, *pairs.references])))
    if unknown:
        of_strings = np.array([text in unknown for text in answers.strings], bool)
        of_references = np.array([*(text in unknown for text in pairs.references), False], bool)
        affected = (of_strings[pairs.diagnosis] | of_references[pairs.reference]) & (pairs.reference >= 0)
        for i in np.flatnonzero(affected & ~pairs.match).tolist():
            text, side = answers.strings[pairs.diagnosis[i]], "the diagnosis"
            if text not in unknown:
                text, side = pairs.references[pairs.reference[i]], "the right answer"
            why[i] = reasons.setdefault(f"{side} is not understood: {unknown[text]}", len(reasons))
            doubt[i] = DOUBTS.index(UNKNOWN)
    return replace(pairs, relation=_TURNED[pairs.relation], why=why, reasons=list(reasons), doubt=doubt)


def _texts(numbers: NDArray[np.integer], texts: list[str]) -> pa.DictionaryArray:
    """The text of each number; null for a negative one. A text that several numbers share is one in the dictionary."""
    index: dict[str, int] = {}
    at = np.array([*(index.setdefault(text, len(index)) for text in texts), 0], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(at[numbers], mask=numbers < 0), pa.array(list(index), pa.string()))


def _plain(table: pa.Table, numbered: bool) -> pa.Table:
    """Dictionaries as the texts themselves; case_id as a number, if it is one throughout."""
    kinds = {f.name: f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in table.schema}
    table = table.cast(pa.schema(kinds))
    return table.set_column(0, "case_id", table.column(0).cast(pa.int64())) if numbered else table
