"""`dxmatch choice`: multiple-choice questions, answered under several orders of their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..votes.store import STORE
from .asking import DryRun, Endpoints, MaxCalls, MaxCost, Store, asking_option, quiet_retries, say_asked
from .options import Bootstrap, Seed


def choice(
    questions: Annotated[
        Path,
        typer.Argument(
            help="The questions: question, options (a list, or A. … B. …), answer; a file, or a folder whose files are subsets."
        ),
    ],
    answers: Annotated[
        list[Path] | None,
        typer.Argument(help="The answers: question_id, response, and if there are any, shift and model."),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="The report: .html, .md or .tex (the leaderboard), .json, or the table: .csv, .tsv, .jsonl, .xlsx, .parquet.",
        ),
    ] = None,
    per_answer: Annotated[Path | None, typer.Option("--per-answer", help="A table with a row for each answer.")] = None,
    ask: Annotated[
        list[str] | None,
        asking_option(help="ENDPOINT:MODEL, to be asked under min(4, n - 1) shifts of n options; may be repeated."),
    ] = None,
    ask_again: Annotated[
        str | None, asking_option(help="ENDPOINT:MODEL, which reads the answers that no rule reads.")
    ] = None,
    prompt: Annotated[
        str | None,
        asking_option(
            help="choice-one, choice-several or choice-zh, or a text file with {question} and {options}; if not given, what fits each question: choice-zh in Chinese, else by whether one option is right or several."
        ),
    ] = None,
    full_circle: Annotated[
        bool, asking_option("--full-circle", help="min(4, n) shifts, as ClinBench-HPB's program has them.")
    ] = False,
    repeats: Annotated[int, asking_option(help="How often each question is put in each order.")] = 1,
    endpoints: Endpoints = None,
    store: Store = STORE,
    dry_run: DryRun = False,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    subset: Annotated[str, typer.Option(help="The column of the questions that parts them.")] = "subset",
    model: Annotated[str, typer.Option(help="Who gave answers that name no model.")] = "model",
    bootstrap: Bootstrap = 2_000,
    seed: Seed = 0,
) -> None:
    """Multiple choice: mean and deviation of each question over the orders of its options, by model and subset."""
    from ..evaluation.choice.evaluate import choice as run
    from ..evaluation.report.report import check_report_path
    from ..files.tables import check_output, write_table
    from ..progress import shown
    from ..votes.asking import Budget, plan_lines

    for path in output or ():
        check_report_path(path)
    if per_answer is not None:
        check_output(per_answer)
    quiet_retries()
    budget = Budget(max_calls, max_cost)
    with shown("Asking") as progress:
        report = run(
            questions, answers or None, ask=ask or (), ask_again=ask_again, prompt=prompt, full_circle=full_circle, repeats=repeats,
            endpoints=endpoints, store=store, budget=budget, dry_run=dry_run, subset=subset, model=model, bootstrap=bootstrap,
            seed=seed, progress=progress,
        )  # fmt: skip
    if isinstance(report, list):
        typer.echo("\n".join(plan_lines(report)))
        return
    report.print()
    written = [report.save(path) for path in output or ()]
    if per_answer is not None:
        written.append(write_table(report.tables["choice.answers"], per_answer))
    for path in written:
        typer.echo(f"Written: {path}")
    say_asked(*budget.summaries)
