"""`dxmatch.ask`: language models' diagnoses of cases, as lists that `evaluate` takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated

from ..endpoints.endpoint import read_services
from ..errors import DxmatchError, OptionError
from ..files.reading import Reading
from ..files.tables import check_apart, check_output, write_table
from ..options import Between, File, Output, Table, checked
from ..progress import shown
from ..votes import asking as voting
from ..votes.asking import Planned
from ..votes.asking_options import Asking, AskSummary
from ..votes.batch_files import import_batch, write_batches
from ..votes.voters import MAX_REPEATS
from .asked import Asked, lists_of
from .case_questions import CaseQuestions
from .cases import read_cases
from .raters import Sampling, raters_of


@checked
def ask(
    cases: Table,
    models: str | Sequence[str],
    *,
    prompts: File | Sequence[File] = "free",
    repeats: Annotated[int, Between(1, MAX_REPEATS)] = 1,
    k: Annotated[int, Between(1, 100)] | None = None,
    output: Output | None = None,
    export: Output | None = None,
    results: File | Sequence[File] | None = None,
    keep_answers: bool = False,
    sampling: Sampling = Sampling(),
    reading: Annotated[Reading, "columns", "encoding", "rejects"] = Reading(),
    asking: Asking | None = None,
    planned: Callable[[Sequence[Planned]], None] | None = None,
) -> Asked:
    """Asks language models for the diagnoses of cases, and reads their answers as ranked lists.

    Each model is asked about each case under each prompt, `repeats` times. Every answer is kept whole in the store as it
    comes, and nothing that the store holds is asked again: whatever ends a run, another one goes on where it stopped. The
    answers are read anew each time, so a release that reads more forms of answers needs no further call.

    Parameters
    ----------
    cases
        A table with a row for each case (name and text), {case: text}, a folder of notes, chats; as `diagnosing.cases.read_cases`
        says. Its other columns (reference, final, specialty, …) go into the lists.
    models
        "ENDPOINT:MODEL", one or several.
    prompts
        Built-in ones by name ("free", "role", "steps", "json", as ClinBench-HPB has four, and "question" for cases that end with
        one; "ddx" for five diagnoses, as H-DDx has it), or text files with the placeholder {case}, as `votes.prompts.files` says.
    repeats
        How often each question is put. Repeats are a level of their own: the lists call them "MODEL [PROMPT #1]", "#2", ….
    k
        How many diagnoses are asked for; the prompt's own number if not given, which is all but with "ddx".
    output
        The file for the lists (.parquet, .csv, .tsv, .jsonl, .xlsx).
    export
        A folder for OpenAI batch files with what the store does not hold, in the place of asking.
    results
        Result files of such batches, which are taken in; nothing is asked then.
    keep_answers
        A column "answer" in the lists, with all that the model wrote in the first row of each list, for the judge of
        `evaluate`, who then reads answers as they were written, not their lists.
    sampling
        How each answer is drawn: temperature, limit and other parameters.
    reading
        Which columns of the cases hold what, `{"case_id": "patient", "text": "note"}` ("text" may be several), the encoding of text
        files, and a file for the rows that cannot be right.
    asking
        Where the models are served, the store, caps, and `dry_run`: `Asked.plan` says what would be asked. The store never holds a
        case's text, only its SHA-256, but the answers as they are.
    planned
        Called with `Asked.plan` before anything is asked.

    Returns
    -------
    Asked
        `.table` the lists, `.raters` the counts of each model and prompt, `.complete` whether every question has an
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
        check_apart([output], [cases])
    how = Asking() if asking is None else asking
    served, prices = read_services(how.endpoints)
    raters, wanted = raters_of(models, served, prices, prompts=prompts, sampling=sampling), "" if k is None else str(k)
    for _, prompt in raters:  # one that needs a number says so before anything is read
        prompt.messages("", wanted)
    read = read_cases(cases, reading)
    asked, notes = CaseQuestions(read, raters, repeats, wanted), [*read.notes]
    if repeats > 1 and sampling.sent.get("temperature") == 0:
        notes.append(
            "Repeats at temperature 0 are mostly the same answer again; a higher temperature tells how far answers vary."
        )
    with voting.planned(asked.jobs, how) as (plan, kept):
        if planned is not None:
            planned(plan)
        if kept is None or how.dry_run:
            return Asked(read, plan, notes)
        if export is not None:
            return Asked(read, plan, notes, files=write_batches(plan, export, kept))
        summary: AskSummary | None = None
        imported: AskSummary | None = None
        if results is not None:
            files = [results] if isinstance(results, str | os.PathLike) else list(results)
            imported = import_batch(files, kept, plan)
        else:
            with shown("Asking") as report:
                summary = voting.ask(plan, kept, how.budget, report)
        lists, counts = lists_of(asked, kept, keep_answers)
    if output is not None:
        if not len(lists):
            raise DxmatchError(
                "\n".join([*(summary.lines() if summary else []), "No answer came, so no lists were written."])
            )
        write_table(lists, output)
    return Asked(read, plan, notes, lists, counts, summary, imported)
