"""Answers to multiple-choice questions: of a table, or asked of language models through the vote store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

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

_RESPONSES = ("response", "answer", "output", "prediction", "letters")


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


class Put(NamedTuple):
    """A question as it is put to a language model. blank : its answer before there is one."""

    model: LanguageModel
    prompt: Prompt
    blank: ChoiceAnswer

    @property
    def question(self) -> Question:
        """Gives what is asked."""
        one = self.blank
        return Question(self.model.config(self.prompt), one.question.text, options_text(one.options), one.repeat)


def questions_put(
    models: Sequence[LanguageModel],
    questions: Sequence[ChoiceQuestion],
    prompt: Prompt | None,
    full_circle: bool,
    repeats: int,
) -> list[Put]:
    """Lists each question in each order, `repeats` times, for each model.

    prompt : None for the one that fits each question, by its script and whether several options are right (`fitting`).

    Raises
    ------
    OptionError
        For a number of repeats outside 1 to 100.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 100:
        raise OptionError("repeats", "a whole number from 1 to 100", repeats)
    return [
        Put(
            model,
            prompt or prompt_of("choice", fitting(one.text, one.options, len(one.right) > 1)),
            ChoiceAnswer(model.model, one, shift, repeat, "", None),
        )
        for model, one in product(models, questions)
        for shift, repeat in product(shifts(len(one.options), full_circle), range(repeats))
    ]


def jobs_of(put: Sequence[Put]) -> list[Job]:
    """Makes what each model is asked under each prompt."""
    found: dict[tuple[str, str], list[Put]] = {}
    for one in put:
        found.setdefault((one.model.model, one.prompt.version), []).append(one)
    return [
        Job(
            own[0].model,
            own[0].prompt,
            lambda own=own: dict.fromkeys(one.question for one in own),
            f"{model}, {version}",
        )
        for (model, version), own in found.items()
    ]


def stored_answers(put: Sequence[Put], store: VoteStore) -> list[ChoiceAnswer]:
    """Reads what the store holds; a question without an answer is left out."""
    found = zip(put, store.stored(one.question for one in put), strict=True)
    return [_chosen(replace(one.blank, response=answer.raw), answer) for one, answer in found if answer is not None]


def read_again(
    answers: Sequence[ChoiceAnswer], model: LanguageModel, store: VoteStore, budget: Budget, progress: Progress | None
) -> list[ChoiceAnswer]:
    """Has a model read the answers that no rule reads; one that it too finds no letter in stays unread.

    Source: ClinBench-HPB, §3.2, which has GPT-4o-mini read what its pattern does not.
    """
    open_ = [one for one in answers if one.chosen is None and one.response.strip()]
    asked = [(one.response, options_text(one.options)) for one in open_]
    found = dict(
        zip(map(id, open_), model.answers(prompt_of("choice-reading"), asked, store, budget, progress), strict=True)
    )
    return [_chosen(one, found.get(id(one))) for one in answers]


def _chosen(one: ChoiceAnswer, answer: Answer | None) -> ChoiceAnswer:
    return one if answer is None or answer.verdict is None else one.choosing(places_of(answer.verdict))
