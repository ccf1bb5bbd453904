"""The tables of a report: the leaderboard, differences, subgroups, every metric, and what families bring."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING

from ...files.counted import counted
from ...pages.rows import Row
from ...pages.words import p_value
from ..score.scores import FEW
from ..statistics.subgroups import AVERAGES
from .board import SIGNIFICANT, Leaderboard
from .document import Block, Folded, Line, Table, Value, rows_table
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
_NOT_AS_TABLES = ("prompt_values", "curves", "pairs", "disagreements", "plane", "notes", "deductions", "answers")


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
        note = _spread(row)
        if report.setup.deviations and row is not None and row.get("sd") is not None:
            note = f"± {row['sd']:.3f}"
        if column.uneven and row is not None and row["value"] is not None:
            note = f"{note} n = {row['n_cases']:,}".lstrip()
        cells.append(Value(row, LEVEL if rater in column.level_with_best else "", rater in column.best, note))
    return cells


def _spread(row: Row | None) -> str:
    """`± 0.019`, the deviation over prompts; of one prompt that over its repeats, named; "" where there is none."""
    if row is None or row["value"] is None:
        return ""
    if row.get("sd_prompts") is not None:
        return f"± {row['sd_prompts']:.3f}"
    return f"± {row['sd_repeats']:.3f} (repeats)" if row.get("sd_repeats") is not None else ""


def _headline_note(report: Results) -> str:
    board, resampling, cases = report.board, report.setup.resampling, report.setup.cases
    rows = [row for column in board.columns for row in column.of_rater.values()]
    pairs = {frozenset((row["first"], row["second"])) for row in report.difference_rows}
    untested = ", or not tested" if len(pairs) < comb(len(board.algorithms), 2) else ""
    interval = f"{resampling.level:.0%} intervals over {counted(resampling.repeats, 'resample')} of the {cases}s."
    uneven = f"n: of how many {cases}s; where it differs, values rest on other {cases}s, and differences say more."
    level = f"{LEVEL}: not shown to be worse than the best (paired permutation test, p ≥ {SIGNIFICANT:g} after Holm's correction{untested})."
    told = {
        OVER_PROMPTS: any(row.get("n_prompts") for row in rows),
        f"±: the population standard deviation of the {cases}s.": report.setup.deviations,
        interval: any(row["low"] is not None for row in rows),
        uneven: any(column.uneven for column in board.columns),
        "Bold: the best value.": any(column.best for column in board.columns),
        level: any(column.level_with_best for column in board.columns),
    }
    return " ".join(words for words, holds in told.items() if holds)


def definitions(board: Leaderboard) -> list[tuple[str, str, str]]:
    """Tells (name, what it means, what a good value is) of each metric of the leaderboard, each metric once."""
    names: dict[str, list[str]] = {}
    for column in board.columns:
        same = column.label in (column.name, column.metric.symbol)
        names.setdefault(column.metric.symbol, []).append(column.label if same else f"{column.label} ({column.name})")
    metrics = {column.metric.symbol: column.metric for column in board.columns}
    return [(", ".join(names[s]), one.meaning, one.good) for s, one in metrics.items()]


def crossed(title: str, rows: Sequence[Row], keys: tuple[str, str, str], columns: Sequence[str], note: str) -> Table:
    """Sets rows out by the values of three keys: headings, lines and columns."""
    heading, line, column = keys
    of = {(row[heading], row[line], row[column]): row for row in rows}
    lines: dict[str, dict[str, Line]] = {}
    for above, name, _ in of:
        cells = [_cell(of.get((above, name, other))) for other in columns]
        lines.setdefault(above, {})[name] = [name, *cells]
    groups = [(above, list(own.values())) for above, own in lines.items()]
    return Table([line, *columns], groups, title, title, note)


def _cell(row: Row | None) -> Value:
    if row is not None and "p_holm" in row:
        p = row["p_holm"]
        return Value(row, strong=p is not None and p < SIGNIFICANT, note=p_value(p))
    mark = _BESIDE_1[place_of(row)] if row is not None and row["metric"] in HEADLINES else ""
    return Value(row, mark, note=_spread(row))


def differences(report: Results) -> list[Block]:
    """Makes the table of differences in the leaderboard's first metric, and, to be opened, of those in all others."""
    rows: list[Row] = [row | {"models": _pair(row), "what": "difference"} for row in report.difference_rows]
    most = max((row["n_comparisons"] for row in rows), default=0)
    among = f" for the {counted(most, 'comparison')} of each metric" if most > 1 else ""
    note = f"On the same {report.setup.cases}s, with the interval and the two-sided p of a paired permutation test (McNemar's, exact, for top-k accuracy), corrected{among} by Holm."
    return _first_open(report, "Differences", rows, "models", "what", ["difference"], note)


