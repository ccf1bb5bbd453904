"""Cases x models x prompts x repeats as questions: planned, asked live, or written as batch files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING

from ..endpoints.prices import estimated_tokens
from ..votes.asker import Job
from ..votes.budget import token_limit
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import Question
from .case_prompt import CasePrompt, read_again
from .cases import Cases
from .raters import Rater

if TYPE_CHECKING:
    from ..votes.ask_summary import AskSummary
    from ..votes.batch_files import BatchFile, BatchSummary
    from ..votes.store.store import VoteStore

_SAMPLE = 200
"""So many of the unknown questions are written out to expect their tokens."""
_TOKENS_OF_AN_ANSWER = 300
"""Of a model that was never asked: a list with a few words on each diagnosis. One that reasons writes many times that."""


@dataclass(frozen=True)
class PlannedRater:
    """What is to be asked of one model under one prompt.

    wanted : all questions, each text once. unknown : those without an answer in the store.
    prompt_tokens, completion_tokens : expected for the unknown ones. cost : of these; None where no price is given.
    most : the highest cost that the limit on tokens allows; None where there is no price or no limit.
    guessed : whether nothing that was answered tells how long answers are.
    """

    rater: Rater
    wanted: int
    unknown: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    most: float | None
    guessed: bool


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

    def plan(self, store: VoteStore | None) -> list[PlannedRater]:
        """store : None where nothing is known yet."""
        return [self._planned(rater, store) for rater in self.raters]

    def ask(
        self,
        store: VoteStore,
        *,
        max_calls: int | None = None,
        max_cost: float | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> AskSummary:
        """Asks what the store does not hold; as `votes.asker.ask`."""
        from ..votes.asker import ask

        planned = [one for one in self.plan(store) if one.unknown]
        jobs = [
            Job(
                one.rater.endpoint,
                one.rater.config,
                store.unknown(self.questions(one.rater)),
                one.unknown,
                one.rater.price,
                prompt=self.prompts[one.rater.config.prompt],
            )
            for one in planned
        ]
        return ask(jobs, store, max_calls=max_calls, max_cost=max_cost, progress=progress)

    def export(self, folder: str | os.PathLike[str], store: VoteStore) -> list[BatchFile]:
        """Writes what the store does not hold as batch files, which hold the cases' texts; as `votes.batch_files.export`."""
        from ..votes.batch_files import export

        unknown = (store.unknown(self.questions(rater)) for rater in self.raters)
        return export(chain.from_iterable(unknown), folder, store, prompts=self.prompts)

    def take_in(self, files: Sequence[str | os.PathLike[str]], store: VoteStore) -> BatchSummary:
        """Stores the answers of batch files; as `votes.batch_files.import_batch`."""
        from ..votes.batch_files import import_batch

        return import_batch(files, store, prompts=self.prompts)

    def forget_unread(self, store: VoteStore) -> int:
        """Removes the answers that no list can be read from, so that they are asked anew; returns how many these were."""
        forgotten = 0
        for rater in self.raters:
            questions = list(self.questions(rater))
            answers = zip(questions, store.stored(questions), strict=True)
            unread = [one for one, answer in answers if answer is not None and read_again(answer)[1] is not None]
            forgotten += store.forget_unscored(unread)
        return forgotten

    def _planned(self, rater: Rater, store: VoteStore | None) -> PlannedRater:
        wanted = len(set(self.cases.keys)) * rater.repeats
        unknown = wanted if store is None else sum(1 for _ in store.unknown(self.questions(rater)))
        seen = None if store is None else store.mean_tokens(rater.config)
        of_prompt, of_answer = seen or self._guessed_tokens(rater, store)
        tokens = round(unknown * of_prompt), round(unknown * of_answer)
        price, limit = rater.price, token_limit(rater.parameters)
        cost = None if price is None else price.of(*tokens)
        most = None if price is None or limit is None else price.of(tokens[0], unknown * limit)
        return PlannedRater(rater, wanted, unknown, *tokens, cost, most, bool(unknown) and seen is None)

    def _guessed_tokens(self, rater: Rater, store: VoteStore | None) -> tuple[float, float]:
        """Of a prompt, from the length of some of the unknown ones; of an answer."""
        open_ = self.questions(rater) if store is None else store.unknown(self.questions(rater))
        prompt = self.prompts[rater.config.prompt]
        lengths = [estimated_tokens(prompt.messages(one.first, one.second)) for one in islice(open_, _SAMPLE)]
        limit = token_limit(rater.parameters) or _TOKENS_OF_AN_ANSWER
        return sum(lengths) / max(len(lengths), 1), float(min(limit, _TOKENS_OF_AN_ANSWER))
