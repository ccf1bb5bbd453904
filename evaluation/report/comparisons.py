"""The tables that compare: the leaderboard, differences between algorithms, and subgroups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

from ...files.counted import counted
from ...pages.rows import Row
from ...pages.words import p_value
from ..statistics.averages import AVERAGES
from ..statistics.by_model import by_model, spread_note
from ..statistics.leaderboard import SIGNIFICANT, Leaderboard, leaderboard
from ..statistics.results import Results
from ..statistics.subgroups import FEW
from .charts.marks import Marks, marks_of
from .tables import Table, Value

LEVEL = "≈"
OVER_PROMPTS = (
    "Of a model under several prompts the mean over the prompts, each the mean over its repeats; "
    "±: the population standard deviation over the prompts (of one prompt: over its repeats)."
)
_MOST_PAIRS, _MOST_COLUMNS = 45, 6


def headline_table(report: Results) -> Table | None:
    """A line for each algorithm, the best first, and for each expert who is judged by the same metrics.

    A model that came under several prompts is one line, its mean over prompts; `variants_table` has them.
    """
    return _headline(by_model(report))


def variants_table(report: Results) -> Table | None:
    """The leaderboard with a line for each model under each prompt in each repeat; None where there are no such."""
    shown = None if by_model(report) is report else _headline(report)
    if shown is None:
        return None
    return replace(shown, title="Every prompt and repeat", caption="Every prompt and repeat")


def _headline(report: Results) -> Table | None:
    board = leaderboard(report)
    if not board.columns:
        return None
    groups = [("", [_line(board, rater) for rater in board.algorithms])]
    if board.others:
        groups.append(("the experts, for orientation", [_line(board, rater) for rater in board.others]))
    header = ["", *(column.label for column in board.columns)]
    if report.made_with.get("groups"):
        header.insert(1, "group")
        groups = [
            (title, [[line[0], report.group_of(str(line[0])) or "", *line[1:]] for line in lines])
            for title, lines in groups
        ]
    return Table("", headline_note(report, board), "Leaderboard", header, groups)


def _line(board: Leaderboard, rater: str) -> list[str | Value]:
    cells = (
        Value(
            row := column.of_rater.get(rater),
            LEVEL if rater in column.level_with_best else "",
            rater in column.best,
            spread_note(row),
        )
        for column in board.columns
    )
    return [rater, *cells]


def headline_note(report: Results, board: Leaderboard) -> str:
    """What stands in the leaderboard beside the numbers."""
    made = report.made_with
    told = (
        [f"{made['level']:.0%} intervals over {counted(made['bootstrap'], 'resample')} of the cases."]
        if made["bootstrap"]
        and any(row["low"] is not None for column in board.columns for row in column.of_rater.values())
        else []
    )
    if any(row.get("n_prompts") for column in board.columns for row in column.of_rater.values()):
        told.insert(0, OVER_PROMPTS)
    if any(column.best for column in board.columns):
        told.append("Bold: the highest value.")
    if any(column.level_with_best for column in board.columns):
        pairs = {frozenset((row["first"], row["second"])) for row in report.difference_rows}
        untested = ", or not tested" if len(pairs) < comb(len(board.algorithms), 2) else ""
        told.append(
            f"{LEVEL}: not shown to be less than the highest (paired permutation test, p ≥ {SIGNIFICANT:g} after Holm's correction{untested})."
        )
    return " ".join(told)


def explanations(board: Leaderboard) -> list[tuple[str, str, str]]:
    """(name, what it means, what a good value is) of each metric of the leaderboard, each metric once."""
    names: dict[str, list[str]] = {}
    for column in board.columns:
        same = column.label in (column.name, column.metric.symbol)
        shown = column.label if same else f"{column.label} ({column.name})"
        names.setdefault(column.metric.symbol, []).append(shown)
    metrics = {column.metric.symbol: column.metric for column in board.columns}
    return [
        (", ".join(names[symbol]), metric.meaning or metric.description, metric.good)
        for symbol, metric in metrics.items()
    ]


def difference_tables(report: Results) -> tuple[list[Table], list[Table]]:
    """Those of the leaderboard's metrics; and those of all others."""
    board = leaderboard(report)
    first, rest = [], []
    for row in report.difference_rows:
        (first if row["name"] in board.names else rest).append(row)
    of_board = [column.name for column in board.columns]
    first.sort(key=lambda row: of_board.index(row["name"]))
    labels = {column.name: column.label for column in board.columns}
    head = _differences(report, first, labels)
    names = list(dict.fromkeys(row["name"] for row in rest))
    others = [
        _differences(report, [row for row in rest if row["name"] in names[at : at + _MOST_COLUMNS]], {})
        for at in range(0, len(names), _MOST_COLUMNS)
    ]
    return [head] if head else [], [made for made in others if made]


