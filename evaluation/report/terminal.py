"""The report on a terminal: in short, or all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table as RichTable

from ...files.counted import counted
from ...pages.encodings import number, with_interval
from ...terminal import wide_console
from ..statistics.by_model import by_model
from ..statistics.leaderboard import leaderboard
from ..statistics.results import Results
from .comparisons import difference_tables, explanations, headline_table, subgroup_tables, variants_table
from .messages import answer, judge_lines, made_with_lines, match_line
from .tables import Table, Value, every_metric, panel_tables, prompts_tables

_FIRST = (28, 20, 14)
"""How wide the names of a table may be where it is narrow, the best first."""


def print_report(report: Results, console: Console | None = None, *, full: bool = False) -> None:
    """Warnings, the answer, the leaderboard and what its metrics mean, differences in them; where the rest is.

    full : all metrics, tables, words, and how it was made.
    """
    console = console or wide_console()
    console.print(f"[bold]{escape(report.question)}[/bold]")
    if report.made_with["recognised"]:
        console.print(f"[dim]Read as {escape(report.made_with['recognised'])}.[/dim]", highlight=False)
    console.print(f"[dim]{escape(match_line(report))}[/dim]", highlight=False)
    for line in report.warnings:
        console.print(f"  [yellow]Warning:[/yellow] {escape(line)}", highlight=False)
    for line in answer(report):
        console.print(f"  {escape(line)}", highlight=False)
    console.print()
    shown, of_board = headline_table(report), leaderboard(by_model(report))
    if shown is not None:
        _print(shown, console)
        for name, meaning, good in explanations(of_board):
            console.print(f"[dim]{escape(name)}: {escape(f'{meaning} {good}'.strip())}[/dim]", highlight=False)
        console.print()
    (differences, more_differences), (groups, more_groups) = difference_tables(report), subgroup_tables(report)
    if not full:
        differences = [_first_only(table) for table in differences]
    for table in (*differences, *groups):
        _print(table, console)
    for line in () if full else judge_lines(report):
        console.print(escape(line), highlight=False)
    if full:
        _print_all(report, console, [*more_differences, *more_groups])
    else:
        left = len({row["name"] for row in report.rows} - of_board.names)
        if variants := variants_table(report):
            count = sum(len(lines) for _, lines in variants.groups)
            console.print(
                f"[dim]Each of the {count:,} raters on its own: in the report as a page or a file, or printed in full.[/dim]"
            )
        more = [counted(left, "more metric")] if left else []
        more += [counted(len(report.notes), "note")] if report.notes else []
        if more:
            console.print(f"[dim]{' and '.join(more)}: in the report as a page or a file, or printed in full.[/dim]")
        if report.left_out:
            console.print(f"[dim]Left out, for want of data: {', '.join(report.left_out)}.[/dim]", highlight=False)


def print_table(shown: Table, console: Console | None = None) -> None:
    """One table, folded to the width of the terminal."""
    _print(shown, console or wide_console())


def _first_only(shown: Table) -> Table:
    """Of several metrics the first."""
    groups = [(heading, [line[:2] for line in lines]) for heading, lines in shown.groups]
    return replace(shown, title=f"Differences in {shown.header[1]}", header=shown.header[:2], groups=groups)


def _print_all(report: Results, console: Console, more: list[Table]) -> None:
    for section in report.sections:
        for line in section.words:
            console.print(escape(line), highlight=False)
    variants = variants_table(report)
    for shown in (
        *([variants] if variants else []),
        *more,
        *every_metric(report),
        *prompts_tables(report),
        *panel_tables(report),
    ):
        _print(shown, console)
    for name, value in made_with_lines(report):
        console.print(f"[dim]{escape(name)}:[/dim] {escape(value)}", highlight=False)
    for name, reason in report.left_out.items():
        console.print(f"[yellow]Left out:[/yellow] {escape(name)}: {escape(reason)}", highlight=False)
    for note in [*(note for section in report.sections for note in section.notes), *report.notes]:
        console.print(f"[yellow]Note:[/yellow] {escape(note)}", highlight=False)


def _print(shown: Table, console: Console) -> None:
    """What warns, then in one piece where it fits; else with values above their intervals; else a few columns after the other."""
    if shown.warns:
        console.print(f"[yellow]{escape(shown.warns)}[/yellow]", highlight=False)
    for first in (0, *_FIRST):
        drawn = _drawn(shown, range(1, len(shown.header)), first)
        if _fits(drawn, console):
            console.print(drawn)
            break
    else:
        for columns in _pieces(shown, console):
            console.print(_drawn(shown, columns, _FIRST[0]))
    if shown.below:
        console.print(f"[dim]{escape(shown.below)}[/dim]", highlight=False)
    console.print()


def _pieces(shown: Table, console: Console) -> Iterator[list[int]]:
    """As many columns at a time as fit, at least one."""
    piece: list[int] = []
    for column in range(1, len(shown.header)):
        if piece and not _fits(_drawn(shown, [*piece, column], _FIRST[0]), console):
            yield piece
            piece = []
        piece.append(column)
    yield piece


def _fits(drawn: RichTable, console: Console) -> bool:
    return Measurement.get(console, console.options.update(max_width=10_000), drawn).maximum <= console.width


def _drawn(shown: Table, columns: range | list[int], narrow: int) -> RichTable:
    """narrow : the width of the names, with each interval under its value; 0 is as wide as it comes."""
    below = narrow > 0
    table = RichTable(
        box=box.SIMPLE_HEAD, title=escape(shown.title) or None, title_justify="left", pad_edge=False,
        padding=(0, 1, 0, 0) if below else (0, 1),
    )  # fmt: skip
    names = [str(line[0]) for _, lines in shown.groups for line in lines]
    widest = max(map(len, [*names, shown.header[0], *(heading for heading, _ in shown.groups)]), default=0)
    table.add_column(escape(shown.header[0]), overflow="fold", width=min(widest, narrow or widest))
    for column in columns:
        width = max([_widest(line[column], below) for _, lines in shown.groups for line in lines], default=1)
        head = shown.header[column]
        longest = max(map(len, head.split()), default=1)
        table.add_column(
            escape(head),
            overflow="fold",
            justify="right",
            width=max(width, min(longest, 12)) if below else max(width, len(head)),
        )
    for heading, lines in shown.groups:
        if heading:
            table.add_row(f"[dim]{escape(heading)}[/dim]")
        for line in lines:
            table.add_row(*(_cell(line[column], below) for column in (0, *columns)))
        table.add_section()
    return table


def _widest(cell: str | Value, below: bool) -> int:
    return max(map(len, _text(cell, below).split("\n")))


def _text(cell: str | Value, below: bool) -> str:
    if isinstance(cell, str):
        return cell
    if cell.row is None:
        return "–"
    value = f"{number(cell.row['value'])} {cell.mark}".rstrip()
    if cell.row["value"] is None or cell.row.get("low") is None:
        parts = [value, cell.note]
    elif below:
        to = "–" if cell.row["low"] >= 0 else " to "
        parts = [value, f"{cell.row['low']:.3f}{to}{cell.row['high']:.3f}", cell.note]
    else:
        parts = [f"{with_interval(cell.row)} {cell.mark}".rstrip(), cell.note]
    return ("\n" if below else "  ").join(part for part in parts if part)


def _cell(cell: str | Value, below: bool) -> str:
    text = escape(_text(cell, below))
    if isinstance(cell, Value) and cell.strong:
        value, end, rest = text.partition("\n" if below else " ")
        return f"[bold]{value}[/bold]{end}{rest}"
    return text
