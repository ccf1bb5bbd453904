"""`choice`: multiple-choice questions, answered under several orders of their options, scored as ClinBench-HPB does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np

from ...errors import InputError, quoted
from ...files.counted import counted
from ...pages.rows import Row
from ...progress import Progress
from ...stats.resampling import Resampling
from ...votes.asking import Budget, LanguageModel, Planned, named_model, plan, services_of
from ...votes.asking import ask as ask_models
from ...votes.prompts.files import prompt_of
from ...votes.store import STORE
from ...votes.store.store import VoteStore
from ..read.findings import Finding
from ..report.board import Wish
from ..report.raters import Raters
from ..report.report import Report
from ..report.results import Setup, settings_in_words
from ..report.summarise import summarise
from ..score.choice import shifts
from ..score.scores import FamilyScores, Score, counts_in_words
from .answers import ChoiceAnswer, questions_put, read_again, read_answers, stored_answers
from .questions import ChoiceQuestion, read_questions

_SHOWN = 60


def choice(
    questions: Any,
    answers: Any = None,
    *,
    ask: str | LanguageModel | Sequence[str | LanguageModel] = (),
    ask_again: str | LanguageModel | None = None,
    prompt: str | os.PathLike[str] | None = None,
    full_circle: bool = False,
    repeats: int = 1,
    endpoints: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    budget: Budget | None = None,
    dry_run: bool = False,
    subset: str = "subset",
    model: str = "model",
    bootstrap: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Report | list[Planned]:
    """Compares models on multiple-choice questions: mean and deviation of each question over its answers, averaged over questions.

    Source: ClinBench-HPB, §3.2 and Appendix A.3 (Table 4). An answer is right where it chooses all right options and no other. One in which
    no letter can be read is wrong, as there, and counted.

    Parameters
    ----------
    questions : table, path or list
        A table, a file, or a folder whose files are subsets: `read_questions`.
    answers : table, path or list, optional
        A table or a file, or several: `read_answers`.
    ask : str or LanguageModel, or several
        ENDPOINT:MODEL, to be asked under min(4, n - 1) shifts of the n options, the equation of the source.
    ask_again : str or LanguageModel, optional
        ENDPOINT:MODEL, which reads the answers that no rule reads, as the source's second model does.
    prompt : str or path, optional
        For `ask`; a name ("choice-one", "choice-several", "choice-zh"), a version or a file; by default what fits each question:
        "choice-zh" where it is in Chinese, else by whether one option is right or several.
    full_circle : bool
        min(4, n) shifts, as the program of the source has it.
    repeats : int
        Of each question in each order.
    endpoints : path, optional
        A TOML file with `[endpoint.NAME]` tables.
    store : path, optional
        The file that keeps every answer, by default votes.sqlite.
    max_calls, max_cost : int, float, optional
        Caps of asking.
    budget : Budget, optional
        In the place of the caps; its `summaries` say afterwards what came of asking.
    dry_run : bool
        Asks nothing, and returns what would be asked.
    subset : str
        The column of the questions that parts them.
    model : str
        Who gave answers that name no model.
    bootstrap, seed, level : int, int, float
        Of the intervals, of resampled questions.
    progress : callable, optional
        Called with (done, in all) while models are asked.

    Returns
    -------
    Report, or a list of Planned
        Models are its raters, questions its cases, subsets its subgroups; the table choice.answers has a row for each answer. Of a dry run, what each model would be asked under each prompt.

    Raises
    ------
    InputError
        For data that cannot be right; no answers at all.
    OptionError
        For numbers out of their range; `NotServed` for a model that no endpoint serves.
    """
    resampling = Resampling(repeats=bootstrap, seed=seed, level=level)
    read, services = read_questions(questions, subset), services_of(endpoints)
    models = [named_model("ask", one, *services) for one in ([ask] if isinstance(ask, str | LanguageModel) else ask)]
    reader = None if ask_again is None else named_model("ask_again", ask_again, *services)
    put_to = questions_put(models, read, None if prompt is None else prompt_of("choice", prompt), full_circle, repeats)
    jobs = [job for job, _ in put_to]
    where, spent = Path(store or STORE), budget or Budget(max_calls, max_cost)
    several = isinstance(answers, list | tuple) and not (answers and isinstance(answers[0], dict))
    given = [] if answers is None else answers if several else [answers]
    with ExitStack() as stack:
        if dry_run:
            return plan(jobs, stack.enter_context(VoteStore(where)) if where.exists() else None)
        found = list(chain.from_iterable(read_answers(source, read, model) for source in given))
        by_rule = _unread(found)
        if models or reader:
            votes = stack.enter_context(VoteStore(where))
            ask_models(plan(jobs, votes), votes, spent, progress)
            found += stored_answers(put_to, votes)
            by_rule = _unread(found)
            found = found if reader is None else read_again(found, reader, votes, spent, progress)
    if not found:
        raise InputError("no answer to any question", allowed="answers in a table, or a model that is asked")
    asked = [one for one in read if one.name in {answer.question.name for answer in found}]
    names = list(dict.fromkeys(one.model for one in found))
    family = FamilyScores("choice", "Multiple choice", _scores(found, asked, names))
    family.per_case = {score.name: score.values for score in family.scores}
    family.tables = {"answers": _rows(found)}
    subsets = [one.subset or None for one in asked]
    settings = {
        "prompts": {job.prompt.version: len({one.question.name for of in put.values() for one in of}) for job, put in put_to},
        "asked": [one.model for one in models], "ask_again": reader and reader.model, "full_circle": full_circle, "repeats": repeats,
        "bootstrap": bootstrap, "seed": seed, "level": level,
    }  # fmt: skip
    setup = Setup(
        "Which options are right?", " · ".join(map(counted, (len(asked), len(names), len(found)), ("question", "model", "answer"))), resampling,
        "question", ks={"relative": 1}, settings=settings, lines=settings_in_words(settings),
    )  # fmt: skip
    return summarise(
        [family], [one.name for one in asked], Raters(names), setup, [Wish(score.symbol) for score in family.scores],
        by={subset: subsets} if len(set(subsets)) > 1 else {}, absent=np.isnan(family.scores[0].values),
        findings=list(_findings(read, found, names, by_rule, reader)),
    )  # fmt: skip


def _scores(answers: Sequence[ChoiceAnswer], questions: Sequence[ChoiceQuestion], models: Sequence[str]) -> list[Score]:
    """Of each question the share of a model's answers that are right, and what follows from it; NaN where it gave none."""
    place, rater = ({name: at for at, name in enumerate(names)} for names in ([one.name for one in questions], models))
    total, right = np.zeros((2, len(questions), len(models)))
    for one in answers:
        at = place[one.question.name], rater[one.model]
        total[at] += 1
        right[at] += one.is_right
    mean = np.divide(right, total, out=np.full(total.shape, np.nan), where=total > 0)
    values = {
        "choice_accuracy": mean,
        "choice_spread": np.sqrt(mean * (1 - mean)),
        "choice_all_right": np.where(total > 0, mean == 1, np.nan),
        "choice_any_right": np.where(total > 0, mean > 0, np.nan),
    }
    return [Score(name, models, np.arange(len(questions)), of, reason="no answer") for name, of in values.items()]


