"""The blocks of a page: tables and charts. Every text is escaped here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from .figure import Figure, Spec

_MOST_ROWS = 300


@dataclass
class Reasons:
    """Why values are undefined: numbered below a table, each once."""

    found: dict[str, int] = field(default_factory=dict)

    def mark(self, reason: str) -> str:
        """`undefined` with the number of its reason."""
        note = f"<sup>{self.found.setdefault(reason, len(self.found) + 1)}</sup>" if reason else ""
        return f'<span class="undefined">undefined</span>{note}'

    def html(self) -> str:
        items = "".join(f"<li>{escape(reason)}</li>" for reason in self.found)
        return f'<ol class="reasons">{items}</ol>' if items else ""


def value_cell(row: Mapping[str, Any] | None, reasons: Reasons, mark: str = "") -> str:
    """A value over its interval, as HTML. `mark` is text that goes behind the value."""
    if row is None:
        return "–"
    if row["value"] is None:
        return reasons.mark(row.get("reason") or "")
    interval = "" if row.get("low") is None else f'<span class="ci">[{row["low"]:.3f}, {row["high"]:.3f}]</span>'
    return f"{row['value']:.3f}{f' <span class=mark>{mark}</span>' if mark else ''}{interval}"


def table(
    caption: str, header: Sequence[str], groups: Iterable[tuple[str, Sequence[Sequence[str]]]], *, text: bool = False
) -> str:
    """A table that scrolls by itself and can be reached by keyboard.

    header : texts. groups : (heading or "", rows); the first cell of a row is a text, the others are HTML.
    """
    body = []
    for heading, rows in groups:
        lines = [
            f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for first, *cells in rows
        ]
        if heading:
            lines.insert(0, f'<tr><th scope="rowgroup" colspan="{len(header)}">{escape(heading)}</th></tr>')
        body.append(f"<tbody>{''.join(lines)}</tbody>")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table{' class=text' if text else ''}><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead>{''.join(body)}</table></div>"
    )


def shown(value: Any) -> str:
    """A value of a data table, escaped."""
    if value is None or value != value:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else escape(str(value))


def rows_table(caption: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as they are; long tables are cut, and say so."""
    if len(rows) > _MOST_ROWS:
        caption = f"{caption} (the first {_MOST_ROWS} of {len(rows):,} rows; the JSON has all)"
    first, *others = columns
    lines = [[str(row.get(first, "")), *(shown(row.get(key)) for key in others)] for row in list(rows)[:_MOST_ROWS]]
    return table(caption, list(columns.values()), [("", lines)])


def figure(drawn: Figure, chart: str) -> str:
    """A chart with its finding in words, and its data behind it. chart : HTML."""
    note = f'<p class="note">{escape(drawn.note)}</p>' if drawn.note else ""
    return (
        f'<figure id="{escape(drawn.name)}"><figcaption>{escape(drawn.title)}</figcaption>{chart}{note}'
        f"<details><summary>The data of this chart</summary>{rows_table(drawn.title, drawn.columns, drawn.rows)}"
        "</details></figure>"
    )


def script_chart(drawn: Figure, spec: Spec) -> str:
    """The place where the page's script draws the chart, and the specification that it reads."""
    name = escape(drawn.name)
    return (
        f'<div class="chart" role="img" aria-label="{escape(drawn.finding)}">'
        f'<div data-chart="{name}-spec"><p>{escape(drawn.finding)}</p></div></div>'
        f'<script type="application/json" id="{name}-spec">{json_in_html(spec)}</script>'
    )


def json_in_html(value: Any) -> str:
    """JSON that no HTML parser can take for markup."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def how_made(lines: Iterable[tuple[str, str]], left_out: Sequence[str], notes: Sequence[str]) -> str:
    """How a report was made: (what, value) each, what was left out and why, and what its reader should know."""
    told = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in lines)
    return f"<dl>{told}</dl>" + _list("Left out", left_out) + _list("Notes", notes)


def _list(heading: str, items: Sequence[str]) -> str:
    lines = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f'<h3>{heading}</h3><ul class="findings">{lines}</ul>' if lines else ""
