"""What was matched with what: each diagnosis beside the right answer that it comes nearest to, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...matcher.doubtful import is_doubtful
from ...matcher.policy import BROADER, EXCLUDED, NARROWER
from ...matcher.protocol import tells_relations, told
from ..read.lists import ABSENT, Lists
from .pairs import related

_NOT_COMPARED = (
    "no diagnosis could be read from the answer", "no answer was given", "the answer is empty", "no diagnosis is said",
)  # fmt: skip
_LONGEST_ANSWER = 4_000


@dataclass(frozen=True)
class CaseTable:
    """The answers in n cases beside their right answers, with what M made of them; computed when it is asked for.

    matches : what each diagnosis is compared with, `pairs`, `said`, `nearest` and `lacking` of `ReferenceMatches`; without right answers
        `BesideExperts`.
    judged : (case, rater) -> what a judge said of each right answer, in sentences.
    M is asked about relations when `pairs` are, and only about pairs that are shown.
    """

    answers: Lists = field(repr=False)
    matches: Any = field(repr=False)
    judged: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict, repr=False)

    def unread(self, case: int, rater: int) -> str | None:
        """Gives what was answered where no diagnosis could be read from it, cut to 4,000 characters."""
        text = self.answers.origin.unread.get((self.answers.cases[case], self.answers.raters[rater]))
        if text is None or len(text) <= _LONGEST_ANSWER:
            return text
        return f"{text[:_LONGEST_ANSWER]} … (cut at {_LONGEST_ANSWER:,} of {len(text):,} characters)"

    def pairs(self, cases: NDArray[np.integer]) -> tuple[NDArray[np.int32], pa.Table]:
        """Finds the different pairs of a diagnosis and the likeliest right answer of its case, and asks M about their relations.

        Returns
        -------
        int32 [m, r, K], the pair of each place in m cases; -1 where no diagnosis is said, -2 past the end of a list; and a row for
        each pair, with the columns diagnosis to doubtful of `table`, and decided_by.

        Raises
        ------
        ModelError
            Where M gives something other than one relation per pair.
        """
        m, asked, entries = self.matches.pairs.matcher, self.matches.pairs, self.matches.said[cases].copy()
        (right, probability), there = self.matches.nearest(cases), entries >= 0
        # a case without a right answer: number -1, so that the codes of its pairs are negative, too
        codes = right[there] * np.int64(len(asked.strings)) + entries[there]
        unique, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        entries[there] = inverse
        references, diagnoses = asked.texts(unique)
        probability = probability[there][first]
        match, compared = probability >= asked.threshold, unique >= 0

        relation, why, who = np.full((3, len(unique)), None, object)
        a, b = asked.texts(unique[compared])
        if asks := compared.any() and getattr(m, "doubts", lambda a, b: None)([], []) is not None:
            who[compared] = m.score({"a": a, "b": b})["decided_by"].to_pylist()
        if compared.any() and tells_relations(m):
            found = related(m, a, b, why=True)
            relation[compared], why[compared] = found.kinds, [text or None for text in found.why]
            why[(relation == EXCLUDED) & ~why.astype(bool)] = "another disease"
        unknown, scored = told(m, "not_understood", asked.strings), compared.copy()
        for side, texts in (("right answer", references), ("diagnosis", diagnoses)):
            for i in (i for i in np.flatnonzero(compared & ~match).tolist() if texts[i] in unknown):
                scored[i], why[i] = False, f"the {side} is not understood: {unknown[texts[i]]}"
        # M says what the right answer is to the diagnosis
        turned = np.select([relation == NARROWER, relation == BROADER], [BROADER, NARROWER], relation)
        single = probability.astype(np.float32).astype(float).round(6)
        return entries, pa.table({
            "diagnosis": _coded(diagnoses), "reference": _coded(references),
            "probability": pa.array(single, mask=~scored), "match": pa.array(match, mask=~compared),
            "relation": _coded(turned), "why": _coded(why), "doubtful": pa.array(is_doubtful(single), mask=~scored),
            **({"decided_by": _coded(who)} if asks else {}),
        })  # fmt: skip

    @cached_property
    def all_pairs(self) -> tuple[NDArray[np.int32], pa.Table]:
        """Finds `pairs` of all cases; M is asked once."""
        return self.pairs(np.arange(len(self.answers.cases)))

    @cached_property
    def table(self) -> pa.Table:
        """A row for each case, rater and rank; texts are dictionaries: each is held once.

        case_id, algorithm, rank, diagnosis, reference, probability, match, relation, why, doubtful, references, answer.
        diagnosis : null where the list says none, and in the one row of a list without an answer, whose rank is null, too.
        reference : the right answer that M holds likeliest to name the same disease as the diagnosis; null where the case has none.
        probability : of the two; null where one of them is not understood. match : null where nothing was compared.
        relation : what `diagnosis` is to `reference`: "same", "narrower" (a kind of the right answer), "broader", "related",
        "unrelated" or "excluded" (it cannot be the right answer; `why` says what opposes).
        why : a sentence on the relation, or on why nothing was compared. doubtful : whether the probability is neither near 0 nor near 1
        (`matcher.doubtful`); null where there is none. decided_by : where a language model decides doubtful pairs, whose verdict the match
        is, "M" or "model".
        references : all right answers of the case, joined by "; ". answer : what the model wrote, where no diagnosis
        could be read from it. final : the final diagnosis, where it is told apart. Then the columns of subgroups.
        """
        answers, (entries, pairs) = self.answers, self.all_pairs
        # an empty list has one row, its first place
        empty, shown = answers.lengths == 0, entries != ABSENT
        shown[:, :, 0] |= empty
        case, rater, rank = np.nonzero(shown)
        pair, nothing = entries[case, rater, rank], empty[case, rater]
        of_pair = pairs.take(pa.array(pair, mask=pair < 0))
        answer = np.full(len(pair), None, object)
        answer[nothing] = [self.unread(*at) for at in zip(case[nothing].tolist(), rater[nothing].tolist(), strict=True)]
        compared = of_pair["reference"].is_valid().to_numpy()
        reasons = [answer != np.array(None), nothing & answers.absent[case, rater], nothing, pair < 0, ~compared]
        why = np.select(
            reasons, [*_NOT_COMPARED, self.matches.lacking], np.array([*pairs["why"].to_pylist(), None], object)[pair]
        )
        whole = {
            "case_id": _texts(case, answers.cases), "algorithm": _texts(rater, answers.raters),
            "rank": pa.array((rank + 1).astype(np.int32), mask=nothing),
            **dict(zip(pairs.column_names, of_pair.columns, strict=True)), "why": _coded(why),
            "references": _texts(case, ["; ".join(dict.fromkeys(texts)) or None for texts in answers.reference]),
            "answer": _coded(answer),
        }  # fmt: skip
        if any(answers.of_final().reference):
            whole["final"] = _texts(case, ["; ".join(texts) or None for texts in answers.of_final().reference])
        for name, values in answers.references.groups.items():
            whole.setdefault(name, _texts(case, [value or None for value in values]))
        return pa.table(whole)


def _coded(texts: Any) -> pa.DictionaryArray:
    """Texts, each held once; None is null."""
    return pa.array(texts, pa.string()).dictionary_encode()


def _texts(numbers: NDArray[np.integer], texts: Sequence[str | None]) -> pa.DictionaryArray:
    """The text of each number; null for a negative one. A text that several numbers share is one in the dictionary."""
    return _coded(texts).take(pa.array(numbers, mask=numbers < 0))
