"""An audit and an explanation on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..pages.encodings import number
from .results.audit_tables import AuditTables
from .results.decision import Decision
from .results.messages import signed, spanned


def print_audit(audit: AuditTables, console: Console | None = None) -> None:
    """The findings, a line for each feature, what was left out, notes."""
    console = console or Console()
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
    for what, why in audit.left_out.items():
        console.print(f"[yellow]Left out:[/yellow] {escape(what)}: {escape(why)}", highlight=False)
    for note in audit.notes:
        console.print(f"[yellow]Note:[/yellow] {escape(note)}", highlight=False)


def print_explanation(explanation: Decision, console: Console | None = None) -> None:
    """The words, then a line for each feature."""
    console = console or Console()
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
