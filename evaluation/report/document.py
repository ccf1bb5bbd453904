"""What a page and a terminal show of a result, before it is drawn: sentences, tables, charts, in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...pages.figure import Figure
from ...pages.rows import Row
from ..read.findings import Finding


class Value(NamedTuple):
    """A cell that shows the value of a row with its interval; without a row, a dash.

    mark : a sign behind the value. strong : whether the value stands out. note : words below it.
    """

    row: Row | None
    mark: str = ""
    strong: bool = False
    note: str = ""


Line = Sequence[str | Value]


@dataclass(frozen=True)
class Table:
    """A table of texts and values.

    header : of the columns. groups : (heading or "", lines) each; the first cell of a line is its name.
    caption : its name, for those who hear it. title : above it, "" for none. note : above its figures.
    sentences : whether its cells are texts to be aligned to the left.
    """

    header: Sequence[str]
    groups: Sequence[tuple[str, Sequence[Line]]]
    caption: str
    title: str = ""
    note: str = ""
    sentences: bool = False


def rows_table(title: str, rows: Sequence[Row], columns: Mapping[str, str] | None = None) -> Table:
    """Makes a table of rows as they are. columns : key -> heading; all keys of the first row by default."""
    named = columns or {key: key.replace("_", " ") for key in rows[0]}
    first, *others = named
    lines = [[shown(row.get(first)), *(shown(row.get(key)) for key in others)] for row in rows]
    return Table(list(named.values()), [("", lines)], title, title, sentences=True)


def shown(value: object) -> str:
    """Writes a value of a table."""
    if value is None or value != value:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


class Definitions(NamedTuple):
    """(name, what it means, what a good value is) each."""

    entries: Sequence[tuple[str, str, str]]


class Folded(NamedTuple):
    """Blocks behind a line that opens; on paper they are open."""

    title: str
    blocks: Sequence[Block]


class Browser(NamedTuple):
    """Cases to look through. html : with the data that the script reads. script, style : joined to those of the page."""

    html: str
    script: str
    style: str


Block = str | Table | Figure | Definitions | Folded | Browser
"""A sentence, a table, a chart, …"""


class Part(NamedTuple):
    """A part of a document under a title.

    name : of its place in the page. folded : whether it opens when asked to. brief : its blocks that a terminal shows unasked.
    """

    name: str
    title: str
    blocks: Sequence[Block]
    folded: bool = False
    brief: Sequence[Block] = ()


@dataclass(frozen=True)
class Document:
    """A result to read.

    title : its question. opening : the line above it. answer : what was found, cards of sentences.
    findings : what its reader should know, by weight. parts : in order; those without blocks are left out.
    settings : how it was made, (what, value). left_out : (what, why).
    """

    title: str
    opening: str
    answer: Sequence[Sequence[str]]
    parts: Sequence[Part]
    findings: Sequence[Finding] = ()
    settings: Sequence[tuple[str, str]] = ()
    left_out: Sequence[tuple[str, str]] = ()
    footer: str = ""