def _differences(report: Results, rows: Sequence[Row], labels: dict[str, str]) -> Table | None:
    """A line for each two algorithms, whoever is better first, or as they were named; a column for each metric."""
    if not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in rows))
    named = dict.fromkeys(rater for row in rows for rater in (row["first"], row["second"]))
    # a model that is compared by its mean over prompts is no rater, and keeps its side
    order = dict.fromkeys(
        [*(one for one in named if one not in report.made_with["raters"]), *marks_of(report).ordered(named)]
    )
    place = {rater: at for at, rater in enumerate(order)}
    of: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        turned = row if report.made_with.get("compared") or place[row["first"]] < place[row["second"]] else _turned(row)
        of.setdefault((turned["first"], turned["second"]), {})[row["name"]] = turned
    pairs = sorted(of, key=lambda pair: (place[pair[0]], place[pair[1]]))
    lines: list[list[str | Value]] = [
        [f"{one} − {other}", *(_difference(of[one, other].get(name)) for name in names)]
        for one, other in pairs[:_MOST_PAIRS]
    ]
    counts = sorted({row["n_comparisons"] for row in rows if row.get("n_comparisons")})
    among = f" for the {counted(counts[-1], 'comparison')} of each metric" if counts and counts[-1] > 1 else ""
    told = f"On the same cases, with the interval and the p of a paired permutation test, corrected{among} by Holm."
    if len(pairs) > _MOST_PAIRS:
        told += f" The first {_MOST_PAIRS} of {len(pairs)} pairs; the files have all."
    header = ["", *(labels.get(name, name) for name in names)]
    return Table("", told, f"Differences in {', '.join(names[:3])}", header, [("", lines)])


def _turned(row: Row) -> Row:
    """Second less first."""
    value, low, high = (None if row[part] is None else 0.0 - row[part] for part in ("value", "high", "low"))
    return row | {"first": row["second"], "second": row["first"], "value": value, "low": low, "high": high}


def _difference(row: Row | None) -> Value:
    p = row["p_holm"] if row is not None else None
    return Value(row, strong=p is not None and p < SIGNIFICANT, note=p_value(p))


def subgroup_tables(report: Results) -> tuple[list[Table], list[Table]]:
    """For each column of groups, that of the leaderboard's first metric; and those of its other metrics.

    A model that came under several prompts is one column, its mean over prompts.
    """
    models = by_model(report)
    board, marks = leaderboard(models), marks_of(models)
    first, rest = [], []
    for by in dict.fromkeys(row["by"] for row in report.subgroup_rows):
        for place, column in enumerate(board.columns):
            rows = [row for row in models.subgroup_rows if row["by"] == by and row["name"] == column.name]
            if rows:
                (rest if place else first).append(_groups(by, column.label, rows, marks))
            rows = [row for row in report.subgroup_difference_rows if row["by"] == by and row["name"] == column.name]
            if rows:
                (rest if place else first).append(_differences_of_groups(by, column.label, rows))
    return first, rest


def _differences_of_groups(by: str, label: str, rows: Sequence[Row]) -> Table:
    """A line for each group, its number of cases, a column for each pair."""
    pairs = list(dict.fromkeys((row["first"], row["second"]) for row in rows))
    of: dict[str, dict[tuple[str, str], Row]] = {}
    for row in rows:
        of.setdefault(_named(row["group"]), {})[row["first"], row["second"]] = row
    lines: list[list[str | Value]] = [
        [group, f"{max(row['n_cases'] for row in by_pair.values()):,}", *(_difference(by_pair.get(p)) for p in pairs)]
        for group, by_pair in of.items()
    ]
    title = f"Differences in {label} by {by.replace('_', ' ')}"
    header = [by.replace("_", " "), "cases", *(f"{one} − {other}" for one, other in pairs)]
    return Table(title, "", title, header, [("", lines)])


def _named(group: str | None) -> str:
    return "not given" if group is None else str(group)


def _groups(by: str, label: str, rows: Sequence[Row], marks: Marks) -> Table:
    """A line for each group, its number of cases, a column for each rater."""
    raters = marks.ordered(row["algorithm"] for row in rows)
    of: dict[str, dict[str, Row]] = {}
    for row in rows:
        of.setdefault(_named(row["group"]), {})[row["algorithm"]] = row
    lines: list[list[str | Value]] = [
        [
            group,
            f"{max(row['n_cases'] for row in by_rater.values()):,}",
            *(Value(row := by_rater.get(r), note=spread_note(row)) for r in raters),
        ]
        for group, by_rater in of.items()
    ]
    title = f"{label} by {by.replace('_', ' ')}"
    sizes = [
        max(row["n_cases"] for row in by_rater.values()) for group, by_rater in of.items() if group not in AVERAGES
    ]
    small = sum(size < FEW for size in sizes)
    warns = ""
    if small:
        groups = "1 group has" if small == 1 else f"{small:,} of {len(sizes):,} groups have"
        warns = f"{groups} fewer than {FEW} cases: too few to tell models apart."
    told = OVER_PROMPTS if any(row.get("n_prompts") for row in rows) else ""
    return Table(title, told, title, [by.replace("_", " "), "cases", *raters], [("", lines)], warns)
