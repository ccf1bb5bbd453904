"""Answers to multiple-choice questions: of a table, or asked of language models through the vote store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from ...files.did_you_mean import hint
from ...files.reading import Reading
from ...progress import Progress
from ...votes.asking import Budget, Job, LanguageModel
from ...votes.prompts.choice_prompts import fitting, options_text
from ...votes.prompts.files import prompt_of
from ...votes.prompts.letters import letters_of
from ...votes.prompts.prompt import Prompt
from ...votes.prompts.questions import Question
from ...votes.store.store import VoteStore
from ..score.choice import option_at, shifted, shifts
from .questions import ChoiceQuestion, read_rows

COLUMNS = {"question_id": "id", "response": "letters", "shift": "shift", "model": "model"}
"""What is read of an answer -> another name of its column."""


@dataclass(frozen=True)
class ChoiceAnswer:
    """One answer to a question.

    shift : of its options, 0 for the order in which the question has them. said_again : by a model that was asked what the response chooses.
    """

    model: str
    question: ChoiceQuestion
    shift: int
    repeat: int
    response: str = ""
    said_again: str | None = None

    @property
    def options(self) -> list[str]:
        """Lists the options in the order in which they were put."""
        return shifted(self.question.options, self.shift)

    @cached_property
    def chosen(self) -> tuple[int, ...] | None:
        """Finds the places of the chosen options in the question's own order; None where none can be read."""
        n = len(self.question.options)
        places = letters_of(self.response if self.said_again is None else self.said_again, n, self.options)
        return None if places is None else tuple(sorted(option_at(one, self.shift, n) for one in places))

    @property
    def is_right(self) -> bool:
        """Tells whether it chooses all right options and no other."""
        return self.chosen == self.question.right


def read_answers(
    source: Any, questions: Sequence[ChoiceQuestion], model: str, reading: Reading
) -> Iterator[ChoiceAnswer]:
    """Reads a row for each answer: question_id, response (the whole answer, or letters), and if there are any, model and shift (else 0).

    Several rows of one model, question and shift are repeats. model : where no column names one.

    Raises
    ------
    InputError
        A missing column, a question that is not there, a shift that is no whole number.
    """
    table, called, rows = read_rows(source, reading, COLUMNS, ("question_id", "response"))
    by_name, repeats = {one.name: one for one in questions}, Counter[tuple[str, str, int]]()
    for row, of in enumerate(rows):
        question = by_name.get(str(of["question_id"]))
        if question is None:
            problem = f"an answer to a question that is not there{hint(str(of['question_id']), by_name)}"
            raise table.error(problem, row, called["question_id"], got=of["question_id"])
        try:
            shift = range(len(question.options) + 1).index(float(of.get("shift", 0)))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            allowed = f"a whole number from 0 to {len(question.options)}, the number of the options"
            raise table.error("no shift", row, called["shift"], allowed=allowed, got=of["shift"]) from None
        key = (str(of.get("model") or model), question.name, shift)
        yield ChoiceAnswer(key[0], question, shift, repeats[key], str(of["response"] or ""))
        repeats[key] += 1


Asked = tuple[Job, dict[Question, list[ChoiceAnswer]]]
"""What a model is asked under a prompt, and which answers each question gives, before there are any."""


def questions_put(
    models: Sequence[LanguageModel],
    questions: Sequence[ChoiceQuestion],
    prompt: Prompt | None,
    whole: bool,
    repeats: int,
) -> list[Asked]:
    """Lists each question in each order, `repeats` times, for each model and prompt.

    prompt : None for the one that fits each question, by its script and whether several options are right (`fitting`). whole : as of
    `shifts`, all orders.
    """
    found: dict[tuple[int, str], Asked] = {}
    for (at, model), one in product(enumerate(models), questions):
        own = prompt or prompt_of("choice", fitting(one.text, one.options, len(one.right) > 1))
        put: dict[Question, list[ChoiceAnswer]] = {}
        job = Job(model, own, lambda put=put: put, f"{model.model}, {own.version}")
        _, put = found.setdefault((at, own.version), (job, put))
        for shift, repeat in product(shifts(len(one.options), whole), range(repeats)):
            blank = ChoiceAnswer(model.model, one, shift, repeat)
            question = Question(model.config(own), one.text, options_text(blank.options), repeat)
            put.setdefault(question, []).append(blank)
    return list(found.values())


def stored_answers(put: Sequence[Asked], store: VoteStore) -> Iterator[ChoiceAnswer]:
    """Yields what the store holds; a question without an answer is left out."""
    for _, asked in put:
        for blanks, answer in zip(asked.values(), store.stored(asked), strict=True):
            if answer is not None:
                yield from (replace(blank, response=answer.raw) for blank in blanks)


def reread(
    answers: Sequence[ChoiceAnswer], model: LanguageModel, store: VoteStore, budget: Budget, progress: Progress
) -> Iterator[ChoiceAnswer]:
    """Has a model read the answers that no rule reads; one that it too finds no letter in stays unread.

    Source: ClinBench-HPB, §3.2, which has GPT-4o-mini read what its pattern does not.
    """
    unread = {at: one for at, one in enumerate(answers) if one.chosen is None and one.response.strip()}
    asked = [(one.response, options_text(one.options)) for one in unread.values()]
    said = dict(zip(unread, model.answers(prompt_of("choice-reading"), asked, store, budget, progress), strict=True))
    for at, one in enumerate(answers):
        again = said.get(at)
        yield one if again is None else replace(one, said_again=again.raw)
