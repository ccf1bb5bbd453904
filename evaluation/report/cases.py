"""The cases to look at, as HTML: the lists of the algorithm and of the panel, with what M made of them."""

from __future__ import annotations

from html import escape
from itertools import groupby

from ...pages.blocks import table
from ...pages.rows import Row
from ..statistics.results import Results


def cases_to_look_at(report: Results) -> str:
    """Where algorithm and panel differ most; "" where there is no panel, or no difference."""
    rows = report.rows_of("relative.disagreements")
    if not rows:
        return ""
    threshold = report.made_with["threshold"]
    parts = [
        '<p class="quiet">Where the experts share more diagnoses with each other than with the algorithm, the largest '
        "difference first. Below each diagnosis stands the one of the other side that the match function holds likeliest "
        f"to name the same disease, with its probability; ✓ marks a match (from {threshold:.2f} up).</p>"
    ]
    for algorithm, of_algorithm in groupby(rows, lambda row: row["algorithm"]):
        parts.append(f"<h3>{escape(algorithm)}</h3>")
        for place, (_, of_case) in enumerate(groupby(of_algorithm, lambda row: row["case_id"])):
            parts.append(_case(list(of_case), report.k, opened=place == 0))
    return "".join(parts)


def _case(rows: list[Row], k: int, opened: bool) -> str:
    head = rows[0]
    reference = ", ".join(row["diagnosis"] for row in rows if row["role"] == "reference")
    lists = [(rater, list(of)) for rater, of in groupby(
        (row for row in rows if row["role"] != "reference"), lambda row: (row["role"], row["rater"])
    )]  # fmt: skip
    longest = max(len(of) for _, of in lists)
    lines = [[rater, *(_cell(row) for row in of), *[""] * (longest - len(of))] for (_, rater), of in lists]
    told = f'<p class="quiet">Reference: {escape(reference)}</p>' if reference else ""
    return (
        f'<details class="case"{" open" if opened else ""}><summary><strong>{escape(str(head["case_id"]))}</strong> · '
        f"matches with an expert {head['mu_AE_mean']:.2f} of {k * k}, between experts {head['mu_EE_mean']:.2f}</summary>"
        + told
        + table(f"Lists of {head['case_id']}", ["", *(f"rank {rank}" for rank in range(1, longest + 1))], [("", lines)])
        + "</details>"
    )


def _cell(row: Row) -> str:
    if row["diagnosis"] is None:
        return '<span class="undefined">no diagnosis</span>'
    near = ""
    if row["nearest"] is not None:
        match = "✓ " if row["match"] else ""
        near = f'<span class="near">{match}{row["probability"]:.2f} {escape(row["nearest"])}</span>'
    return f"{escape(row['diagnosis'])}{near}"
