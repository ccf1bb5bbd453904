"""Cases x models x prompts x repeats as questions, and which of their answers cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ..votes.asking import Job
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import Question
from .case_prompt import CasePrompt, read_again
from .cases import Cases
from .raters import Rater

if TYPE_CHECKING:
    from ..votes.store.store import VoteStore


@dataclass(frozen=True)
class CaseQuestions:
    """Cases, who is asked about them, and k, how many diagnoses are asked for (None: all)."""

    cases: Cases
    raters: Sequence[Rater]
    k: int | None

    @cached_property
    def prompts(self) -> dict[str, Prompt]:
        """Version -> the prompt with the texts of the cases."""
        texts = dict(zip(self.cases.keys, self.cases.texts, strict=True))
        return {rater.prompt.version: CasePrompt(rater.prompt, texts) for rater in self.raters}

    def question(self, rater: Rater, key: str, repeat: int) -> Question:
        return Question(rater.config, key, "" if self.k is None else str(self.k), repeat)

    def questions(self, rater: Rater) -> Iterator[Question]:
        """Each text once for each repeat, all of one repeat before the next."""
        keys = dict.fromkeys(self.cases.keys)
        return (self.question(rater, key, repeat) for repeat in range(rater.repeats) for key in keys)

    @cached_property
    def jobs(self) -> list[Job]:
        """What each rater is asked."""
        return [
            Job(rater.model, self.prompts[rater.prompt.version], partial(self.questions, rater), rater.called)
            for rater in self.raters
        ]

    def forget_unread(self, store: VoteStore) -> int:
        """Removes the answers that no list can be read from, so that they are asked anew; returns how many these were."""
        forgotten = 0
        for rater in self.raters:
            questions = list(self.questions(rater))
            answers = zip(questions, store.stored(questions), strict=True)
            unread = [one for one, answer in answers if answer is not None and read_again(answer)[1] is not None]
            forgotten += store.forget_unscored(unread)
        return forgotten
