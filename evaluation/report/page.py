"""The report as one page to read."""

from __future__ import annotations

from html import escape
from pathlib import Path

from ...errors import MissingExtra
from ...pages.blocks import figure, how_made, script_chart
from ...pages.document import document
from ...pages.figure import Figure, spec_of
from ...pages.renderer import Renderer
from ...pages.style import PAGE
from ..statistics.results import Results
from ..statistics.section import Section
from .cases import cases_to_look_at
from .charts import all_figures
from .charts.marks import Marks, key, marks_of
from .family_tables import family_tables, spoken
from .overview import overview, panel_tables
from .plain_chart import chart_without_script
from .words import made_with_lines, panel_words

_FIRST_WORDS = 3
_INSTALL = "Most charts need the extra 'report', which is not installed here: pip install 'dxmatch[report]'."


def page(report: Results) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    figures, marks = all_figures(report), marks_of(report)
    try:
        script = Renderer().script() if figures else ""
        charts = {drawn.name: script_chart(drawn, spec_of(drawn, PAGE)) for drawn in figures}
    except MissingExtra:
        script = ""
        charts = {drawn.name: chart_without_script(drawn, marks) for drawn in figures}
    made = report.made_with
    return document(
        report.question,
        f"{Path(made['source']).name} · {made['n_cases']:,} cases · {len(made['raters'])} raters",
        # of the algorithms and their panel, then of the other families
        [panel_words(report), *(section.words[:_FIRST_WORDS] for section in report.sections)],
        [
            ("metrics", "Every metric", overview(report)),
            *(
                (section.name, section.title, _section(report, section, figures, charts, marks))
                for section in report.sections
            ),
            ("cases", "Cases to look at", cases_to_look_at(report)),
            ("made", "How it was made", _how_made(report, missing_extra=bool(figures) and not script)),
        ],
        f"Made by dxmatch {made['versions']['dxmatch']}.",
        script,
    )


def _section(report: Results, section: Section, figures: list[Figure], charts: dict[str, str], marks: Marks) -> str:
    own = [drawn for drawn in figures if drawn.section == section.name]
    raters = marks.ordered([rater for drawn in own for rater in drawn.series])
    drawn = "".join(figure(each, charts[each.name]) for each in own)
    return "\n".join(
        part
        for part in (
            key(marks, raters) if len(raters) > 1 else "",
            f'<div class="figures">{drawn}</div>' if drawn else "",
            panel_tables(report) if section.name == "relative" else family_tables(section),
            "".join(f"<p>{escape(line)}</p>" for line in section.words[_FIRST_WORDS:]),
            "".join(f'<p class="note">{escape(note)}</p>' for note in section.notes),
        )
        if part
    )


def _how_made(report: Results, missing_extra: bool) -> str:
    left_out = [f"{spoken(name)}: {reason}" for name, reason in report.left_out.items()]
    notes = [*report.notes, *([_INSTALL] if missing_extra else [])]
    return how_made(made_with_lines(report), left_out, notes)
