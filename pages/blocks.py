"""The blocks of a page: tables and charts, as HTML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from .figure import Figure, Spec
from .templates import macros

_MAX_ROWS = 300
_NO_MARKUP = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_HTML = macros("blocks.html.j2")


@dataclass
class Reasons:
    """Why values are undefined: numbered below a table, each once."""

    found: dict[str, int] = field(default_factory=dict)

    def number(self, reason: str) -> int:
        """The number of a reason, from 1; 0 for none."""
        return self.found.setdefault(reason, len(self.found) + 1) if reason else 0

    def html(self) -> str:
        return str(_HTML.reasons(self.found))


def value_cell(
    row: Mapping[str, Any] | None, reasons: Reasons, mark: str = "", strong: bool = False, note: str = ""
) -> str:
    """A value over its interval, as HTML. `mark` goes behind the value, `note` below; a `strong` value stands out."""
    reason = row.get("reason") or "" if row is not None and row["value"] is None else ""
    return str(_HTML.value(row, reasons.number(reason), mark, strong, note))


def table(
    caption: str, header: Sequence[str], groups: Iterable[tuple[str, Sequence[Sequence[str]]]], *, text: bool = False
) -> str:
    """A table that scrolls by itself, says so where it must, and can be reached by keyboard, as HTML.

    Parameters
    ----------
    caption : str
        Read out, not shown.
    header : sequence of str
        Texts.
    groups : iterable of (heading or "", rows)
        The first cell of a row is a text, the others are HTML.
    text : bool
        Whether the cells are sentences, to be aligned to the left.
    """
    marked = [(heading, [[row[0], *map(Markup, row[1:])] for row in rows]) for heading, rows in groups]
    return str(_HTML.table(caption, header, marked, text))


def shown(value: Any) -> str:
    """A value of a data table, as HTML."""
    if value is None or value != value:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(escape(value))


def rows_table(caption: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as they are, as HTML; long tables are cut, and say so. columns : key -> heading."""
    if len(rows) > _MAX_ROWS:
        caption = f"{caption} (the first {_MAX_ROWS} of {len(rows):,} rows; the JSON has all)"
    first, *others = columns
    lines = [[str(row.get(first, "")), *(shown(row.get(key)) for key in others)] for row in rows[:_MAX_ROWS]]
    return table(caption, list(columns.values()), [("", lines)])


def figure(drawn: Figure, chart: str) -> str:
    """A chart with its finding in words, and its data behind it. chart : HTML."""
    return str(_HTML.figure(drawn, Markup(chart), Markup(rows_table(drawn.title, drawn.columns, drawn.rows))))


def script_chart(drawn: Figure, spec: Spec) -> str:
    """The place where the page's script draws the chart, and the specification that it reads."""
    return str(_HTML.chart(drawn, Markup(json_in_html(spec))))


def json_in_html(value: Any) -> str:
    """JSON that no HTML parser can take for markup."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_NO_MARKUP)


def explained(entries: Iterable[tuple[str, str, str]]) -> str:
    """(name, what it means, what a good value is) each, as a list of definitions."""
    return str(_HTML.explained(entries))


def how_made(lines: Iterable[tuple[str, str]], left_out: Sequence[str], notes: Sequence[str]) -> str:
    """How a report was made: (what, value) each, what was left out and why, and what its reader should know."""
    return str(_HTML.how_made(lines, left_out, notes))
