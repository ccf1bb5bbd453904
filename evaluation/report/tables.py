"""The tables of a report: the leaderboard, differences, subgroups, every metric, and what families bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING

from ...files.counted import counted
from ...pages.rows import Row
from ...pages.words import p_value
from ..statistics.subgroups import AVERAGES, FEW
from .board import SIGNIFICANT, Leaderboard
from .document import Line, Table, Value, rows_table
from .words import place_of

if TYPE_CHECKING:
    from .results import Family, Results

LEVEL = "≈"
OVER_PROMPTS = (
    "Of a model under several prompts the mean over the prompts, each the mean over its repeats; "
    "±: the population standard deviation over the prompts (of one prompt: over its repeats)."
)
HEADLINES = ("RPAD", "RRAD")
_BESIDE_1 = {None: "", -1: "▼", 0: "", 1: "▲"}
_PRINTED = ("P_avg", "P_opt", "R_avg", "R_opt")
_MOST_PAIRS, _MOST_COLUMNS = 45, 6
_NOT_AS_TABLES = ("prompt_values", "curves", "pairs", "disagreements", "plane", "notes", "deductions", "answers")


def spread_note(row: Row | None) -> str:
    """Gives `± 0.019`, the deviation over prompts; of one prompt that over its repeats, named; "" where there is none."""
    if row is None or row["value"] is None:
        return ""
    if row.get("sd_prompts") is not None:
        return f"± {row['sd_prompts']:.3f}"
    return f"± {row['sd_repeats']:.3f} (repeats)" if row.get("sd_repeats") is not None else ""


def headline_table(report: Results) -> Table | None:
    """Makes a line for each algorithm, the best first, and for each expert who is judged by the same metrics.

    A model that came under several prompts is one line, its mean over prompts.
    """
    board = report.board
    if not board.columns:
        return None
    groups: list[tuple[str, list[Line]]] = [("", [_line(report, rater) for rater in board.algorithms])]
    if board.others:
        groups.append(("the experts, for orientation", [_line(report, rater) for rater in board.others]))
    header = ["", *(["group"] if report.raters.groups else []), *(column.label for column in board.columns)]
    return Table(header, groups, "Leaderboard", note=_headline_note(report))


def _line(report: Results, rater: str) -> Line:
    cells: list[str | Value] = [rater, *([report.raters.groups.get(rater, "")] if report.raters.groups else [])]
    for column in report.board.columns:
        row = column.of_rater.get(rater)
        note = spread_note(row)
        if report.setup.deviations and row is not None and row.get("sd") is not None:
            note = f"± {row['sd']:.3f}"
        if column.uneven and row is not None and row["value"] is not None:
            note = f"{note} n = {row['n_cases']:,}".lstrip()
        cells.append(Value(row, LEVEL if rater in column.level_with_best else "", rater in column.best, note))
    return cells


def _headline_note(report: Results) -> str:
    board, resampling, cases = report.board, report.setup.resampling, report.setup.cases
    rows = [row for column in board.columns for row in column.of_rater.values()]
    told = []
    if any(row.get("n_prompts") for row in rows):
        told.append(OVER_PROMPTS)
    if report.setup.deviations:
        told.append(f"±: the population standard deviation of the {cases}s.")
    if resampling.repeats and any(row["low"] is not None for row in rows):
        told.append(f"{resampling.level:.0%} intervals over {counted(resampling.repeats, 'resample')} of the {cases}s.")
    if any(column.uneven for column in board.columns):
        told.append(
            f"n: of how many {cases}s; where it differs, values rest on other {cases}s, and differences say more."
        )
    if any(column.best for column in board.columns):
        told.append("Bold: the best value.")
    if any(column.level_with_best for column in board.columns):
        pairs = {frozenset((row["first"], row["second"])) for row in report.difference_rows}
        untested = ", or not tested" if len(pairs) < comb(len(board.algorithms), 2) else ""
        told.append(
            f"{LEVEL}: not shown to be worse than the best (paired permutation test, p ≥ {SIGNIFICANT:g} after Holm's correction{untested})."
        )
    return " ".join(told)


def definitions(board: Leaderboard) -> list[tuple[str, str, str]]:
    """Tells (name, what it means, what a good value is) of each metric of the leaderboard, each metric once."""
    names: dict[str, list[str]] = {}
    for column in board.columns:
        same = column.label in (column.name, column.metric.symbol)
        names.setdefault(column.metric.symbol, []).append(column.label if same else f"{column.label} ({column.name})")
    metrics = {column.metric.symbol: column.metric for column in board.columns}
    return [(", ".join(names[s]), one.meaning, one.good) for s, one in metrics.items()]


def crossed(
    rows: Sequence[Row], lines: Sequence[str], columns: Mapping[str, str], line: str, column: str, counts: bool = True
) -> list[Line]:
    """Sets rows out by the values of two keys, with the number of cases after the name. columns : value -> what shows its row."""
    of = {(row[line], row[column]): row for row in rows}
    made: list[Line] = []
    for name in lines:
        there = [of[name, other] for other in columns if (name, other) in of]
        n = [f"{max(row['n_cases'] for row in there):,}"] if counts else []
        made.append([_named(name), *n, *(_cell(of.get((name, other))) for other in columns)])
    return made


def _named(group: str | None) -> str:
    return "not given" if group is None else str(group)


def _cell(row: Row | None) -> Value:
    if row is not None and "p_holm" in row:
        p = row["p_holm"]
        return Value(row, strong=p is not None and p < SIGNIFICANT, note=p_value(p))
    mark = _BESIDE_1[place_of(row)] if row is not None and row["metric"] in HEADLINES else ""
    return Value(row, mark, note=spread_note(row))


def difference_tables(report: Results) -> tuple[list[Table], list[Table]]:
    """Makes the tables of differences in the leaderboard's metrics, and in all others."""
    of_board = [column.name for column in report.board.columns]
    labels = {column.name: column.label for column in report.board.columns}
    names = list(dict.fromkeys(row["name"] for row in report.difference_rows))
    first = [name for name in of_board if name in names]
    rest = [name for name in names if name not in first]
    pieces = [rest[at : at + _MOST_COLUMNS] for at in range(0, len(rest), _MOST_COLUMNS)]
    return [_differences(report, first, labels)] if first else [], [_differences(report, one, {}) for one in pieces]


