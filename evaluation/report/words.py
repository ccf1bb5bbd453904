"""The answer in sentences: who leads, by how much, and how sure that is."""

from __future__ import annotations

from ...files.wording import counted
from ...pages.encodings import with_interval
from ...pages.rows import Row
from ...pages.words import at_most, listed
from ..score.ranking import BY_M, undecided
from .board import Column
from .results import Results

_PANEL = {"RPAD": "how much they agree", "RRAD": "how often their lists meet"}
_ROUNDING = 1e-9
_MANY = 0.1
"""Of verdicts that rest on what is not understood: beyond it one figure would say more than is known."""


def answer(report: Results) -> list[str]:
    """Says what was found: of the algorithms against their panel where there is one, else against the right answers."""
    return _against_panel(report) or _who_leads(report)


def _against_panel(report: Results) -> list[str]:
    panels = report.raters.panels
    columns = [column for column in report.board.columns if column.metric.symbol in _PANEL]
    if not panels or not columns:
        return []
    judges = counted(len(next(iter(panels.values()))), "other rater" if report.raters.in_turn else "expert")
    opening = f"Over {counted(len(report.cases), 'case')} and {judges}; 1 is what they reach among themselves."
    return [opening, *map(_standing, columns)]


def _standing(column: Column) -> str:
    """Who lies where, the highest first; and who cannot be placed."""
    rows = sorted(column.of_rater.values(), key=lambda row: -(row["value"] or 0))
    each = [f"{row['algorithm']} {with_interval(row)}{_beside_1(row)}" for row in rows]
    return f"{column.name}, {_PANEL[column.metric.symbol]}: {'; '.join(at_most(each))}."


def _beside_1(row: Row) -> str:
    """Where the interval lies; of what is undefined why."""
    if row["value"] is None:
        return f": {row['reason']}"
    if row["low"] is None:
        return ""
    return (
        " (below 1)" if row["high"] < 1 - _ROUNDING else " (above 1)" if row["low"] > 1 + _ROUNDING else " (around 1)"
    )


def _who_leads(report: Results) -> list[str]:
    """Who is best by the first metric, how good that is, and who is not shown to be less."""
    board = report.board
    best = next(iter(board.algorithms), "")
    row = board.columns[0].of_rater.get(best) if board.columns else None
    if row is None or row["value"] is None:
        return []
    cases = counted(row["n_cases"], report.setup.cases)
    over = f" and {counted(row['n_prompts'], 'prompt')}, on average" if row.get("n_prompts") else ""
    first = row["metric"] == "Acc" and row["k"] == 1
    what = f"the first diagnosis of {best} is right in" if first else f"{best} reaches {row['name']}"
    value = _percent(row) if first else with_interval(row)
    if first and row["of"] == BY_M and report.evidence is not None:
        unsure = undecided(report.evidence, best) / row["n_cases"]
        if unsure > _MANY:
            value = f"{100 * row['value']:.0f} to {100 * (row['value'] + unsure):.0f} %, since what is said in {100 * unsure:.0f} % was not understood, or not read"
    return [f"Over {cases}{over}, {what} {value}{_beside(report)}."]


def _beside(report: Results) -> str:
    """What is known of the others beside the best."""
    column = report.board.columns[0]
    rest = [who for who in report.board.algorithms[1:] if column.value(who) is not None]
    # nobody is best where all are
    if others := column.best[1:] or (not column.best and rest) or column.level_with_best:
        says = "not shown to be worse" if others == column.level_with_best else "level"
        return f"; {listed(at_most(others))} {'is' if len(others) == 1 else 'are'} {says}"
    tested = column.best and report.difference_rows and report.raters.compared is None
    than = rest[0] if len(rest) == 1 else f"every other {report.setup.raters}"
    return f", better than {than}" if tested else ""


def _percent(row: Row) -> str:
    """`61.3 % [58.8, 63.9]`."""
    ends = "" if row["low"] is None else f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return f"{100 * row['value']:.1f} %{ends}"
