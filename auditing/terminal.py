"""An audit and an explanation on a terminal."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..pages.encodings import number
from ..pages.rows import Row
from ..terminal import wide_console
from ..training.correlated import dropped_words
from .results.audit_tables import DECIDED, AuditTables
from .results.decision import Decision
from .results.messages import signed, spanned


def print_audit(audit: AuditTables, console: Console | None = None) -> None:
    """The findings, a line for each feature, what was left out, notes."""
    console = console or wide_console()
    for lines in audit.words:
        for line in lines:
            console.print(escape(line), highlight=False)
        console.print()
    lost = {row["name"]: row for row in audit.permutation.to_pylist()}
    labelled = "ap_lost" in audit.permutation.column_names
    table = Table("feature", "known", "mean |contribution|", "average precision lost" if labelled else "decisions changed", title="Features")  # fmt: skip
    for column in table.columns[1:]:
        column.justify = "right"
    for row in audit.features.to_pylist():
        own = lost[row["feature"]]
        cost = spanned(own["ap_lost"], own["ap_lost_low"], own["ap_lost_high"]) if labelled else f"{own['flipped']:.1%}"
        table.add_row(escape(row["feature"]), f"{row['known']:.1%}", f"{row['strength']:.3f}", cost)
    console.print(table)
    if audit.alone is not None:
        _print_decided(
            console, "Each feature alone", "a match", audit.alone.to_pylist(), lambda row: (row["feature"], _rule(row))
        )
    if audit.voters is not None:
        _print_decided(
            console,
            "Which voters to ask",
            "voters",
            audit.voters.to_pylist(),
            lambda row: (f"{row['way']} ({row['yes']} of {row['n']} say yes)", row["voters"]),
        )
    if audit.dropped is not None:
        console.print(
            escape(dropped_words(audit.made_with["drop_correlated"], audit.dropped.to_pylist())), highlight=False
        )
    for what, why in audit.left_out.items():
        console.print(f"[yellow]Left out:[/yellow] {escape(what)}: {escape(why)}", highlight=False)
    for note in audit.notes:
        console.print(f"[yellow]Note:[/yellow] {escape(note)}", highlight=False)


def _rule(row: Row) -> str:
    return row["reason"] or (row["rule"] if row["threshold"] is None else f"{row['rule']} {row['threshold']:.3g}")


def _with_interval(row: Row, name: str) -> str:
    return spanned(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _print_decided(
    console: Console, title: str, second: str, rows: list[Row], of: Callable[[Row], tuple[str, str]]
) -> None:
    """A line for each of whoever says yes or no. of : its first two cells."""
    pairs = f"{rows[0]['pairs']:,} labelled pairs that differ, {rows[0]['matches']:,} matches" if rows else ""
    shown = {name: heading for name, heading in DECIDED.items() if name != "accuracy"}
    table = Table("", second, *shown.values(), title=f"{title} ({pairs})")
    for column in table.columns[2:]:
        column.justify, column.no_wrap = "right", True
    for row in rows:
        # of all intervals the one of F1: the others are in the page and the files
        cells = (_with_interval(row, name) if name == "f1" else number(row[name]) for name in shown)
        table.add_row(*map(escape, of(row)), *cells)
    console.print(table)


def print_explanation(explanation: Decision, console: Console | None = None) -> None:
    """The words, then a line for each feature."""
    console = console or wide_console()
    for line in explanation.words:
        console.print(escape(line), highlight=False)
    if explanation.identical:
        return
    table = Table("feature", "value", "log-odds", "says")
    for column in table.columns[1:3]:
        column.justify = "right"
    for part in explanation.parts:
        value = "unknown" if part.value is None else number(part.value)
        style = "green" if part.contribution > 0 else "red"
        table.add_row(
            escape(part.feature), value, f"[{style}]{signed(part.contribution)}[/{style}]", escape(part.label)
        )
    console.print(table)