def _differences(report: Results, names: Sequence[str], labels: Mapping[str, str]) -> Table:
    """A line for each two raters, whoever is better first, or as they were named; a column for each metric."""
    rows = [row for row in report.difference_rows if row["name"] in names]
    pairs = list(dict.fromkeys((row["first"], row["second"]) for row in rows))
    of = {((row["first"], row["second"]), row["name"]): row for row in rows}
    lines: list[Line] = [
        [f"{one} − {other}", *(_cell(of.get(((one, other), name))) for name in names)]
        for one, other in pairs[:_MOST_PAIRS]
    ]
    most = max((row["n_comparisons"] for row in rows), default=0)
    among = f" for the {counted(most, 'comparison')} of each metric" if most > 1 else ""
    told = f"On the same {report.setup.cases}s, with the interval and the p of a paired permutation test, corrected{among} by Holm."
    if len(pairs) > _MOST_PAIRS:
        told += f" The first {_MOST_PAIRS} of {len(pairs)} pairs; the files have all."
    header = ["", *(labels.get(name, name) for name in names)]
    return Table(header, [("", lines)], f"Differences in {', '.join(names[:3])}", note=told)


def subgroup_tables(report: Results) -> tuple[list[Table], list[Table]]:
    """Makes for each column of groups the table of the leaderboard's first metric; and those of its other metrics."""
    first, rest, cases = [], [], f"{report.setup.cases}s"
    rows = report.by_group.model_rows
    for by in dict.fromkeys(row["by"] for row in rows):
        for place, column in enumerate(report.board.columns):
            own = [row for row in rows if (row["by"], row["name"]) == (by, column.name)]
            pairs = [row for row in report.by_group.difference_rows if (row["by"], row["name"]) == (by, column.name)]
            title, raters = (
                f"{column.label} by {by.replace('_', ' ')}",
                report.in_order(row["algorithm"] for row in own),
            )
            made = [_by_group(title, by, own, "algorithm", raters, cases)] if own else []
            if pairs:
                named = [row | {"pair": f"{row['first']} − {row['second']}"} for row in pairs]
                names = list(dict.fromkeys(row["pair"] for row in named))
                made.append(_by_group(f"Differences in {title}", by, named, "pair", names, cases))
            (rest if place else first).extend(made)
    return first, rest


