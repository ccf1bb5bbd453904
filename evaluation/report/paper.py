"""The leaderboard, and the relative metrics as their source prints them, as tables for a paper: LaTeX with booktabs, and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import InputError
from ...files.counted import counted
from ...pages.encodings import number
from ...pages.words import in_markdown
from .document import Table, Value
from .page import note_of
from .tables import LEVEL, as_printed, headline_table

if TYPE_CHECKING:
    from .results import Results

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    LEVEL: r"$\approx$", "≥": r"$\geq$", "–": "--", "−": r"$-$", "²": r"\textsuperscript{2}", "±": r"$\pm$",
    "\r": " ", "\n": " ", "\t": " ",
}  # fmt: skip


def latex(report: Results) -> str:
    """Writes a `table` with `booktabs`: the best in bold, its caption says what the marks are; a second one where there is a panel.

    Errors: `InputError` where there is nothing to show.
    """
    return "\n".join(["% needs \\usepackage{booktabs}", *(_latex_table(*made) for made in _tables(report))])


def _latex_table(shown: Table, caption: str) -> str:
    def row(cells: Sequence[str | Value]) -> str:
        made = (_cell(cell, _in_latex, "--", r"\textbf{%s}", r" {\scriptsize [%.3f, %.3f]}") for cell in cells)
        return " & ".join(made) + r" \\"

    body = [line for _, lines in shown.groups for line in (r"\midrule", *map(row, lines))]
    return "\n".join([
        r"\begin{table}", r"\centering", rf"\caption{{{_in_latex(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(shown.header) - 1)}}}", r"\toprule", row(shown.header), *body,
        r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
    ])  # fmt: skip


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def markdown(report: Results) -> str:
    """Writes tables in pipes as of `latex`, and below each what the marks are.

    Errors: `InputError` where there is nothing to show.
    """
    return "\n".join(_markdown_table(*made) for made in _tables(report))


def _markdown_table(shown: Table, caption: str) -> str:
    def row(cells: Sequence[str | Value]) -> str:
        made = (_cell(cell, in_markdown, "–", "**%s**", r" \[%.3f, %.3f\]") for cell in cells)
        return f"| {' | '.join(made)} |"

    rule = f"| {' | '.join(['---', *['---:'] * (len(shown.header) - 1)])} |"
    return "\n".join(
        [row(shown.header), rule, *(row(line) for _, of in shown.groups for line in of), "", in_markdown(caption), ""]
    )


def _cell(cell: str | Value, escaped: Callable[[str], str], none: str, bold: str, ends: str) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    if cell.row is None or cell.row["value"] is None:
        return none
    value = bold % number(cell.row["value"]) if cell.strong else number(cell.row["value"])
    interval = "" if cell.row["low"] is None else ends % (cell.row["low"], cell.row["high"])
    return " ".join(
        filter(None, [value + (f" {escaped(cell.mark)}" if cell.mark else "") + interval, escaped(cell.note)])
    )


def _tables(report: Results) -> list[tuple[Table, str]]:
    """Each with its caption."""
    shown, printed = headline_table(report), as_printed(report)
    if shown is None:
        raise InputError("the report has no metric to make a table of", source=report.setup.opening)
    labels = [f"{c.label}: {c.name}" for c in report.board.columns if c.label not in (c.name, c.metric.symbol)]
    named = f" {'; '.join(labels)}." if labels else ""
    opening = f"{_cases(report, shown)}; {report.setup.match}".strip("; ")
    made = [(shown, f"{opening}.{named} {note_of(shown)}".strip())]
    return made if printed is None else [*made, (printed, f"{opening}. {note_of(printed)}")]


def _cases(report: Results, shown: Table) -> str:
    """`50 cases`, `48 of 50 cases` or `46 to 48 of 50 cases`: those that the values shown are over."""
    cells = [cell for _, lines in shown.groups for line in lines for cell in line if isinstance(cell, Value)]
    counts = {cell.row["n_cases"] for cell in cells if cell.row is not None and cell.row["value"] is not None}
    every = counted(len(report.cases), report.setup.cases)
    fewest, most = min(counts, default=len(report.cases)), max(counts, default=len(report.cases))
    among = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return every if fewest == len(report.cases) else f"{among} of {every}"
