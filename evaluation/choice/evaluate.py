"""`choice`: multiple-choice questions, answered under several orders of their options, scored as ClinBench-HPB does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from ...endpoints.endpoint import read_services
from ...errors import InputError, quoted
from ...files.reading import Reading
from ...files.wording import counted
from ...options import Between, Table, checked
from ...progress import shown
from ...stats.agreement import divided
from ...stats.resampling import CASES_ALONE, Resampling
from ...votes.asking import LanguageModel, Planned, ask, named_model, plan
from ...votes.asking_options import Asking
from ...votes.prompts.files import prompt_of
from ...votes.store.store import VoteStore
from ..read.findings import Finding
from ..report.board import Wish
from ..report.raters import Raters
from ..report.report import Report
from ..report.results import Setup
from ..report.summarise import summarise
from ..score.declare import Measure
from ..score.scores import FamilyScores, Score, counts_in_words
from .questions import ChoiceAnswer, ChoiceQuestion, questions_put, read_answers, read_questions, reread, stored_answers


@checked
def choice(
    questions: Table,
    answers: Table | Sequence[Table] | Mapping[str, Table] | None = None,
    *,
    models: str | LanguageModel | Sequence[str | LanguageModel] = (),
    prompt: str | os.PathLike[str] | None = None,
    shifts: Literal["all"] | None = None,
    repeats: Annotated[int, Between(1, 100)] = 1,
    read_again: str | LanguageModel | None = None,
    reading: Annotated[Reading, "columns", "encoding"] = Reading(),
    resampling: Annotated[Resampling, *CASES_ALONE] = Resampling(resamples=2_000),
    asking: Annotated[Asking, "endpoints", "store", "max_calls", "max_cost", "dry_run"] | None = None,
) -> Report | list[Planned]:
    """Compares models on multiple-choice questions: mean and deviation of each question over its answers, averaged over questions.

    Source: ClinBench-HPB, §3.2 and Appendix A.3 (Table 4). An answer is right where it chooses all right options and no other. One in which
    no letter can be read is wrong, as there, and counted.

    Parameters
    ----------
    questions : table, path or list
        A table or a file, with the columns question, answer (letters) and options (a list, one text "A. … B. …", or columns A, B, C …);
        and if there are any, question_id and subset.
    answers : table, path, list or mapping, optional
        A table or a file, several, or model -> file, with the columns question_id and response; and if there are any, shift and model.
    models : str or LanguageModel, or several
        ENDPOINT:MODEL, to be asked under min(4, n - 1) shifts of the n options, the equation of the source.
    prompt : str or path, optional
        For the models; a name ("choice-one", "choice-several", "choice-zh"), a version or a file; by default what fits each question:
        "choice-zh" where it is in Chinese, else by whether one option is right or several.
    shifts : str, optional
        "all" for min(4, n) shifts, as the program of the source has it.
    repeats : int
        Of each question in each order, 1 to 100.
    read_again : str or LanguageModel, optional
        ENDPOINT:MODEL, which reads the answers that no rule reads, as the source's second model does.
    reading : Reading
        How the tables are read; `columns` says which of theirs hold what, as {"subset": "topic", "response": "answer"}.
    resampling : Resampling
        How intervals and tests are drawn, of the questions.
    asking : Asking, optional
        How the models are asked; its `budget.summaries` say afterwards what came of it.

    Returns
    -------
    Report, or a list of Planned
        Models are its raters, questions its cases, subsets its subgroups; the table choice.answers has a row for each answer. Of a dry run, what each model would be asked under each prompt.

    Raises
    ------
    InputError
        For data that cannot be right; no answers at all.
    OptionError
        For a parameter outside what is allowed, or a model that no endpoint serves.
    """
    asking = asking or Asking()
    read, services = read_questions(questions, reading), read_services(asking.endpoints)
    asked = [models] if isinstance(models, str | LanguageModel) else models
    asked = [named_model("models", one, *services) for one in asked]
    reader = None if read_again is None else named_model("read_again", read_again, *services)
    own = None if prompt is None else prompt_of("choice", prompt)
    put_to = questions_put(asked, read, own, shifts == "all", repeats)
    jobs, where = [job for job, _ in put_to], asking.filled
    several = isinstance(answers, list | tuple) and not (answers and isinstance(answers[0], dict))
    given = [] if answers is None else answers if several else [answers]
    named = answers.items() if isinstance(answers, Mapping) else (("model", one) for one in given)
    with shown("Asking") as progress, ExitStack() as stack:
        if asking.dry_run:
            return plan(jobs, stack.enter_context(VoteStore(where)) if where.exists() else None)
        found = [one for model, source in named for one in read_answers(source, read, model, reading)]
        if asked or reader:
            votes = stack.enter_context(VoteStore(where))
            ask(plan(jobs, votes), votes, asking.budget, progress)
            found += stored_answers(put_to, votes)
            found = found if reader is None else list(reread(found, reader, votes, asking.budget, progress))
    if not found:
        raise InputError("no answer to any question", allowed="answers in a table, or a model that is asked")
    answered = {one.question.name for one in found}
    read, names = [one for one in read if one.name in answered], list(dict.fromkeys(one.model for one in found))
    scores = _scores(found, read, names)
    per_case, tables = {score.measure.name: score.values for score in scores}, {"answers": [one.row for one in found]}
    family = FamilyScores("choice", "Multiple choice", scores, per_case=per_case, tables=tables)
    subsets, absent = [one.subset or None for one in read], np.isnan(scores[0].values)
    settings = {
        "prompts": {job.prompt.version: len({one.question.name for of in put.values() for one in of}) for job, put in put_to},
        "models": [one.model for one in asked], "read_again": reader and reader.model, "shifts": shifts, "repeats": repeats,
        **asdict(resampling),
    }  # fmt: skip
    setup = Setup(
        "Which options are right?", " · ".join(map(counted, (len(read), len(names), len(found)), ("question", "model", "answer"))), resampling,
        "question", settings=settings,
    )  # fmt: skip
    return summarise(
        [family], [one.name for one in read], Raters(names), setup, [Wish(score.measure.symbol) for score in scores],
        by={"subset": subsets} if len(set(subsets)) > 1 else {}, absent=absent, findings=list(_findings(found, names, absent, reader)),
    )  # fmt: skip


def _scores(answers: Sequence[ChoiceAnswer], questions: Sequence[ChoiceQuestion], models: Sequence[str]) -> list[Score]:
    """Of each question the share of a model's answers that are right, and what follows from it; NaN where it gave none."""
    place, rater = ({name: at for at, name in enumerate(names)} for names in ([one.name for one in questions], models))
    at = tuple(np.array([(place[one.question.name], rater[one.model]) for one in answers]).T)
    total, right = np.zeros((2, len(questions), len(models)))
    np.add.at(total, at, 1)
    np.add.at(right, at, [one.row["correct"] for one in answers])
    mean = divided(right, total)
    values = {
        "choice_accuracy": mean,
        "choice_spread": np.sqrt(mean * (1 - mean)),
        "choice_all_right": np.where(total > 0, mean == 1, np.nan),
        "choice_any_right": np.where(total > 0, mean > 0, np.nan),
    }
    return [Score(Measure(name), models, np.arange(len(mean)), of, reason="no answer") for name, of in values.items()]


def _findings(
    answers: Sequence[ChoiceAnswer], models: Sequence[str], absent: NDArray[np.bool_], reader: LanguageModel | None
) -> Iterator[Finding]:
    """Tells what could not be read, and what was not answered. absent : [questions, models]."""
    if unread := [one.response for one in answers if one.chosen is None]:
        way = "" if reader else "; the option 'read_again' has a model read them"
        words = f"{len(unread):,} of {len(answers):,} answers name no option that can be read, and count as wrong (such as {quoted(unread[0][:60])}){way}."
        yield Finding("reading", example=words)
    if absent.any():
        yield Finding("missing_lists", int(absent.sum()), len(absent), example=counts_in_words(models, absent.sum(0)))
