"""The answer in sentences: who leads, by how much, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...files.counted import counted
from ...pages.encodings import with_interval
from ...pages.rows import Row
from ...pages.words import listed
from .board import Column

if TYPE_CHECKING:
    from .results import Results

_PANEL = {"RPAD": "how much they agree", "RRAD": "how often their lists meet"}
_SIDES = {
    1: "above 1 for",
    0: "around 1 (the interval includes it) for",
    -1: "below 1 for",
    None: "without an interval",
}
_ROUNDING = 1e-9


def answer(report: Results) -> list[str]:
    """Says what was found: of the algorithms against their panel where there is one, else against the right answers."""
    return _against_panel(report) or _who_leads(report)


def place_of(row: Row) -> int | None:
    """Tells where the interval lies: below 1 (-1), around it (0), above it (1); None without one."""
    if row["low"] is None:
        return None
    return -1 if row["high"] < 1 - _ROUNDING else 1 if row["low"] > 1 + _ROUNDING else 0


def _against_panel(report: Results) -> list[str]:
    panels = report.raters.panels
    columns = [column for column in report.board.columns if column.metric.symbol in _PANEL]
    if not panels or not columns:
        return []
    judges = counted(len(next(iter(panels.values()))), "other rater" if report.raters.in_turn else "expert")
    opening = f"Over {counted(len(report.cases), 'case')} and {judges}; 1 is what they reach among themselves."
    return [opening, *map(_standing, columns)]


def _standing(column: Column) -> str:
    """Who lies above, about and below 1, the highest first; and who cannot be placed."""
    rows = sorted(column.of_rater.values(), key=lambda row: -(row["value"] or 0))
    known = [row for row in rows if row["value"] is not None]
    parts = [
        f"{says} {listed(there)}"
        for place, says in _SIDES.items()
        if (there := [f"{row['algorithm']} {with_interval(row)}" for row in known if place_of(row) == place])
    ]
    parts += [f"{row['algorithm']} undefined: {row['reason']}" for row in rows if row["value"] is None]
    return f"{column.name}, {_PANEL[column.metric.symbol]}: {'; '.join(parts)}."


def _who_leads(report: Results) -> list[str]:
    """Who is best by the first metric, how good that is, and who is not shown to be less."""
    board = report.board
    best = next(iter(board.algorithms), "")
    row = board.columns[0].of_rater.get(best) if board.columns else None
    if row is None or row["value"] is None:
        return []
    cases = counted(row["n_cases"], report.setup.cases)
    over = f" and {counted(row['n_prompts'], 'prompt')}, on average" if row.get("n_prompts") else ""
    found = f"{best} reaches {row['name']} {with_interval(row)}"
    if row["metric"] == "Acc" and row["k"] == 1:
        found = f"the first diagnosis of {best} is right in {_percent(row)}"
        wider = next(
            (one for c in board.columns[1:] if (one := c.of_rater.get(best)) is not None and one["metric"] == "Acc"),
            None,
        )
        if wider is not None and wider["value"] is not None:
            found += f" and one of its first {wider['k']} in {_percent(wider)}"
    return [f"Over {cases}{over}, {found}{_beside(report)}."]


def _beside(report: Results) -> str:
    """What is known of the others beside the best."""
    board, who = report.board, report.setup.raters
    column, others = board.columns[0], len(board.algorithms) - 1
    if not others or not column.best:
        return ""
    if len(column.best) > 1:
        return f"; {column.best[1]} is level" if len(column.best) == 2 else f"; {len(column.best)} are level"
    if not report.difference_rows or report.raters.compared is not None:
        return f", the best of {counted(others + 1, who)}"
    if not column.level_with_best:
        than = "less than" if column.metric.lower_is_better else "more than"
        return f", {than} the other {who}" if others == 1 else f", {than} each of the other {others} {who}s"
    are = "is" if len(column.level_with_best) == 1 else "are"
    return f"; {listed(column.level_with_best)} {are} not shown to be worse"


def _percent(row: Row) -> str:
    """`61.3 % [58.8, 63.9]`."""
    ends = "" if row["low"] is None else f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return f"{100 * row['value']:.1f} %{ends}"
