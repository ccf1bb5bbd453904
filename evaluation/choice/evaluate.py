"""`choice`: multiple-choice questions, answered under several orders of their options, scored as ClinBench-HPB does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import quoted
from ...pages.rows import Row
from ...progress import Progress
from ...votes.prompts.files import prompt_of
from ...votes.store import STORE
from ...votes.store.store import VoteStore
from ...votes.asking import Budget, LanguageModel, named_model, services_of
from ..metrics.multiple_choice import choice_accuracy, choice_all_right, choice_any_right, choice_spread, shifts
from ..statistics.bootstrap import by_name, check_bootstrap, percentile_interval, resampled_means
from .answers import ChoiceAnswer, Live, check_models, read_again, read_answers
from .questions import ChoiceQuestion, read_questions
from .result import ALL, MEAN_OF_SUBSETS, Choice

_METRICS = (choice_accuracy, choice_spread, choice_all_right, choice_any_right)


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
    dry_run: bool = False,
    subset: str = "subset",
    model: str = "model",
    bootstrap: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Choice:
    """Mean and standard deviation of each question over its answers, averaged over questions; by model and subset.

    Source: ClinBench-HPB, §3.2 and Appendix A.3 (Table 4). An answer is right where it chooses all right options and no other. One in which
    no letter can be read is wrong, as there, and counted in `warnings`.

    Parameters
    ----------
    questions : a table, a file, or a folder whose files are subsets: `read_questions`.
    answers : a table or a file, or several: `read_answers`.
    ask : ENDPOINT:MODEL, one or several, to be asked under min(4, n - 1) shifts of the n options, the equation of the source.
    ask_again : ENDPOINT:MODEL, which reads the answers that no rule reads, as the source's second model does.
    prompt : for `ask`; a name ("choice-one", "choice-several", "choice-zh"), a version or a file; by default what fits each question:
        "choice-zh" where it is in Chinese, else by whether one option is right or several. `made_with["prompts"]` names those used.
    full_circle : min(4, n) shifts, as the program of the source has it. repeats : of each question in each order.
    endpoints : a TOML file with `[endpoint.NAME]` tables. store : the file that keeps every answer, by default votes.sqlite.
    max_calls, max_cost : of asking. dry_run : says in `plan` what would be asked, and asks nothing.
    subset : the column of the questions that parts them. model : who gave answers that name no model.
    bootstrap, seed, level : of the intervals, of resampled questions.

    Raises
    ------
    InputError
        Data that cannot be right; no answers at all.
    OptionError
        A model that no endpoint serves, numbers out of their range.
    """
    check_bootstrap(bootstrap, seed, level)
    asked = read_questions(questions, subset)
    services = services_of(endpoints)
    models = [named_model("ask", one, *services) for one in ([ask] if isinstance(ask, str | LanguageModel) else ask)]
    reader = None if ask_again is None else named_model("ask_again", ask_again, *services)
    live = Live(models, asked, None if prompt is None else prompt_of("choice", prompt), full_circle, repeats)
    where, budget = Path(store or STORE), Budget(max_calls, max_cost)
    quiet: Progress = progress or (lambda done, total: None)
    if dry_run:
        if not where.exists():
            return Choice([], [], [], {"prompts": live.prompts}, live.plan(None))
        with VoteStore(where) as votes:
            return Choice([], [], [], {"prompts": live.prompts}, live.plan(votes))
    several = (
        answers if isinstance(answers, list | tuple) and not (answers and isinstance(answers[0], dict)) else [answers]
    )
    given = [one for source in several if source is not None for one in read_answers(source, asked, model)]
    if models or reader:
        with VoteStore(where) as votes:
            given += live.answers(votes, budget, quiet)
            unread = sum(one.chosen is None for one in given)
            if reader is not None:
                given = read_again(given, reader, votes, budget, quiet)
    else:
        unread = sum(one.chosen is None for one in given)
    check_models(given)
    warnings = _warnings(asked, given, live, unread, reader)
    rows = [
        row for who in dict.fromkeys(one.model for one in given) for row in _rows(who, given, bootstrap, seed, level)
    ]
    made_with = {
        "questions": len(asked), "answers": len(given), "unread": sum(one.chosen is None for one in given),
        "prompts": live.prompts, "asked": [one.model for one in models],
        "ask_again": reader.model if reader else None, "full_circle": full_circle, "repeats": repeats,
        "bootstrap": bootstrap, "seed": seed, "level": level,
    }  # fmt: skip
    return Choice(rows, given, warnings, made_with, summaries=budget.summaries)


def _rows(who: str, answers: Sequence[ChoiceAnswer], bootstrap: int, seed: int, level: float) -> list[Row]:
    """Of one model: each subset, all questions, and the plain mean of subsets."""
    mine = [one for one in answers if one.model == who]
    subsets = sorted({one.question.subset for one in mine})
    rows: list[Row] = []
    if len(subsets) > 1:
        for subset in subsets:
            name = subset or "(no subset)"
            rows += _figures(who, name, [one for one in mine if one.question.subset == subset], bootstrap, seed, level)
    of_subsets = list(rows)
    rows += _figures(who, ALL if len(subsets) > 1 else (subsets[0] or "all"), mine, bootstrap, seed, level)
    if len(subsets) > 1:
        for metric in _METRICS:
            of_metric = [row for row in of_subsets if row["metric"] == metric.__name__]
            counts = {key: sum(row[key] for row in of_metric) for key in ("n_questions", "n_answers", "n_unread")}
            mean = float(np.mean([row["value"] for row in of_metric]))
            rows.append(
                {
                    "model": who, "subset": MEAN_OF_SUBSETS, "metric": metric.__name__, "value": mean, "low": None, "high": None,
                    "reason": "no interval: each subset counts alike, whatever its size", **counts,
                }
            )  # fmt: skip
    return rows


def _figures(
    who: str, subset: str, answers: Sequence[ChoiceAnswer], bootstrap: int, seed: int, level: float
) -> list[Row]:
    by_question: dict[str, list[bool]] = {}
    for one in answers:
        by_question.setdefault(one.question.name, []).append(one.is_right)
    correct = np.full((max(map(len, by_question.values())), len(by_question)), np.nan)
    for column, right in enumerate(by_question.values()):
        correct[: len(right), column] = right
    each = np.array([[metric(correct[:, [column]]) for metric in _METRICS] for column in range(correct.shape[1])])
    repeated = (
        resampled_means(each, bootstrap, seed, by_name(list(by_question)))
        if bootstrap
        else np.empty((0, len(_METRICS)))
    )
    rows: list[Row] = []
    for i, metric in enumerate(_METRICS):
        interval = percentile_interval(repeated[:, i], level, len(by_question))
        rows.append(
            {
                "model": who, "subset": subset, "metric": metric.__name__, "value": metric(correct), "low": interval.low, "high": interval.high,
                "reason": interval.reason, "n_questions": len(by_question), "n_answers": len(answers),
                "n_unread": sum(one.chosen is None for one in answers),
            }
        )  # fmt: skip
    return rows


def _warnings(
    questions: Sequence[ChoiceQuestion],
    answers: Sequence[ChoiceAnswer],
    live: Live,
    unread: int,
    reader: LanguageModel | None,
) -> list[str]:
    out = []
    still = sum(one.chosen is None for one in answers)
    if unread and reader is not None:
        out.append(
            f"{unread:,} of {len(answers):,} answers were read by no rule; {reader.model} read {unread - still:,} of them."
        )
    if still:
        shown = next(one.response for one in answers if one.chosen is None)
        out.append(
            f"{still:,} of {len(answers):,} answers name no option that can be read, and count as wrong (such as {quoted(shown[:60])})."
        )
    for model, count in live.unanswered.items():
        out.append(f"{model} gave no answer to {count:,} questions in some order; run this again to ask them again.")
    known = {one.name for one in questions}
    for model in dict.fromkeys(one.model for one in answers):
        counts: dict[str, set[int]] = {}
        for one in answers:
            if one.model == model:
                counts.setdefault(one.question.name, set()).add(one.shift)
        if missing := len(known) - len(counts):
            out.append(
                f"{model} answered {len(counts):,} of {len(known):,} questions: the other {missing:,} are in none of its figures, which are "
                "those of other questions than another model's."
            )
        by = {one.name: len(one.options) for one in questions}
        few = sum(len(orders) < len(shifts(by[name])) for name, orders in counts.items())
        if few:
            out.append(
                f"{few:,} questions of {model} were answered in fewer orders of the options than min(4, n - 1): their deviation is not the source's."
            )
    return out
