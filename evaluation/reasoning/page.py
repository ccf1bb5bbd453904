"""A comparison of reasoning as one page to read: warnings, runs, differences, domains, every note; the rest folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from ...files.counted import counted
from ...pages.blocks import Reasons, explained, figure, how_made, rows_table, script_chart, table, value_cell
from ...pages.document import Part, document, manners
from ...pages.figure import spec_of
from ...pages.renderer import Renderer
from ...pages.rows import Row
from ...pages.style import PAGE
from ...pages.templates import macros
from ...pages.words import listed, p_value
from ..metrics import REGISTRY
from .board import OTHER_NOTES, Board, Cell, board_of
from .charts import domain_figures, key_of
from .compared import JUDGE
from .figures import ALL, CATEGORY, DOMAIN
from .note_browser import note_browser
from .results import ReasoningResults

_HERE = Path(__file__).parent
_HTML = macros("reasoning.html.j2", _HERE)
_OPEN_PAIRS = 3


def page(result: ReasoningResults) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    figures, browser = domain_figures(result), note_browser(result)
    several = len(result.runs) > 1
    charts = _HTML.charts(
        _HTML.key(key_of(result)) if several else "",
        [Markup(figure(one, script_chart(one, spec_of(one, PAGE)))) for one in figures],
    )
    few = _HTML.quiet("Charts of the domains are drawn of two domains or more.") if any(result.domains) else ""
    return document(
        "Does the model reason as the physicians do?",
        _eyebrow(result),
        [answer(result)],
        [
            Part("runs", "Runs" if several else "In short", _board(result, result.board)),
            Part("differences", "Differences", _differences(result)),
            Part("domains", "Medical domains", charts + ("" if figures else few) + _groups(result, DOMAIN)),
            Part("agreement", "Who says what is alike", _agreement(result)),
            Part("notes", "Note by note", browser.html),
            Part("categories", "Disease categories", _groups(result, CATEGORY), True),
            Part("data", "The data", _data(result), True),
            Part("made", "How it was made", how_made(_made(result), [], result.notes)),
        ],
        f"Made by dxmatch {result.made_with['versions']['dxmatch']}.",
        "\n".join(filter(None, [manners(), Renderer().script() if figures else "", browser.script])),
        browser.style,
        warnings=result.warnings,
    )


def _eyebrow(result: ReasoningResults) -> str:
    made, categories = result.made_with, len(set(result.runs[0].categories))
    judge = f", and {made['judge']} as judge" if made["judge"] else ""
    return (
        f"{counted(len(result.runs[0].notes), 'note')} of {counted(categories, 'disease category', 'disease categories')} · "
        f"{counted(len(result.runs), 'run')} · texts compared by {made['matcher']}, alike from {made['threshold']:.3f} up{judge}"
    )


def answer(result: ReasoningResults) -> list[str]:
    """What was found, in sentences."""
    by_name = {(row["run"], row["name"]): row for row in result.rows if row["by"] == ALL}
    board = result.board
    if len(board.lines) > 1:
        return [
            *_first(board, board.placed_by, "The right discharge diagnosis is named", "of the notes"),
            *_first(board, "Exp_all", "Observations are common and explained alike", "of those of either side, by M"),
        ]
    run = board.lines[0][0]
    told = {symbol: by_name[run, symbol]["value"] for symbol in ("Acc_diag", "Obs_rec", "Obs_pre", "Exp_all")}
    words = {symbol: "an undefined share" if value is None else f"{value:.3f}" for symbol, value in told.items()}
    return [
        f"{run} names the right discharge diagnosis in {words['Acc_diag']} of the notes.",
        f"It finds {words['Obs_rec']} of the physicians' observations, and {words['Obs_pre']} of its own are theirs too (means of the notes, by M).",
        f"Of all observations of either side, {words['Exp_all']} are common and explained alike.",
    ]


def _first(board: Board, name: str, what: str, of: str) -> list[str]:
    """Who is first in a metric, and of whom it is not shown that he is behind."""
    place = board.columns.index(name)
    best = [(run, cells[place]) for run, cells in board.lines if cells[place].best]
    if not best:
        return [f"{what} equally often in all runs."] if board.lines[0][1][place].row["value"] is not None else []
    level = [run for run, cells in board.lines if cells[place].level]
    value = best[0][1].row["value"]
    told = f" Not shown to be behind: {listed(level)}." if level else ""
    return [f"{what} most often by {listed([run for run, _ in best])}: {value:.3f} {of}.{told}"]


def _board(result: ReasoningResults, board: Board) -> str:
    made = Markup().join(_by_judge(result, [("", run, cells) for run, cells in board.lines], "Means over all notes"))
    by_symbol = {metric.symbol: metric for metric in REGISTRY.values()}
    names = list(dict.fromkeys(cell.row["metric"] for cell in board.lines[0][1]))
    words = [(name, by_symbol[name].meaning, by_symbol[name].good) for name in names]
    level = f"{result.made_with['level']:.0%}"
    told = f"Mean over the notes ± deviation of the notes (of the population, as the source prints it), with the {level} interval of the mean."
    if board.compared:
        told += " Bold: the highest; =: not shown to be lower than the highest."
    if board.uneven:
        told += f" {OTHER_NOTES}"
    return Markup().join([made, _HTML.quiet(told), Markup(explained(words))])


def _cell(cell: Cell, reasons: Reasons) -> str:
    if cell.row["value"] is None:
        return value_cell(cell.row, reasons)
    return str(_HTML.value(cell.row, cell.best, cell.level, cell.uneven))


def _differences(result: ReasoningResults) -> str:
    pairs = dict.fromkeys((row["first"], row["second"]) for row in result.difference_rows)
    blocks = []
    for first, second in pairs:
        reasons = Reasons()
        lines = [
            [row["name"], value_cell(row, reasons, note=p_value(row["p_holm"])), f"{row['n_notes']:,}"]
            for row in result.difference_rows if (row["first"], row["second"]) == (first, second)
        ]  # fmt: skip
        title = f"{first} − {second}"
        blocks.append(_HTML.block(title, Markup(table(title, ["", "difference", "notes"], [("", lines)]) + reasons.html())))  # fmt: skip
    if not blocks:
        return ""
    folded = _HTML.closed(f"{len(blocks) - _OPEN_PAIRS:,} more pairs", _HTML.beside(blocks[_OPEN_PAIRS:]))
    return Markup().join([
        _HTML.quiet("On the same notes, first less second; p is corrected for the comparisons of each metric (Holm)."),
        _HTML.beside(blocks[:_OPEN_PAIRS]), folded if len(blocks) > _OPEN_PAIRS else "",
    ])  # fmt: skip


def _groups(result: ReasoningResults, by: str) -> Markup:
    names = list(dict.fromkeys(row["group"] for row in result.rows if row["by"] == by))
    order = [run for run, _ in result.board.lines]
    lines = []
    for name in names:
        cells = dict(board_of(result.rows, (), by, name).lines)
        told = f"{name} ({counted(_notes_of(result, by, name), 'note')})"
        for run in order:
            plain = [Cell(cell.row, uneven=cell.uneven) for cell in cells[run]]
            lines.append((told, run, plain) if len(order) > 1 else ("", told, plain))
    return Markup().join(_by_judge(result, lines, f"By {by}"))


def _by_judge(
    result: ReasoningResults, lines: Sequence[tuple[str, str, Sequence[Cell]]], caption: str
) -> Iterator[Markup]:  # fmt: skip
    """A table of what M says, with what needs nobody to say it; then one of what the judge says. lines : (group, name, cells)."""
    for judge in (False, True):
        reasons, groups = Reasons(), dict[str, list[list[str]]]()
        header: list[str] = []
        for group, name, cells in lines:
            own = [cell for cell in cells if (cell.row["judged_by"] == JUDGE) == judge]
            header = [cell.row["metric"] for cell in own]
            groups.setdefault(group, []).append([name, *(_cell(cell, reasons) for cell in own)])
        if header:
            told = f"Observations and rationales compared by {result.made_with['judge']}" if judge else ""
            made = table(caption, ["", *header], list(groups.items())) + reasons.html()
            yield _HTML.runs(told, Markup(made))


def _notes_of(result: ReasoningResults, by: str, name: str) -> int:
    held: Sequence[str | None] = result.domains if by == DOMAIN else result.runs[0].categories
    return sum(one == name for one in held)


def _agreement(result: ReasoningResults) -> str:
    if not result.agreement_rows:
        return ""
    lines = []
    for row in result.agreement_rows:
        kappa = {"value": row["kappa"], "low": row["kappa_low"], "high": row["kappa_high"]}
        accuracy = {"value": row["accuracy"], "low": row["low"], "high": row["high"]}
        lines.append([
            f"{row['question']}s: {row['who']} against {row['against']}",
            *(value_cell(one | {"reason": "both say the same of every pair"}, Reasons()) for one in (accuracy, kappa)),
            *(f"{row[name]:,}" for name in ("both", "who_alone", "against_alone", "neither", "pairs", "notes")),
        ])  # fmt: skip
    header = ["", "same verdict", "kappa", "both", "first alone", "second alone", "neither", "pairs", "notes"]  # fmt: skip
    return Markup(_HTML.quiet(
        "On single pairs of texts, before any one-to-one correspondence: the share on which the two say the same, kappa, and how many "
            "pairs are alike by both, by one alone, by neither. Against people it says how far the figures above can be "
        "believed; intervals are over notes, each with all its pairs."
    )) + Markup(table("Agreement", header, [("", lines)]))  # fmt: skip


def _data(result: ReasoningResults) -> Markup:
    shown: list[Row] = [
        row | {"group": f"{'· ' if row['by'] == 'category' else ''}{row['group']}"} for row in result.data_rows
    ]
    data = {
        "group": "", "categories": "categories", "notes": "notes", "diagnoses": "diagnoses |D|",
        "discharge_diagnoses": "discharge diagnoses |D*|", "observations": "observations |O|",
        "length": f"length ({result.made_with['length']})",
    }  # fmt: skip
    graphs = {name: name.replace("_", " ") for name in result.graph_rows[0]}
    return Markup().join([
        _HTML.block("Notes", Markup(rows_table("Notes", data, shown))),
        _HTML.block("Graphs", Markup(rows_table("Graphs", graphs, result.graph_rows))),
    ])  # fmt: skip


def _made(result: ReasoningResults) -> list[tuple[str, str]]:
    made = result.made_with
    nothing = {
        "zero": "counts as 0 in every metric, as in the source's program; so does 0 of 0 in a note",
        "own": "in no metric; of the others each metric is the mean over the notes in which it has something to divide by",
        "refuse": "would have been refused; 0 of 0 in a note counts as 0",
    }
    pairing = {
        "best": "one to one, of the greatest total probability (the source pairs greedily)",
        "greedy": "one to one, greedily, as in the source",
    }
    return [
        ("Texts compared by", f"{made['matcher']}, alike from {made['threshold']:.4g} up"),
        ("Judge", f"{made['judge']}, prompts {listed(made['judge_prompts'])}" if made["judge"] else "none"),
        ("A note without a prediction", nothing[made["missing"]]),
        ("Observations correspond", pairing[made["pairing"]]),
        ("Obs_pre, Obs_rec", "divided by the number of observations, as in the source's paper; its program divides by that number + 1"),
        ("Intervals", f"{made['level']:.0%}, {made['bootstrap']:,} resamples of the notes, seed {made['seed']}"),
        ("Graphs", made["graphs"]),
        *((f"Run {run}", f"{folder}, notes {made['annotations'][run]}") for run, folder in made["predictions"].items()),
        ("Made with", ", ".join(f"{name} {version}" for name, version in made["versions"].items())),
    ]  # fmt: skip
