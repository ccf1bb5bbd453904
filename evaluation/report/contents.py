"""What the page of a report shows, part by part."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from .cases import case_browser, cases_to_look_at
from .document import Block, Definitions, Document, Folded, Part
from .tables import definitions, differences, every_metric, headline_table, subgroups, tables_of
from .words import answer

if TYPE_CHECKING:
    from .results import Family, Results

ASKED_FOR = ("judge", "human")
"""Families that are there because the user brought a judge or labels: their sentences are in every view."""


def document_of(report: Results, *, drawn: bool) -> Document:
    """Makes the document of a report. drawn : with its charts and all its cases, which take their time."""
    charts: dict[str, list[Block]] = {}
    browser = None
    if drawn:
        from .charts import figures

        browser = case_browser(report)
        for figure in figures(report):
            charts.setdefault(figure.section, []).append(figure)
    shown = headline_table(report)
    board: list[Block] = [] if shown is None else [shown, Definitions(definitions(report.board))]
    families = [_family(report, family, charts.get(family.name, [])) for family in report.families]
    parts = [
        Part(
            "leaderboard", "Leaderboard" if len(report.board.algorithms) > 1 else "In short",
            [*board, *charts.get("leaderboard", [])], brief=board,
        ),
        _opened("differences", differences(report), []),
        _opened("subgroups", subgroups(report), charts.get("subgroups", [])),
        *report.parts,
        Part("every-case", "Case by case", [] if browser is None else [browser]),
        Part("disagreements", "Cases to look at", cases_to_look_at(report)),
        *(part for part in families if not part.folded),
        Part("metrics", "Every metric", [every_metric(report)] if report.rows else [], True),
        *(part for part in families if part.folded),
    ]  # fmt: skip
    return Document(
        report.setup.question, report.setup.opening, [answer(report)], [part for part in parts if part.blocks],
        report.findings, report.setup.lines, list(report.left_out.items()), f"Made by dxmatch {version('dxmatch')}.",
    )  # fmt: skip


def _opened(name: str, tables: list[Block], charts: list[Block]) -> Part:
    """A part whose first tables are in every view."""
    brief = [block for block in tables if not isinstance(block, Folded)]
    return Part(name, name.capitalize(), [*tables, *charts], brief=brief)


def _family(report: Results, family: Family, charts: list[Block]) -> Part:
    tables = tables_of(family)
    brief = [f"{family.title}. {' '.join(family.sentences)}"] if family.name in ASKED_FOR else []
    opened = family.name == "relative" and report.raters.panels
    return Part(family.name, family.title, [*family.sentences, *charts, *tables], not opened, brief)