def _by_group(title: str, by: str, rows: Sequence[Row], column: str, columns: Sequence[str], cases: str) -> Table:
    groups = list(dict.fromkeys(row["group"] for row in rows))
    lines = crossed(rows, groups, dict.fromkeys(columns, ""), "group", column)
    sizes = [max(row["n_cases"] for row in rows if row["group"] == group) for group in groups if group not in AVERAGES]
    small = sum(size < FEW for size in sizes)
    warning = (
        f"{small:,} of {len(sizes):,} groups have fewer than {FEW} {cases}: too few to tell anybody apart."
        if small
        else ""
    )
    return Table([by.replace("_", " "), cases, *columns], [("", lines)], title, title, warning=warning)


def every_metric(report: Results) -> Table:
    """Makes a line for each metric, at every k, and a column for each rater, models as their means over prompts."""
    rows = report.model_rows
    raters = report.in_order(row["algorithm"] for row in rows)
    groups = []
    for family in report.families:
        names = list(dict.fromkeys(row["name"] for row in family.model_rows))
        groups.append(
            (family.title, crossed(family.model_rows, names, dict.fromkeys(raters, ""), "name", "algorithm", False))
        )
    told = f"Each value with its {report.setup.resampling.level:.0%} interval."
    if any(row["k"] is not None for row in rows):
        told += " @k: over the first k of each list; recall and HDF1 without it are over whole lists."
    if any(row["metric"] in HEADLINES for row in rows):
        told += " ▲ and ▼: the interval lies above or below 1, the panel's own level."
    return Table(["metric", *raters], groups, "Every metric of every rater", note=told)


def as_printed(report: Results) -> Table | None:
    """Makes Table 3 of "How to Evaluate Medical AI": P_avg and P_opt at 1, R_avg and R_opt at k, a line for each algorithm.

    The optimistic ones are told as + (above 1) or - (not above 1). None without a panel.
    """
    of = {(row["algorithm"], row["metric"], row["k"]): row for row in report.model_rows if row["metric"] in _PRINTED}
    algorithms = [name for name in report.board.algorithms if (name, "P_avg", 1) in of]
    if not algorithms:
        return None
    columns = [(metric, 1 if metric.startswith("P") else report.k) for metric in _PRINTED]

    def signed(row: Row | None) -> Value:
        if row is None or row["value"] is None or not row["metric"].endswith("opt"):
            return Value(row)
        return Value(row, "+" if row["value"] > 1 else "-")

    lines = [[name, *(signed(of.get((name, *column))) for column in columns)] for name in algorithms]
    told = "+: above 1, so the algorithm differs from its nearest expert less than the two experts furthest apart from each other; -: not above 1."
    title = "Relative quality, as the source prints it"
    return Table(["", *(f"{metric}@{k}" for metric, k in columns)], [("", lines)], title, title, told)


def tables_of(family: Family) -> list[Table]:
    """Makes the further tables of a family, as they are; but for those that charts and other parts show."""
    named = [
        (name.replace("_", " ").capitalize(), rows)
        for name, rows in family.tables.items()
        if rows and name not in _NOT_AS_TABLES
    ]
    return [rows_table(title, rows) for title, rows in named]
