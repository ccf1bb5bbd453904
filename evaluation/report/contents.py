"""What the page of a report shows, part by part."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from .cases import case_browser, cases_to_look_at
from .document import Block, Definitions, Document, Folded, Part, Table
from .tables import (
    as_printed,
    definitions,
    difference_tables,
    every_metric,
    headline_table,
    subgroup_tables,
    tables_of,
)
from .words import answer

if TYPE_CHECKING:
    from .results import Family, Results

ASKED_FOR = ("judge", "human")
"""Families that are there because the user brought a judge or labels: their sentences are in every view."""


def document_of(report: Results, *, drawn: bool) -> Document:
    """Makes the document of a report. drawn : with its charts and all its cases, which take their time."""
    charts: dict[str, list[Block]] = {}
    key, browser = {}, None
    if drawn:
        from .charts import figures
        from .layers import Marks

        marks = Marks.of(report)
        key, browser = marks.key, case_browser(report)
        for figure in figures(report, marks):
            charts.setdefault(figure.section, []).append(figure)
    families = [_family(report, family, charts.get(family.name, [])) for family in report.families]
    parts = [
        _leaderboard(report, charts.get("leaderboard", [])),
        _differences(report, charts.get("differences", [])),
        _subgroups(report, charts.get("subgroups", [])),
        *report.parts,
        Part("every-case", "Case by case", _known([browser])),
        Part("disagreements", "Cases to look at", cases_to_look_at(report)),
        *(part for part in families if not part.folded),
        Part("metrics", "Every metric", [every_metric(report)] if report.rows else [], True),
        *(part for part in families if part.folded),
    ]
    return Document(
        report.setup.question, report.setup.opening, [answer(report)], [part for part in parts if part.blocks],
        report.findings, report.setup.lines, list(report.left_out.items()), key, f"Made by dxmatch {version('dxmatch')}.",
    )  # fmt: skip


def _known(blocks: list[Block | None]) -> list[Block]:
    return [block for block in blocks if block is not None]


def _leaderboard(report: Results, charts: list[Block]) -> Part:
    shown = _known([headline_table(report)])
    brief = [*shown, Definitions(definitions(report.board))] if shown else []
    return Part(
        "leaderboard", "Leaderboard" if len(report.board.algorithms) > 1 else "In short", [*brief, *charts], brief=brief
    )


def _differences(report: Results, charts: list[Block]) -> Part:
    first, rest = difference_tables(report)
    folded = [Folded("Differences in every other metric", rest, False)] if rest else []
    return Part(
        "differences",
        "Differences",
        [*charts, *first, *folded] if first or rest else [],
        brief=[_first_only(one) for one in first],
    )


def _first_only(shown: Table) -> Table:
    """Of several metrics the first."""
    groups = [(heading, [line[:2] for line in lines]) for heading, lines in shown.groups]
    return Table(shown.header[:2], groups, shown.caption, f"Differences in {shown.header[1]}", shown.note)


def _subgroups(report: Results, charts: list[Block]) -> Part:
    first, rest = subgroup_tables(report)
    folded = [Folded("The other metrics by subgroup", rest, False)] if rest else []
    return Part("subgroups", "Subgroups", [*first, *charts, *folded] if first else [], brief=first)


def _family(report: Results, family: Family, charts: list[Block]) -> Part:
    relative = family.name == "relative"
    tables = _known([as_printed(report)]) if relative else list(tables_of(family))
    brief = [f"{family.title}. {' '.join(family.sentences)}"] if family.name in ASKED_FOR else []
    return Part(
        family.name, family.title, [*family.sentences, *charts, *tables], not (relative and report.raters.panels), brief
    )
