"""`dxmatch.ask`: language models' diagnoses of cases, as lists that `evaluate` takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DxmatchError, OptionError
from ..files.tables import check_keeps_input, check_output, write_table
from ..progress import Progress
from ..votes import asking
from ..votes.asking import Budget, Planned, services_of
from ..votes.store import STORE
from ..votes.store.store import VoteStore
from .asked import Asked
from .case_questions import CaseQuestions
from .cases import read_cases
from .raters import parameters_of, raters_of
from .read_answers import lists_of

if TYPE_CHECKING:
    from ..votes.ask_summary import AskSummary
    from ..votes.batch_files import BatchSummary

File = str | os.PathLike[str]


def ask(
    cases: Any,
    models: str | Sequence[str],
    *,
    endpoints: File,
    prompts: File | Sequence[File] = "free",
    repeats: int = 1,
    k: int | None = None,
    output: File | None = None,
    store: File = STORE,
    temperature: float | None = 0.0,
    max_tokens: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    dry_run: bool = False,
    again: bool = False,
    export: File | None = None,
    results: File | Sequence[File] | None = None,
    columns: Mapping[str, Any] | None = None,
    encoding: str | None = None,
    rejects: File | None = None,
    keep_answers: bool = False,
    planned: Callable[[Sequence[Planned]], None] | None = None,
    progress: Progress | None = None,
) -> Asked:
    """Asks language models for the diagnoses of cases, and reads their answers as ranked lists.

    Each model is asked about each case under each prompt, `repeats` times. Every answer is kept whole in the store as it
    comes, and nothing that the store holds is asked again: whatever ends a run, another one goes on where it stopped. The
    answers are read anew each time, so a release that reads more forms of answers needs no further call.

    Parameters
    ----------
    cases : a table with a row for each case (name and text), {case: text}, a folder of notes, chats, a list of files; as `diagnosing.cases.read_cases`
        says. Its other columns (reference, final, specialty, …) go into the lists.
    models : "ENDPOINT:MODEL", one or several.
    endpoints : a TOML file with `[endpoint.NAME]` tables, and `[price."MODEL"]` tables where costs shall be told.
    prompts : built-in ones by name ("free", "role", "steps", "json", as ClinBench-HPB has four; "ddx" for five diagnoses, as H-DDx
        has it), or text files with the placeholder {case}, as `votes.prompts.files` says.
    repeats : how often each question is put. Repeats are a level of their own: the lists call them "MODEL [PROMPT #1]", "#2", ….
    k : how many diagnoses are asked for; None for the prompt's own number, which is all but with "ddx".
    output : the file for the lists (.parquet, .csv, .tsv, .jsonl, .xlsx).
    store : the vote store. It never holds a case's text, only its SHA-256, but the answers as they are.
    temperature : of the models; None leaves it to them. max_tokens : the most tokens of an answer, its thoughts included; None for
        the prompt's own limit, 4,096 in those that are built in. An answer that reaches it is truncated: it counts as unreadable.
    parameters : what else is sent, by its name in the protocol; it goes before the two, and None takes a parameter out. Answers under
        other parameters are other answers, and are asked for.
    max_calls, max_cost : where asking stops, at the latest; the cost in the currency of the prices.
    dry_run : nothing is asked, exported or written; `Asked.plan` says what would be.
    again : ask anew where the answer is one that no list can be read from.
    export : a folder for OpenAI batch files with what the store does not hold, in the place of asking.
    results : result files of such batches, which are taken in; nothing is asked then.
    columns : which columns of the cases hold what, `{"case_id": "patient", "text": "note"}`; "text" may be several.
    encoding : of text files that are not UTF-8.
    rejects : a file for the rows that cannot be right; without it the first of them is an `InputError`.
    keep_answers : a column "answer" in the lists, with all that the model wrote in the first row of each list, for the judge of
        `evaluate`, who then reads answers as they were written, not their lists.
    planned : called with `Asked.plan` before anything is asked. progress : called with the number of questions done, and of all.

    Returns
    -------
    Asked
        `.table` the lists, `.raters` the counts of each model, prompt and repeat, `.complete` whether every question has an
        answer, `.lines()` all of it in words. A question without an answer is no empty list: it has no row, and is counted.

    Raises
    ------
    InputError
        For cases, endpoints or prompts that cannot be right; a key that is not set.
    OptionError
        For an option outside what is allowed.
    """
    if export is not None and results is not None:
        raise OptionError("results", "left out with the option 'export'", results)
    if output is not None:
        check_output(output)
        for file in cases if isinstance(cases, list | tuple) else [cases]:
            if isinstance(file, str | os.PathLike):
                check_keeps_input(file, output)
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 100):
        raise OptionError("k", "a whole number from 1 to 100, or None for all", k)
    sent = parameters_of(temperature, max_tokens, parameters)
    served, prices = services_of(endpoints)
    raters = raters_of(models, served, prices, prompts=prompts, repeats=repeats, parameters=sent)
    budget = Budget(max_calls, max_cost)
    read = read_cases(cases, columns=columns, encoding=encoding, rejects=rejects)
    asked, notes = CaseQuestions(read, raters, k), [*read.notes, *_said_of_repeats(repeats, sent)]
    for rater in raters:
        rater.prompt.messages(
            "", "" if k is None else str(k)
        )  # one that needs a number says so before anything is asked
    told = planned or (lambda plan: None)
    if dry_run and not Path(store).exists():
        told(plan := asking.plan(asked.jobs, None))
        return Asked(asked, plan, notes)
    with VoteStore(store) as kept:
        if again and not dry_run:
            asked.forget_unread(kept)
        told(plan := asking.plan(asked.jobs, kept))
        if dry_run:
            return Asked(asked, plan, notes)
        if export is not None:
            return Asked(asked, plan, notes, files=asking.export(plan, export, kept))
        summary: AskSummary | None = None
        imported: BatchSummary | None = None
        if results is not None:
            from ..votes.batch_files import import_batch

            files = [results] if isinstance(results, str | os.PathLike) else list(results)
            imported = import_batch(files, kept, prompts=asked.prompts)
        else:
            summary = asking.ask(plan, kept, budget, progress)
        lists = lists_of(asked, kept, keep_answers)
    if output is not None:
        if not len(lists.table):
            raise DxmatchError(
                "\n".join([*(summary.lines() if summary else []), "No answer came, so no lists were written."])
            )
        write_table(lists.table, output)
    return Asked(asked, plan, notes, lists, summary, imported)


def _said_of_repeats(repeats: int, sent: Mapping[str, Any]) -> list[str]:
    if repeats > 1 and sent.get("temperature") == 0:
        return [
            "Repeats at temperature 0 are mostly the same answer again; a higher temperature tells how far answers vary."
        ]
    return []
