"""The report on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from ...pages.encodings import with_interval
from ..statistics.results import Results
from .messages import made_with_lines, match_line, summary
from .tables import Table, Value, overview, panel_tables


def print_report(report: Results, console: Console | None = None) -> None:
    """Words; every rater by every metric; RPAD and RRAD by k, comparisons, what they are made of; what was left out; notes."""
    console = console or Console()
    console.print(f"[bold]{escape(report.question)}[/bold]")
    console.print(f"[dim]{escape(match_line(report))}[/dim]", highlight=False)
    for line in report.warnings:
        console.print(f"  [yellow]Warning:[/yellow] {escape(line)}", highlight=False)
    for line in summary(report)[len(report.warnings) :]:
        console.print(f"  {escape(line)}", highlight=False)
    console.print()
    for shown in (overview(report), *panel_tables(report)):
        if shown is not None:
            console.print(_drawn(shown))
    for name, value in made_with_lines(report):
        console.print(f"[dim]{escape(name)}:[/dim] {escape(value)}", highlight=False)
    for name, reason in report.left_out.items():
        console.print(f"[yellow]Left out:[/yellow] {escape(name)}: {escape(reason)}", highlight=False)
    for note in [*(note for section in report.sections for note in section.notes), *report.notes]:
        console.print(f"[yellow]Note:[/yellow] {escape(note)}", highlight=False)


def _drawn(shown: Table) -> RichTable:
    table = RichTable(
        *map(escape, shown.header), title=escape(shown.title or shown.caption), caption=escape(shown.told)
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for heading, lines in shown.groups:
        if heading:
            table.add_row(f"[dim]{escape(heading)}[/dim]")
        for line in lines:
            table.add_row(*map(_cell, line))
        table.add_section()
    return table


def _cell(cell: str | Value) -> str:
    if isinstance(cell, str):
        return escape(cell)
    return "–" if cell.row is None else f"{with_interval(cell.row)} {cell.mark}".rstrip()
