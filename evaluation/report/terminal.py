"""A document on a terminal: in short, or all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table as RichTable

from ...files.wording import counted
from ...pages.terminal import wide_console
from .document import Block, Document, Folded, Table, Value
from .page import note_of

_WIDEST_NAME = 28
"""Of the first column where the others would not fit beside it; a longer name goes on below."""


def print_document(document: Document, console: Console | None, *, full: bool = False) -> None:
    """Prints the title, at most three findings, the answer, and of each part what is shown in brief; `full` prints everything."""
    console = console or wide_console()
    console.print(f"[bold]{escape(document.title)}[/bold]")
    console.print(f"[dim]{escape(document.opening)}[/dim]", highlight=False)
    for line in document.warnings:
        console.print(f"  [yellow]Finding:[/yellow] {escape(line)}", highlight=False)
    for line in (line for card in document.answer for line in card):
        console.print(f"  {escape(line)}", highlight=False)
    console.print()
    for part in document.parts:
        if full or part.brief:
            _print_blocks([block for block in part.blocks if full or not isinstance(block, Folded)], console)
    if full:
        for name, value in document.settings:
            console.print(f"[dim]{escape(name)}:[/dim] {escape(value)}", highlight=False)
        for line in document.notes:
            console.print(f"[yellow]Note:[/yellow] {escape(line)}", highlight=False)
    elif not all(part.brief for part in document.parts):
        more = f"{counted(len(document.notes), 'more finding')} and every" if document.notes else "Every"
        console.print(f"[dim]{more} other table: in the report as a page or a file, or printed in full.[/dim]")
    for name, reason in document.left_out:
        console.print(f"[dim]Left out: {escape(name)}: {escape(reason)}[/dim]", highlight=False)


def _print_blocks(blocks: Sequence[Block], console: Console) -> None:
    for block in blocks:
        if isinstance(block, str):
            console.print(escape(block), highlight=False)
        elif isinstance(block, Table):
            print_table(block, console)
        elif isinstance(block, Folded):
            _print_blocks(block.blocks, console)


def print_table(shown: Table, console: Console | None) -> None:
    """Prints one table: in one piece where it fits; else a few columns after the other."""
    console = console or wide_console()
    for columns in _pieces(shown, console):
        console.print(_drawn(shown, columns))
    if note := note_of(shown):
        console.print(f"[dim]{escape(note)}[/dim]", highlight=False)
    console.print()


def _pieces(shown: Table, console: Console) -> Iterator[list[int]]:
    """As many columns at a time as fit without breaking a word, at least one."""
    piece: list[int] = []
    for column in range(1, len(shown.header)):
        drawn = _drawn(shown, [*piece, column])
        if piece and Measurement.get(console, console.options.update(max_width=10_000), drawn).minimum > console.width:
            yield piece
            piece = []
        piece.append(column)
    yield piece


def _drawn(shown: Table, columns: Sequence[int]) -> RichTable:
    table = RichTable(box=box.SIMPLE_HEAD, title=escape(shown.title) or None, title_justify="left", pad_edge=False)
    table.add_column(escape(shown.header[0]), overflow="fold", max_width=_WIDEST_NAME)
    for column in columns:
        table.add_column(escape(shown.header[column]), overflow="fold", justify="left" if shown.sentences else "right")
    for heading, of in shown.groups:
        if heading:
            table.add_row(f"[dim]{escape(heading)}[/dim]")
        for line in of:
            table.add_row(*(_cell(line[column]) for column in (0, *columns)))
        table.add_section()
    return table


def _cell(cell: str | Value) -> str:
    """A value, its interval and its note, which may stand below each other: none of them has a blank but between words."""
    if isinstance(cell, str):
        return escape(cell)
    value, *behind = cell.texts
    words = [f"[bold]{value}[/bold]" if cell.strong else value, *(escape(text.replace(", ", ",")) for text in behind)]
    return " ".join(words)
