"""The leaderboard as a table for a paper: LaTeX with booktabs, and Markdown."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import InputError
from ...files.wording import counted
from ...pages.words import in_markdown
from .contents import LEVEL, headline_table
from .document import Value
from .page import note_of
from .results import Results

_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    LEVEL: r"$\approx$", "≥": r"$\geq$", "–": "--", "−": r"$-$", "²": r"\textsuperscript{2}", "±": r"$\pm$",
    "\r": " ", "\n": " ", "\t": " ",
})  # fmt: skip


def latex(report: Results) -> str:
    """Writes a `table` with `booktabs`: the best in bold, its caption says what the marks are.

    Errors: `InputError` where there is nothing to show.
    """
    header, groups, caption = _cells(
        report, lambda text: text.translate(_LATEX), r"\textbf{%s}", r"%s {\scriptsize %s}"
    )
    body = [line for lines in groups for line in (r"\midrule", *(rf"{' & '.join(cells)} \\" for cells in lines))]
    return "\n".join([
        r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering", rf"\caption{{{caption}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule", rf"{' & '.join(header)} \\", *body,
        r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
    ])  # fmt: skip


def markdown(report: Results) -> str:
    """Writes a table in pipes, and below it what the marks are. Errors: as of `latex`."""
    header, groups, caption = _cells(report, in_markdown, "**%s**", "%s %s")
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *(cells for lines in groups for cells in lines)]
    return "\n".join([*(f"| {' | '.join(cells)} |" for cells in lines), "", caption, ""])


def _cells(
    report: Results, escaped: Callable[[str], str], bold: str, behind: str
) -> tuple[list[str], list[list[list[str]]], str]:
    """The header, the lines of each group and the caption of the leaderboard, as texts."""
    shown = headline_table(report)
    if shown is None:
        raise InputError("the report has no metric to make a table of", source=report.setup.opening)

    def text(cell: str | Value) -> str:
        if isinstance(cell, str):
            return escaped(cell)
        value, *more = map(escaped, cell.texts)
        value = bold % value if cell.strong else value
        return behind % (value, " ".join(more)) if more else value

    labels = [f"{c.label}: {c.name}" for c in report.board.columns if c.label not in (c.name, c.metric.symbol)]
    named = f"{'; '.join(labels)}." if labels else ""
    caption = " ".join(
        filter(None, ["; ".join(filter(None, [_cases(report), report.setup.match])) + ".", named, note_of(shown)])
    )
    groups = [[[text(cell) for cell in line] for line in lines] for _, lines in shown.groups]
    return [*map(text, shown.header)], groups, escaped(caption)


def _cases(report: Results) -> str:
    """`48 of 50 cases` or `46 to 48 of 50 cases`: those that the values shown are over."""
    rows = (row for column in report.board.columns for row in column.of_rater.values())
    counts = {row["n_cases"] for row in rows if row["value"] is not None} or {0}
    among = " to ".join(dict.fromkeys((f"{min(counts):,}", f"{max(counts):,}")))
    return f"{among} of {counted(len(report.cases), report.setup.cases)}"
