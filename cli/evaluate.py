"""`dxmatch evaluate`: lists of diagnoses against the right answers, and against a panel of experts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..evaluation import evaluate as verbs
from ..files.counted import counted
from ..files.tables import write_table
from .command import Call, Output, command
from .faults import WrongUsage
from .results import ReportFile, TableFile, deliver


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
        return print("\n".join(call.of(verbs.preview)))
    if judgements is not None and "judge_model" not in call.typed:
        raise WrongUsage("--judgements needs a judge: --judge.model ENDPOINT:MODEL")
    report = call()
    tables = [
        partial(save, path)
        for save, path in ((report.save_judgements, judgements), (report.save_matches, matches))
        if path
    ]
    return deliver(report, output, charts=charts, tables=tables, full=full, cases=case)
