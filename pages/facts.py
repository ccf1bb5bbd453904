"""A few facts as HTML, for a cell of a notebook: in any theme, with nothing from outside, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

_ROW = Markup('<tr><th style="text-align:left;font-weight:600">{}</th><td style="text-align:left">{}</td></tr>')


def facts(title: str, rows: Iterable[tuple[str, str]], words: Iterable[str] = ()) -> str:
    """A title, a table of names and values, and sentences below it."""
    table = Markup("").join(_ROW.format(name, value) for name, value in rows)
    below = Markup("").join(Markup("<p>{}</p>").format(line) for line in words)
    return Markup("<div><p><strong>{}</strong></p>{}{}</div>").format(
        title, Markup("<table>{}</table>").format(table) if table else "", below
    )
