"""A document as one HTML page, and as the cell of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from ...pages import document as pages
from ...pages.figure import Figure, spec_of
from ...pages.renderer import charts_script
from ...pages.style import PAGE
from ...pages.templates import json_in_html, macros
from ...stats.intervals import NOT_ASKED
from .document import Block, Browser, Document, Folded, Table, Value, rows_table

_HTML = macros("blocks.html.j2")
_CELL = macros("notebook.html.j2", Path(__file__).parent)
_MOST_ROWS = 300


def page(document: Document) -> str:
    """Draws a whole HTML document. Every text from the data is escaped."""
    browsers = [block for block in document.blocks if isinstance(block, Browser)]
    left_out = [f"{what}: {why}" for what, why in document.left_out]
    parts = [pages.Part(part.name, part.title, _drawn(part.blocks), part.folded) for part in document.parts]
    if document.settings or document.notes or left_out:
        made = _HTML.how_made(document.settings, left_out, document.notes)
        parts.append(pages.Part("made", "How it was made", made))
    drawing = [charts_script()] if figures_of(document) else []
    scripts = [pages.manners(), *drawing, *(one.script for one in browsers)]
    return pages.document(
        document.title, document.opening, document.answer, parts, document.footer, warnings=document.warnings, script="\n".join(scripts),
        style="".join(one.style for one in browsers),
    )  # fmt: skip


def figures_of(document: Document) -> list[Figure]:
    """Gives every chart of a document, in its order."""
    return [block for block in document.blocks if isinstance(block, Figure)]


def _drawn(blocks: Sequence[Block]) -> Markup:
    """Draws blocks, charts that stand together side by side."""
    made: list[Markup] = []
    for charts, run in groupby(blocks, lambda block: isinstance(block, Figure)):
        drawn = [_block(block) for block in run]
        made += [_HTML.figures(drawn)] if charts else drawn
    return Markup().join(made)


def _block(block: Block) -> Markup:
    if isinstance(block, str):
        return _HTML.paragraph(block)
    if isinstance(block, Table):
        return draw_table(block)
    if isinstance(block, Folded):
        return _HTML.closed(block.title, _drawn(block.blocks))
    if isinstance(block, Figure):
        data = replace(rows_table(block.title, block.rows, block.columns), title="")
        return _HTML.figure(block, json_in_html(spec_of(block, PAGE)), draw_table(data))
    return Markup(block.html)


def draw_table(shown: Table) -> Markup:
    """Draws a table."""

    def cell(content: str | Value) -> str:
        return _HTML.value(*content) if isinstance(content, Value) else content

    groups = [(heading, [[*map(cell, line)] for line in lines[:_MOST_ROWS]]) for heading, lines in shown.groups]
    made = _HTML.table(shown.caption, shown.header, groups, shown.sentences)
    cut = any(len(lines) > _MOST_ROWS for _, lines in shown.groups)
    note = f"{note_of(shown)} The first {_MOST_ROWS} rows; the JSON has all.".lstrip() if cut else note_of(shown)
    return _HTML.titled(shown.title, note, made)


def note_of(shown: Table) -> str:
    """Gives the note of a table, and why values are undefined or have no interval."""
    cells = (cell for _, lines in shown.groups for line in lines for cell in line if isinstance(cell, Value))
    reasons = dict.fromkeys(cell.row.get("reason") or "" for cell in cells if cell.row is not None)
    told = [reason for reason in reasons if reason and NOT_ASKED not in reason]
    return " ".join([shown.note, *(f"{one[:1].upper()}{one[1:]}." for one in told)]).strip()


def notebook_cell(document: Document) -> str:
    """Draws findings, the answer and the first table: HTML that needs nothing from outside, in any theme."""
    tables = (draw_table(block) for block in document.blocks if isinstance(block, Table))
    lines = [line for card in document.answer for line in card]
    return str(_CELL.report(document.title, document.opening, document.warnings, lines, next(tables, "")))
