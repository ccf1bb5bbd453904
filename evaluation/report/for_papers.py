"""The leaderboard, and the relative metrics as their source prints them, as tables for a paper: LaTeX with booktabs, and Markdown."""

from __future__ import annotations

from ...errors import InputError
from ...files.counted import counted
from ...pages.encodings import number
from ...pages.words import in_markdown
from ..statistics.by_model import by_model
from ..statistics.leaderboard import leaderboard
from ..statistics.results import Results
from .comparisons import LEVEL, headline_table
from .tables import Table, Value, as_printed

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    LEVEL: r"$\approx$", "≥": r"$\geq$", "–": "--", "−": r"$-$", "²": r"\textsuperscript{2}",
    "±": r"$\pm$",
}  # fmt: skip
_SPACES = dict.fromkeys("\r\n\t", " ")


def latex(report: Results) -> str:
    """A `table` with `booktabs`: the best in bold, its caption says what the marks are; a second one where there is a panel.

    Errors: `InputError` where there is nothing to show.
    """
    return "\n".join(["% needs \\usepackage{booktabs}", *(_latex_table(*table) for table in _tables(report))])


def _latex_table(shown: Table, caption: str) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_in_latex(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(shown.header) - 1)}}}",
        r"\toprule",
        f"{' & '.join(_in_latex(name) for name in shown.header)} \\\\",
    ]
    for _, rows in shown.groups:
        lines.append(r"\midrule")
        lines += [f"{' & '.join(map(_latex_cell, row))} \\\\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _latex_cell(cell: str | Value) -> str:
    if isinstance(cell, str):
        return _in_latex(cell)
    if cell.row is None or cell.row["value"] is None:
        return "--"
    value = rf"\textbf{{{number(cell.row['value'])}}}" if cell.strong else number(cell.row["value"])
    mark = "\\rlap{$^{\\approx}$}" if cell.mark == LEVEL else f" ${cell.mark}$" if cell.mark else ""
    ends = "" if cell.row["low"] is None else rf" {{\scriptsize [{cell.row['low']:.3f}, {cell.row['high']:.3f}]}}"
    return f"{value}{mark}{ends}{f' {_in_latex(cell.note)}' if cell.note else ''}"


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text.translate(str.maketrans(_SPACES)))


def markdown(report: Results) -> str:
    """Tables in pipes as of `latex`, and below each what the marks are.

    Errors: `InputError` where there is nothing to show.
    """
    return "\n".join(_markdown_table(*table) for table in _tables(report))


def _markdown_table(shown: Table, caption: str) -> str:
    lines = [_row([in_markdown(name) for name in shown.header]), _row(["---", *["---:"] * (len(shown.header) - 1)])]
    lines += [_row([_markdown_cell(cell) for cell in row]) for _, rows in shown.groups for row in rows]
    return "\n".join([*lines, "", in_markdown(caption), ""])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: str | Value) -> str:
    if isinstance(cell, str):
        return in_markdown(cell)
    if cell.row is None or cell.row["value"] is None:
        return "–"
    value = f"**{number(cell.row['value'])}**" if cell.strong else number(cell.row["value"])
    ends = "" if cell.row["low"] is None else f" \\[{cell.row['low']:.3f}, {cell.row['high']:.3f}\\]"
    return f"{value}{f' {cell.mark}' if cell.mark else ''}{ends}{f' {cell.note}' if cell.note else ''}"


def _tables(report: Results) -> list[tuple[Table, str]]:
    """Each with its caption."""
    shown, printed = headline_table(report), as_printed(report)
    if shown is None:
        raise InputError("the report has no metric to make a table of", source=report.made_with["source"])
    tables = [(shown, _caption(report, shown))]
    if printed is not None:
        tables.append((printed, " ".join([_opening(report, printed), printed.below])))
    return tables


def _cases(report: Results, shown: Table) -> str:
    """`50 cases`, `48 of 50 cases` or `46 to 48 of 50 cases`: those that the values shown are over."""
    cells = [cell for _, lines in shown.groups for line in lines for cell in line if isinstance(cell, Value)]
    counts = {cell.row["n_cases"] for cell in cells if cell.row is not None and cell.row["value"] is not None}
    every = report.made_with["n_cases"]
    fewest, most = min(counts, default=every), max(counts, default=every)
    among = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return counted(every, "case") if fewest == every else f"{among} of {counted(every, 'case')}"


def _caption(report: Results, shown: Table) -> str:
    """What the table is of, its metrics by their full names, and its marks."""
    named = [
        f"{c.label}: {c.name}"
        for c in leaderboard(by_model(report)).columns
        if c.label not in (c.name, c.metric.symbol)
    ]
    return " ".join(
        [_opening(report, shown), *([f"{'; '.join(named)}."] if named else []), *([shown.below] if shown.below else [])]
    )


def _opening(report: Results, shown: Table) -> str:
    made = report.made_with
    judged = [f"matches by {made['matcher']}"] + ([] if made["policy"] is None else [f"policy {made['policy']}"])
    return f"{_cases(report, shown)}; {', '.join(judged)}."
