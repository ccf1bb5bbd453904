"""The report as one page to read."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from ...pages.blocks import figure, how_made, script_chart
from ...pages.document import document
from ...pages.figure import Figure, spec_of
from ...pages.renderer import Renderer
from ...pages.style import PAGE
from ...pages.templates import macros
from ..statistics.results import Results
from ..statistics.section import Section
from .cases import cases_to_look_at
from .charts import all_figures
from .charts.marks import Marks, key, marks_of
from .family_tables import family_tables, spoken
from .messages import made_with_lines, panel_words
from .overview import overview, panel_tables

_FIRST_WORDS = 3
_HTML = macros("report.html.j2", Path(__file__).parent)


def page(report: Results) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    figures, marks = all_figures(report), marks_of(report)
    made = report.made_with
    left_out = [f"{spoken(name)}: {reason}" for name, reason in report.left_out.items()]
    return document(
        report.question,
        f"{Path(made['source']).name} · {made['n_cases']:,} cases · {len(made['raters'])} raters",
        # of the algorithms and their panel, then of the other families
        [panel_words(report), *(section.words[:_FIRST_WORDS] for section in report.sections)],
        [
            ("metrics", "Every metric", overview(report)),
            *((section.name, section.title, _section(report, section, figures, marks)) for section in report.sections),
            ("cases", "Cases to look at", cases_to_look_at(report)),
            ("made", "How it was made", how_made(made_with_lines(report), left_out, report.notes)),
        ],
        f"Made by dxmatch {made['versions']['dxmatch']}.",
        Renderer().script() if figures else "",
    )


def _section(report: Results, section: Section, figures: list[Figure], marks: Marks) -> str:
    own = [drawn for drawn in figures if drawn.section == section.name]
    raters = marks.ordered([rater for drawn in own for rater in drawn.series])
    return _HTML.section(
        _HTML.key(key(marks, raters)) if len(raters) > 1 else "",
        [Markup(figure(drawn, script_chart(drawn, spec_of(drawn, PAGE)))) for drawn in own],
        Markup(panel_tables(report) if section.name == "relative" else family_tables(section)),
        section.words[_FIRST_WORDS:],
        section.notes,
    ).strip()
