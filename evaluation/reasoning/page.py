"""A comparison of reasoning as one page to read: warnings, runs, differences, domains, every note; the rest folded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from ...pages.blocks import Reasons, explained, figure, how_made, rows_table, script_chart, table, value_cell
from ...pages.document import Part, document, manners
from ...pages.figure import spec_of
from ...pages.renderer import Renderer
from ...pages.rows import Row
from ...pages.style import PAGE
from ...pages.templates import macros
from ...pages.words import counted, listed, p_value
from ..metrics import REGISTRY
from .board import Board, Cell, board_of
from .charts import domain_figures, key_of
from .figures import ALL, CATEGORY, DOMAIN
from .note_browser import note_browser
from .result import Reasoning

_HERE = Path(__file__).parent
_HTML = macros("reasoning.html.j2", _HERE)
_OPEN_PAIRS = 3


def page(result: Reasoning) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    figures, browser = domain_figures(result), note_browser(result)
    several = len(result.runs) > 1
    charts = _HTML.charts(
        _HTML.key(key_of(result)) if several else "",
        [Markup(figure(one, script_chart(one, spec_of(one, PAGE)))) for one in figures],
    )
    return document(
        "Does the model reason as the physicians do?",
        _eyebrow(result),
        [answer(result)],
        [
            Part("runs", "Runs" if several else "In short", _board(result, result.board)),
            Part("differences", "Differences", _differences(result)),
            Part("domains", "Medical domains", charts + _groups(result, DOMAIN)),
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


def _eyebrow(result: Reasoning) -> str:
    made, categories = result.made_with, len(set(result.runs[0].categories))
    judge = f", and {made['judge']} as judge" if made["judge"] else ""
    return (
        f"{counted(len(result.runs[0].notes), 'note')} of {counted(categories, 'disease category', 'disease categories')} · "
        f"{counted(len(result.runs), 'run')} · texts compared by {made['matcher']}, alike from {made['threshold']:.3f} up{judge}"
    )


def answer(result: Reasoning) -> list[str]:
    """What was found, in sentences."""
    by_name = {(row["run"], row["name"]): row for row in result.rows if row["by"] == ALL}
    board = result.board
    if len(board.lines) > 1:
        place = board.columns.index(board.placed_by)
        best = [run for run, cells in board.lines if cells[place].best]
        level = [run for run, cells in board.lines if cells[place].level]
        lines = []
        if best:
            value = by_name[best[0], board.placed_by]["value"]
            lines.append(
                f"{listed(best)} {'names' if len(best) == 1 else 'name'} the right discharge diagnosis most often: {value:.3f} of the notes."
            )
            if level:
                lines.append(
                    f"It is not shown that {listed(level)} {'does' if len(level) == 1 else 'do'} so less often."
                )
        else:
            lines.append("All runs name the right discharge diagnosis equally often.")
        return lines
    run = board.lines[0][0]
    told = {symbol: by_name[run, symbol]["value"] for symbol in ("Acc_diag", "Obs_rec", "Obs_pre", "Exp_all")}
    words = {symbol: "an undefined share" if value is None else f"{value:.3f}" for symbol, value in told.items()}
    return [
        f"{run} names the right discharge diagnosis in {words['Acc_diag']} of the notes.",
        f"It finds {words['Obs_rec']} of the physicians' observations, and {words['Obs_pre']} of its own are theirs too (means of the notes, by M).",
        f"Of all observations of either side, {words['Exp_all']} are common and explained alike.",
    ]


def _board(result: Reasoning, board: Board) -> str:
    reasons = Reasons()
    lines = [[run, *(_cell(cell, reasons) for cell in cells)] for run, cells in board.lines]
    made = Markup(table("Means over all notes", ["", *board.columns], [("", lines)]) + reasons.html())
    if len(board.lines) == 1:
        lines = [[name, _cell(cell, reasons)] for name, cell in zip(board.columns, board.lines[0][1], strict=True)]
        made = Markup(table("Means over all notes", ["", board.lines[0][0]], [("", lines)]) + reasons.html())
    by_symbol = {metric.symbol: metric for metric in REGISTRY.values()}
    names = list(dict.fromkeys(cell.row["metric"] for cell in board.lines[0][1]))
    words = [(name, by_symbol[name].meaning, by_symbol[name].good) for name in names]
    level = f"{result.made_with['level']:.0%}"
    told = f"Mean over the notes ± deviation of the notes (of the population, as the source prints it), with the {level} interval of the mean."
    if board.compared:
        told += " Bold: the highest; =: not shown to be lower than the highest."
    return Markup().join([made, _HTML.quiet(told), Markup(explained(words))])


def _cell(cell: Cell, reasons: Reasons) -> str:
    if cell.row["value"] is None:
        return value_cell(cell.row, reasons)
    return str(_HTML.value(cell.row, cell.best, cell.level))


def _differences(result: Reasoning) -> str:
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


def _groups(result: Reasoning, by: str) -> Markup:
    names = list(dict.fromkeys(row["group"] for row in result.rows if row["by"] == by))
    if not names:
        return Markup()
    reasons, groups = Reasons(), []
    columns: list[str] = []
    for name in names:
        board = board_of(result.rows, (), by, name)
        columns = board.columns
        order = [run for run, _ in result.board.lines]
        lines = [[run, *(_cell(Cell(cell.row), reasons) for cell in cells)] for run, cells in sorted(board.lines, key=lambda line: order.index(line[0]))]  # fmt: skip
        groups.append((f"{name} ({counted(_notes_of(result, by, name), 'note')})", lines))
    return Markup(table(f"By {by}", ["", *columns], groups) + reasons.html())


def _notes_of(result: Reasoning, by: str, name: str) -> int:
    held: Sequence[str | None] = result.domains if by == DOMAIN else result.runs[0].categories
    return sum(one == name for one in held)


def _agreement(result: Reasoning) -> str:
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


def _data(result: Reasoning) -> Markup:
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


def _made(result: Reasoning) -> list[tuple[str, str]]:
    made = result.made_with
    nothing = {
        "zero": "counts as 0 in every metric, as in the source's program; so does 0 of 0 in a note",
        "own": "each metric is the mean over the notes in which it has something to divide by",
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
