"""The report on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...pages.encodings import number, with_interval
from ..statistics.results import Results
from ..statistics.section import Section
from .messages import interval_of, made_with_lines, place_of, summary
from .overview import headline_rows

_STYLE = {None: "", -1: "red", 0: "", 1: "green"}


def print_report(report: Results, console: Console | None = None) -> None:
    """Words; RPAD and RRAD by k, what they are made of, comparisons; the other families; what was left out; notes."""
    console = console or Console()
    console.print(f"[bold]{escape(report.question)}[/bold]")
    for line in summary(report):
        console.print(f"  {escape(line)}", highlight=False)
    console.print()
    for section in report.sections:
        if section.name != "relative":
            console.print(_family(report, section))
            continue
        metrics = {row["metric"] for row in section.rows}
        if {"RPAD", "RRAD"} <= metrics:
            console.print(_by_k(report))
        console.print(_parts(report))
        if report.comparison_rows:
            console.print(_comparisons(report))
    for name, value in made_with_lines(report):
        console.print(f"[dim]{escape(name)}:[/dim] {escape(value)}", highlight=False)
    for name, reason in report.left_out.items():
        console.print(f"[yellow]Left out:[/yellow] {escape(name)}: {escape(reason)}", highlight=False)
    for note in [*(note for section in report.sections for note in section.notes), *report.notes]:
        console.print(f"[yellow]Note:[/yellow] {escape(note)}", highlight=False)


def _family(report: Results, section: Section) -> Table:
    """Raters by metrics, at k."""
    lines = headline_rows(report, section)
    raters = list(dict.fromkeys(rater for of in lines.values() for rater in of))
    table = Table("metric", *map(escape, raters), title=escape(section.title))
    for column in table.columns[1:]:
        column.justify = "right"
    for name, of in lines.items():
        table.add_row(escape(name), *(with_interval(of[rater]) if rater in of else "–" for rater in raters))
    return table


def _by_k(report: Results) -> Table:
    level = f"{report.made_with['level']:.0%} interval"
    table = Table(
        "algorithm", "k", "RPAD", level, "RRAD", level, title=f"Relative to the panel (hardness {report.hardness:g})"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for algorithm in report.algorithms:
        for k in sorted({row["k"] for row in report.rows if row["k"]}):
            cells = []
            for metric in ("RPAD", "RRAD"):
                row = report.row(metric, algorithm=algorithm, k=k)
                style = _STYLE[place_of(row)]
                cells += [number(row["value"]), Text(interval_of(row), style)]
            table.add_row(escape(algorithm), str(k), *cells, style="bold" if k == report.k else "")
        table.add_section()
    return table


_PARTS = (
    ("P_opt", ""), ("P_avg", ""), ("R_opt", ""), ("R_avg", ""),
    ("P", "AE mean"), ("P", "EE mean"), ("R", "AE mean"), ("R", "EE mean"), ("kappa", "AE mean"), ("kappa", "EE mean"),
    ("sigma_A", "P"), ("sigma_E", "P"), ("sigma_A", "R"), ("sigma_E", "R"), ("sigma_A", "kappa"), ("sigma_E", "kappa"),
)  # fmt: skip


def _parts(report: Results) -> Table:
    of = {(r["algorithm"], r["metric"], r["of"]): r for r in report.rows if r["k"] in (report.k, None)}
    table = Table(
        "metric",
        *map(escape, report.algorithms),
        title=f"What it is made of, at k = {report.k} (AE: algorithm with expert, EE: expert with expert)",
    )
    for metric, part in _PARTS:
        rows = [row for algorithm in report.algorithms if (row := of.get((algorithm, metric, part)))]
        if rows:
            table.add_row(escape(rows[0]["name"]), *(number(row["value"]) for row in rows))
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _comparisons(report: Results) -> Table:
    level = f"{report.made_with['level']:.0%} interval"
    table = Table("first", "second", "metric", "difference", level, title="Differences, on the same resamples")
    for row in report.comparison_rows:
        table.add_row(
            escape(row["first"]), escape(row["second"]), row["name"], number(row["value"]), Text(interval_of(row))
        )
    for column in table.columns[3:]:
        column.justify = "right"
    return table
