"""The report as one page to read: warnings, the answer, the leaderboard; what differs, each case; the rest folded."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup, escape

from ...pages.blocks import Reasons, explained, figure, how_made, rows_table, script_chart, table, value_cell
from ...pages.document import Part, document, manners
from ...pages.figure import Figure, spec_of
from ...pages.renderer import Renderer
from ...pages.style import PAGE
from ...pages.templates import macros
from ..matches.case_table import CaseTable
from ..statistics.by_model import by_model
from ..statistics.leaderboard import leaderboard, standing
from ..statistics.results import Results
from ..statistics.section import RELATIVE, Section
from .browser.case_browser import case_browser
from .cases import cases_to_look_at
from .charts.all_figures import all_figures
from .charts.marks import Marks, marks_of
from .comparisons import difference_tables, explanations, headline_table, subgroup_tables, variants_table
from .messages import answer, made_with_lines, match_line, opening, threshold_words
from .tables import FORMS, PARTS, Table, Value, every_metric, family_tables, panel_tables

_MAX_OPEN = 2
_HTML = macros("report.html.j2", Path(__file__).parent)


def page(report: Results, cases: CaseTable | None = None) -> str:
    """A whole HTML document. Every text from the data is escaped. cases : what the case browser shows."""
    figures, marks = all_figures(report), marks_of(report)
    browser = case_browser(None if cases is None else cases.in_order(standing(report)))
    made, one = report.made_with, len(report.algorithms) == 1
    left_out = [f"{spoken(name)}: {reason}" for name, reason in report.left_out.items()]
    against_experts = bool(made["panels"])
    families = [
        Part(s.name, s.title, _section(report, s, figures, marks), not (against_experts and s.name == RELATIVE))
        for s in report.sections
    ]
    return document(
        report.question,
        f"{opening(report)} · {match_line(report)}",
        [answer(report)],
        [
            Part("leaderboard", "In short" if one else "Leaderboard", _leaderboard(report, figures, marks)),
            Part("differences", "Differences", _differences(report, figures, marks)),
            Part("subgroups", "Subgroups", _subgroups(report)),
            Part("every-case", "Case by case", browser.html),
            Part("disagreements", "Cases to look at", cases_to_look_at(report)),
            *(part for part in families if not part.folded),
            Part("metrics", "Every metric", Markup().join(_drawn(shown) for shown in every_metric(report)), True),
            *(part for part in families if part.folded),
            Part("made", "How it was made", how_made(made_with_lines(report), left_out, report.notes)),
        ],
        f"Made by dxmatch {made['versions']['dxmatch']}.",
        "\n".join(filter(None, [manners(), Renderer().script() if figures else "", browser.script])),
        browser.style,
        warnings=report.warnings,
    )


def _leaderboard(report: Results, figures: list[Figure], marks: Marks) -> str:
    shown, board = headline_table(report), leaderboard(by_model(report))
    variants = variants_table(report)
    charts = _charts("leaderboard", figures, marks)
    if shown is None:
        return ""
    matches = f"{threshold_words(report)}."
    return Markup().join(
        [
            _HTML.lead(_drawn(shown)),
            Markup(explained(explanations(board))),
            _HTML.quiet(f"{matches[0].upper()}{matches[1:]}"),
            charts if variants is None else _HTML.closed(variants.title, _drawn(variants) + charts, printed=False),
        ]
    )


def _differences(report: Results, figures: list[Figure], marks: Marks) -> str:
    first, rest = difference_tables(report)
    if not first and not rest:
        return ""
    folded = Markup().join(_drawn(shown) for shown in rest)
    return Markup().join(
        [
            _charts("differences", figures, marks),
            *(_drawn(shown) for shown in first),
            *([_HTML.closed("Differences in every other metric", folded, printed=False)] if rest else []),
        ]
    )


def _subgroups(report: Results) -> str:
    first, rest = subgroup_tables(report)
    folded = Markup().join(_drawn(shown) for shown in rest)
    return Markup().join(
        [
            *(_drawn(shown) for shown in first),
            *([_HTML.closed("The other metrics by subgroup", folded, printed=False)] if rest else []),
        ]
    )


def _section(report: Results, section: Section, figures: list[Figure], marks: Marks) -> str:
    return _HTML.section(
        section.words,
        _charts(section.name, figures, marks),
        _panel(report) if section.name == RELATIVE else _family(section, (*marks.algorithms, *marks.panel)),
        section.notes,
    ).strip()


def _charts(name: str, figures: list[Figure], marks: Marks) -> Markup:
    """The charts of a part of the page, under one key of who is who."""
    own = [drawn for drawn in figures if drawn.section == name]
    raters = marks.ordered([rater for drawn in own for rater in drawn.series])
    return _HTML.charts(
        _HTML.key(marks.key(raters)) if len(raters) > 1 else "",
        [Markup(figure(drawn, script_chart(drawn, spec_of(drawn, PAGE)))) for drawn in own],
    )


def _drawn(shown: Table) -> Markup:
    """A table, with the reasons for what is undefined below it; a long one of many algorithms behind a line that opens."""
    reasons = Reasons()
    groups = [
        (heading, [[line[0], *(_cell(cell, reasons) for cell in line[1:])] for line in lines])
        for heading, lines in shown.groups
    ]
    made = Markup(table(shown.caption, shown.header, groups) + reasons.html())
    if shown.caption != PARTS or len(groups) <= _MAX_OPEN:
        return _HTML.titled(shown.title, shown.below, made, shown.warns)
    closed = _HTML.closed(f"Rates and sigmas of {len(groups)} algorithms", _HTML.titled("", shown.below, made))
    return _HTML.titled(shown.title, "", closed)


def _cell(cell: str | Value, reasons: Reasons) -> str:
    return value_cell(cell.row, reasons, cell.mark, cell.strong, cell.note) if isinstance(cell, Value) else escape(cell)


def _panel(report: Results) -> Markup:
    blocks = [_drawn(shown) for shown in panel_tables(report)]
    return _HTML.beside(blocks) if blocks else Markup()


def _family(section: Section, order: tuple[str, ...]) -> Markup:
    """Its tables that have a form of their own, then the others as they are; what a chart shows is not shown twice."""
    made = [_drawn(shown) for shown in family_tables(section, order)]
    for name, rows in section.tables.items():
        if rows and name not in (*FORMS, "rank_shifts", "prompt_values"):
            title = spoken(name)
            columns = {column: column.replace("_", " ") for column in rows[0]}
            made.append(_HTML.titled(title, "", Markup(rows_table(title, columns, rows))))
    return Markup().join(made)


def spoken(name: str) -> str:
    """`by_chapter` as `By chapter`."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
