"""Answers to multiple-choice questions, as a table or asked of models live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import InputError, OptionError
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...progress import Progress
from ...votes.prompts.choice_prompts import fitting, options_text, places_of
from ...votes.prompts.files import prompt_of
from ...votes.prompts.letters import letters_of
from ...votes.prompts.prompt import Prompt
from ...votes.prompts.questions import ModelConfig, Question
from ...votes.store.store import VoteStore
from ...votes.asking import Budget, LanguageModel
from ..metrics.multiple_choice import option_at, shifted, shifts
from .questions import ChoiceQuestion, first_of

_QUESTION, _RESPONSES = ("question_id", "id", "qid"), ("response", "answer", "output", "prediction", "letters")


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
        return self.chosen == self.question.right


def read_answers(source: Any, questions: Sequence[ChoiceQuestion], model: str) -> list[ChoiceAnswer]:
    """A row for each answer: question_id, response (the whole answer, or letters), and if there are any, model and shift (else 0).

    Several rows of one model, question and shift are repeats. model : where no column names one.

    Raises
    ------
    InputError
        A missing column, a question that is not there, a shift that is no whole number.
    """
    table = read_visible(source)
    by_name = {one.name: one for one in questions}
    name, response = (first_of(table, names) or names[0] for names in (_QUESTION, _RESPONSES))
    table.require(name, "the question")
    table.require(response, "the answer")
    n = len(table)
    models = table.column("model") if "model" in table.names else [model] * n
    by = table.column("shift") if "shift" in table.names else [0] * n
    repeats: dict[tuple[str, str, int], int] = {}
    out = []
    for row, (of, text, who, shift) in enumerate(
        zip(table.column(name), table.column(response), models, by, strict=True)
    ):
        question = by_name.get(str(of))
        if question is None:
            problem = f"an answer to a question that is not there{hint(str(of), by_name)}"
            raise table.error(problem, row, name, allowed=f"one of the {len(by_name):,} questions", got=of)
        try:
            places = int(shift) if float(shift) == int(shift) and not isinstance(shift, bool) else -1
        except (TypeError, ValueError):
            places = -1
        if not 0 <= places <= len(question.options):
            allowed = f"a whole number from 0 to {len(question.options)}, the number of the options"
            raise table.error("no shift of the options", row, "shift", allowed=allowed, got=shift)
        key = (str(who or model), question.name, places)
        repeats[key] = repeats.get(key, -1) + 1
        said = "" if text is None else str(text)
        chosen = letters_of(said, len(question.options), shifted(question.options, places))
        out.append(ChoiceAnswer(key[0], question, places, repeats[key], said, _back(chosen, places, question)))
    return out


def _back(chosen: tuple[int, ...] | None, shift: int, question: ChoiceQuestion) -> tuple[int, ...] | None:
    """The same options by their places in the question's own order."""
    return None if chosen is None else tuple(sorted(option_at(place, shift, len(question.options)) for place in chosen))


@dataclass
class Live:
    """Language models that are asked, through the store.

    models : who is asked. prompt : None for the one that fits each question, by its script and whether several options are right (`fitting`).
    """

    models: Sequence[LanguageModel]
    questions: Sequence[ChoiceQuestion]
    prompt: Prompt | None
    full_circle: bool
    repeats: int
    unanswered: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.repeats, bool) or not isinstance(self.repeats, int) or not 1 <= self.repeats <= 100:
            raise OptionError("repeats", "a whole number from 1 to 100", self.repeats)

    def prompt_for(self, one: ChoiceQuestion) -> Prompt:
        return self.prompt or prompt_of("choice", fitting(one.text, one.options, len(one.right) > 1))

    @property
    def prompts(self) -> dict[str, int]:
        """The version of each prompt that is asked with -> the number of its questions; {} where nobody is asked."""
        return dict(Counter(self.prompt_for(one).version for one in self.questions)) if self.models else {}

    def asked(self, model: LanguageModel) -> Iterator[tuple[ChoiceQuestion, int, Question]]:
        for one in self.questions:
            who = model.config(self.prompt_for(one))
            for shift in shifts(len(one.options), self.full_circle):
                text = options_text(shifted(one.options, shift))
                for repeat in range(self.repeats):
                    yield one, shift, Question(who, one.text, text, repeat)

    def plan(self, store: VoteStore | None) -> list[tuple[str, int, int]]:
        """(model, all questions, those that the store holds no answer to)."""
        out = []
        for model in self.models:
            questions = [question for _, _, question in self.asked(model)]
            unknown = len(questions) if store is None else sum(1 for _ in store.unknown(questions))
            out.append((model.model, len(questions), unknown))
        return out

    def answers(self, store: VoteStore, budget: Budget, progress: Progress) -> list[ChoiceAnswer]:
        """Asks what the store does not hold; a question that stays without an answer is counted in `unanswered`."""
        from ...votes.asker import Job, ask

        jobs = []
        for model in self.models:
            by_config: dict[ModelConfig, list[Question]] = {}
            for question in store.unknown(question for _, _, question in self.asked(model)):
                by_config.setdefault(question.config, []).append(question)
            for config, unknown in by_config.items():
                jobs.append(Job(model.endpoint, config, unknown, len(unknown), model.price, self.prompt))
        if jobs:
            budget.summaries.append(ask(jobs, store, **budget.left(), progress=progress))
        out = []
        for model in self.models:
            asked = list(self.asked(model))
            for (one, shift, question), answer in zip(asked, store.stored([q for _, _, q in asked]), strict=True):
                if answer is None:
                    self.unanswered[model.model] = self.unanswered.get(model.model, 0) + 1
                    continue
                chosen = None if answer.verdict is None else places_of(answer.verdict)
                out.append(
                    ChoiceAnswer(model.model, one, shift, question.repeat, answer.raw, _back(chosen, shift, one))
                )
        return out


def read_again(
    answers: Sequence[ChoiceAnswer], model: LanguageModel, store: VoteStore, budget: Budget, progress: Progress
) -> list[ChoiceAnswer]:
    """The answers, those that no rule reads as a model reads them; one that it too finds no letter in stays unread.

    Source: ClinBench-HPB, §3.2, which has GPT-4o-mini read what its pattern does not.
    """
    open_ = [i for i, one in enumerate(answers) if one.chosen is None and one.response.strip()]
    asked = [(answers[i].response, options_text(shifted(answers[i].question.options, answers[i].shift))) for i in open_]
    out = list(answers)
    for i, found in zip(open_, model.answers(prompt_of("choice-reading"), asked, store, budget, progress), strict=True):
        if found is not None and found.verdict is not None:
            chosen = _back(places_of(found.verdict), out[i].shift, out[i].question)
            out[i] = replace(out[i], chosen=chosen)
    return out


def check_models(answers: Sequence[ChoiceAnswer]) -> None:
    if not answers:
        raise InputError("no answer to any question", allowed="answers in a table, or a model that is asked")
