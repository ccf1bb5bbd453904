"""`dxmatch reasoning`: predicted diagnostic reasoning against annotated reasoning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..votes.store import STORE
from .asking import Endpoints, MaxCalls, MaxCost, Store, asking_option, quiet_retries, say_asked
from .options import Bootstrap, Model, Origin, Seed


def reasoning(
    graphs: Annotated[Path, typer.Argument(help="The folder of knowledge graphs, one JSON a disease category.")],
    annotations: Annotated[Path, typer.Argument(help="The folder of annotated notes, one JSON a note.")],
    predictions: Annotated[
        list[str],
        typer.Argument(
            help="The folder of predictions, of the same places and names; several, FOLDER or NAME=FOLDER each, are compared."
        ),
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="The report: .html (every note), .md (the runs as a table), .json (everything), .csv, .tsv, .xlsx, .jsonl or .parquet "
            "(the table of metrics).",
        ),
    ] = None,
    per_note: Annotated[
        Path | None, typer.Option("--per-note", help="A table with a row for each note and run.")
    ] = None,
    deductions: Annotated[
        Path | None,
        typer.Option(
            "--deductions",
            help="A table with a row for each observation that is common, only in the note, or only predicted.",
        ),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option("--charts", help="A folder for each chart by medical domain as PNG and SVG.")
    ] = None,
    notes_of: Annotated[
        list[str] | None,
        typer.Option(
            "--notes-of",
            help="RUN=FOLDER: a run with annotated notes of its own, such as those before an amendment; of the same places and names.",
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            help="A note without a prediction, and 0 of 0: zero (0 in every metric, as in the source's program), own (the note in no metric; "
            "each metric over the predicted notes in which it has something to divide by), or refuse."
        ),
    ] = "zero",
    pairing: Annotated[
        str,
        typer.Option(
            help="Which observations correspond: best (the one-to-one assignment of the greatest weight) or greedy (the source's)."
        ),
    ] = "best",
    domains: Annotated[
        Path | None,
        typer.Option(help="A table with the columns category and domain; DiReCT's five medical domains if not given."),
    ] = None,
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    model: Model = None,
    judge: Annotated[
        str | None,
        asking_option(
            help="A language model that says which observations and rationales are alike, beside M: ENDPOINT:MODEL. The source's way."
        ),
    ] = None,
    observation_prompt: Annotated[
        str | None, asking_option(help="What the judge is asked of two observations: a text file, or a name.")
    ] = None,
    rationale_prompt: Annotated[
        str | None, asking_option(help="What the judge is asked of two rationales: a text file, or a name.")
    ] = None,
    human: Annotated[
        Path | None,
        typer.Option(
            help="Pairs that people labelled (note, observation, predicted, label; run, rationale_label, label_NAME): how far M and the "
            "judge agree with them."
        ),
    ] = None,
    endpoints: Endpoints = None,
    store: Store = STORE,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    origin: Origin | None = None,
) -> None:
    """Compare predicted diagnostic reasoning with annotated reasoning, in the formats of DiReCT: one run, or several."""
    from ..evaluation.reasoning.evaluate import named_folders
    from ..evaluation.reasoning.evaluate import reasoning as run
    from ..evaluation.report.report import check_report_path
    from ..files.tables import check_output, write_table
    from ..matcher.match_function import load
    from ..progress import shown
    from ..votes.asking import Budget, NotServed

    for path in output or []:
        check_report_path(path)
    tables = {"notes": per_note, "deductions": deductions}
    for path in filter(None, tables.values()):
        check_output(path)
    runs = named_folders("predictions", _named(predictions))
    own = _pairs(notes_of or [], "--notes-of")
    if strangers := own.keys() - runs.keys():
        raise typer.BadParameter(f"--notes-of {min(strangers)}: no such run; there are {', '.join(runs)}")
    if judge is not None:
        quiet_retries()
    budget = Budget(max_calls, max_cost)
    try:
        with shown("Comparing") as progress:
            report = run(
                graphs, {name: own.get(name, annotations) for name in runs} if own else annotations, runs,
                load(model, judge_all=True, **origin) if origin else model,
                missing=missing, pairing=pairing, domains=domains, judge=judge,
                observation_prompt=observation_prompt, rationale_prompt=rationale_prompt, endpoints=endpoints,
                store=store, budget=budget, human=human, bootstrap=bootstrap, seed=seed, progress=progress,
            )  # fmt: skip
    except NotServed as error:
        raise typer.BadParameter(str(error)) from None
    report.print()
    written: list[object] = [report.save(path) for path in output or []]
    written += [write_table(report.tables[f"reasoning.{name}"], path) for name, path in tables.items() if path]
    if charts is not None:
        written.append(f"{len(report.save_charts(charts))} files in {charts}")
    for one in written:
        typer.echo(f"Written: {one}")
    say_asked(*budget.summaries)


def _named(given: list[str]) -> list[Path] | dict[str, Path]:
    """Folders as they came, or by name, where one has a name; a folder that is there is no name with a folder."""
    if not any("=" in text and not Path(text).is_dir() for text in given):
        return [Path(text) for text in given]
    named = _pairs([text if "=" in text else f"{Path(text).resolve().name}={text}" for text in given], "predictions")
    if len(named) < len(given):
        raise typer.BadParameter("predictions: two folders under one name")
    return named


def _pairs(given: list[str], what: str) -> dict[str, Path]:
    found = {}
    for text in given:
        name, sign, folder = text.partition("=")
        if not (name.strip() and sign and folder):
            raise typer.BadParameter(f"{what} {text}: expected NAME=FOLDER, such as amended=notes-amended")
        found[name] = Path(folder)
    return found
