"""`dxmatch evaluate`: lists of diagnoses against the right answers, and against a panel of experts; `dxmatch choice`: multiple-choice questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from ..evaluation import evaluate as verbs
from ..evaluation.choice.evaluate import choice as verb_of_choice
from ..evaluation.report.report import Report, check_report_path
from ..files.counted import counted
from ..files.tables import write_table
from ..options import WRITTEN
from ..votes.asking import plan_lines
from .command import Call, Output, command
from .results import TableFile

ReportFile = Annotated[Path, WRITTEN, check_report_path]


@command(verbs.evaluate, given=("answers",), several=("answers",), stdout=".md")
def evaluate(
    call: Call,
    *,
    output: Sequence[ReportFile] = (),
    matches: TableFile | None = None,
    judgements: TableFile | None = None,
    charts: Output | None = None,
    pairs: TableFile | None = None,
    dry_run: bool = False,
    full: bool = False,
    case: Sequence[str] = (),
) -> dict[str, Any] | None:
    """Compare models' diagnoses with the right answers, and with a panel of experts: every metric that the lists allow.

    Parameters
    ----------
    output : path
        The report: .html (every case), .md or .tex (the leaderboard), .csv, .xlsx or .json; may be given again.
    matches : path
        A table of what was matched with what, a row for each case, model and rank.
    judgements : path
        A table of what the judge and the check said of each right answer, and on which basis.
    charts : path
        A folder for each chart as PNG and SVG.
    pairs : path
        Write the pairs that M would be asked to this table, and stop.
    dry_run : bool
        Read the files, show the first cases and all that is unread or doubtful, and stop.
    full : bool
        Print every table, not only the leaderboard.
    case : str
        A case to print: its lists side by side with codes, and what they share with the right answer; may be given again.

    Examples
    --------
    dxmatch evaluate answers/*.jsonl --references gold.csv -o report.html
    dxmatch evaluate panel.csv --algorithms gpt4 -o report.html -o table.xlsx
    """
    if pairs is not None:
        asked = call.of(verbs.pairs_asked)
        write_table(asked, pairs)
        return print(f"{pairs}: {counted(asked.num_rows, 'pair')}.")
    if dry_run:
        return print("\n".join(call.of(verbs.read).preview()))
    report = call()
    return deliver(report, output, {judgements: "judgements", matches: "matches"}, charts=charts, full=full, cases=case)


@command(verb_of_choice, given=("questions", "answers"), several=("answers",), stdout=".md")
def choice(
    call: Call, *, output: Sequence[ReportFile] = (), per_answer: TableFile | None = None
) -> dict[str, Any] | None:
    """Score multiple choice: mean and deviation of each question over the orders of its options, by model and subset.

    Parameters
    ----------
    output : path
        The report: .html, .md or .tex (the leaderboard), .json, or the table: .csv, .tsv, .jsonl, .xlsx, .parquet; may be given again.
    per_answer : path
        A table with a row for each answer.

    Examples
    --------
    dxmatch choice questions.json answers.csv -o choice.md
    dxmatch choice questions.json --models lab:qwen2.5-7b --endpoints endpoints.toml
    """
    report = call()
    if isinstance(report, list):
        print("\n".join(plan_lines(report)))
        return None
    return deliver(report, output, {per_answer: "choice.answers"})


def deliver(
    report: Report,
    output: Sequence[Path],
    tables: Mapping[Path | None, str],
    *,
    charts: Path | None = None,
    full: bool = False,
    cases: Sequence[str] = (),
) -> dict[str, Any]:
    """Writes all, then shows it, since the reader of a pipe may leave; gives the report's JSON. tables : further ones, by name."""
    for one in cases:
        report.case(one)  # a case that is not there is told of before anything is written
    written: list[Any] = []
    try:
        written += [report.save(path) for path in output]
        if charts is not None:
            written.append(f"{len(report.save_charts(charts))} files in {charts}")
        for path, table in tables.items():  # one that cannot be made is an error after what was computed is shown
            if path is not None:
                written.append(report.save_table(table, path))
    finally:
        report.print(full=full)
        for one in cases:
            report.print_case(one)
        print("".join(f"Written: {path}\n" for path in written), end="")
    return report.to_dict()
