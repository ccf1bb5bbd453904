"""Answers to multiple-choice questions: of a table, or asked of language models through the vote store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ...errors import OptionError
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...progress import Progress
from ...votes.asking import Budget, Job, LanguageModel
from ...votes.prompts.choice_prompts import fitting, options_text, places_of
from ...votes.prompts.files import prompt_of
from ...votes.prompts.letters import letters_of
from ...votes.prompts.prompt import Prompt
from ...votes.prompts.questions import Answer, Question
from ...votes.store.store import VoteStore
from ..score.choice import option_at, shifted, shifts
from .questions import ID, ChoiceQuestion, first_of

_RESPONSES = ("response", "letters")


@dataclass(frozen=True)
class ChoiceAnswer:
    """One answer to a question. shift : of its options, 0 for the order in which the question has them.

    chosen : the places of the chosen options in the question's own order; None where none can be read.
    """

    model: str
    question: ChoiceQuestion
    shift: int
    repeat: int
    response: str
    chosen: tuple[int, ...] | None

    @property
    def is_right(self) -> bool:
        """Tells whether it chooses all right options and no other."""
        return self.chosen == self.question.right

    @property
    def options(self) -> list[str]:
        """Lists the options in the order in which they were put."""
        return shifted(self.question.options, self.shift)

    def choosing(self, places: Sequence[int] | None) -> ChoiceAnswer:
        """Makes the same answer with other places, of the order in which the options were put."""
        n = len(self.question.options)
        return replace(
            self, chosen=None if places is None else tuple(sorted(option_at(one, self.shift, n) for one in places))
        )


def read_answers(source: Any, questions: Sequence[ChoiceQuestion], model: str) -> Iterator[ChoiceAnswer]:
    """Reads a row for each answer: question_id, response (the whole answer, or letters), and if there are any, model and shift (else 0).

    Several rows of one model, question and shift are repeats. model : where no column names one.

    Raises
    ------
    InputError
        A missing column, a question that is not there, a shift that is no whole number.
    """
    table = read_visible(source)
    by_name = {one.name: one for one in questions}
    name, response = first_of(table, ID, "the question"), first_of(table, _RESPONSES, "the answer")
    repeats = Counter[tuple[str, str, int]]()
    models, by = (
        table.column(one) if one in table.names else [default] * len(table)
        for one, default in (("model", model), ("shift", 0))
    )
    for row, (of, text, who, shift) in enumerate(
        zip(table.column(name), table.column(response), models, by, strict=True)
    ):
        question = by_name.get(str(of))
        if question is None:
            problem = f"an answer to a question that is not there{hint(str(of), by_name)}"
            raise table.error(problem, row, name, allowed=f"one of the {len(by_name):,} questions", got=of)
        try:
            places = range(len(question.options) + 1).index(float(shift))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            allowed = f"a whole number from 0 to {len(question.options)}, the number of the options"
            raise table.error("no shift of the options", row, "shift", allowed=allowed, got=shift) from None
        key = (str(who or model), question.name, places)
        one = ChoiceAnswer(key[0], question, places, repeats[key], "" if text is None else str(text), None)
        repeats[key] += 1
        yield one.choosing(letters_of(one.response, len(question.options), one.options))


Asked = tuple[Job, dict[Question, list[ChoiceAnswer]]]
"""What a model is asked under a prompt, and which answers each question gives, before there are any."""


def questions_put(
    models: Sequence[LanguageModel],
    questions: Sequence[ChoiceQuestion],
    prompt: Prompt | None,
    full_circle: bool,
    repeats: int,
) -> list[Asked]:
    """Lists each question in each order, `repeats` times, for each model and prompt.

    prompt : None for the one that fits each question, by its script and whether several options are right (`fitting`).

    Raises
    ------
    OptionError
        For a number of repeats outside 1 to 100.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 100:
        raise OptionError("repeats", "a whole number from 1 to 100", repeats)
    found: list[Asked] = []
    for model in models:
        by_prompt: dict[str, Asked] = {}
        for one in questions:
            own = prompt or prompt_of("choice", fitting(one.text, one.options, len(one.right) > 1))
            put: dict[Question, list[ChoiceAnswer]] = {}
            job = Job(model, own, lambda put=put: put, f"{model.model}, {own.version}")
            _, put = by_prompt.setdefault(own.version, (job, put))
            for shift, repeat in product(shifts(len(one.options), full_circle), range(repeats)):
                blank = ChoiceAnswer(model.model, one, shift, repeat, "", None)
                question = Question(model.config(own), one.text, options_text(blank.options), repeat)
                put.setdefault(question, []).append(blank)
        found += by_prompt.values()
    return found


def stored_answers(put: Sequence[Asked], store: VoteStore) -> Iterator[ChoiceAnswer]:
    """Yields what the store holds; a question without an answer is left out."""
    for _, asked in put:
        for blanks, answer in zip(asked.values(), store.stored(asked), strict=True):
            if answer is not None:
                yield from (_chosen(replace(blank, response=answer.raw), answer) for blank in blanks)


def read_again(
    answers: Sequence[ChoiceAnswer], model: LanguageModel, store: VoteStore, budget: Budget, progress: Progress | None
) -> list[ChoiceAnswer]:
    """Has a model read the answers that no rule reads; one that it too finds no letter in stays unread.

    Source: ClinBench-HPB, §3.2, which has GPT-4o-mini read what its pattern does not.
    """
    open_ = [one for one in answers if one.chosen is None and one.response.strip()]
    asked = [(one.response, options_text(one.options)) for one in open_]
    said = iter(model.answers(prompt_of("choice-reading"), asked, store, budget, progress))
    return [_chosen(one, next(said)) if one.chosen is None and one.response.strip() else one for one in answers]


def _chosen(one: ChoiceAnswer, answer: Answer | None) -> ChoiceAnswer:
    return one if answer is None or answer.verdict is None else one.choosing(places_of(answer.verdict))
