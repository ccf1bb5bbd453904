"""The report in a notebook: warnings, the answer and the leaderboard, in any theme; and in one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from ...files.counted import counted
from ...pages.templates import macros
from ..statistics.by_model import by_model
from ..statistics.leaderboard import leaderboard
from ..statistics.results import Results
from .comparisons import explanations, headline_table
from .messages import answer, match_line, opening
from .tables import Value

_HTML = macros("notebook.html.j2", Path(__file__).parent)


def html(report: Results) -> str:
    """Warnings, the answer, the leaderboard with what its metrics mean: HTML that needs nothing from outside."""
    shown = headline_table(report)
    rows = [] if shown is None else [(heading, [_cells(line) for line in lines]) for heading, lines in shown.groups]
    return str(
        _HTML.report(
            opening(report), match_line(report), report.warnings, answer(report),
            [] if shown is None else shown.header, rows, "" if shown is None else shown.below, explanations(leaderboard(by_model(report))),
        )
    )  # fmt: skip


def _cells(line: Sequence[str | Value]) -> list[Markup]:
    return [
        _HTML.cell(cell.row, f"{cell.mark} {cell.note}".strip(), cell.strong)
        if isinstance(cell, Value)
        else _HTML.name(cell)
        for cell in line
    ]


def short(report: Results) -> str:
    """`Report(5 models, 1,357 cases, top-1 0.468 by gpt4)`."""
    parts = [
        counted(len(report.algorithms), "algorithm" if report.made_with["panels"] else "model"),
        counted(len(report.cases), "case"),
    ]
    board = leaderboard(by_model(report))
    if board.columns and board.algorithms:
        column, best = board.columns[0], board.algorithms[0]
        value = column.value(best)
        if value is not None:
            parts.append(f"{column.label} {value:.3f} by {best}")
    if report.warnings:
        parts.append(counted(len(report.warnings), "warning"))
    return f"Report({', '.join(parts)})"
