"""The report as one page to read."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup, escape

from ...pages.blocks import Reasons, figure, how_made, rows_table, script_chart, table, value_cell
from ...pages.document import document
from ...pages.figure import Figure, spec_of
from ...pages.renderer import Renderer
from ...pages.style import PAGE
from ...pages.templates import macros
from ..matches.case_table import CaseTable
from ..statistics.results import Results
from ..statistics.section import Section
from .browser.case_browser import case_browser
from .cases import cases_to_look_at
from .charts.all_figures import all_figures
from .charts.marks import Marks, marks_of
from .messages import made_with_lines, match_line, panel_words
from .tables import FORMS, PARTS, Table, Value, family_tables, overview, panel_tables

_FIRST_WORDS = 3
_MAX_OPEN = 2
_HTML = macros("report.html.j2", Path(__file__).parent)


def page(report: Results, cases: CaseTable | None = None) -> str:
    """A whole HTML document. Every text from the data is escaped. cases : what the case browser shows."""
    figures, marks = all_figures(report), marks_of(report)
    browser = case_browser(cases)
    made, every = report.made_with, overview(report)
    left_out = [f"{spoken(name)}: {reason}" for name, reason in report.left_out.items()]
    return document(
        report.question,
        f"{Path(made['source']).name} · {made['n_cases']:,} cases · {len(made['raters'])} raters · {match_line(report)}",
        # what goes before the figures, of the algorithms and their panel, then of the other families
        [report.warnings, panel_words(report), *(section.words[:_FIRST_WORDS] for section in report.sections)],
        [
            ("metrics", "Every metric", "" if every is None else _drawn(every)),
            *((section.name, section.title, _section(report, section, figures, marks)) for section in report.sections),
            ("every-case", "Case by case", browser.html),
            ("cases", "Cases to look at", cases_to_look_at(report)),
            ("made", "How it was made", how_made(made_with_lines(report), left_out, report.notes)),
        ],
        f"Made by dxmatch {made['versions']['dxmatch']}.",
        "\n".join(filter(None, [Renderer().script() if figures else "", browser.script])),
        browser.style,
    )


def _section(report: Results, section: Section, figures: list[Figure], marks: Marks) -> str:
    own = [drawn for drawn in figures if drawn.section == section.name]
    raters = marks.ordered([rater for drawn in own for rater in drawn.series])
    return _HTML.section(
        _HTML.key(marks.key(raters)) if len(raters) > 1 else "",
        [Markup(figure(drawn, script_chart(drawn, spec_of(drawn, PAGE)))) for drawn in own],
        _panel(report) if section.name == "relative" else _family(section),
        section.words[_FIRST_WORDS:],
        section.notes,
    ).strip()


def _drawn(shown: Table) -> Markup:
    """A table, with the reasons for what is undefined below it; a long one of many algorithms behind a line that opens."""
    reasons = Reasons()
    groups = [
        (heading, [[line[0], *(_cell(cell, reasons) for cell in line[1:])] for line in lines])
        for heading, lines in shown.groups
    ]
    made = Markup(table(shown.caption, shown.header, groups) + reasons.html())
    if shown.caption != PARTS or len(groups) <= _MAX_OPEN:
        return _HTML.titled(shown.title, shown.told, made)
    closed = _HTML.closed(f"Rates and sigmas of {len(groups)} algorithms", _HTML.titled("", shown.told, made))
    return _HTML.titled(shown.title, "", closed)


def _cell(cell: str | Value, reasons: Reasons) -> str:
    return value_cell(cell.row, reasons, cell.mark) if isinstance(cell, Value) else escape(cell)


def _panel(report: Results) -> Markup:
    blocks = [_drawn(shown) for shown in panel_tables(report)]
    return _HTML.beside(blocks) if blocks else Markup()


def _family(section: Section) -> Markup:
    """Its tables that have a form of their own, then the others as they are; what a chart shows is not shown twice."""
    made = [_drawn(shown) for shown in family_tables(section)]
    for name, rows in section.tables.items():
        if rows and name not in (*FORMS, "rank_shifts"):
            title = spoken(name)
            columns = {column: column.replace("_", " ") for column in rows[0]}
            made.append(_HTML.titled(title, "", Markup(rows_table(title, columns, rows))))
    return Markup().join(made)


def spoken(name: str) -> str:
    """`by_chapter` as `By chapter`."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
