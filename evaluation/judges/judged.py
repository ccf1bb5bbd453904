"""The two-stage judge: does an answer include a reference diagnosis, and on which basis?

A strict judge reads the whole answer, for each reference diagnosis alone. What it says is not included, a check looks at again: it
sees the answer, the judgement and its basis, and says whether the judgement is correct. Each stage is a language model, through the
vote store, or M. Source: ClinBench-HPB, §3.2, Figures 5, 8 and 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, OptionError
from ...matcher.protocol import Matcher
from ...progress import Progress
from ...votes.prompts.judge_prompts import CheckPrompt, JudgePrompt, check_text
from ...votes.prompts.prompt import Prompt
from ...votes.prompts.questions import Answer, Question
from ...votes.store.store import VoteStore
from ..lists.lists import Lists
from ..matches.reference_matches import match_references
from .answers import Names, WrittenAnswers
from ...votes.asking import Budget, LanguageModel

Stage = LanguageModel | Matcher
Verdicts = NDArray[np.int8]
Item = tuple[int, int, int]
"""Case, rater and reference diagnosis, as places in the lists."""

NOT_ASKED, NO_VERDICT, NOT_INCLUDED, INCLUDES = -2, -1, 0, 1
NOT_ANSWERED = "not answered"
BY_M = "M"
"""Who a stage is that is a match function."""


@dataclass(frozen=True)
class Judgements:
    """Verdicts on n cases, r raters and D reference diagnoses, the most that a case has.

    judge, check : int8 [n, r, D], whether the stage finds the reference in the answer: 1 or 0; -1 where it was asked and gave no verdict, -2
        where it was not asked. A check that calls "not included" incorrect is 1.
    included : int8 [n, r, D], what came of both: 1, 0, or -1 without a verdict.
    places : int16 [n, r, D], the place in the list that names the reference, from 1; 0 where nobody said one.
    basis_of_judge, basis_of_check : why, of each (case, rater, reference), in the stage's own words.
    given : bool [n, D], where a case has a reference diagnosis.
    unscored : why there is no verdict -> how often.
    judged_by, checked_by : who the stages are; checked_by is "" without a second stage.
    """

    judge: Verdicts
    check: Verdicts
    included: Verdicts
    places: NDArray[np.int16]
    basis_of_judge: Mapping[Item, str]
    basis_of_check: Mapping[Item, str]
    given: NDArray[np.bool_]
    unscored: Counter[str]
    judged_by: str
    checked_by: str

    @property
    def scored(self) -> NDArray[np.bool_]:
        """bool [n]: every rater has a verdict on every reference diagnosis of the case, and it has one."""
        known = (self.included != NO_VERDICT) | ~self.given[:, None, :]
        return known.all((1, 2)) & self.given.any(1)

    @property
    def placed(self) -> bool:
        """Whether the place of every reference diagnosis that is included is known."""
        return bool(((self.places > 0) | (self.included != INCLUDES)).all())


def judged(
    lists: Lists,
    judge: Stage,
    check: Stage | None,
    store: VoteStore | None = None,
    *,
    naming: Names | None = None,
    ask_equal: bool = False,
    judge_prompt: Prompt | None = None,
    check_prompt: Prompt | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Judgements:
    """Judges the whole answer of each rater, for each reference diagnosis of its case alone.

    Parameters
    ----------
    lists : with the answers as they were written (`read_lists(keep_answers=True)`), a language model reads these; else the list, a
        numbered line for each diagnosis.
    judge, check : a `LanguageModel`, or an M. The check is asked about what the judge says is not included. No second stage with None.
    store : keeps the answers; needed where a stage is a language model.
    naming : raw diagnoses -> their names; English normalisation by default. Two diagnoses of one name are equal.
    ask_equal : a reference whose name stands in the list is asked about, too, as in ClinBench-HPB; otherwise it is included unasked.
    judge_prompt, check_prompt : `JudgePrompt` and `CheckPrompt` by default.
    budget : the caps on calls and cost, over both stages; says afterwards what was spent.

    An answer without a verdict is no "not included": it stays unscored, and so does what the check gives no verdict on. An empty
    answer includes nothing, unasked.

    Raises
    ------
    InputError
        For a language model without a store; those of `ask`.
    OptionError
        For a prompt of another kind.
    """
    if store is None and any(isinstance(stage, LanguageModel) for stage in (judge, check)):
        raise InputError("a language model judges without a vote store", allowed="a store, which keeps its answers")
    prompts = _prompts(judge_prompt, check_prompt)
    written = WrittenAnswers.of(lists, naming)
    asking = _Asking(lists, written, store, Budget() if budget is None else budget, progress)

    equal = np.zeros_like(written.equal) if ask_equal else written.equal
    places = equal.copy()
    included = np.where(equal > 0, INCLUDES, NOT_INCLUDED).astype(np.int8)
    open_ = written.given[:, None, :] & written.says[:, :, None] & (equal == 0)
    first, basis = asking.asked(judge, prompts[0], open_, places, {})
    included[open_] = first[open_]
    second, why = np.full_like(first, NOT_ASKED), {}
    if check is not None:
        open_ = first == NOT_INCLUDED
        second, why = asking.asked(check, prompts[1], open_, places, basis)
        included[open_] = second[open_]
    included[~np.broadcast_to(written.given[:, None, :], included.shape)] = NO_VERDICT
    by, checked = _who(judge), "" if check is None else _who(check)
    return Judgements(first, second, included, places, basis, why, written.given, asking.unscored, by, checked)


def _prompts(judge: Prompt | None, check: Prompt | None) -> tuple[JudgePrompt, CheckPrompt]:
    first, second = judge or JudgePrompt(), check or CheckPrompt()
    if not isinstance(first, JudgePrompt) or isinstance(first, CheckPrompt):
        raise OptionError(
            "judge_prompt", "a prompt of the judge that is answered by a verdict and its basis", first.version
        )
    if not isinstance(second, CheckPrompt):
        raise OptionError(
            "check_prompt", "a prompt of the check that is answered by a verdict and its basis", second.version
        )
    return first, second


def _who(stage: Stage) -> str:
    return stage.model if isinstance(stage, LanguageModel) else BY_M


@dataclass
class _Asking:
    """The stages of one run, and what they gave no verdict on."""

    lists: Lists
    written: WrittenAnswers
    store: VoteStore | None
    budget: Budget
    progress: Progress | None

    def __post_init__(self) -> None:
        self.unscored: Counter[str] = Counter()

    def asked(
        self,
        stage: Stage,
        prompt: JudgePrompt,
        where: NDArray[np.bool_],
        places: NDArray[np.int16],
        judged: Mapping[Item, str],
    ) -> tuple[Verdicts, dict[Item, str]]:
        """The verdicts, and the basis of each; `places` are filled in. judged : the bases of the stage before."""
        out = np.full(where.shape, NOT_ASKED, np.int8)
        items: list[Item] = [(i, j, d) for i, j, d in np.argwhere(where).tolist()]
        if not items:
            return out, {}
        if not isinstance(stage, LanguageModel):
            return self._by_matcher(stage, items, out, places)
        assert self.store is not None
        checks = isinstance(prompt, CheckPrompt)
        questions = []
        for i, j, d in items:
            answer = self.written.text(i, j)
            second = check_text(answer, NOT_INCLUDED, judged.get((i, j, d), "")) if checks else answer
            questions.append((self.written.references[i][d], second))
        bases: dict[Item, str] = {}
        answers = stage.answers(prompt, questions, self.store, self.budget, self.progress)
        failure = self.budget.summaries[-1].first_failure if self.budget.summaries else ""
        if failure and not any(answers):
            who = f"{'check' if checks else 'judge'} {stage.model} answered none of {len(questions):,} questions"
            raise InputError(f"the {who}; the first failure: {failure.rstrip('.')}", allowed="an endpoint that answers")
        for item, (first, second), answer in zip(items, questions, answers, strict=True):
            if answer is None or answer.verdict is None:
                out[item] = NO_VERDICT
                self.unscored[_why(answer)] += 1
                continue
            said = prompt.judgement(answer.raw, Question(stage.config(prompt), first, second))
            # a check that calls "not included" correct finds nothing
            out[item] = 1 - answer.verdict if checks else answer.verdict
            bases[item] = said.basis
            if out[item] == INCLUDES and said.place and said.place <= self.written.numbered(item[0], item[1]):
                places[item] = said.place
        return out, bases

    def _by_matcher(
        self, matcher: Matcher, items: list[Item], out: Verdicts, places: NDArray[np.int16]
    ) -> tuple[Verdicts, dict[Item, str]]:
        """The first diagnosis that M matches; the basis names it, or the likeliest one."""
        found = match_references(self.lists, matcher, int(self.lists.lengths.max(initial=1)), self.progress)
        bases: dict[Item, str] = {}
        for i, j, d in items:
            hits, probability = found.hits[i, j, :, d], found.probabilities[i, j, :, d]
            out[i, j, d] = int(hits.any())
            if hits.any():
                places[i, j, d] = int(hits.argmax()) + 1
            if not np.isnan(probability).all():
                at = int(hits.argmax()) if hits.any() else int(np.nanargmax(probability))
                said = self.lists.strings[self.lists.entries[self.lists.offsets[i, j] + at]]
                near = "names the disease" if hits.any() else "is the nearest"
                bases[i, j, d] = (
                    f"'{said}' (place {at + 1}) {near}: probability {probability[at]:.3f}, a match from {float(matcher.threshold):.3f}"
                )
        return out, bases


def _why(answer: Answer | None) -> str:
    return NOT_ANSWERED if answer is None else answer.reason or ""
