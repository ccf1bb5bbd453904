"""The cases to look at, as HTML: the lists of the algorithm and of the panel, with what M made of them."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from ...pages.blocks import table
from ...pages.rows import Row
from ...pages.templates import macros
from ..statistics.results import Results

_HTML = macros("report.html.j2", Path(__file__).parent)
_TOLD = (
    "Where the experts share more diagnoses with each other than with the algorithm, the largest difference first. Below "
    "each diagnosis stands the one of the other side that the match function holds likeliest to name the same disease, "
    "with its probability; ✓ marks a match (from {threshold:.2f} up)."
)


def cases_to_look_at(report: Results) -> str:
    """Where algorithm and panel differ most; "" where there is no panel, or no difference."""
    rows = report.rows_of("relative.disagreements")
    if not rows:
        return ""
    blocks = []
    for algorithm, of_algorithm in groupby(rows, lambda row: row["algorithm"]):
        cases = [list(of_case) for _, of_case in groupby(of_algorithm, lambda row: row["case_id"])]
        drawn = Markup().join(_case(of, report.k, opened=place == 0) for place, of in enumerate(cases))
        blocks.append(_HTML.titled(algorithm, "", drawn))
    return _HTML.titled("", _TOLD.format(threshold=report.made_with["threshold"]), Markup().join(blocks))


def _case(rows: list[Row], k: int, opened: bool) -> Markup:
    head = rows[0]
    reference = ", ".join(row["diagnosis"] for row in rows if row["role"] == "reference")
    listed = (row for row in rows if row["role"] != "reference")
    lists = [(rater, list(of)) for (_, rater), of in groupby(listed, lambda row: (row["role"], row["rater"]))]
    longest = max(len(of) for _, of in lists)
    lines = [[rater, *map(_HTML.diagnosis, of), *[""] * (longest - len(of))] for rater, of in lists]
    ranks = [f"rank {rank}" for rank in range(1, longest + 1)]
    drawn = Markup(table(f"Lists of {head['case_id']}", ["", *ranks], [("", lines)]))
    return _HTML.case(head["case_id"], head["mu_AE_mean"], head["mu_EE_mean"], k * k, reference, drawn, opened)
