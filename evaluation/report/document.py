"""What a page and a terminal show of a result, before it is drawn: sentences, tables, charts, in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...pages.encodings import number, shown
from ...pages.figure import Figure
from ...pages.rows import Row
from ..read.findings import SHOWN, Finding


class Value(NamedTuple):
    """A cell that shows the value of a row with its interval; without a row, a dash.

    mark : a sign behind the value. strong : whether the value stands out. note : words below it.
    """

    row: Row | None
    mark: str = ""
    strong: bool = False
    note: str = ""

    @property
    def texts(self) -> list[str]:
        """Its value, and behind it its mark, interval and note, as far as they are there."""
        if self.row is None:
            return ["–"]
        known = self.row["value"] is not None and self.row.get("low") is not None
        interval = f"[{self.row['low']:z.3f}, {self.row['high']:z.3f}]" if known else ""
        return [number(self.row["value"]), *filter(None, (self.mark, interval, self.note))]


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
    lines = [[shown(row.get(key)) for key in named] for row in rows]
    return Table(list(named.values()), [("", lines)], title, title, sentences=True)


class Folded(NamedTuple):
    """Blocks behind a line that opens; on paper they are open."""

    title: str
    blocks: Sequence[Block]


class Browser(NamedTuple):
    """Cases to look through. html : with the data that the script reads. script, style : joined to those of the page."""

    html: str
    script: str
    style: str


Block = str | Table | Figure | Folded | Browser
"""A sentence, a table, a chart, …"""


class Part(NamedTuple):
    """A part of a document under a title.

    name : of its place in the page. folded : whether it opens when asked to. brief : whether a terminal shows it unasked.
    """

    name: str
    title: str
    blocks: Sequence[Block]
    folded: bool = False
    brief: bool = False


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

    @property
    def blocks(self) -> list[Block]:
        """Those of all parts."""
        return [block for part in self.parts for block in part.blocks]

    @property
    def warnings(self) -> list[str]:
        """The findings that stand above the figures."""
        return [one.sentence for one in self.findings if not one.is_note][:SHOWN]

    @property
    def notes(self) -> list[str]:
        """All other findings."""
        return [one.sentence for one in self.findings if one.sentence not in self.warnings]