def subgroups(report: Results) -> list[Block]:
    """Makes for each column of groups the tables of the leaderboard's first metric, and, to be opened, of those of its others."""
    names = [column.name for column in report.board.columns]
    values = [row for row in report.group_model_rows if row["name"] in names]
    pairs: list[Row] = [row | {"algorithm": _pair(row)} for row in report.group_difference_rows if row["name"] in names]
    blocks: list[Block] = []
    for by in dict.fromkeys(row["by"] for row in values):
        for what, rows in (("values", values), ("differences", pairs)):
            own: list[Row] = [row for row in rows if row["by"] == by]
            sizes = {row["group"]: 0 for row in own}
            for row in own:
                sizes[row["group"]] = max(sizes[row["group"]], row["n_cases"])
            of_groups = [size for group, size in sizes.items() if group not in AVERAGES]
            few = [size for size in of_groups if size < FEW]
            warning = f"{len(few):,} of {len(of_groups):,} groups have fewer than {FEW} {report.setup.cases}s: too few to tell anybody apart."
            told = {group: f"{'not given' if group is None else group} (n = {size:,})" for group, size in sizes.items()}
            raters = dict.fromkeys(row["algorithm"] for row in own)
            columns = report.in_order(raters) if rows is values else list(raters)
            blocks += _first_open(
                report, f"By {by.replace('_', ' ')}: {what}", [row | {"group": told[row["group"]]} for row in own], "group", "algorithm",
                columns, note=warning if few else "",
            )  # fmt: skip
    return blocks


def _pair(row: Row) -> str:
    return f"{row['first']} − {row['second']}"


def _first_open(
    report: Results, title: str, rows: Sequence[Row], line: str, column: str, columns: Sequence[str], note: str
) -> list[Block]:
    """A table of the first metric of the leaderboard that has rows, and one of all others behind a line that opens."""
    labels = {one.name: one.label for one in report.board.columns}
    place = {name: at for at, name in enumerate(dict.fromkeys([*labels, *(row["name"] for row in rows)]))}
    named = [row | {"label": labels.get(row["name"], row["name"])} for row in rows]
    named.sort(key=lambda row: place[row["name"]])
    first = [row for row in named if row["name"] == named[0]["name"]]
    rest = named[len(first) :]
    keys = ("label", line, column)
    blocks: list[Block] = [crossed(title, first, keys, columns, note)] if first else []
    return [*blocks, Folded(f"{title}: other metrics", [crossed(title, rest, keys, columns, note)])] if rest else blocks


def every_metric(report: Results) -> Table:
    """Makes a line for each metric, at every k, and a column for each rater, models as their means over prompts."""
    rows = [row | {"family": family.title} for family in report.families for row in family.model_rows]
    raters = report.in_order(row["algorithm"] for row in rows)
    told = f"Each value with its {report.setup.resampling.level:.0%} interval."
    if any(row["k"] is not None for row in rows):
        told += " @k: over the first k of each list; recall and HDF1 without it are over whole lists."
    if any(row["metric"] in HEADLINES for row in rows):
        told += " ▲ and ▼: the interval lies above or below 1, the panel's own level."
    return crossed("Every metric of every rater", rows, ("family", "name", "algorithm"), raters, told)


def tables_of(family: Family) -> list[Table]:
    """Makes the further tables of a family, as they are; but for those that charts and other parts show."""
    named = [
        (name.replace("_", " ").capitalize(), rows)
        for name, rows in family.tables.items()
        if rows and name not in _NOT_AS_TABLES
    ]
    return [rows_table(title, rows) for title, rows in named]
