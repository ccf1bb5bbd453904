"""A document as one HTML page, and as the cell of a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from ...pages import document as pages
from ...pages.figure import Figure, spec_of
from ...pages.renderer import Renderer
from ...pages.style import PAGE
from ...pages.templates import json_in_html, macros
from ...stats.intervals import ALIKE, NOT_ASKED
from ..read.findings import SHOWN
from ..statistics.estimates import NO_INTERVAL
from .document import Block, Browser, Definitions, Document, Folded, Table, Value, rows_table

_HTML = macros("blocks.html.j2")
_CELL = macros("notebook.html.j2", Path(__file__).parent)
_MOST_ROWS = 300


def page(document: Document) -> str:
    """Draws a whole HTML document. Every text from the data is escaped."""
    blocks = list(_every_block(block for part in document.parts for block in part.blocks))
    browsers = [block for block in blocks if isinstance(block, Browser)]
    charts = any(isinstance(block, Figure) for block in blocks)
    above = [one.sentence for one in document.findings if not one.is_note]
    below = above[SHOWN:] + [one.sentence for one in document.findings if one.is_note]
    left_out = [f"{what}: {why}" for what, why in document.left_out]
    parts = [pages.Part(part.name, part.title, _drawn(part.blocks, document), part.folded) for part in document.parts]
    if document.settings or below or left_out:
        parts.append(pages.Part("made", "How it was made", _HTML.how_made(document.settings, left_out, below)))
    scripts = [pages.manners(), *([Renderer().script()] if charts else []), *(one.script for one in browsers)]
    return pages.document(
        document.title, document.opening, document.answer, parts, document.footer, warnings=above[:SHOWN], script="\n".join(scripts),
        style="".join(one.style for one in browsers),
    )  # fmt: skip


def figures_of(document: Document) -> list[Figure]:
    """Gives every chart of a document, in its order."""
    blocks = _every_block(block for part in document.parts for block in part.blocks)
    return [block for block in blocks if isinstance(block, Figure)]


def _every_block(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Folded):
            yield from _every_block(block.blocks)


def _drawn(blocks: Sequence[Block], document: Document) -> Markup:
    made = []
    for charts, run in groupby(blocks, lambda block: isinstance(block, Figure)):
        several = list(run)
        made += [_charts(several, document)] if charts else [_block(one, document) for one in several]
    return Markup().join(made)


def _block(block: Block, document: Document) -> Markup:
    if isinstance(block, str):
        return _HTML.paragraph(block)
    if isinstance(block, Table):
        return draw_table(block)
    if isinstance(block, Definitions):
        return _HTML.explained(block.entries)
    if isinstance(block, Folded):
        return _HTML.closed(block.title, _drawn(block.blocks, document), block.printed)
    return Markup(block.html) if isinstance(block, Browser) else Markup()


def _charts(blocks: Sequence[Block], document: Document) -> Markup:
    """Charts that stand together, under one key of who is who."""
    figures = [block for block in blocks if isinstance(block, Figure)]
    raters = {rater for drawn in figures for rater in drawn.series}
    entries = [entry for rater, entry in document.key.items() if rater in raters]
    drawn = []
    for one in figures:
        data = replace(rows_table(one.title, one.rows, one.columns), title="")
        drawn.append(_HTML.figure(one, json_in_html(spec_of(one, PAGE)), draw_table(data)))
    return _HTML.figures(_HTML.key(entries) if len(entries) > 1 else "", drawn)


def draw_table(shown: Table) -> Markup:
    """Draws a table, with the reasons for what is undefined below it."""
    reasons: dict[str, int] = {}

    def cell(content: str | Value) -> str:
        if not isinstance(content, Value):
            return content
        row = content.row
        why = row.get("reason") if row is not None and row["value"] is None else None
        number = reasons.setdefault(why, len(reasons) + 1) if why else 0
        return _HTML.value(row, number, content.mark, content.strong, content.note)

    cut = sum(len(lines) for _, lines in shown.groups) > _MOST_ROWS
    groups = [
        (heading, [[cell(content) for content in line] for line in lines[: _MOST_ROWS if cut else None]])
        for heading, lines in shown.groups
    ]
    made = _HTML.table(shown.caption, shown.header, groups, shown.sentences) + _HTML.reasons(reasons)
    note = f"{note_of(shown)} The first {_MOST_ROWS} rows; the JSON has all.".lstrip() if cut else note_of(shown)
    return _HTML.titled(shown.title, note, made, shown.warning)


def note_of(shown: Table) -> str:
    """Gives the note of a table, and why values have no interval."""
    cells = (cell for _, lines in shown.groups for line in lines for cell in line if isinstance(cell, Value))
    reasons = [cell.row.get("reason") or "" for cell in cells if cell.row is not None]
    whys = dict.fromkeys(reason.partition(NO_INTERVAL)[2] for reason in reasons if NO_INTERVAL in reason)
    told = [why for why in whys if why != NOT_ASKED]
    told.sort(key=lambda why: why != ALIKE)
    return f"{shown.note} Without an interval: {'; '.join(told[:3])}.".lstrip() if told else shown.note


def notebook_cell(document: Document) -> str:
    """Draws findings, the answer and the first table: HTML that needs nothing from outside, in any theme."""
    blocks = [block for part in document.parts for block in part.blocks]
    tables = (draw_table(block) for block in blocks if isinstance(block, Table))
    entries = (block.entries for block in blocks if isinstance(block, Definitions))
    above = [one.sentence for one in document.findings if not one.is_note][:SHOWN]
    lines = [line for card in document.answer for line in card]
    return str(_CELL.report(document.title, document.opening, above, lines, next(tables, ""), next(entries, ())))
