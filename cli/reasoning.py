"""`dxmatch reasoning`: predicted diagnostic reasoning against annotated reasoning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..evaluation.reasoning.evaluate import reasoning as verb
from .command import Call, Output, command
from .evaluate import ReportFile, deliver
from .results import TableFile


@command(verb, given=("graphs", "notes", "predictions"), stdout=".md")
def reasoning(
    call: Call,
    *,
    output: Sequence[ReportFile] = (),
    per_note: TableFile | None = None,
    deductions: TableFile | None = None,
    charts: Output | None = None,
) -> dict[str, Any]:
    """Compare predicted diagnostic reasoning with annotated reasoning, in the formats of DiReCT: one run, or several.

    Parameters
    ----------
    output : path
        The report: .html (every note), .md (the runs as a table), .json (everything), .csv, .tsv, .xlsx, .jsonl or .parquet (the table of
        metrics); may be given again.
    per_note : path
        A table with a row for each note and run.
    deductions : path
        A table with a row for each observation that is common, only in the note, or only predicted.
    charts : path
        A folder for each chart by medical domain as PNG and SVG.

    Examples
    --------
    dxmatch reasoning graphs notes run-g run-k -o report.html
    dxmatch reasoning graphs notes GPT-4=run-1 --judge local:llama-3-8b --endpoints endpoints.toml
    """
    report = call()
    more = {per_note: "reasoning.notes", deductions: "reasoning.deductions"}
    return deliver(report, output, more, charts=charts)
