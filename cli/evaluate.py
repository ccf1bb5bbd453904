"""`dxmatch evaluate`: lists of diagnoses against the right answers, and against a panel of experts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..files.counted import counted
from .asking import quiet_retries, say_asked
from .evaluate_options import Asking, Figures, Icd, Panel, Reading
from .options import Bootstrap, JudgeAll, MinCoverage, Model, Origin, Policy, Seed, Threshold, under

output_option, label_option = under("What comes out"), under("Labels by experts")


def evaluate(
    lists: Annotated[
        list[Path],
        typer.Argument(
            help="What the models answered, as you have it: a table with a row for each diagnosis, for each case, or a column "
            "for each model; JSON or JSONL with lists or raw answers; a file for each model, or their folder; a log of Inspect."
        ),
    ],
    *,
    reading: Reading,
    output: Annotated[
        list[Path] | None,
        output_option(
            "--output", "-o", help="The report: .html (every case), .md or .tex (the leaderboard), .csv, .xlsx, .json."
        ),
    ] = None,
    json: Annotated[Path | None, output_option(help="All as JSON: to FILE.json, else printed alone.")] = None,
    csv: Annotated[Path | None, output_option(help="The table of metrics, as CSV.")] = None,
    matches: Annotated[
        Path | None, output_option(help="What was matched with what, a row for each case, model and rank: a table.")
    ] = None,
    judgements: Annotated[
        Path | None,
        output_option(
            help="What the judge and the check said of each reference diagnosis, and on which basis: a table."
        ),
    ] = None,
    charts: Annotated[Path | None, output_option(help="A folder for each chart as PNG and SVG.")] = None,
    pairs: Annotated[
        Path | None, output_option(help="Write the pairs that M would be asked to this file, and stop.")
    ] = None,
    dry_run: Annotated[
        bool,
        output_option(
            "--dry-run", help="Read the files, show the first cases and all that is unread or doubtful, and stop."
        ),
    ] = False,
    full: Annotated[bool, output_option("--full", help="Print every table, not only the leaderboard.")] = False,
    case: Annotated[
        list[str] | None,
        output_option(
            help="A case to print: its lists side by side with codes, and what they share with the reference. May be repeated."
        ),
    ] = None,
    figures: Figures,
    panel: Panel,
    labelled: Annotated[
        Path | None,
        label_option(help="Pairs of these lists that experts labelled: P and RPAD corrected for M's own errors."),
    ] = None,
    human: Annotated[
        Path | None,
        label_option(
            help="Labels by humans (case_id, rater, reference, label 0 or 1; label_NAME of several): how far M and the judge agree with them."
        ),
    ] = None,
    icd: Icd,
    asking: Asking,
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    model: Model = None,
    policy: Policy = None,
    threshold: Threshold = None,
    judge_all: JudgeAll = False,
    min_coverage: MinCoverage = 0.9,
    origin: Origin | None = None,
) -> None:
    """Compare models' diagnoses with the right answers, and with a panel of experts: every metric that the lists allow."""
    from ..errors import InputError
    from ..evaluation.evaluate import evaluate as run
    from ..evaluation.evaluate import pairs_asked
    from ..evaluation.lists.reading import read_lists
    from ..evaluation.report.report import check_report_path
    from ..files.tables import check_output, write_table
    from ..progress import shown
    from ..votes.asking import NotServed

    files = [path for path in (*(output or []), json, csv) if path is not None]
    for path in files:
        check_report_path(path)
    for path in (matches, judgements):
        if path is not None:
            check_output(path)
    if judgements is not None and asking["judge"] is None:
        raise typer.BadParameter("--judgements needs a judge: --judge ENDPOINT:MODEL")
    given = lists[0] if len(lists) == 1 else lists
    if pairs is not None:
        check_output(pairs)
        asked = pairs_asked(given, icd_source=icd["icd_source"], **reading, **figures, **panel)
        write_table(asked, pairs)
        typer.echo(f"{pairs}: {counted(asked.num_rows, 'pair')}.")
        return
    if dry_run:
        by = figures.get("by")
        for line in read_lists(given, algorithms=panel.get("algorithms"), by=by, **reading).preview():
            typer.echo(line)
        return
    quiet_retries()
    try:
        with shown("Evaluating") as progress:
            report = run(
                given, model, labelled=labelled, human=human, policy=policy, threshold=threshold, judge_all=judge_all, min_coverage=min_coverage,
                bootstrap=bootstrap, seed=seed, progress=progress, **reading, **figures, **panel, **icd, **asking, **(origin or {}),
            )  # fmt: skip
    except NotServed as error:
        raise typer.BadParameter(str(error)) from None
    for one in case or []:
        report.case(one)  # a case that is not there is told of before anything is written
    # All is written before anything is shown: the reader of a pipe may leave.
    written: list[object] = [report.save(path) for path in files]
    if charts is not None:
        written.append(f"{len(report.save_charts(charts))} files in {charts}")
    if judgements is not None:
        written.append(report.save_judgements(judgements))
    lacking: InputError | None = None
    if matches is not None:
        try:
            written.append(report.save_matches(matches))
        except InputError as error:  # no right answers; the report is still shown
            lacking = error
    report.print(full=full)
    for one in case or []:
        report.print_case(one)
    for path in written:
        typer.echo(f"Written: {path}")
    say_asked(*asking["budget"].summaries)
    if lacking is not None:
        raise lacking
