"""The report as one page to read: nothing is fetched, no script runs but its own; light, dark and on paper."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ...features.errors import MissingExtra
from ..section import Section
from .blocks import figure, key, script_chart
from .cases import cases_to_look_at
from .charts import all_figures
from .charts.figure import Figure, Marks, marks_of, spec_of
from .charts.renderer import Renderer
from .charts.style import COLOURS, PAGE, css_variables
from .family_tables import family_tables, spoken
from .overview import overview, panel_tables
from .plain_chart import chart_without_script
from .words import made_with_lines, panel_words

if TYPE_CHECKING:
    from .report import Report

_CSS = Path(__file__).with_name("page.css")
_FIRST_WORDS = 3
_INSTALL = "Most charts need the extra 'report', which is not installed here: pip install 'dxmatch[report]'."


def page(report: Report) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    figures, marks = all_figures(report), marks_of(report)
    try:
        script = Renderer().script() if figures else ""
        charts = {drawn.name: script_chart(drawn, spec_of(drawn, PAGE)) for drawn in figures}
    except MissingExtra:
        script = ""
        charts = {drawn.name: chart_without_script(drawn, marks) for drawn in figures}
    missing_extra = bool(figures) and not script
    parts = [
        ("metrics", "Every metric", overview(report)),
        *(
            (section.name, section.title, _section(report, section, figures, charts, marks))
            for section in report.sections
        ),
        ("cases", "Cases to look at", cases_to_look_at(report)),
        ("made", "How it was made", _how_made(report, missing_extra)),
    ]
    parts = [(name, title, body) for name, title, body in parts if body]
    links = "".join(f'<li><a href="#{escape(name)}">{escape(title)}</a></li>' for name, title, _ in parts)
    body = "\n".join(
        f'<section id="{escape(name)}" aria-labelledby="{escape(name)}-h">'
        f'<h2 id="{escape(name)}-h">{escape(title)}</h2>\n{inside}</section>'
        for name, title, inside in parts
    )
    made = report.made_with
    return _document(
        report.question,
        '<a class="skip" href="#main">Skip to the report</a>\n'
        f'<header class="wide"><p class="eyebrow">{escape(Path(made["source"]).name)} · {made["n_cases"]:,} cases · '
        f"{len(made['raters'])} raters</p>\n<h1>{escape(report.question)}</h1></header>\n"
        f'<main id="main" class="wide" tabindex="-1">\n{_answer(report)}\n'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n{body}\n</main>\n'
        f'<footer class="wide">Made by dxmatch {escape(made["versions"]["dxmatch"])}. This page fetches nothing.</footer>',
        script,
    )


def _document(title: str, body: str, script: str) -> str:
    style = css_variables() + _CSS.read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src {_quoted_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _quoted_hash(script: str) -> str:
    return f"'{_hash(script)}'" if script else "'none'"


def _answer(report: Report) -> str:
    """What was found, in words: of the algorithms and their panel, then of the other families."""
    blocks = [panel_words(report), *(section.words[:_FIRST_WORDS] for section in report.sections)]
    cards = "".join(
        f'<div class="answer">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</div>' for lines in blocks if lines
    )
    return f'<section aria-label="The answer" class="answers">{cards}</section>'


def _section(report: Report, section: Section, figures: list[Figure], charts: dict[str, str], marks: Marks) -> str:
    own = [drawn for drawn in figures if drawn.family == section.name]
    raters = marks.ordered([rater for drawn in own for rater in drawn.raters])
    drawn = "".join(figure(each, charts[each.name]) for each in own)
    return "\n".join(
        part
        for part in (
            key(marks, raters, COLOURS) if len(raters) > 1 else "",
            f'<div class="figures">{drawn}</div>' if drawn else "",
            panel_tables(report) if section.name == "relative" else family_tables(section),
            "".join(f"<p>{escape(line)}</p>" for line in section.words[_FIRST_WORDS:]),
            "".join(f'<p class="note">{escape(note)}</p>' for note in section.notes),
        )
        if part
    )


def _how_made(report: Report, missing_extra: bool) -> str:
    lines = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in made_with_lines(report))
    left_out = "".join(f"<li>{escape(spoken(name))}: {escape(reason)}</li>" for name, reason in report.left_out.items())
    notes = [*report.notes, *([_INSTALL] if missing_extra else [])]
    told = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return (
        f"<dl>{lines}</dl>"
        + (f'<h3>Left out</h3><ul class="findings">{left_out}</ul>' if left_out else "")
        + (f'<h3>Notes</h3><ul class="findings">{told}</ul>' if told else "")
    )
