"""`dxmatch choice`: multiple-choice questions, answered under several orders of their options."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..evaluation.choice.evaluate import choice as verb
from ..files.tables import write_table
from ..votes.asking import plan_lines
from .command import Call, command
from .results import ReportFile, TableFile, deliver


@command(verb, given=("questions", "answers"), several=("answers",), stdout=".md")
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
    tables = [] if per_answer is None else [partial(write_table, report.tables["choice.answers"], per_answer)]
    return deliver(report, output, tables=tables)
