"""`dxmatch ask`: language models asked for the diagnoses of cases, live or by batch files; their lists for `evaluate`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..votes.store import STORE
from .asking import ENDPOINTS, Again, DryRun, MaxCalls, MaxCost, Store, asking_option, leave, quiet_retries
from .named_values import named_columns
from .options import Encoding, Rejects, under

if TYPE_CHECKING:
    from ..votes.asking import Planned

batch_option, input_option = under("Batch files"), under("The cases")


def ask(
    cases: Annotated[
        list[Path],
        typer.Argument(
            help="The cases, in one file or several: a table with a name and a text in each row (.csv, .tsv, .jsonl, .json, .parquet, .xlsx), {case: text}, or a "
            "folder of .txt notes, or ClinBench-HPB's published files. A text may be a chat, a list of messages. Other columns (reference, final, …) go into the lists."
        ),
    ],
    models: Annotated[
        list[str],
        asking_option("--model", "--models", "-m", help="ENDPOINT:MODEL, as --endpoints names it; may be repeated."),
    ],
    endpoints: Annotated[Path, ENDPOINTS],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The lists, for dxmatch evaluate: .parquet, .csv, .tsv, .jsonl or .xlsx."),
    ] = None,
    prompts: Annotated[
        list[str] | None,
        asking_option(
            "--prompt",
            "--prompts",
            help="free (if none is given), role, steps, json or ddx, or a text file with the placeholder {case}; may be repeated.",
        ),
    ] = None,
    repeats: Annotated[
        int, asking_option(help="How often each question is put; each repeat is a list of its own.")
    ] = 1,
    k: Annotated[
        int | None,
        asking_option(help="How many diagnoses are asked for; if not given all, or as the prompt says (ddx: 5)."),
    ] = None,
    temperature: Annotated[
        float, asking_option(help="Of the models; some services refuse it: --parameter temperature=null.")
    ] = 0.0,
    max_tokens: Annotated[
        int | None,
        asking_option(
            help="The most tokens of an answer, its thoughts included: the prompt's own limit, 4,096, if not given."
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        asking_option(
            "--parameter",
            "--parameters",
            help="What else is sent, as NAME=VALUE in JSON: top_p=0.9, max_completion_tokens=8192; null takes one out.",
        ),
    ] = None,
    store: Store = STORE,
    dry_run: DryRun = False,
    again: Again = False,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    export: Annotated[
        Path | None, batch_option(help="Write what is not known to this folder as OpenAI batch files, and stop.")
    ] = None,
    results: Annotated[
        list[Path] | None,
        batch_option("--import", help="Take in the results of such files, and ask nothing; may be repeated."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        input_option(
            "--columns",
            "--column",
            help="What a column is: --columns case_id=patient, --columns text=note; several: text=history,findings.",
        ),
    ] = None,
    encoding: Encoding = None,
    rejects: Rejects = None,
    keep_answers: Annotated[
        bool,
        typer.Option(
            "--keep-answers",
            help="Write all that a model wrote in a column 'answer' beside its list, so that evaluate --judge reads answers as written.",
        ),
    ] = False,
) -> None:
    """Ask language models for diagnoses: cases x models x prompts x repeats. Every answer is kept; run again to go on."""
    from ..diagnosing.ask import ask as run
    from ..files.atomic import make_folder
    from ..progress import shown
    from ..votes.asking import plan_lines

    def say_plan(plan: Sequence[Planned]) -> None:
        typer.echo("\n".join(plan_lines(plan)))

    quiet_retries()
    if export is not None and not dry_run:
        make_folder(export)
    with shown("Asking") as progress:
        asked = run(
            cases if len(cases) > 1 else cases[0], models, endpoints=endpoints, prompts=prompts or ["free"], repeats=repeats, k=k, output=output, store=store,
            temperature=temperature, max_tokens=max_tokens, parameters=_parameters(parameters or []), max_calls=max_calls,
            max_cost=max_cost, dry_run=dry_run, again=again, export=export, results=results or None,
            columns=named_columns(columns or []), encoding=encoding, rejects=rejects, keep_answers=keep_answers, planned=say_plan, progress=progress,
        )  # fmt: skip
    typer.echo("\n".join(asked.lines()))
    if asked.lists is None:
        return
    if output is not None:
        typer.echo(f"Written: {output}")
    leave(*([] if asked.summary is None else [asked.summary]), lacking=not asked.complete)


def _parameters(given: list[str]) -> dict[str, Any]:
    """`["top_p=0.9"]` as `{"top_p": 0.9}`; what is no JSON is a text."""
    found: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not (name and sign):
            raise typer.BadParameter(f"{text}: expected NAME=VALUE, such as top_p=0.9")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
