"""Runs side by side: the leaderboard, and who is not shown to be behind the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...pages.rows import Row

SIGNIFICANT = 0.05
OTHER_NOTES = (
    "n: of how many notes; where it differs the means rest on other notes, and the differences between runs say more."
)


@dataclass(frozen=True)
class Cell:
    """row : of `Reasoning.table`. best : the highest of all runs. level : not shown to be below it. uneven : the means of this
    metric rest on unlike numbers of notes."""

    row: Row
    best: bool = False
    level: bool = False
    uneven: bool = False

    @property
    def text(self) -> str:
        """`0.391 ± 0.189`, and ` (n = 12)` where runs differ in it."""
        if self.row["value"] is None:
            return "undefined"
        return f"{self.row['value']:.3f} ± {self.row['sd']:.3f}" + (
            f" (n = {self.row['n_notes']:,})" if self.uneven else ""
        )


@dataclass(frozen=True)
class Board:
    """columns : names of metrics. lines : (run, its cells), the best by the first of `placed_by` first."""

    columns: list[str]
    lines: list[tuple[str, list[Cell]]]
    placed_by: str
    compared: bool

    @property
    def uneven(self) -> bool:
        """Whether the means of some metric rest on unlike numbers of notes."""
        return any(cell.uneven for _, cells in self.lines for cell in cells)


def board_of(rows: Sequence[Row], differences: Sequence[Row], by: str = "all", group: str = "all") -> Board:
    """Of all notes, or of one domain or category. Runs stand by Acc_diag, of equal ones by Exp_all, then as they came."""
    own = [row for row in rows if row["by"] == by and row["group"] == group]
    columns = list(dict.fromkeys(row["name"] for row in own))
    found: dict[str, dict[str, Row]] = {}
    for row in own:
        found.setdefault(row["run"], {})[row["name"]] = row
    p = {}
    if by == "all":
        p = {(frozenset((row["first"], row["second"])), row["name"]): row["p_holm"] for row in differences}
    order = sorted(found, key=lambda run: tuple(-(_value(found[run], name) or 0.0) for name in ("Acc_diag", "Exp_all")))
    lines = [(run, [_cell(run, name, found, p) for name in columns]) for run in order]
    return Board(columns, lines, "Acc_diag", bool(p))


def _value(of_run: dict[str, Row], name: str) -> float | None:
    return of_run[name]["value"] if name in of_run else None


def _cell(
    run: str, name: str, found: dict[str, dict[str, Row]], p: dict[tuple[frozenset[str], str], float | None]
) -> Cell:  # fmt: skip
    row = found[run][name]
    uneven = len({of_run[name]["n_notes"] for of_run in found.values()}) > 1
    values = {other: value for other in found if (value := _value(found[other], name)) is not None}
    if len(values) < 2 or run not in values or len(set(values.values())) == 1:
        return Cell(row, uneven=uneven)
    highest = max(values.values())
    best = [other for other, value in values.items() if highest - value < 1e-12]
    if run in best:
        return Cell(row, best=True, uneven=uneven)
    shown = [p.get((frozenset((run, other)), name), 0.0) for other in best]
    level = bool(p) and any(one is None or one >= SIGNIFICANT for one in shown)
    return Cell(row, level=level, uneven=uneven)