def _unread(answers: Sequence[ChoiceAnswer]) -> int:
    return sum(one.chosen is None for one in answers)


def _rows(answers: Sequence[ChoiceAnswer]) -> list[Row]:
    """Letters are those of the question's own order."""

    def letters(places: Sequence[int] | None) -> str | None:
        return None if places is None else "".join(ascii_uppercase[place] for place in places)

    return [
        {
            "model": one.model, "question_id": one.question.name, "subset": one.question.subset, "shift": one.shift, "repeat": one.repeat,
            "chosen": letters(one.chosen), "right": letters(one.question.right), "correct": one.is_right, "unread": one.chosen is None,
            "response": one.response,
        }
        for one in answers
    ]  # fmt: skip


def _findings(
    questions: Sequence[ChoiceQuestion],
    answers: Sequence[ChoiceAnswer],
    models: Sequence[str],
    by_rule: int,
    reader: LanguageModel | None,
) -> Iterator[Finding]:
    """What could not be read, and whose figures are of other questions or orders than the source's. by_rule : how many no rule reads."""
    if still := [one.response for one in answers if one.chosen is None]:
        count, example = f"{len(still):,} of {len(answers):,} answers", quoted(still[0][:_SHOWN])
        way = "" if reader else "; the option `ask_again` has a model read them"
        yield Finding(
            "reading", example=f"{count} name no option that can be read, and count as wrong (such as {example}){way}."
        )
    if by_rule and reader is not None:
        count, read = f"{by_rule:,} of {len(answers):,} answers", by_rule - len(still)
        yield Finding("reading", example=f"{count} were read by no rule; {reader.model} read {read:,} of them.")
    orders = Counter((name, model) for name, model, _ in {(one.question.name, one.model, one.shift) for one in answers})
    found = np.array([[orders[one.name, model] for model in models] for one in questions])
    few = found < np.array([[len(shifts(len(one.options)))] for one in questions])
    for which, what in (
        (found == 0, "not answered at all, so in none of the model's figures"),
        (few & (found > 0), "answered in fewer orders of the options than min(4, n - 1), so that their deviation is not the source's"),
    ):  # fmt: skip
        if which.any():
            yield Finding(
                "reading", example=f"questions {what}: {counts_in_words(models, which.sum(0), len(questions))}."
            )
